// regex_parse.c: read a regular expression.
//
//   any      = all ("|" all)*
//   all      = (atom quantifier?)*
//   atom     = "(" ("?:" | "?i:" | "?=" | "?!")? any ")" | "[" class "]" | "." | "$" | escape | character
//   escape   = "\" (s | S | d | D | r | n | t | f | v | p{NAME} | P{NAME} | xHH | x{H..} | uHHHH | a symbol)
//   quantifier = ("*" | "+" | "?" | "{n}" | "{n,}" | "{n,m}") ("?" | "+")?
#include "regex_parse.h"

#include "../base/str.h"

#include <string.h>
#include <utf8proc.h>

enum { MAX_DEPTH = 40, MAX_REPEAT = 1000 };

typedef struct Parser {
    const Unicode *unicode;
    Arena *arena;
    const char *text;
    size_t at, bytes;
    enum Dialect dialect;
    bool fold; // inside (?i:)
    int depth;
    const char *wrong; // the first thing that is
} Parser;

static void *fail(Parser *p, const char *what)
{
    if (!p->wrong)
        p->wrong = str_format(p->arena, "%s at byte %zu", what, p->at);
    return NULL;
}

static bool is_at(const Parser *p, const char *what)
{
    const size_t n = strlen(what);
    return p->bytes - p->at >= n && memcmp(p->text + p->at, what, n) == 0;
}

static bool take(Parser *p, const char *what)
{
    if (!is_at(p, what))
        return false;
    p->at += strlen(what);
    return true;
}

// The next code point; 0 and an error where there is none.
static uint32_t take_code(Parser *p)
{
    utf8proc_int32_t code = -1;
    if (p->at < p->bytes) {
        const utf8proc_ssize_t n =
            utf8proc_iterate((const utf8proc_uint8_t *)p->text + p->at, (utf8proc_ssize_t)(p->bytes - p->at), &code);
        p->at += n > 0 ? (size_t)n : 0;
    }
    if (code < 0)
        fail(p, "the expression ends, or is no UTF-8,");
    return code < 0 ? 0 : (uint32_t)code;
}

static uint32_t take_hex(Parser *p, int digits, const char *end)
{
    uint32_t value = 0;
    int n = 0;
    for (; n < digits && p->at < p->bytes; ++n, ++p->at) {
        const char *all = "0123456789abcdef", *digit = strchr(all, p->text[p->at] | 0x20);
        if (!digit || !p->text[p->at])
            break;
        value = value * 16 + (uint32_t)(digit - all);
    }
    if (n == 0 || (!end && n < digits) || (end && !take(p, end)) || value >= CODE_POINTS)
        fail(p, "not a code point");
    return value >= CODE_POINTS ? 0 : value;
}

static CharSet one_code(Parser *p, uint32_t code)
{
    CharSet set = { 0 };
    charset_add(p->arena, &set, code, code);
    return set;
}

static CharSet take_property(Parser *p)
{
    CharSet set = { 0 };
    const bool inverse = take(p, "{^");
    const char *end = memchr(p->text + p->at, '}', p->bytes - p->at);
    if ((!inverse && !take(p, "{")) || !end) {
        fail(p, "\\p without {NAME}");
        return set;
    }
    const size_t n = (size_t)(end - (p->text + p->at));
    if (!charset_named(p->unicode, p->text + p->at, n, &set))
        fail(p, str_format(p->arena, "unknown property \"%s\"", str_copy(p->arena, p->text + p->at, n)));
    p->at += n + 1;
    return inverse ? charset_inverse(p->arena, set) : set;
}

