// template_walk.c: items, attributes and iteration of a template's values, as Jinja's sandbox gives them.
#include "template_vm.h"

#include <stdio.h>
#include <string.h>

// ---- iteration ----------------------------------------------------------------------------------------------------

bool tpl_can_iterate(TplValue v)
{
    switch (v.type) {
    case TPL_UNDEFINED:
    case TPL_STRING:
    case TPL_LIST:
    case TPL_TUPLE:
    case TPL_DICT:
    case TPL_VIEW:
    case TPL_RANGE_OF:
    case TPL_ITERATOR:
        return true;
    default:
        return false;
    }
}

TplCursor tpl_walk(Tpl *t, TplValue over)
{
    if (!tpl_can_iterate(over))
        tpl_fail(t, "a %s cannot be iterated over", tpl_type_name(over));
    return (TplCursor){ .over = over };
}

static TplValue pair(Tpl *t, TplValue key, TplValue value)
{
    const TplValue v = tpl_list(t, 2, TPL_TUPLE);
    v.list->at[0] = key;
    v.list->at[1] = value;
    return v;
}

static bool next_entry(Tpl *t, TplCursor *c, TplValue *item)
{
    const TplDict *d = c->over.dict;
    if (c->next >= d->n)
        return false;
    const TplEntry *e = &d->at[c->next++];
    const uint32_t what = c->over.type == TPL_VIEW ? c->over.number : TPL_KEYS;
    *item = what == TPL_KEYS ? e->key : what == TPL_VALUES ? e->value : pair(t, e->key, e->value);
    return true;
}

bool tpl_next(Tpl *t, TplCursor *c, TplValue *item)
{
    uint32_t code;
    tpl_spend(t, 1);
    switch (c->over.type) {
    case TPL_STRING: {
        const TplText *text = c->over.text;
        if (c->next >= text->bytes)
            return false;
        const size_t at = c->next;
        c->next += (size_t)tpl_take(text->at + at, text->bytes - at, &code);
        *item = tpl_string_bytes(t, text->at + at, c->next - at, text->marks ? text->marks + at : NULL);
        return true;
    }
    case TPL_LIST:
    case TPL_TUPLE:
        if (c->next >= c->over.list->n)
            return false;
        *item = c->over.list->at[c->next++];
        return true;
    case TPL_DICT:
    case TPL_VIEW:
        return next_entry(t, c, item);
    case TPL_RANGE_OF:
        if (c->next >= c->over.range->n)
            return false;
        *item = tpl_int(c->over.range->start + (int64_t)c->next++ * c->over.range->step);
        return true;
    case TPL_ITERATOR: {
        TplIterator *iterator = c->over.iterator;
        if (iterator->next >= iterator->list->n)
            return false;
        *item = iterator->list->at[iterator->next++];
        return true;
    }
    default:
        return false;
    }
}

int64_t tpl_length(Tpl *t, TplValue of)
{
    switch (of.type) {
    case TPL_UNDEFINED:
        return 0;
    case TPL_STRING:
        return tpl_count(t, of.text);
    case TPL_LIST:
    case TPL_TUPLE:
        return of.list->n;
    case TPL_DICT:
    case TPL_VIEW:
        return of.dict->n;
    case TPL_RANGE_OF:
        return of.range->n;
    case TPL_LOOP:
        return tpl_loop_length(t, of.loop);
    default:
        return -1;
    }
}

// Most items that are left, so that a list of them can be taken at once.
static uint32_t left_of(Tpl *t, TplValue of)
{
    return of.type == TPL_ITERATOR ? of.iterator->list->n - of.iterator->next : (uint32_t)tpl_length(t, of);
}

TplValue tpl_items(Tpl *t, TplValue of)
{
    TplCursor c = tpl_walk(t, of);
    const TplValue v = tpl_list(t, left_of(t, of), TPL_LIST);
    uint32_t n = 0;
    while (n < v.list->n && tpl_next(t, &c, &v.list->at[n]))
        ++n;
    return v;
}

// ---- attributes and items -----------------------------------------------------------------------------------------

static TplValue no_attribute(Tpl *t, TplValue of, const TplText *name, const char *why)
{
    char text[160];
    snprintf(text, sizeof text, "a %s has no \"%.*s\"%s", tpl_type_name(of), (int)(name->bytes < 60 ? name->bytes : 60),
             (const char *)name->at, why);
    return tpl_undefined(t, text);
}

