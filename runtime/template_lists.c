// template_lists.c: the filters of a template that go through many values.
#include "template_vm.h"

#include <string.h>

static bool flag(TplValue v)
{
    return v.type != TPL_ABSENT && tpl_truth(v);
}

// What sorting and uniqueness compare by: the attribute, in lower case unless `exact`.
static TplValue key_of(Tpl *t, TplValue v, TplValue attribute, bool exact)
{
    const TplValue key = tpl_path(t, v, attribute, tpl_none());
    return key.type == TPL_STRING && !exact ? tpl_cased(t, key.text, TPL_LOWER) : key;
}

// "a,b": a list of the keys by both.
static TplValue sort_key(Tpl *t, TplValue v, TplValue attribute, bool exact)
{
    if (attribute.type != TPL_STRING || !attribute.text->bytes || !memchr(attribute.text->at, ',', attribute.text->bytes))
        return key_of(t, v, attribute, exact);
    uint32_t n = 1, k = 0;
    for (uint32_t i = 0; i < attribute.text->bytes; ++i)
        n += attribute.text->at[i] == ',';
    const TplValue keys = tpl_list(t, n, TPL_LIST);
    for (size_t from = 0, to; k < n; from = to + 1) {
        for (to = from; to < attribute.text->bytes && attribute.text->at[to] != ','; ++to)
            continue;
        keys.list->at[k++] = key_of(t, v, tpl_part(t, attribute.text, from, to), exact);
    }
    return keys;
}

// Merges order[from, middle) and order[middle, to). Of equal ones the earlier stays first, also in reverse.
static void merge(Tpl *t, uint32_t *order, uint32_t *room, const TplValue *keys, bool reversed, const uint32_t range[3])
{
    uint32_t a = range[0], b = range[1];
    for (uint32_t k = range[0]; k < range[2]; ++k) {
        const bool second = a == range[1] || (b < range[2] && (reversed ? tpl_less(t, keys[order[a]], keys[order[b]], false)
                                                                       : tpl_less(t, keys[order[b]], keys[order[a]], false)));
        room[k] = second ? order[b++] : order[a++];
    }
}

void tpl_sort(Tpl *t, TplList *values, const TplValue *keys, bool reversed)
{
    const uint32_t n = values->n;
    if (n < 2)
        return;
    uint32_t *order = tpl_alloc(t, n * sizeof *order), *room = tpl_alloc(t, n * sizeof *room);
    for (uint32_t i = 0; i < n; ++i)
        order[i] = i;
    for (uint64_t width = 1; width < n; width *= 2) {
        for (uint64_t from = 0; from < n; from += 2 * width) {
            const uint32_t range[3] = { (uint32_t)from, (uint32_t)(from + width < n ? from + width : n),
                                        (uint32_t)(from + 2 * width < n ? from + 2 * width : n) };
            merge(t, order, room, keys, reversed, range);
        }
        uint32_t *other = order;
        order = room;
        room = other;
    }
    TplValue *sorted = tpl_alloc(t, n * sizeof *sorted);
    for (uint32_t i = 0; i < n; ++i)
        sorted[i] = values->at[order[i]];
    values->at = sorted;
}

static TplValue sorted(Tpl *t, TplValue v, const TplValue *args)
{
    const TplValue list = tpl_items(t, v);
    TplValue *keys = tpl_alloc(t, (list.list->n + 1) * sizeof *keys);
    for (uint32_t i = 0; i < list.list->n; ++i)
        keys[i] = sort_key(t, list.list->at[i], args[2], flag(args[1]));
    tpl_sort(t, list.list, keys, flag(args[0]));
    return list;
}

static TplValue dict_sorted(Tpl *t, TplValue v, const TplValue *args)
{
    int by = 0;
    if (v.type != TPL_DICT) {
        tpl_want_defined(t, v);
        tpl_fail(t, "dictsort of a %s", tpl_type_name(v));
    }
    if (args[1].type == TPL_STRING && tpl_text_is(args[1].text, "value"))
        by = 1;
    else if (args[1].type != TPL_ABSENT && (args[1].type != TPL_STRING || !tpl_text_is(args[1].text, "key")))
        tpl_fail(t, "dictsort goes by \"key\" or \"value\"");
    const TplValue list = tpl_items(t, (TplValue){ .type = TPL_VIEW, .number = TPL_ITEMS, .dict = v.dict });
    TplValue *keys = tpl_alloc(t, (list.list->n + 1) * sizeof *keys);
    for (uint32_t i = 0; i < list.list->n; ++i)
        keys[i] = key_of(t, list.list->at[i].list->at[by], tpl_none(), flag(args[0]));
    tpl_sort(t, list.list, keys, flag(args[2]));
    return list;
}

