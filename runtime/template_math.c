// template_math.c: arithmetic of a template's values, as Python has it, but for integers over 64 bits, which are refused.
#include "template_vm.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *op_name(int op)
{
    static const char *const names[] = { "+", "-", "*", "/", "//", "%", "**" };
    return names[op - TOP_ADD];
}

static _Noreturn void no_operation(Tpl *t, int op, TplValue a, TplValue b)
{
    tpl_want_defined(t, a);
    tpl_want_defined(t, b);
    if (op == TOP_MODULO && a.type == TPL_STRING)
        tpl_fail(t, "formatting a string with %% is not supported");
    tpl_fail(t, "%s %s %s is not possible", tpl_type_name(a), op_name(op), tpl_type_name(b));
}

static _Noreturn void too_large(Tpl *t)
{
    tpl_fail(t, "a number is over 64 bits");
}

static int64_t whole_power(Tpl *t, int64_t base, int64_t exponent)
{
    int64_t result = 1;
    while (exponent > 0) {
        if ((exponent & 1) && __builtin_mul_overflow(result, base, &result))
            too_large(t);
        exponent >>= 1;
        if (exponent && __builtin_mul_overflow(base, base, &base)) {
            if (base == 0)
                return 0;
            too_large(t);
        }
    }
    return result;
}

// Rounded down, as Python divides; INT64_MIN by -1 does not fit.
static int64_t floor_divide(Tpl *t, int64_t a, int64_t b)
{
    if (a == INT64_MIN && b == -1)
        too_large(t);
    const int64_t q = a / b;
    return q - (a % b != 0 && (a < 0) != (b < 0));
}

static int64_t modulo(int64_t a, int64_t b)
{
    if (b == -1)
        return 0;
    const int64_t rest = a % b;
    return rest && (rest < 0) != (b < 0) ? rest + b : rest;
}

static TplValue whole_math(Tpl *t, int op, int64_t a, int64_t b)
{
    int64_t result = 0;
    bool over = false;
    if (b == 0 && (op == TOP_DIVIDE || op == TOP_FLOOR_DIVIDE || op == TOP_MODULO))
        tpl_fail(t, "a number is divided by 0");
    switch (op) {
    case TOP_ADD:
        over = __builtin_add_overflow(a, b, &result);
        break;
    case TOP_SUBTRACT:
        over = __builtin_sub_overflow(a, b, &result);
        break;
    case TOP_MULTIPLY:
        over = __builtin_mul_overflow(a, b, &result);
        break;
    case TOP_DIVIDE:
        return tpl_float((double)a / (double)b);
    case TOP_FLOOR_DIVIDE:
        result = floor_divide(t, a, b);
        break;
    case TOP_MODULO:
        result = modulo(a, b);
        break;
    default:
        if (b < 0) {
            if (a == 0)
                tpl_fail(t, "0 has no negative power");
            return tpl_float(pow((double)a, (double)b));
        }
        result = whole_power(t, a, b);
    }
    if (over)
        too_large(t);
    return tpl_int(result);
}

static double real_modulo(double a, double b)
{
    double rest = fmod(a, b);
    if (rest != 0 && (rest < 0) != (b < 0))
        rest += b;
    return rest == 0 ? copysign(0.0, b) : rest;
}

static double real_floor_divide(double a, double b)
{
    const double rest = real_modulo(a, b), q = (a - rest) / b;
    if (q == 0)
        return copysign(0.0, a / b);
    return q - floor(q) > 0.5 ? floor(q) + 1 : floor(q);
}

static TplValue real_math(Tpl *t, int op, double a, double b)
{
    if (b == 0 && (op == TOP_DIVIDE || op == TOP_FLOOR_DIVIDE || op == TOP_MODULO))
        tpl_fail(t, "a number is divided by 0");
    switch (op) {
    case TOP_ADD:
        return tpl_float(a + b);
    case TOP_SUBTRACT:
        return tpl_float(a - b);
    case TOP_MULTIPLY:
        return tpl_float(a * b);
    case TOP_DIVIDE:
        return tpl_float(a / b);
    case TOP_FLOOR_DIVIDE:
        return tpl_float(real_floor_divide(a, b));
    case TOP_MODULO:
        return tpl_float(real_modulo(a, b));
    default:
        break;
    }
    if (a == 0 && b < 0)
        tpl_fail(t, "0 has no negative power");
    const double power = pow(a, b);
    if (a < 0 && isfinite(a) && isfinite(b) && b != floor(b))
        tpl_fail(t, "a negative number to a power that is not whole");
    if (isinf(power) && isfinite(a) && isfinite(b))
        tpl_fail(t, "a power is too large");
    return tpl_float(power);
}

static TplValue add_texts(Tpl *t, const TplText *a, const TplText *b)
{
    const bool markup = a->markup || b->markup;
    if (markup && !a->markup)
        a = tpl_escaped(t, a).text;
    if (markup && !b->markup)
        b = tpl_escaped(t, b).text;
    const TplValue v = tpl_joined(t, a, b);
    v.text->markup = markup;
    return v;
}

static TplValue add_lists(Tpl *t, TplValue a, TplValue b)
{
    if (a.list->n > TPL_MEMORY / sizeof(TplValue) - b.list->n)
        tpl_fail(t, "a list grows too long");
    const TplValue v = tpl_list(t, a.list->n + b.list->n, (TplType)a.type);
    tpl_spend(t, v.list->n / 4);
    if (a.list->n)
        memcpy(v.list->at, a.list->at, a.list->n * sizeof *v.list->at);
    if (b.list->n)
        memcpy(v.list->at + a.list->n, b.list->at, b.list->n * sizeof *v.list->at);
    return v;
}