// What Python's getattr gives; absent: AttributeError.
static TplValue python_attribute(Tpl *t, TplValue of, const TplText *name)
{
    if (of.type == TPL_NAMESPACE) {
        const TplValue *value = tpl_dict_find(t, of.dict, (TplValue){ .type = TPL_STRING, .text = (TplText *)name });
        return value ? *value : (TplValue){ .type = TPL_ABSENT };
    }
    if (of.type == TPL_LOOP) {
        const TplValue value = tpl_loop_attribute(t, of.loop, name);
        if (value.type != TPL_ABSENT)
            return value;
    }
    return tpl_find_method(t, of, name);
}

TplValue tpl_attribute(Tpl *t, TplValue of, const TplText *name)
{
    tpl_want_defined(t, of);
    const TplValue value = python_attribute(t, of, name);
    if (value.type != TPL_ABSENT)
        return value;
    if (of.type == TPL_DICT) {
        const TplValue *found = tpl_dict_find(t, of.dict, (TplValue){ .type = TPL_STRING, .text = (TplText *)name });
        if (found)
            return *found;
    }
    return no_attribute(t, of, name, "");
}

static TplValue character(Tpl *t, TplText *text, int64_t index)
{
    const size_t at = tpl_offset(t, text, (uint64_t)index);
    uint32_t code;
    return tpl_part(t, text, at, at + (size_t)tpl_take(text->at + at, text->bytes - at, &code));
}

// The item at an index; absent: there is none.
static TplValue indexed(Tpl *t, TplValue of, int64_t index)
{
    const int64_t length = of.type == TPL_STRING || of.type == TPL_LIST || of.type == TPL_TUPLE || of.type == TPL_RANGE_OF
                               ? tpl_length(t, of)
                               : 0;
    if (index < 0)
        index += length;
    if (index < 0 || index >= length)
        return (TplValue){ .type = TPL_ABSENT };
    if (of.type == TPL_STRING)
        return character(t, of.text, index);
    if (of.type == TPL_RANGE_OF)
        return tpl_int(of.range->start + index * of.range->step);
    return of.list->at[index];
}

TplValue tpl_item(Tpl *t, TplValue of, TplValue key)
{
    char text[96];
    tpl_want_defined(t, of);
    if (of.type == TPL_DICT && tpl_has_hash(key)) {
        const TplValue *value = tpl_dict_find(t, of.dict, key);
        if (value)
            return *value;
    } else if (tpl_is_whole(key)) {
        const TplValue value = indexed(t, of, tpl_whole(key));
        if (value.type != TPL_ABSENT)
            return value;
    }
    if (key.type == TPL_STRING) {
        const TplValue value = python_attribute(t, of, key.text);
        return value.type != TPL_ABSENT ? value : no_attribute(t, of, key.text, "");
    }
    if (tpl_is_whole(key))
        snprintf(text, sizeof text, "a %s has no item %lld", tpl_type_name(of), (long long)tpl_whole(key));
    else
        snprintf(text, sizeof text, "a %s has no such item", tpl_type_name(of));
    return tpl_undefined(t, text);
}

static TplValue item_or(Tpl *t, TplValue of, TplValue key, TplValue otherwise)
{
    const TplValue item = tpl_item(t, of, key);
    const bool absent = item.type == TPL_UNDEFINED && otherwise.type != TPL_NONE && otherwise.type != TPL_ABSENT;
    return absent ? otherwise : item;
}

TplValue tpl_path(Tpl *t, TplValue of, TplValue path, TplValue otherwise)
{
    if (path.type == TPL_NONE || path.type == TPL_ABSENT)
        return of;
    if (path.type != TPL_STRING)
        return item_or(t, of, path, otherwise);
    for (size_t from = 0, to; from <= path.text->bytes; from = to + 1) {
        for (to = from; to < path.text->bytes && path.text->at[to] != '.'; ++to)
            continue;
        TplValue key = tpl_part(t, path.text, from, to);
        int64_t number;
        size_t digits = 0;
        while (digits < key.text->bytes && key.text->at[digits] >= '0' && key.text->at[digits] <= '9')
            ++digits;
        if (digits && digits == key.text->bytes && tpl_text_to_int(key.text, 10, &number))
            key = tpl_int(number);
        of = item_or(t, of, key, otherwise);
    }
    return of;
}

// ---- slices -------------------------------------------------------------------------------------------------------

