// template_json.c: `tojson`: a template's values as Python's json.dumps writes them.
#include "template_vm.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct JsonForm {
    bool ascii, sorted;
    const TplText *indent; // NULL: all on one line
    const TplText *comma, *colon;
} JsonForm;

static void put(Tpl *t, TplBuffer *to, const char *text)
{
    tpl_put(t, to, text, strlen(text), NULL);
}

static void write_code(Tpl *t, TplBuffer *to, uint32_t code)
{
    char out[16];
    if (code < 0x10000)
        snprintf(out, sizeof out, "\\u%04x", code);
    else
        snprintf(out, sizeof out, "\\u%04x\\u%04x", 0xd7c0 + (code >> 10), 0xdc00 + (code & 0x3ff));
    put(t, to, out);
}

static bool stays(uint32_t code, bool ascii)
{
    return code >= 0x20 && code != '"' && code != '\\' && (!ascii || code < 0x7f);
}

static void write_string(Tpl *t, TplBuffer *to, const TplText *text, bool ascii)
{
    static const char letters[] = "\"\\\n\r\t\f\b", escapes[] = "\"\\nrtfb";
    uint32_t code;
    put(t, to, "\"");
    for (size_t i = 0, from = 0; i < text->bytes; from = i) {
        // A run of what stays as it is.
        size_t n = 0;
        while (i < text->bytes && (n = (size_t)tpl_take(text->at + i, text->bytes - i, &code)) && stays(code, ascii))
            i += n;
        tpl_put(t, to, text->at + from, i - from, text->marks ? text->marks + from : NULL);
        if (i == text->bytes)
            break;
        const char *letter = code && code < 0x80 ? strchr(letters, (int)code) : NULL;
        const char escape[3] = { '\\', letter ? escapes[letter - letters] : 0, 0 };
        if (letter)
            put(t, to, escape);
        else
            write_code(t, to, code);
        tpl_spend(t, 1);
        i += n;
    }
    put(t, to, "\"");
}

static void write_float(Tpl *t, TplBuffer *to, double real)
{
    if (isnan(real))
        put(t, to, "NaN");
    else if (isinf(real))
        put(t, to, real < 0 ? "-Infinity" : "Infinity");
    else
        tpl_print_float(t, to, real);
}

static void write_whole(Tpl *t, TplBuffer *to, int64_t whole)
{
    char out[32];
    snprintf(out, sizeof out, "%lld", (long long)whole);
    put(t, to, out);
}

static void write_key(Tpl *t, TplBuffer *to, TplValue key, const JsonForm *f)
{
    if (key.type == TPL_STRING) {
        write_string(t, to, key.text, f->ascii);
        return;
    }
    put(t, to, "\"");
    if (key.type == TPL_NONE)
        put(t, to, "null");
    else if (key.type == TPL_BOOL)
        put(t, to, key.truth ? "true" : "false");
    else if (key.type == TPL_INT)
        write_whole(t, to, key.whole);
    else if (key.type == TPL_FLOAT)
        write_float(t, to, key.real);
    else
        tpl_fail(t, "a key of a dict is a %s: JSON has none such", tpl_type_name(key));
    put(t, to, "\"");
}

static void write_break(Tpl *t, TplBuffer *to, const JsonForm *f, int level)
{
    if (!f->indent)
        return;
    put(t, to, "\n");
    for (int i = 0; i < level; ++i)
        tpl_put_text(t, to, f->indent);
}

static void write_value(Tpl *t, TplBuffer *to, TplValue v, const JsonForm *f, int level);

static void write_list(Tpl *t, TplBuffer *to, const TplList *list, const JsonForm *f, int level)
{
    if (!list->n) {
        put(t, to, "[]");
        return;
    }
    put(t, to, "[");
    for (uint32_t i = 0; i < list->n; ++i) {
        if (i)
            tpl_put_text(t, to, f->comma);
        write_break(t, to, f, level + 1);
        write_value(t, to, list->at[i], f, level + 1);
    }
    write_break(t, to, f, level);
    put(t, to, "]");
}

