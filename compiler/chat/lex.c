// lex.c: the text of a chat template into tokens, with Jinja's rules for whitespace: trim_blocks and lstrip_blocks are
// set, as transformers sets them.
#include "syntax.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct Lexer {
    const ChatText *c;
    Tokens *out;
    uint32_t at;
    bool line_starts; // the last token ended in a newline
} Lexer;

static const char *here(const Lexer *l)
{
    return l->c->text + l->at;
}

static bool ahead(const Lexer *l, uint32_t at, const char *text)
{
    const size_t n = strlen(text);
    return n <= l->c->bytes - at && memcmp(l->c->text + at, text, n) == 0;
}

// Bytes of the whitespace character (as str.isspace) at `s`, of which `bytes` can be seen; 0: none.
static uint32_t space_bytes(const char *s, uint32_t bytes)
{
    const unsigned char *u = (const unsigned char *)s;
    if (!bytes)
        return 0;
    if ((u[0] >= 9 && u[0] <= 13) || (u[0] >= 28 && u[0] <= 32))
        return 1;
    if (bytes >= 2 && u[0] == 0xc2 && (u[1] == 0x85 || u[1] == 0xa0))
        return 2;
    if (bytes < 3)
        return 0;
    const uint32_t three = (uint32_t)u[0] << 16 | (uint32_t)u[1] << 8 | u[2];
    return three == 0xe19a80 || (three >= 0xe28080 && three <= 0xe2808a) || three == 0xe280a8 || three == 0xe280a9 ||
                   three == 0xe280af || three == 0xe2819f || three == 0xe38080
               ? 3
               : 0;
}

static uint32_t skip_space(const Lexer *l, uint32_t at)
{
    uint32_t n;
    while ((n = space_bytes(l->c->text + at, l->c->bytes - at)))
        at += n;
    return at;
}

// The end of [from, to) without the whitespace at its end.
static uint32_t strip_end(const Lexer *l, uint32_t from, uint32_t to)
{
    for (bool stripped = true; stripped && to > from;) {
        stripped = false;
        for (uint32_t n = 1; n <= 3 && n <= to - from; ++n)
            if (space_bytes(l->c->text + to - n, n) == n) {
                to -= n;
                stripped = true;
                break;
            }
    }
    return to;
}

static void add(Lexer *l, TokenKind kind, uint32_t at, uint32_t to, const char *text, uint32_t bytes)
{
    const Token t = { .kind = kind, .at = at, .bytes = to - at, .text = str_copy(l->c->arena, text, bytes), .text_bytes = bytes };
    vec_push(l->c->arena, l->out, t);
}

// Text before a tag whose sign is '-', '+' or 0; `strips`: the tag takes the blanks before it on its line.
static void add_data(Lexer *l, uint32_t from, uint32_t to, char sign, bool strips)
{
    if (sign == '-') {
        to = strip_end(l, from, to);
    } else if (sign != '+' && strips) {
        uint32_t line = to;
        while (line > from && l->c->text[line - 1] != '\n')
            --line;
        if ((line > from || l->line_starts) && skip_space(l, line) >= to)
            to = line;
    }
    if (to > from)
        add(l, TOKEN_DATA, from, to, l->c->text + from, to - from);
}

static char sign_at(const Lexer *l, uint32_t at)
{
    return at < l->c->bytes && (l->c->text[at] == '-' || l->c->text[at] == '+') ? l->c->text[at] : 0;
}

// The end of a tag that closes at `at`: "-%}" takes all whitespace behind it, "%}" one newline. 0: it does not close.
static uint32_t closing(const Lexer *l, uint32_t at, const char *close, bool newline)
{
    const char sign = sign_at(l, at);
    const uint32_t mark = at + (sign != 0), end = mark + 2;
    if (!ahead(l, mark, close) || (sign == '+' && !newline))
        return 0;
    if (sign == '-')
        return skip_space(l, end);
    return newline && !sign && end < l->c->bytes && l->c->text[end] == '\n' ? end + 1 : end;
}

static void close_at(Lexer *l, uint32_t end)
{
    l->at = end;
    l->line_starts = l->c->text[end - 1] == '\n';
}

