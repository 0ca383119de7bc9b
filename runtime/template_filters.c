// template_filters.c: the filters of a template that look at one value; template_lists.c has those that go through many.
#include "template_vm.h"

#include <math.h>
#include <string.h>

static bool given(TplValue v)
{
    return v.type != TPL_ABSENT && v.type != TPL_NONE;
}

static bool flag(TplValue v, bool otherwise)
{
    return v.type == TPL_ABSENT ? otherwise : tpl_truth(v);
}

static TplText *text_of(Tpl *t, TplValue v)
{
    return tpl_str(t, v).text;
}

static TplValue as_markup(Tpl *t, TplValue v)
{
    const TplValue text = tpl_str(t, v);
    const TplValue out = tpl_part(t, text.text, 0, text.text->bytes);
    out.text->markup = true;
    return out;
}

static TplValue to_int(Tpl *t, TplValue v, TplValue otherwise, TplValue base)
{
    int64_t n;
    double real = NAN;
    tpl_want_defined(t, v);
    if (tpl_is_whole(v))
        return tpl_int(tpl_whole(v));
    if (v.type == TPL_STRING) {
        const int64_t b = tpl_is_whole(base) ? tpl_whole(base) : 10;
        if (b < 2 || b > 36)
            tpl_fail(t, "the base of int is not 2 to 36");
        if (tpl_text_to_int(v.text, (int)b, &n))
            return tpl_int(n);
        if (!tpl_text_to_float(v.text, &real))
            real = NAN;
    } else if (v.type == TPL_FLOAT) {
        real = v.real;
        if (isinf(real))
            tpl_fail(t, "infinity has no int");
    }
    if (isnan(real) || isinf(real))
        return otherwise.type == TPL_ABSENT ? tpl_int(0) : otherwise;
    if (real >= 9223372036854775808.0 || real <= -9223372036854775809.0)
        tpl_fail(t, "a number is over 64 bits");
    return tpl_int((int64_t)real);
}

static TplValue to_float(Tpl *t, TplValue v, TplValue otherwise)
{
    double real;
    tpl_want_defined(t, v);
    if (tpl_is_number(v))
        return tpl_float(tpl_real(v));
    if (v.type == TPL_STRING && tpl_text_to_float(v.text, &real))
        return tpl_float(real);
    return otherwise.type == TPL_ABSENT ? tpl_float(0) : otherwise;
}

static TplValue absolute(Tpl *t, TplValue v)
{
    tpl_want_defined(t, v);
    if (!tpl_is_number(v))
        tpl_fail(t, "a %s has no absolute value", tpl_type_name(v));
    if (v.type == TPL_FLOAT)
        return tpl_float(fabs(v.real));
    return tpl_whole(v) < 0 ? tpl_negated(t, v) : tpl_int(tpl_whole(v));
}

static TplValue indent(Tpl *t, TplValue v, const TplValue *args)
{
    const TplValue by = args[0].type == TPL_STRING ? args[0]
                        : args[0].type == TPL_ABSENT
                            ? tpl_string(t, "    ")
                            : tpl_math(t, TOP_MULTIPLY, tpl_string(t, " "), args[0]);
    if (v.type != TPL_STRING) {
        tpl_want_defined(t, v);
        tpl_fail(t, "a %s is indented", tpl_type_name(v));
    }
    const TplList *lines = tpl_lines(t, tpl_joined(t, v.text, tpl_string(t, "\n").text).text, false).list;
    TplBuffer *b = tpl_buffer(t, v.text->bytes + 64);
    if (flag(args[1], false))
        tpl_put_text(t, b, by.text);
    for (uint32_t i = 0; i < lines->n; ++i) {
        const TplText *line = lines->at[i].text;
        if (i)
            tpl_put(t, b, "\n", 1, NULL);
        if (i && (line->bytes || flag(args[2], false)))
            tpl_put_text(t, b, by.text);
        tpl_put_text(t, b, line);
    }
    const TplValue out = tpl_text_of(t, b);
    out.text->markup = v.text->markup;
    return out;
}

// Words begin behind blanks, brackets and hyphens.
static TplValue title(Tpl *t, const TplText *of)
{
    TplBuffer *b = tpl_buffer(t, of->bytes + 16);
    uint32_t code;
    bool begins = true;
    for (size_t i = 0, n; i < of->bytes; i += n) {
        n = (size_t)tpl_take(of->at + i, of->bytes - i, &code);
        const bool border = tpl_is_space(code) || (code && code < 0x80 && strchr("-({[<", (int)code));
        tpl_put_text(t, b, tpl_cased(t, tpl_part(t, of, i, i + n).text, begins && !border ? TPL_UPPER : TPL_LOWER).text);
        begins = border;
    }
    return tpl_text_of(t, b);
}