static TplValue unique(Tpl *t, TplValue v, const TplValue *args)
{
    const TplValue list = tpl_items(t, v);
    TplDict *seen = tpl_dict_new(t, 16);
    uint32_t n = 0;
    for (uint32_t i = 0; i < list.list->n; ++i) {
        const TplValue key = key_of(t, list.list->at[i], args[1], flag(args[0]));
        if (tpl_dict_find(t, seen, key))
            continue;
        tpl_dict_set(t, seen, key, tpl_none());
        list.list->at[n++] = list.list->at[i];
    }
    list.list->n = n;
    return tpl_iterator(t, list);
}

static TplValue extreme(Tpl *t, TplValue v, const TplValue *args, bool largest)
{
    const TplValue list = tpl_items(t, v);
    uint32_t best = 0;
    if (!list.list->n)
        return tpl_undefined(t, "an empty list has no smallest and no largest item");
    TplValue key = key_of(t, list.list->at[0], args[1], flag(args[0]));
    for (uint32_t i = 1; i < list.list->n; ++i) {
        const TplValue other = key_of(t, list.list->at[i], args[1], flag(args[0]));
        if (largest ? tpl_less(t, key, other, false) : tpl_less(t, other, key, false)) {
            best = i;
            key = other;
        }
    }
    return list.list->at[best];
}

static TplValue first(Tpl *t, TplValue v)
{
    TplValue item;
    TplCursor c = tpl_walk(t, v);
    return tpl_next(t, &c, &item) ? item : tpl_undefined(t, "an empty list has no first item");
}

static TplValue last(Tpl *t, TplValue v)
{
    if (v.type == TPL_ITERATOR)
        tpl_fail(t, "the last of an iterator: make a list of it first");
    if (v.type == TPL_STRING || v.type == TPL_LIST || v.type == TPL_TUPLE || v.type == TPL_RANGE_OF)
        return tpl_length(t, v) ? tpl_item(t, v, tpl_int(-1)) : tpl_undefined(t, "an empty list has no last item");
    const TplValue list = tpl_items(t, v);
    return list.list->n ? list.list->at[list.list->n - 1] : tpl_undefined(t, "an empty list has no last item");
}

static TplValue reversed(Tpl *t, TplValue v)
{
    if (v.type == TPL_STRING)
        return tpl_slice(t, v, tpl_none(), tpl_none(), tpl_int(-1));
    const TplValue list = tpl_items(t, v);
    for (uint32_t i = 0; i < list.list->n / 2; ++i) {
        const TplValue kept = list.list->at[i];
        list.list->at[i] = list.list->at[list.list->n - 1 - i];
        list.list->at[list.list->n - 1 - i] = kept;
    }
    return v.type == TPL_ITERATOR ? list : tpl_iterator(t, list);
}

static TplValue joined(Tpl *t, TplValue v, const TplValue *args)
{
    TplBuffer *b = tpl_buffer(t, 64);
    const TplText *by = args[0].type == TPL_ABSENT ? NULL : tpl_str(t, args[0]).text;
    TplCursor c = tpl_walk(t, v);
    TplValue item;
    for (bool begins = true; tpl_next(t, &c, &item); begins = false) {
        if (!begins && by)
            tpl_put_text(t, b, by);
        tpl_print(t, b, tpl_path(t, item, args[1], tpl_none()));
    }
    return tpl_text_of(t, b);
}

static TplValue sum(Tpl *t, TplValue v, const TplValue *args)
{
    TplCursor c = tpl_walk(t, v);
    TplValue item, total = args[1].type == TPL_ABSENT ? tpl_int(0) : args[1];
    if (total.type == TPL_STRING)
        tpl_fail(t, "a sum does not begin with a string");
    while (tpl_next(t, &c, &item))
        total = tpl_math(t, TOP_ADD, total, tpl_path(t, item, args[0], tpl_none()));
    return total;
}

static TplValue items(Tpl *t, TplValue v)
{
    if (v.type == TPL_UNDEFINED)
        return tpl_iterator(t, tpl_list(t, 0, TPL_LIST));
    if (v.type != TPL_DICT)
        tpl_fail(t, "items of a %s: only a dict has pairs", tpl_type_name(v));
    return tpl_iterator(t, tpl_items(t, (TplValue){ .type = TPL_VIEW, .number = TPL_ITEMS, .dict = v.dict }));
}