// "{% raw %}" at `at`: where its text begins; 0: another tag.
static uint32_t raw_begin(const Lexer *l, uint32_t at)
{
    uint32_t s = at + 2;
    s = skip_space(l, s + (sign_at(l, s) != 0));
    if (!ahead(l, s, "raw"))
        return 0;
    s = skip_space(l, s + 3);
    if (ahead(l, s, "-%}"))
        return skip_space(l, s + 3);
    return ahead(l, s, "%}") ? s + 2 : 0;
}

static void lex_raw(Lexer *l, uint32_t tag, uint32_t begin)
{
    for (uint32_t at = begin; at + 2 <= l->c->bytes; ++at) {
        if (!ahead(l, at, "{%"))
            continue;
        const char sign = sign_at(l, at + 2);
        uint32_t s = skip_space(l, at + 2 + (sign != 0));
        if (!ahead(l, s, "endraw"))
            continue;
        const uint32_t end = closing(l, skip_space(l, s + 6), "%}", true);
        if (!end)
            continue;
        l->line_starts = l->c->text[begin - 1] == '\n';
        add_data(l, begin, at, sign, true);
        close_at(l, end);
        return;
    }
    chat_refuse(l->c, tag, 2, "this raw block has no end");
}

static void lex_comment(Lexer *l, uint32_t tag)
{
    for (uint32_t at = tag + 2 + (sign_at(l, tag + 2) != 0); at + 2 <= l->c->bytes; ++at) {
        const uint32_t end = closing(l, at, "#}", true);
        if (end) {
            close_at(l, end);
            return;
        }
    }
    chat_refuse(l->c, tag, 2, "this comment has no end");
}

// ---- tokens inside a tag ------------------------------------------------------------------------------------------

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// Digits of a base with single underscores between them, behind `at`; 0: none.
static uint32_t digits(const Lexer *l, uint32_t at, const char *set)
{
    const uint32_t from = at;
    for (;;) {
        const uint32_t next = at + (at > from && at < l->c->bytes && l->c->text[at] == '_');
        if (next >= l->c->bytes || !strchr(set, l->c->text[next]) || !l->c->text[next])
            break;
        at = next + 1;
    }
    return at - from;
}

static const char *without_underscores(const Lexer *l, uint32_t from, uint32_t bytes)
{
    Str s = str_new(l->c->arena);
    for (uint32_t i = from; i < from + bytes; ++i)
        if (l->c->text[i] != '_')
            str_add_bytes(&s, l->c->text + i, 1);
    return s.text;
}

static bool lex_float(Lexer *l)
{
    const uint32_t from = l->at;
    if (from && l->c->text[from - 1] == '.')
        return false;
    uint32_t at = from + digits(l, from, "0123456789");
    const uint32_t fraction = at < l->c->bytes && l->c->text[at] == '.' ? digits(l, at + 1, "0123456789") : 0;
    if (fraction)
        at += 1 + fraction;
    uint32_t exponent = 0;
    if (at < l->c->bytes && (l->c->text[at] | 0x20) == 'e') {
        const uint32_t sign = sign_at(l, at + 1) != 0;
        exponent = digits(l, at + 1 + sign, "0123456789");
        at += exponent ? 1 + sign + exponent : 0;
    }
    if (!fraction && !exponent)
        return false;
    const char *text = without_underscores(l, from, at - from);
    add(l, TOKEN_FLOAT, from, at, text, (uint32_t)strlen(text));
    l->at = at;
    return true;
}

static void lex_int(Lexer *l)
{
    static const struct {
        char letter;
        int base;
        const char *set;
    } forms[] = { { 'b', 2, "01" }, { 'o', 8, "01234567" }, { 'x', 16, "0123456789abcdefABCDEF" } };
    const uint32_t from = l->at;
    int base = 10;
    uint32_t skip = 0, n = l->c->text[from] == '0' ? digits(l, from, "0") : digits(l, from, "0123456789");
    for (int i = 0; i < ARRAY_LEN(forms); ++i)
        if (l->c->text[from] == '0' && from + 1 < l->c->bytes && (l->c->text[from + 1] | 0x20) == forms[i].letter) {
            const uint32_t under = from + 2 < l->c->bytes && l->c->text[from + 2] == '_';
            const uint32_t more = digits(l, from + 2 + under, forms[i].set);
            if (more)
                base = forms[i].base, skip = 2, n = 2 + under + more;
        }
    const char *text = without_underscores(l, from + skip, n - skip);
    errno = 0;
    const long long whole = strtoll(text, NULL, base);
    if (errno)
        chat_refuse(l->c, from, n, "a number over 64 bits");
    add(l, TOKEN_INT, from, from + n, text, (uint32_t)strlen(text));
    l->out->at[l->out->n - 1].whole = whole;
    l->at = from + n;
}

