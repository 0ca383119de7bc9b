// template_tests.c: the tests of a template: `is defined`, `is string` and so on.
#include "template_vm.h"

static bool is_sequence(TplValue v)
{
    return v.type == TPL_UNDEFINED || v.type == TPL_STRING || v.type == TPL_LIST || v.type == TPL_TUPLE ||
           v.type == TPL_DICT || v.type == TPL_RANGE_OF;
}

static bool is_callable(TplValue v)
{
    return v.type == TPL_UNDEFINED || v.type == TPL_MACRO || v.type == TPL_METHOD || v.type == TPL_FUNCTION ||
           v.type == TPL_LOOP;
}

static bool is_same(TplValue a, TplValue b)
{
    if (a.type != b.type)
        return false;
    switch (a.type) {
    case TPL_UNDEFINED:
    case TPL_NONE:
        return a.type == TPL_NONE;
    case TPL_BOOL:
        return a.truth == b.truth;
    case TPL_INT:
        return a.whole == b.whole;
    case TPL_STRING:
        return tpl_text_equal(a.text, b.text);
    case TPL_FUNCTION:
        return a.number == b.number;
    default:
        return a.list == b.list;
    }
}

static bool leaves(Tpl *t, TplValue v, TplValue by, int64_t rest)
{
    return tpl_equal(t, tpl_math(t, TOP_MODULO, v, by), tpl_int(rest));
}

static bool compares(Tpl *t, uint32_t number, TplValue a, TplValue b)
{
    switch (number) {
    case TTEST_EQ:
        return tpl_equal(t, a, b);
    case TTEST_NE:
        return !tpl_equal(t, a, b);
    case TTEST_LT:
        return tpl_less(t, a, b, false);
    case TTEST_LE:
        return tpl_less(t, a, b, true);
    case TTEST_GT:
        return tpl_less(t, b, a, false);
    case TTEST_GE:
        return tpl_less(t, b, a, true);
    case TTEST_IN:
        return tpl_contains(t, b, a);
    case TTEST_DIVISIBLEBY:
        return leaves(t, a, b, 0);
    default:
        return is_same(a, b);
    }
}

bool tpl_test(Tpl *t, uint32_t number, TplValue v, const TplValue *args, uint32_t n)
{
    static const uint8_t needs[] = {
#define TEMPLATE_TEST_NEEDS(id, name, arguments) arguments,
        TEMPLATE_TESTS(TEMPLATE_TEST_NEEDS)
#undef TEMPLATE_TEST_NEEDS
    };
    if (number >= TEMPLATE_TEST_COUNT || n != needs[number])
        tpl_fail(t, "test %u with %u arguments", number, n);
    if (n)
        return compares(t, number, v, args[0]);
    switch (number) {
    case TTEST_BOOLEAN:
        return v.type == TPL_BOOL;
    case TTEST_CALLABLE:
        return is_callable(v);
    case TTEST_DEFINED:
        return v.type != TPL_UNDEFINED;
    case TTEST_UNDEFINED:
        return v.type == TPL_UNDEFINED;
    case TTEST_ESCAPED:
        return v.type == TPL_STRING && v.text->markup;
    case TTEST_EVEN:
        return leaves(t, v, tpl_int(2), 0);
    case TTEST_ODD:
        return leaves(t, v, tpl_int(2), 1);
    case TTEST_TRUE:
        return v.type == TPL_BOOL && v.truth;
    case TTEST_FALSE:
        return v.type == TPL_BOOL && !v.truth;
    case TTEST_FLOAT:
        return v.type == TPL_FLOAT;
    case TTEST_INTEGER:
        return v.type == TPL_INT;
    case TTEST_NUMBER:
        return tpl_is_number(v);
    case TTEST_ITERABLE:
        return tpl_can_iterate(v) || v.type == TPL_LOOP;
    case TTEST_MAPPING:
        return v.type == TPL_DICT;
    case TTEST_NONE:
        return v.type == TPL_NONE;
    case TTEST_SEQUENCE:
        return is_sequence(v);
    default:
        return v.type == TPL_STRING;
    }
}