// args: the filter, its arguments.
static TplValue mapped(Tpl *t, TplValue v, const TplValue *args, uint32_t n)
{
    const TplValue list = tpl_items(t, v);
    if (n < 1 || args[0].type != TPL_INT || args[0].whole < 0 || args[0].whole >= TEMPLATE_FILTER_COUNT)
        tpl_fail(t, "map without a filter");
    if (++t->depth > TPL_DEPTH)
        tpl_fail(t, "filters in filters, more than %d deep", TPL_DEPTH);
    for (uint32_t i = 0; i < list.list->n; ++i)
        list.list->at[i] = tpl_filter(t, (uint32_t)args[0].whole, list.list->at[i], args + 1, n - 1);
    --t->depth;
    return tpl_iterator(t, list);
}

static TplValue mapped_attribute(Tpl *t, TplValue v, const TplValue *args)
{
    const TplValue list = tpl_items(t, v);
    for (uint32_t i = 0; i < list.list->n; ++i)
        list.list->at[i] = tpl_path(t, list.list->at[i], args[0], args[1]);
    return tpl_iterator(t, list);
}

// args: the attribute where `by_attribute`, the test or -1, its arguments.
static TplValue selected(Tpl *t, TplValue v, const TplValue *args, uint32_t n, bool by_attribute, bool keep)
{
    const TplValue list = tpl_items(t, v);
    const TplValue attribute = by_attribute && n ? args[0] : tpl_none();
    uint32_t kept = 0;
    args += by_attribute, n -= by_attribute && n;
    if (n < 1 || args[0].type != TPL_INT || args[0].whole < -1 || args[0].whole >= TEMPLATE_TEST_COUNT)
        tpl_fail(t, "select or reject without a test");
    for (uint32_t i = 0; i < list.list->n; ++i) {
        const TplValue item = tpl_path(t, list.list->at[i], attribute, tpl_none());
        const bool holds = args[0].whole < 0 ? tpl_truth(item) : tpl_test(t, (uint32_t)args[0].whole, item, args + 1, n - 1);
        if (holds == keep)
            list.list->at[kept++] = list.list->at[i];
    }
    list.list->n = kept;
    return tpl_iterator(t, list);
}

static TplValue with_arguments(Tpl *t, uint32_t number, TplValue v, const TplValue *args)
{
    switch (number) {
    case TFILTER_DICTSORT:
        return dict_sorted(t, v, args);
    case TFILTER_FIRST:
        return first(t, v);
    case TFILTER_ITEMS:
        return items(t, v);
    case TFILTER_JOIN:
        return joined(t, v, args);
    case TFILTER_LAST:
        return last(t, v);
    case TFILTER_LIST:
        return tpl_items(t, v);
    case TFILTER_MAP_ATTRIBUTE:
        return mapped_attribute(t, v, args);
    case TFILTER_MAX:
    case TFILTER_MIN:
        return extreme(t, v, args, number == TFILTER_MAX);
    case TFILTER_REVERSE:
        return reversed(t, v);
    case TFILTER_SORT:
        return sorted(t, v, args);
    case TFILTER_SUM:
        return sum(t, v, args);
    case TFILTER_UNIQUE:
        return unique(t, v, args);
    default:
        tpl_fail(t, "filter %u", number);
    }
}

// map, select and reject of what is false (none, for one) give nothing.
static bool takes_nothing(uint32_t number, TplValue v)
{
    const bool does = number == TFILTER_MAP || number == TFILTER_MAP_ATTRIBUTE || number == TFILTER_SELECT ||
                      number == TFILTER_REJECT || number == TFILTER_SELECTATTR || number == TFILTER_REJECTATTR;
    return does && !tpl_truth(v);
}

TplValue tpl_list_filter(Tpl *t, uint32_t number, TplValue v, const TplValue *args, uint32_t n)
{
    TplValue all[TEMPLATE_FILTER_ARGUMENTS] = { { .type = TPL_ABSENT } };
    if (takes_nothing(number, v))
        return tpl_iterator(t, tpl_list(t, 0, TPL_LIST));
    switch (number) {
    case TFILTER_MAP:
        return mapped(t, v, args, n);
    case TFILTER_SELECT:
    case TFILTER_REJECT:
        return selected(t, v, args, n, false, number == TFILTER_SELECT);
    case TFILTER_SELECTATTR:
    case TFILTER_REJECTATTR:
        return selected(t, v, args, n, true, number == TFILTER_SELECTATTR);
    default:
        break;
    }
    if (n > TEMPLATE_FILTER_ARGUMENTS)
        tpl_fail(t, "filter %u with %u arguments", number, n);
    if (n)
        memcpy(all, args, n * sizeof *all);
    return with_arguments(t, number, v, all);
}
