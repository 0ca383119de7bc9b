// template_print.c: str() and repr() of a template's values, as Python writes them.
#include "template_vm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put(Tpl *t, TplBuffer *to, const char *text)
{
    tpl_put(t, to, text, strlen(text), NULL);
}

// The shortest digits that read back as the same number.
void tpl_print_float(Tpl *t, TplBuffer *to, double real)
{
    char text[40], digits[24], out[64];
    if (!isfinite(real)) {
        put(t, to, isnan(real) ? "nan" : real < 0 ? "-inf" : "inf");
        return;
    }
    int precision = 0;
    do
        snprintf(text, sizeof text, "%.*e", precision, real);
    while (strtod(text, NULL) != real && ++precision < 17);
    // -d.ddde-XX, with any letter for the point
    const char *from = text + (*text == '-'), *e = strchr(text, 'e');
    int n = 0;
    for (const char *s = from; s < e; ++s)
        if (*s >= '0' && *s <= '9')
            digits[n++] = *s;
    while (n > 1 && digits[n - 1] == '0')
        --n;
    digits[n] = 0;
    const int exponent = atoi(e + 1);
    const char *sign = *text == '-' ? "-" : "";
    if (exponent < -4 || exponent >= 16)
        snprintf(out, sizeof out, "%s%c%s%se%s%02d", sign, digits[0], n > 1 ? "." : "", digits + 1, exponent < 0 ? "-" : "+",
                 abs(exponent));
    else if (exponent < 0)
        snprintf(out, sizeof out, "%s0.%.*s%s", sign, -exponent - 1, "0000", digits);
    else if (n <= exponent + 1)
        snprintf(out, sizeof out, "%s%s%.*s.0", sign, digits, exponent + 1 - n, "0000000000000000");
    else
        snprintf(out, sizeof out, "%s%.*s.%s", sign, exponent + 1, digits, digits + exponent + 1);
    put(t, to, out);
}

static void print_escape(Tpl *t, TplBuffer *to, uint32_t code)
{
    char out[16];
    switch (code) {
    case '\n':
        put(t, to, "\\n");
        return;
    case '\r':
        put(t, to, "\\r");
        return;
    case '\t':
        put(t, to, "\\t");
        return;
    default:
        snprintf(out, sizeof out, code < 0x100 ? "\\x%02x" : code < 0x10000 ? "\\u%04x" : "\\U%08x", code);
        put(t, to, out);
    }
}

static void print_quoted(Tpl *t, TplBuffer *to, const TplText *text)
{
    const bool single = text->bytes && memchr(text->at, '\'', text->bytes), twin = text->bytes && memchr(text->at, '"', text->bytes);
    const char quote = single && !twin ? '"' : '\'';
    uint32_t code;
    if (text->markup)
        put(t, to, "Markup(");
    tpl_put(t, to, &quote, 1, NULL);
    tpl_spend(t, text->bytes);
    for (size_t i = 0; i < text->bytes;) {
        const size_t n = (size_t)tpl_take(text->at + i, text->bytes - i, &code);
        if (code == (uint32_t)quote || code == '\\')
            put(t, to, "\\");
        if (code == '\n' || code == '\r' || code == '\t' || (code >= 0xdc80 && code <= 0xdcff) || !tpl_is_printable(code))
            print_escape(t, to, code);
        else
            tpl_put(t, to, text->at + i, n, text->marks ? text->marks + i : NULL);
        i += n;
    }
    tpl_put(t, to, &quote, 1, NULL);
    if (text->markup)
        put(t, to, ")");
}

static void print_repr(Tpl *t, TplBuffer *to, TplValue v);

static void print_list(Tpl *t, TplBuffer *to, const TplList *list, const char *open, const char *close)
{
    put(t, to, open);
    for (uint32_t i = 0; i < list->n; ++i) {
        if (i)
            put(t, to, ", ");
        print_repr(t, to, list->at[i]);
    }
    put(t, to, close);
}