static void put_code(Str *s, uint32_t code)
{
    char out[4];
    size_t n = 1;
    if (code < 0x80) {
        out[0] = (char)code;
    } else if (code < 0x800) {
        out[0] = (char)(0xc0 | code >> 6), out[1] = (char)(0x80 | (code & 0x3f)), n = 2;
    } else if (code < 0x10000) {
        out[0] = (char)(0xe0 | code >> 12), out[1] = (char)(0x80 | (code >> 6 & 0x3f));
        out[2] = (char)(0x80 | (code & 0x3f)), n = 3;
    } else {
        out[0] = (char)(0xf0 | code >> 18), out[1] = (char)(0x80 | (code >> 12 & 0x3f));
        out[2] = (char)(0x80 | (code >> 6 & 0x3f)), out[3] = (char)(0x80 | (code & 0x3f)), n = 4;
    }
    str_add_bytes(s, out, n);
}

// A number of at most `most` digits; the digits read.
static uint32_t escape_digits(const Lexer *l, uint32_t at, uint32_t end, uint32_t most, uint32_t base, uint32_t *code)
{
    uint32_t n = 0;
    for (*code = 0; n < most && at + n < end; ++n) {
        const char c = l->c->text[at + n];
        const uint32_t digit = is_digit(c)              ? (uint32_t)(c - '0')
                               : c >= 'a' && c <= 'f'   ? (uint32_t)(c - 'a' + 10)
                               : c >= 'A' && c <= 'F'   ? (uint32_t)(c - 'A' + 10)
                                                        : 99;
        if (digit >= base)
            break;
        *code = *code * base + digit;
    }
    return n;
}

// The escape whose letter stands at `at`; where it ends.
static uint32_t lex_escape(Lexer *l, Str *s, uint32_t at, uint32_t end)
{
    static const char letters[] = "\\'\"abfnrtv", meant[] = "\\'\"\a\b\f\n\r\t\v";
    const char c = l->c->text[at];
    const char *letter = c ? strchr(letters, c) : NULL;
    const uint32_t wanted = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    uint32_t code;
    if (letter) {
        str_add_bytes(s, &meant[letter - letters], 1);
        return at + 1;
    }
    if (c == '\n')
        return at + 1;
    if (c == 'N')
        chat_refuse(l->c, at - 1, 2, "the escape \\N{...} is not supported");
    if (wanted) {
        if (escape_digits(l, at + 1, end, wanted, 16, &code) != wanted)
            chat_refuse(l->c, at - 1, 2, "the escape \\%c needs %u hexadecimal digits", c, wanted);
        if ((code >= 0xd800 && code < 0xe000) || code > 0x10ffff)
            chat_refuse(l->c, at - 1, 2 + wanted, "the escape is no character");
        put_code(s, code);
        return at + 1 + wanted;
    }
    const uint32_t octal = escape_digits(l, at, end, 3, 8, &code);
    if (octal) {
        put_code(s, code);
        return at + octal;
    }
    str_add_bytes(s, "\\", 1); // an unknown escape stays as it is
    return at;
}

static void lex_string(Lexer *l)
{
    const uint32_t from = l->at;
    const char quote = l->c->text[from];
    uint32_t end = from + 1;
    while (end < l->c->bytes && l->c->text[end] != quote)
        end += 1 + (l->c->text[end] == '\\');
    if (end >= l->c->bytes)
        chat_refuse(l->c, from, 1, "this string has no end");
    Str s = str_new(l->c->arena);
    for (uint32_t at = from + 1; at < end;) {
        if (l->c->text[at] == '\\')
            at = lex_escape(l, &s, at + 1, end);
        else
            str_add_bytes(&s, l->c->text + at++, 1);
    }
    add(l, TOKEN_STRING, from, end + 1, s.text, (uint32_t)s.bytes);
    l->at = end + 1;
}