// What stands behind a backslash. *code: the one code point that it is; CODE_POINTS: a class.
static CharSet take_escape(Parser *p, uint32_t *code)
{
    static const char letters[] = "rntfvae", controls[] = "\r\n\t\f\v\a\x1b";
    CharSet set = { 0 };
    const uint32_t c = take_code(p);
    *code = CODE_POINTS;
    if (c == 's' || c == 'S')
        set = charset_space(p->arena);
    else if (c == 'd' || c == 'D')
        charset_named(p->unicode, "Nd", 2, &set);
    else if (c == 'p' || c == 'P')
        set = take_property(p);
    else if (c == 'x' && take(p, "{"))
        *code = take_hex(p, 6, "}");
    else if (c == 'x' || c == 'u')
        *code = take_hex(p, c == 'x' ? 2 : 4, NULL);
    else if (c < 128 && c && strchr(letters, (int)c))
        *code = (uint32_t)controls[strchr(letters, (int)c) - letters];
    else if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'))
        fail(p, str_format(p->arena, "\\%c is not supported", (int)c));
    else
        *code = c;
    if (*code < CODE_POINTS)
        return one_code(p, *code);
    return c == 'S' || c == 'D' || c == 'P' ? charset_inverse(p->arena, set) : set;
}

static void fold(Parser *p, CharSet *set)
{
    if (p->fold && !charset_fold(p->unicode, set))
        fail(p, "a letter beyond ASCII without regard to case is not supported");
}

// Behind "[".
static CharSet take_class(Parser *p)
{
    CharSet codes = { 0 }, classes = { 0 };
    const bool inverse = take(p, "^");
    for (bool first = true; !p->wrong && (first || !is_at(p, "]")); first = false) {
        if (is_at(p, "&&") || is_at(p, "["))
            fail(p, "sets inside a set are not supported");
        uint32_t from = CODE_POINTS, to;
        if (take(p, "\\"))
            charset_unite(p->arena, &classes, take_escape(p, &from));
        else
            from = take_code(p);
        to = from;
        if (from < CODE_POINTS && is_at(p, "-") && !is_at(p, "-]")) {
            take(p, "-");
            if (take(p, "\\"))
                take_escape(p, &to);
            else
                to = take_code(p);
            if (to == CODE_POINTS || to < from)
                fail(p, "a range that does not ascend");
        }
        if (from < CODE_POINTS && !p->wrong)
            charset_add(p->arena, &codes, from, to);
    }
    if (!take(p, "]"))
        fail(p, "] is missing");
    fold(p, &codes);
    charset_unite(p->arena, &codes, classes);
    return inverse ? charset_inverse(p->arena, codes) : codes;
}

static Pattern *new_pattern(Parser *p, PatternKind kind)
{
    Pattern *made = arena_alloc(p->arena, sizeof *made);
    made->kind = kind;
    return made;
}

static Pattern *take_any(Parser *p);

// Behind "(?=" or "(?!".
static Pattern *take_look(Parser *p, bool inverse)
{
    Pattern *inside = take_any(p), *look = new_pattern(p, PATTERN_LOOK);
    while (inside && (inside->kind == PATTERN_ANY || inside->kind == PATTERN_ALL) && inside->parts.n == 1)
        inside = inside->parts.at[0];
    if (!inside || inside->kind != PATTERN_SET)
        return fail(p, "looking ahead over more than one character is not supported");
    look->set = inverse ? charset_inverse(p->arena, inside->set) : inside->set;
    look->end = inverse;
    return look;
}

// Behind "(".
static Pattern *take_group(Parser *p)
{
    const bool folded = p->fold;
    Pattern *made;
    if (++p->depth > MAX_DEPTH)
        return fail(p, "groups are nested too deep");
    if (take(p, "?=") || is_at(p, "?!")) {
        made = take_look(p, take(p, "?!"));
    } else {
        if (take(p, "?i:"))
            p->fold = true;
        else if (!take(p, "?:") && is_at(p, "?"))
            return fail(p, "this kind of group is not supported");
        made = take_any(p);
    }
    p->fold = folded;
    --p->depth;
    return take(p, ")") ? made : fail(p, ") is missing");
}

static Pattern *take_atom(Parser *p)
{
    if (take(p, "("))
        return take_group(p);
    Pattern *made = new_pattern(p, PATTERN_SET);
    uint32_t code;
    if (take(p, "[")) {
        made->set = take_class(p);
    } else if (take(p, ".")) {
        made->set = charset_inverse(p->arena, one_code(p, '\n'));
    } else if (take(p, "$")) {
        made->kind = PATTERN_LOOK;
        made->end = true;
        if (p->dialect == DIALECT_ONIGURUMA)
            made->set = one_code(p, '\n');
    } else if (take(p, "\\")) {
        made->set = take_escape(p, &code);
        if (code < CODE_POINTS)
            fold(p, &made->set);
    } else if (is_at(p, "^") || is_at(p, "*") || is_at(p, "+") || is_at(p, "?") || is_at(p, "{")) {
        return fail(p, str_format(p->arena, "%c is not supported", p->text[p->at]));
    } else {
        made->set = one_code(p, take_code(p));
        fold(p, &made->set);
    }
    return made;
}

