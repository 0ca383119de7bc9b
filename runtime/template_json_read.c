// template_json_read.c: JSON (RFC 8259) into a template's values: messages, tools and other variables of a caller.
#include "template_vm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef struct JsonInput {
    Tpl *t;
    const char *at, *from;
    const char *what; // for messages: "messages"
    int depth;
} JsonInput;

static _Noreturn void bad(const JsonInput *in, const char *why)
{
    tpl_fail(in->t, "%s: not JSON at byte %zu: %s", in->what, (size_t)(in->at - in->from), why);
}

static void skip(JsonInput *in)
{
    while (*in->at == ' ' || *in->at == '\n' || *in->at == '\r' || *in->at == '\t')
        ++in->at;
}

static bool take(JsonInput *in, const char *word)
{
    const size_t n = strlen(word);
    if (strncmp(in->at, word, n) != 0)
        return false;
    in->at += n;
    return true;
}

static uint32_t hex4(JsonInput *in)
{
    uint32_t code = 0;
    for (int i = 0; i < 4; ++i) {
        const char c = *in->at;
        const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
        if (digit < 0)
            bad(in, "four hexadecimal digits are wanted");
        code = code * 16 + (uint32_t)digit;
        ++in->at;
    }
    return code;
}

static uint32_t read_code(JsonInput *in)
{
    uint32_t code = hex4(in);
    if (code >= 0xd800 && code < 0xdc00 && in->at[0] == '\\' && in->at[1] == 'u') {
        in->at += 2;
        const uint32_t low = hex4(in);
        if (low < 0xdc00 || low > 0xdfff)
            bad(in, "half of a surrogate pair");
        return 0x10000 + ((code & 0x3ff) << 10) + (low & 0x3ff);
    }
    if (code >= 0xd800 && code < 0xe000)
        bad(in, "half of a surrogate pair");
    return code;
}

static void read_escape(JsonInput *in, TplBuffer *b)
{
    static const char letters[] = "\"\\/nrtfb", meant[] = "\"\\/\n\r\t\f\b";
    const char *letter = *in->at ? strchr(letters, *in->at) : NULL;
    if (letter) {
        ++in->at;
        tpl_put_code(in->t, b, (uint8_t)meant[letter - letters], 1);
    } else if (*in->at == 'u') {
        ++in->at;
        tpl_put_code(in->t, b, read_code(in), 1);
    } else {
        bad(in, "no such escape");
    }
}

static TplValue read_string(JsonInput *in)
{
    TplBuffer *b = tpl_buffer(in->t, 32);
    const uint8_t mark = 1;
    ++in->at;
    while (*in->at != '"') {
        if ((unsigned char)*in->at < 0x20)
            bad(in, *in->at ? "a control character in a string" : "a string without an end");
        if (*in->at == '\\') {
            ++in->at;
            read_escape(in, b);
        } else {
            tpl_put(in->t, b, in->at++, 1, &mark);
        }
    }
    ++in->at;
    return tpl_text_of(in->t, b);
}

static TplValue read_number(JsonInput *in)
{
    const char *from = in->at;
    char *end;
    bool whole = true;
    in->at += *in->at == '-';
    if (*in->at < '0' || *in->at > '9')
        bad(in, "no value");
    if (*in->at == '0' && in->at[1] >= '0' && in->at[1] <= '9')
        bad(in, "a number begins with 0");
    while (*in->at && strchr("0123456789.eE+-", *in->at)) {
        whole = whole && *in->at >= '0' && *in->at <= '9';
        ++in->at;
    }
    errno = 0;
    const TplValue v = whole ? tpl_int(strtoll(from, &end, 10)) : tpl_float(strtod(from, &end));
    if (end != in->at || (whole && errno))
        bad(in, "a number that cannot be held");
    return v;
}

static TplValue read_value(JsonInput *in);

static TplValue read_list(JsonInput *in)
{
    uint32_t n = 0, cap = 8;
    TplValue *at = tpl_alloc(in->t, cap * sizeof *at);
    ++in->at;
    skip(in);
    while (*in->at != ']') {
        if (n && !take(in, ","))
            bad(in, "a comma or ] is wanted");
        if (n == cap) {
            TplValue *more = tpl_alloc(in->t, (size_t)cap * 2 * sizeof *at);
            memcpy(more, at, n * sizeof *at);
            at = more;
            cap *= 2;
        }
        at[n++] = read_value(in);
    }
    ++in->at;
    const TplValue v = tpl_list(in->t, 0, TPL_LIST);
    *v.list = (TplList){ at, n };
    return v;
}

static TplValue read_object(JsonInput *in)
{
    TplDict *d = tpl_dict_new(in->t, 0);
    ++in->at;
    skip(in);
    while (*in->at != '}') {
        if (d->n && !take(in, ","))
            bad(in, "a comma or } is wanted");
        skip(in);
        if (*in->at != '"')
            bad(in, "a key is wanted");
        const TplValue key = read_string(in);
        skip(in);
        if (!take(in, ":"))
            bad(in, "a colon is wanted");
        tpl_dict_set(in->t, d, key, read_value(in));
    }
    ++in->at;
    return (TplValue){ .type = TPL_DICT, .dict = d };
}

static TplValue read_value(JsonInput *in)
{
    TplValue v;
    if (++in->depth > TPL_NESTING)
        bad(in, "nested too deep");
    skip(in);
    if (*in->at == '"')
        v = read_string(in);
    else if (*in->at == '[')
        v = read_list(in);
    else if (*in->at == '{')
        v = read_object(in);
    else if (take(in, "true"))
        v = tpl_bool(true);
    else if (take(in, "false"))
        v = tpl_bool(false);
    else if (take(in, "null"))
        v = tpl_none();
    else
        v = read_number(in);
    skip(in);
    --in->depth;
    return v;
}

TplValue tpl_read_json(Tpl *t, const char *text, const char *what)
{
    JsonInput in = { .t = t, .at = text, .from = text, .what = what };
    const TplValue v = read_value(&in);
    if (*in.at)
        bad(&in, "something stands behind it");
    return v;
}
