// template_value.c: truth, equality and order of a template's values, as Python has them.
#include "template_vm.h"

#include <math.h>
#include <string.h>

TplValue tpl_undefined(Tpl *t, const char *why)
{
    TplValue v = { .type = TPL_UNDEFINED };
    v.text = why ? tpl_string(t, why).text : NULL;
    return v;
}

TplValue tpl_list(Tpl *t, uint32_t n, TplType type)
{
    TplList *list = tpl_alloc(t, sizeof *list);
    list->at = n ? tpl_alloc(t, (size_t)n * sizeof *list->at) : NULL;
    list->n = n;
    return (TplValue){ .type = type, .list = list };
}

TplValue tpl_iterator(Tpl *t, TplValue list)
{
    TplIterator *iterator = tpl_alloc(t, sizeof *iterator);
    iterator->list = list.list;
    return (TplValue){ .type = TPL_ITERATOR, .iterator = iterator };
}

const char *tpl_type_name(TplValue v)
{
    static const char *const names[] = { "nothing",    "undefined value", "none",      "bool",      "int",   "float",
                                         "string",     "list",            "tuple",     "dict",      "view",  "range",
                                         "iterator",   "namespace",       "macro",     "method",    "function",
                                         "loop" };
    return v.type < sizeof names / sizeof *names ? names[v.type] : "?";
}

void tpl_fail_undefined(Tpl *t, TplValue v)
{
    if (v.text)
        tpl_fail(t, "%.*s", (int)(v.text->bytes < 300 ? v.text->bytes : 300), (const char *)v.text->at);
    tpl_fail(t, "a value is undefined");
}

void tpl_want_defined(Tpl *t, TplValue v)
{
    if (v.type == TPL_UNDEFINED)
        tpl_fail_undefined(t, v);
}

bool tpl_is_whole(TplValue v)
{
    return v.type == TPL_INT || v.type == TPL_BOOL;
}

int64_t tpl_whole(TplValue v)
{
    return v.type == TPL_BOOL ? v.truth : v.whole;
}

bool tpl_is_number(TplValue v)
{
    return tpl_is_whole(v) || v.type == TPL_FLOAT;
}

double tpl_real(TplValue v)
{
    return v.type == TPL_FLOAT ? v.real : (double)tpl_whole(v);
}

bool tpl_truth(TplValue v)
{
    switch (v.type) {
    case TPL_ABSENT:
    case TPL_UNDEFINED:
    case TPL_NONE:
        return false;
    case TPL_BOOL:
        return v.truth;
    case TPL_INT:
        return v.whole != 0;
    case TPL_FLOAT:
        return v.real != 0;
    case TPL_STRING:
        return v.text->bytes > 0;
    case TPL_LIST:
    case TPL_TUPLE:
        return v.list->n > 0;
    case TPL_DICT:
    case TPL_VIEW:
        return v.dict->n > 0;
    case TPL_RANGE_OF:
        return v.range->n > 0;
    default:
        return true;
    }
}

// -1, 0, 1; 2: one is not a number. Exact, also where a double cannot hold the integer.
static int whole_order(int64_t a, double b)
{
    if (isnan(b))
        return 2;
    if (b >= 9223372036854775808.0)
        return -1;
    if (b < -9223372036854775808.0)
        return 1;
    const int64_t cut = (int64_t)b;
    if (a != cut)
        return a < cut ? -1 : 1;
    const double rest = b - (double)cut;
    return rest > 0 ? -1 : rest < 0;
}

static int number_order(TplValue a, TplValue b)
{
    if (a.type != TPL_FLOAT && b.type != TPL_FLOAT) {
        const int64_t x = tpl_whole(a), y = tpl_whole(b);
        return x < y ? -1 : x > y;
    }
    if (a.type == TPL_FLOAT && b.type == TPL_FLOAT)
        return isnan(a.real) || isnan(b.real) ? 2 : a.real < b.real ? -1 : a.real > b.real;
    if (b.type == TPL_FLOAT)
        return whole_order(tpl_whole(a), b.real);
    const int order = whole_order(tpl_whole(b), a.real);
    return order == 2 ? 2 : -order;
}

// By code points, which is the order of the bytes of UTF-8.
static int text_order(Tpl *t, const TplText *a, const TplText *b)
{
    const size_t n = a->bytes < b->bytes ? a->bytes : b->bytes;
    tpl_spend(t, n / 64);
    const int order = n ? memcmp(a->at, b->at, n) : 0;
    return order ? (order < 0 ? -1 : 1) : a->bytes < b->bytes ? -1 : a->bytes > b->bytes;
}

static void descend(Tpl *t)
{
    if (++t->depth > TPL_NESTING)
        tpl_fail(t, "values are nested more than %d deep", TPL_NESTING);
}

static bool lists_equal(Tpl *t, const TplList *a, const TplList *b)
{
    if (a->n != b->n)
        return false;
    descend(t);
    bool equal = true;
    for (uint32_t i = 0; equal && i < a->n; ++i)
        equal = tpl_equal(t, a->at[i], b->at[i]);
    --t->depth;
    return equal;
}