static int take_number(Parser *p)
{
    int value = -1;
    for (; p->at < p->bytes && p->text[p->at] >= '0' && p->text[p->at] <= '9' && value <= MAX_REPEAT; ++p->at)
        value = (value < 0 ? 0 : value) * 10 + (p->text[p->at] - '0');
    return value;
}

// Behind "{".
static void take_counts(Parser *p, Pattern *made)
{
    made->min = made->max = take_number(p);
    if (take(p, ","))
        made->max = is_at(p, "}") ? -1 : take_number(p);
    if (!take(p, "}") || made->min < 0 || made->min > MAX_REPEAT || made->max > MAX_REPEAT ||
        (made->max >= 0 && made->max < made->min) || made->max == 0)
        fail(p, "counts that are not supported");
}

// Whether an atom is one code point of a set.
static bool is_set(const Pattern *p)
{
    while ((p->kind == PATTERN_ALL || p->kind == PATTERN_ANY) && p->parts.n == 1)
        p = p->parts.at[0];
    return p->kind == PATTERN_SET;
}

// What stands behind a count is a quantifier of its own to Oniguruma, as in Ruby: x{2}+ is (x{2})+, x{2}? is (x{2})?.
static void take_greed(Parser *p, Pattern *made, bool counted)
{
    const bool own = counted && p->dialect == DIALECT_ONIGURUMA;
    if (!(own && made->min == made->max) && take(p, "?"))
        made->greed = LAZY;
    else if (!own && take(p, "+"))
        made->greed = POSSESSIVE;
}

static Pattern *take_quantifier(Parser *p, Pattern *atom)
{
    Pattern *made = new_pattern(p, PATTERN_REPEAT);
    vec_push(p->arena, &made->parts, atom);
    made->max = -1;
    const bool counted = is_at(p, "{");
    if (take(p, "+"))
        made->min = 1;
    else if (take(p, "?"))
        made->max = 1;
    else if (take(p, "{"))
        take_counts(p, made);
    else if (!take(p, "*"))
        return atom;
    if (atom->kind == PATTERN_LOOK)
        return fail(p, "looking ahead several times is not supported");
    take_greed(p, made, counted);
    if (made->greed == POSSESSIVE && !is_set(atom))
        return fail(p, "a possessive quantifier of more than one character is not supported");
    while (made->greed == POSSESSIVE && made->parts.at[0]->kind != PATTERN_SET)
        made->parts.at[0] = made->parts.at[0]->parts.at[0];
    return counted && p->dialect == DIALECT_ONIGURUMA ? take_quantifier(p, made) : made;
}

static Pattern *take_all(Parser *p)
{
    Pattern *made = new_pattern(p, PATTERN_ALL);
    while (!p->wrong && p->at < p->bytes && !is_at(p, "|") && !is_at(p, ")")) {
        Pattern *atom = take_atom(p);
        if (atom)
            atom = take_quantifier(p, atom);
        if (atom)
            vec_push(p->arena, &made->parts, atom);
    }
    return made;
}

static Pattern *take_any(Parser *p)
{
    Pattern *made = new_pattern(p, PATTERN_ANY);
    do {
        Pattern *part = take_all(p);
        vec_push(p->arena, &made->parts, part);
    } while (!p->wrong && take(p, "|"));
    return made;
}

const Pattern *pattern_parse(const Unicode *u, const char *text, size_t bytes, enum Dialect dialect, const char **wrong)
{
    Parser p = { .unicode = u, .arena = u->arena, .text = text, .bytes = bytes, .dialect = dialect };
    Pattern *made = take_any(&p);
    if (!p.wrong && p.at < bytes)
        fail(&p, ") without (");
    *wrong = p.wrong;
    return p.wrong ? NULL : made;
}