static TplValue replace(Tpl *t, TplValue v, const TplValue *args)
{
    const int64_t most = given(args[2]) && tpl_is_whole(args[2]) ? tpl_whole(args[2]) : -1;
    if (given(args[2]) && !tpl_is_whole(args[2]))
        tpl_fail(t, "the count of replace is a %s", tpl_type_name(args[2]));
    return tpl_replaced(t, text_of(t, v), text_of(t, args[0]), text_of(t, args[1]), most);
}

static TplValue to_json(Tpl *t, TplValue v, const TplValue *args)
{
    TplBuffer *b = tpl_buffer(t, 256);
    tpl_write_json(t, b, v, flag(args[0], false), args[1], args[2], flag(args[3], false));
    return tpl_text_of(t, b);
}

static TplValue length(Tpl *t, TplValue v)
{
    const int64_t n = tpl_length(t, v);
    if (n < 0)
        tpl_fail(t, "a %s has no length", tpl_type_name(v));
    return tpl_int(n);
}

static TplValue trim(Tpl *t, TplValue v, TplValue chars)
{
    if (given(chars) && chars.type != TPL_STRING)
        tpl_fail(t, "trim is given a %s", tpl_type_name(chars));
    return tpl_strip(t, text_of(t, v), given(chars) ? chars.text : NULL, true, true);
}

static TplValue one_value(Tpl *t, uint32_t number, TplValue v, const TplValue *args)
{
    switch (number) {
    case TFILTER_ABS:
        return absolute(t, v);
    case TFILTER_CAPITALIZE:
        return tpl_capitalized(t, text_of(t, v));
    case TFILTER_DEFAULT:
        if (v.type == TPL_UNDEFINED || (flag(args[1], false) && !tpl_truth(v)))
            return args[0].type == TPL_ABSENT ? tpl_string(t, "") : args[0];
        return v;
    case TFILTER_ESCAPE:
        return v.type == TPL_STRING && v.text->markup ? v : tpl_escaped(t, text_of(t, v));
    case TFILTER_FLOAT:
        return to_float(t, v, args[0]);
    case TFILTER_INDENT:
        return indent(t, v, args);
    case TFILTER_INT:
        return to_int(t, v, args[0], args[1]);
    case TFILTER_LENGTH:
        return length(t, v);
    case TFILTER_LOWER:
        return tpl_cased(t, text_of(t, v), TPL_LOWER);
    case TFILTER_UPPER:
        return tpl_cased(t, text_of(t, v), TPL_UPPER);
    case TFILTER_TITLE:
        return title(t, text_of(t, v));
    case TFILTER_REPLACE:
        return replace(t, v, args);
    case TFILTER_SAFE:
        return as_markup(t, v);
    case TFILTER_STRING:
        return tpl_str(t, v);
    case TFILTER_TOJSON:
        return to_json(t, v, args);
    default:
        return trim(t, v, args[0]);
    }
}

TplValue tpl_filter(Tpl *t, uint32_t number, TplValue v, const TplValue *args, uint32_t n)
{
    TplValue all[TEMPLATE_FILTER_ARGUMENTS] = { { .type = TPL_ABSENT } };
    switch (number) {
    case TFILTER_ABS:
    case TFILTER_CAPITALIZE:
    case TFILTER_DEFAULT:
    case TFILTER_ESCAPE:
    case TFILTER_FLOAT:
    case TFILTER_INDENT:
    case TFILTER_INT:
    case TFILTER_LENGTH:
    case TFILTER_LOWER:
    case TFILTER_UPPER:
    case TFILTER_TITLE:
    case TFILTER_REPLACE:
    case TFILTER_SAFE:
    case TFILTER_STRING:
    case TFILTER_TOJSON:
    case TFILTER_TRIM:
        if (n > TEMPLATE_FILTER_ARGUMENTS)
            tpl_fail(t, "filter %u with %u arguments", number, n);
        if (n)
            memcpy(all, args, n * sizeof *all);
        return one_value(t, number, v, all);
    default:
        return tpl_list_filter(t, number, v, args, n);
    }
}