static bool dicts_equal(Tpl *t, const TplDict *a, const TplDict *b)
{
    if (a->n != b->n)
        return false;
    descend(t);
    bool equal = true;
    for (uint32_t i = 0; equal && i < a->n; ++i) {
        const TplValue *other = tpl_dict_find(t, b, a->at[i].key);
        equal = other && tpl_equal(t, a->at[i].value, *other);
    }
    --t->depth;
    return equal;
}

static bool ranges_equal(const TplRange *a, const TplRange *b)
{
    return a->n == b->n && (a->n == 0 || (a->start == b->start && (a->n == 1 || a->step == b->step)));
}

bool tpl_equal(Tpl *t, TplValue a, TplValue b)
{
    tpl_spend(t, 1);
    if (tpl_is_number(a) && tpl_is_number(b))
        return number_order(a, b) == 0;
    if (a.type != b.type)
        return false;
    switch (a.type) {
    case TPL_UNDEFINED:
    case TPL_NONE:
        return true;
    case TPL_STRING:
        tpl_spend(t, a.text->bytes / 64);
        return tpl_text_equal(a.text, b.text);
    case TPL_LIST:
    case TPL_TUPLE:
        return lists_equal(t, a.list, b.list);
    case TPL_DICT:
        return dicts_equal(t, a.dict, b.dict);
    case TPL_RANGE_OF:
        return ranges_equal(a.range, b.range);
    case TPL_FUNCTION:
        return a.number == b.number;
    case TPL_METHOD:
        return a.method->number == b.method->number && a.method->of.list == b.method->of.list;
    case TPL_VIEW:
        return a.dict == b.dict && a.number == b.number;
    default:
        return a.list == b.list;
    }
}

static _Noreturn void no_order(Tpl *t, TplValue a, TplValue b)
{
    tpl_want_defined(t, a);
    tpl_want_defined(t, b);
    tpl_fail(t, "%s and %s have no order", tpl_type_name(a), tpl_type_name(b));
}

bool tpl_less(Tpl *t, TplValue a, TplValue b, bool or_equal)
{
    tpl_spend(t, 1);
    if (tpl_is_number(a) && tpl_is_number(b)) {
        const int order = number_order(a, b);
        return order == -1 || (or_equal && order == 0);
    }
    if (a.type == TPL_STRING && b.type == TPL_STRING) {
        const int order = text_order(t, a.text, b.text);
        return order < 0 || (or_equal && order == 0);
    }
    if (a.type != b.type || (a.type != TPL_LIST && a.type != TPL_TUPLE))
        no_order(t, a, b);
    uint32_t i = 0;
    while (i < a.list->n && i < b.list->n && tpl_equal(t, a.list->at[i], b.list->at[i]))
        ++i;
    if (i == a.list->n || i == b.list->n)
        return a.list->n < b.list->n || (or_equal && a.list->n == b.list->n);
    descend(t);
    const bool less = tpl_less(t, a.list->at[i], b.list->at[i], or_equal);
    --t->depth;
    return less;
}

static bool range_has(const TplRange *r, TplValue what)
{
    int64_t n;
    if (what.type == TPL_FLOAT && (what.real < -9e15 || what.real > 9e15 || (double)(int64_t)what.real != what.real))
        return false;
    n = what.type == TPL_FLOAT ? (int64_t)what.real : tpl_whole(what);
    if (!r->n || (r->step > 0 ? n < r->start || n >= r->stop : n > r->start || n <= r->stop))
        return false;
    return (n - r->start) % r->step == 0;
}

bool tpl_contains(Tpl *t, TplValue in, TplValue what)
{
    TplValue item;
    switch (in.type) {
    case TPL_STRING:
        if (what.type != TPL_STRING)
            tpl_fail(t, "a string is asked whether a %s is in it", tpl_type_name(what));
        return tpl_find(t, in.text, what.text, 0, in.text->bytes) >= 0;
    case TPL_DICT:
        return tpl_dict_find(t, in.dict, what) != NULL;
    case TPL_RANGE_OF:
        return tpl_is_number(what) && range_has(in.range, what);
    default:
        break;
    }
    if (!tpl_can_iterate(in))
        tpl_fail(t, "a %s is asked whether something is in it", tpl_type_name(in));
    TplCursor c = tpl_walk(t, in);
    while (tpl_next(t, &c, &item))
        if (tpl_equal(t, item, what))
            return true;
    return false;
}

bool tpl_compare(Tpl *t, uint32_t how, TplValue a, TplValue b)
{
    switch (how) {
    case TCMP_EQ:
        return tpl_equal(t, a, b);
    case TCMP_NE:
        return !tpl_equal(t, a, b);
    case TCMP_LT:
        return tpl_less(t, a, b, false);
    case TCMP_LE:
        return tpl_less(t, a, b, true);
    case TCMP_GT:
        return tpl_less(t, b, a, false);
    case TCMP_GE:
        return tpl_less(t, b, a, true);
    case TCMP_IN:
        return tpl_contains(t, b, a);
    case TCMP_NOT_IN:
        return !tpl_contains(t, b, a);
    default:
        tpl_fail(t, "comparison %u", how);
    }
}