static TplValue repeated(Tpl *t, TplValue v, int64_t times)
{
    const uint64_t bytes = v.type == TPL_STRING ? v.text->bytes : v.list->n * sizeof(TplValue);
    if (times < 0 || bytes == 0)
        times = 0;
    if (times && bytes > TPL_MEMORY / (uint64_t)times)
        tpl_fail(t, "a repeated %s grows too long", tpl_type_name(v));
    if (v.type == TPL_STRING) {
        TplBuffer *b = tpl_buffer(t, (size_t)(bytes * (uint64_t)times));
        tpl_spend(t, (uint64_t)times);
        for (int64_t i = 0; i < times; ++i)
            tpl_put_text(t, b, v.text);
        const TplValue out = tpl_text_of(t, b);
        out.text->markup = v.text->markup;
        return out;
    }
    const TplValue out = tpl_list(t, v.list->n * (uint32_t)times, (TplType)v.type);
    tpl_spend(t, out.list->n);
    for (uint32_t i = 0; i < out.list->n; ++i)
        out.list->at[i] = v.list->at[i % v.list->n];
    return out;
}

static bool is_sequence(TplValue v)
{
    return v.type == TPL_STRING || v.type == TPL_LIST || v.type == TPL_TUPLE;
}

TplValue tpl_math(Tpl *t, int op, TplValue a, TplValue b)
{
    if (tpl_is_whole(a) && tpl_is_whole(b))
        return whole_math(t, op, tpl_whole(a), tpl_whole(b));
    if (tpl_is_number(a) && tpl_is_number(b))
        return real_math(t, op, tpl_real(a), tpl_real(b));
    if (op == TOP_ADD && a.type == b.type && a.type == TPL_STRING)
        return add_texts(t, a.text, b.text);
    if (op == TOP_ADD && a.type == b.type && is_sequence(a))
        return add_lists(t, a, b);
    if (op == TOP_MULTIPLY && is_sequence(a) && tpl_is_whole(b))
        return repeated(t, a, tpl_whole(b));
    if (op == TOP_MULTIPLY && tpl_is_whole(a) && is_sequence(b))
        return repeated(t, b, tpl_whole(a));
    no_operation(t, op, a, b);
}

TplValue tpl_negated(Tpl *t, TplValue v)
{
    if (v.type == TPL_FLOAT)
        return tpl_float(-v.real);
    if (tpl_is_whole(v))
        return whole_math(t, TOP_SUBTRACT, 0, tpl_whole(v));
    tpl_want_defined(t, v);
    tpl_fail(t, "-%s is not possible", tpl_type_name(v));
}

// ---- numbers from text --------------------------------------------------------------------------------------------

// Without whitespace around it, nor a '_' between two digits; NULL: too long, or no such text.
static const char *plain(const TplText *text, char *room, size_t bytes)
{
    uint32_t code;
    size_t from = 0, to = text->bytes, n = 0;
    while (from < to && text->at[from] < 0x80 && tpl_is_space(text->at[from]))
        ++from;
    while (to > from && text->at[to - 1] < 0x80 && tpl_is_space(text->at[to - 1]))
        --to;
    if (to - from >= bytes || from == to)
        return NULL;
    for (size_t i = from; i < to; ++i) {
        tpl_take(text->at + i, 1, &code);
        const bool joins = code == '_' && i > from && i + 1 < to && text->at[i - 1] != '_' && text->at[i + 1] != '_' &&
                           strchr("0123456789abcdefABCDEFxXoO", text->at[i - 1]) &&
                           strchr("0123456789abcdefABCDEF", text->at[i + 1]);
        if (joins)
            continue;
        if (code >= 0x80 || code == 0 || code == '_')
            return NULL;
        room[n++] = (char)code;
    }
    room[n] = 0;
    return room;
}

bool tpl_text_to_int(const TplText *text, int base, int64_t *out)
{
    char room[80], *end;
    const char *s = plain(text, room, sizeof room);
    if (!s)
        return false;
    const char *digits = s + (*s == '-' || *s == '+');
    // strtoll takes one sign and blanks of its own.
    if (*digits == '-' || *digits == '+' || *digits == ' ' || (base == 10 && (*digits < '0' || *digits > '9')))
        return false;
    char number[80];
    const char *prefixes = base == 16 ? "xX" : base == 8 ? "oO" : base == 2 ? "bB" : "";
    const bool prefixed = *digits == '0' && digits[1] && strchr(prefixes, digits[1]) && *prefixes;
    number[0] = *s == '-' ? '-' : '+';
    strcpy(number + 1, digits + (prefixed ? 2 : 0));
    errno = 0;
    const long long n = strtoll(number, &end, base);
    if (errno || *end || end == number || number[1] == '-' || number[1] == '+')
        return false;
    *out = n;
    return true;
}

bool tpl_text_to_float(const TplText *text, double *out)
{
    char room[400], *end;
    const char *s = plain(text, room, sizeof room);
    if (!s || strpbrk(s, "xXpP( "))
        return false;
    *out = strtod(s, &end);
    return *end == 0 && end != s;
}