static void print_dict(Tpl *t, TplBuffer *to, const TplDict *d)
{
    put(t, to, "{");
    for (uint32_t i = 0; i < d->n; ++i) {
        if (i)
            put(t, to, ", ");
        print_repr(t, to, d->at[i].key);
        put(t, to, ": ");
        print_repr(t, to, d->at[i].value);
    }
    put(t, to, "}");
}

static void print_view(Tpl *t, TplBuffer *to, TplValue v)
{
    static const char *const names[] = { "dict_keys(", "dict_values(", "dict_items(" };
    put(t, to, names[v.number]);
    print_list(t, to, tpl_items(t, v).list, "[", "])");
}

static void print_range(Tpl *t, TplBuffer *to, const TplRange *r)
{
    char out[80];
    if (r->step == 1)
        snprintf(out, sizeof out, "range(%lld, %lld)", (long long)r->start, (long long)r->stop);
    else
        snprintf(out, sizeof out, "range(%lld, %lld, %lld)", (long long)r->start, (long long)r->stop, (long long)r->step);
    put(t, to, out);
}

static void print_macro(Tpl *t, TplBuffer *to, const TplMacro *macro)
{
    const uint32_t name = t->functions[macro->function].name;
    if (!name) {
        put(t, to, "<Macro anonymous>");
        return;
    }
    put(t, to, "<Macro ");
    print_quoted(t, to, tpl_const(t, name - 1));
    put(t, to, ">");
}

static void print_nested(Tpl *t, TplBuffer *to, TplValue v)
{
    if (++t->depth > TPL_NESTING)
        tpl_fail(t, "values are nested more than %d deep", TPL_NESTING);
    switch (v.type) {
    case TPL_LIST:
        print_list(t, to, v.list, "[", "]");
        break;
    case TPL_TUPLE:
        print_list(t, to, v.list, "(", v.list->n == 1 ? ",)" : ")");
        break;
    case TPL_DICT:
        print_dict(t, to, v.dict);
        break;
    case TPL_VIEW:
        print_view(t, to, v);
        break;
    default:
        put(t, to, "<Namespace ");
        print_dict(t, to, v.dict);
        put(t, to, ">");
    }
    --t->depth;
}

static void print_repr(Tpl *t, TplBuffer *to, TplValue v)
{
    char out[64];
    tpl_spend(t, 1);
    switch (v.type) {
    case TPL_UNDEFINED:
        put(t, to, "Undefined");
        break;
    case TPL_NONE:
        put(t, to, "None");
        break;
    case TPL_BOOL:
        put(t, to, v.truth ? "True" : "False");
        break;
    case TPL_INT:
        snprintf(out, sizeof out, "%lld", (long long)v.whole);
        put(t, to, out);
        break;
    case TPL_FLOAT:
        tpl_print_float(t, to, v.real);
        break;
    case TPL_STRING:
        print_quoted(t, to, v.text);
        break;
    case TPL_LIST:
    case TPL_TUPLE:
    case TPL_DICT:
    case TPL_VIEW:
    case TPL_NAMESPACE:
        print_nested(t, to, v);
        break;
    case TPL_RANGE_OF:
        print_range(t, to, v.range);
        break;
    case TPL_MACRO:
        print_macro(t, to, v.macro);
        break;
    case TPL_LOOP:
        snprintf(out, sizeof out, "<LoopContext %lld/%lld>", (long long)v.loop->index0 + 1,
                 (long long)tpl_loop_length(t, v.loop));
        put(t, to, out);
        break;
    default:
        tpl_fail(t, "a %s is written as text", tpl_type_name(v));
    }
}

void tpl_print(Tpl *t, TplBuffer *to, TplValue v)
{
    if (v.type == TPL_STRING)
        tpl_put_text(t, to, v.text);
    else if (v.type != TPL_UNDEFINED)
        print_repr(t, to, v);
}

TplValue tpl_str(Tpl *t, TplValue v)
{
    if (v.type == TPL_STRING)
        return v;
    TplBuffer *b = tpl_buffer(t, 32);
    tpl_print(t, b, v);
    return tpl_text_of(t, b);
}