// The dict's items in order of their keys.
static const TplList *sorted_items(Tpl *t, TplValue v)
{
    const TplValue items = tpl_items(t, (TplValue){ .type = TPL_VIEW, .number = TPL_ITEMS, .dict = v.dict });
    const TplValue keys = tpl_items(t, v);
    tpl_sort(t, items.list, keys.list->at, false);
    return items.list;
}

static void write_dict(Tpl *t, TplBuffer *to, TplValue v, const JsonForm *f, int level)
{
    const TplDict *d = v.dict;
    const TplList *sorted = f->sorted ? sorted_items(t, v) : NULL;
    if (!d->n) {
        put(t, to, "{}");
        return;
    }
    put(t, to, "{");
    for (uint32_t i = 0; i < d->n; ++i) {
        if (i)
            tpl_put_text(t, to, f->comma);
        write_break(t, to, f, level + 1);
        write_key(t, to, sorted ? sorted->at[i].list->at[0] : d->at[i].key, f);
        tpl_put_text(t, to, f->colon);
        write_value(t, to, sorted ? sorted->at[i].list->at[1] : d->at[i].value, f, level + 1);
    }
    write_break(t, to, f, level);
    put(t, to, "}");
}

static void write_value(Tpl *t, TplBuffer *to, TplValue v, const JsonForm *f, int level)
{
    tpl_spend(t, 1);
    if (level > TPL_NESTING)
        tpl_fail(t, "values are nested more than %d deep", TPL_NESTING);
    switch (v.type) {
    case TPL_NONE:
        put(t, to, "null");
        break;
    case TPL_BOOL:
        put(t, to, v.truth ? "true" : "false");
        break;
    case TPL_INT:
        write_whole(t, to, v.whole);
        break;
    case TPL_FLOAT:
        write_float(t, to, v.real);
        break;
    case TPL_STRING:
        write_string(t, to, v.text, f->ascii);
        break;
    case TPL_LIST:
    case TPL_TUPLE:
        write_list(t, to, v.list, f, level);
        break;
    case TPL_DICT:
        write_dict(t, to, v, f, level);
        break;
    default:
        tpl_want_defined(t, v);
        tpl_fail(t, "a %s cannot be written as JSON", tpl_type_name(v));
    }
}

static void set_separators(Tpl *t, JsonForm *f, TplValue separators)
{
    f->comma = tpl_string(t, f->indent ? "," : ", ").text;
    f->colon = tpl_string(t, ": ").text;
    if (separators.type == TPL_ABSENT || separators.type == TPL_NONE)
        return;
    const TplValue both = tpl_items(t, separators);
    if (both.list->n != 2 || both.list->at[0].type != TPL_STRING || both.list->at[1].type != TPL_STRING)
        tpl_fail(t, "the separators of tojson are not two strings");
    f->comma = both.list->at[0].text;
    f->colon = both.list->at[1].text;
}

static const TplText *indent_of(Tpl *t, TplValue indent)
{
    if (indent.type == TPL_ABSENT || indent.type == TPL_NONE)
        return NULL;
    if (indent.type == TPL_STRING)
        return indent.text;
    if (!tpl_is_whole(indent))
        tpl_fail(t, "the indent of tojson is a %s", tpl_type_name(indent));
    return tpl_math(t, TOP_MULTIPLY, tpl_string(t, " "), indent).text;
}

void tpl_write_json(Tpl *t, TplBuffer *to, TplValue v, bool ascii, TplValue indent, TplValue separators, bool sorted)
{
    JsonForm f = { .ascii = ascii, .sorted = sorted, .indent = indent_of(t, indent) };
    set_separators(t, &f, separators);
    write_value(t, to, v, &f, 0);
}