static void lex_sign(Lexer *l)
{
    static const char *const two[] = { "//", "**", "==", "!=", ">=", "<=" };
    uint32_t n = 1;
    for (int i = 0; i < ARRAY_LEN(two); ++i)
        if (ahead(l, l->at, two[i]))
            n = 2;
    if (n == 1 && !strchr("+-/*%~[](){}><=.:|,;", *here(l))) {
        uint32_t wide = 1;
        while (l->at + wide < l->c->bytes && (l->c->text[l->at + wide] & 0xc0) == 0x80)
            ++wide;
        chat_refuse(l->c, l->at, 1, "\"%.*s\" does not belong here", (int)wide, here(l));
    }
    add(l, TOKEN_SIGN, l->at, l->at + n, here(l), n);
    l->at += n;
}

// Brackets that are open: a tag does not close inside them.
typedef struct Brackets {
    char close[200];
    uint32_t n;
} Brackets;

static void balance(Lexer *l, Brackets *b)
{
    static const char open[] = "([{", close[] = ")]}";
    const Token *t = &l->out->at[l->out->n - 1];
    const char *opens = strchr(open, *t->text);
    if (opens) {
        if (b->n == sizeof b->close)
            chat_refuse(l->c, t->at, 1, "brackets are nested more than %zu deep", sizeof b->close);
        b->close[b->n++] = close[opens - open];
    } else if (strchr(close, *t->text)) {
        if (!b->n || b->close[--b->n] != *t->text)
            chat_refuse(l->c, t->at, 1, "\"%s\" closes nothing", t->text);
    }
}

// What stands between "{%" or "{{" and its end.
static void lex_tag(Lexer *l, uint32_t tag, bool block)
{
    Brackets b = { .n = 0 };
    add(l, block ? TOKEN_BLOCK_BEGIN : TOKEN_PRINT_BEGIN, tag, tag + 2, "", 0);
    l->at = tag + 2 + (sign_at(l, tag + 2) != 0);
    for (;;) {
        const uint32_t end = b.n ? 0 : closing(l, l->at, block ? "%}" : "}}", block);
        const uint32_t space = space_bytes(here(l), l->c->bytes - l->at);
        if (end) {
            add(l, block ? TOKEN_BLOCK_END : TOKEN_PRINT_END, l->at, l->at + 2, "", 0);
            close_at(l, end);
            return;
        }
        if (l->at >= l->c->bytes)
            chat_refuse(l->c, tag, 2, "this tag has no end");
        if (space) {
            l->at += space;
        } else if (is_digit(*here(l))) {
            if (!lex_float(l))
                lex_int(l);
        } else if (is_word(*here(l))) {
            const uint32_t from = l->at;
            while (l->at < l->c->bytes && is_word(*here(l)))
                ++l->at;
            add(l, TOKEN_NAME, from, l->at, l->c->text + from, l->at - from);
        } else if (*here(l) == '"' || *here(l) == '\'') {
            lex_string(l);
        } else {
            lex_sign(l);
            balance(l, &b);
        }
    }
}

Tokens chat_tokens(const ChatText *c)
{
    Tokens out = { 0 };
    Lexer l = { .c = c, .out = &out, .line_starts = true };
    while (l.at < c->bytes) {
        uint32_t tag = l.at;
        while (tag < c->bytes && !ahead(&l, tag, "{%") && !ahead(&l, tag, "{{") && !ahead(&l, tag, "{#"))
            ++tag;
        if (tag == c->bytes) {
            add(&l, TOKEN_DATA, l.at, tag, c->text + l.at, tag - l.at);
            break;
        }
        const char kind = c->text[tag + 1];
        add_data(&l, l.at, tag, sign_at(&l, tag + 2), kind != '{');
        const uint32_t raw = kind == '%' ? raw_begin(&l, tag) : 0;
        if (raw)
            lex_raw(&l, tag, raw);
        else if (kind == '#')
            lex_comment(&l, tag);
        else
            lex_tag(&l, tag, kind == '%');
    }
    add(&l, TOKEN_END, c->bytes, c->bytes, "", 0);
    return out;
}