// A bound of a slice, from the end where it is negative; of length INT64_MAX: a step, as it is.
static int64_t bound(Tpl *t, TplValue v, int64_t otherwise, int64_t low, int64_t high, int64_t length)
{
    if (v.type == TPL_NONE)
        return otherwise;
    if (!tpl_is_whole(v)) {
        tpl_want_defined(t, v);
        tpl_fail(t, "a slice has a %s for a bound", tpl_type_name(v));
    }
    int64_t n = tpl_whole(v);
    if (n < 0 && length < INT64_MAX)
        n = n < -length ? low : n + length;
    return n < low ? low : n > high ? high : n;
}

static TplValue slice_text(Tpl *t, TplText *of, int64_t from, int64_t step, uint32_t n)
{
    if (step == 1)
        return tpl_part(t, of, tpl_offset(t, of, (uint64_t)from), tpl_offset(t, of, (uint64_t)from + n));
    const uint32_t count = tpl_count(t, of);
    uint32_t *offsets = tpl_alloc(t, ((size_t)count + 1) * sizeof *offsets), code; // of each character
    for (uint32_t i = 0; i < count; ++i)
        offsets[i + 1] = offsets[i] + (uint32_t)tpl_take(of->at + offsets[i], of->bytes - offsets[i], &code);
    TplBuffer *b = tpl_buffer(t, n);
    for (uint32_t i = 0; i < n; ++i) {
        const uint32_t at = offsets[from + (int64_t)i * step], end = offsets[from + (int64_t)i * step + 1];
        tpl_put(t, b, of->at + at, end - at, of->marks ? of->marks + at : NULL);
    }
    const TplValue v = tpl_text_of(t, b);
    v.text->markup = of->markup;
    return v;
}

static int64_t range_number(Tpl *t, const TplRange *r, int64_t index)
{
    int64_t way, n;
    if (__builtin_mul_overflow(index, r->step, &way) || __builtin_add_overflow(r->start, way, &n))
        tpl_fail(t, "a number of a range is over 64 bits");
    return n;
}

static TplValue slice_range(Tpl *t, const TplRange *of, int64_t from, int64_t to, int64_t step, uint32_t n)
{
    TplRange *r = tpl_alloc(t, sizeof *r);
    if (__builtin_mul_overflow(of->step, step, &r->step))
        tpl_fail(t, "a number of a range is over 64 bits");
    r->start = range_number(t, of, from);
    r->stop = range_number(t, of, to);
    r->n = n;
    return (TplValue){ .type = TPL_RANGE_OF, .range = r };
}

static int64_t slice_step(Tpl *t, TplValue step)
{
    const int64_t by = bound(t, step, 1, INT64_MIN, INT64_MAX, INT64_MAX);
    if (by == 0)
        tpl_fail(t, "the step of a slice is 0");
    return by < -INT32_MAX ? -INT32_MAX : by > INT32_MAX ? INT32_MAX : by;
}

TplValue tpl_slice(Tpl *t, TplValue of, TplValue start, TplValue stop, TplValue step)
{
    tpl_want_defined(t, of);
    if (of.type != TPL_STRING && of.type != TPL_LIST && of.type != TPL_TUPLE && of.type != TPL_RANGE_OF)
        tpl_fail(t, "a %s cannot be sliced", tpl_type_name(of));
    const int64_t length = tpl_length(t, of), by = slice_step(t, step);
    const int64_t low = by > 0 ? 0 : -1, high = by > 0 ? length : length - 1;
    const int64_t from = bound(t, start, by > 0 ? 0 : length - 1, low, high, length);
    const int64_t to = bound(t, stop, by > 0 ? length : -1, low, high, length);
    const int64_t count = by > 0 ? (to > from ? (to - from - 1) / by + 1 : 0) : from > to ? (from - to - 1) / -by + 1 : 0;
    const uint32_t n = (uint32_t)count;
    tpl_spend(t, n / 4);
    if (of.type == TPL_STRING)
        return slice_text(t, of.text, from < 0 ? 0 : from, by, n);
    if (of.type == TPL_RANGE_OF)
        return slice_range(t, of.range, from, to, by, n);
    const TplValue v = tpl_list(t, n, (TplType)of.type);
    for (uint32_t i = 0; i < n; ++i)
        v.list->at[i] = of.list->at[from + (int64_t)i * by];
    return v;
}
