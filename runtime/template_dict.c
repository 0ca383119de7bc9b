// template_dict.c: dictionaries of a template: any key that has a hash, in order of insertion.
#include "template_vm.h"

#include <string.h>

static uint64_t mix(uint64_t h, uint64_t more)
{
    h = (h ^ more) * 0x9e3779b97f4a7c15ull;
    return h ^ (h >> 29);
}

static uint64_t text_hash(Tpl *t, const TplText *text)
{
    uint64_t h = 0xcbf29ce484222325ull;
    tpl_spend(t, text->bytes / 16);
    for (uint32_t i = 0; i < text->bytes; ++i)
        h = (h ^ text->at[i]) * 0x100000001b3ull;
    return h;
}

bool tpl_has_hash(TplValue v)
{
    if (v.type == TPL_TUPLE)
        for (uint32_t i = 0; i < v.list->n; ++i)
            if (!tpl_has_hash(v.list->at[i]))
                return false;
    return v.type != TPL_LIST && v.type != TPL_DICT && v.type != TPL_VIEW;
}

// Equal values have equal hashes: 1, 1.0 and true are one key.
static uint64_t hash(Tpl *t, TplValue v)
{
    uint64_t h;
    switch (v.type) {
    case TPL_STRING:
        return text_hash(t, v.text);
    case TPL_BOOL:
    case TPL_INT:
        return mix(1, (uint64_t)tpl_whole(v));
    case TPL_FLOAT:
        if (v.real >= -9e18 && v.real <= 9e18 && (double)(int64_t)v.real == v.real)
            return mix(1, (uint64_t)(int64_t)v.real);
        memcpy(&h, &v.real, sizeof h);
        return mix(2, h);
    case TPL_TUPLE:
        h = 3;
        for (uint32_t i = 0; i < v.list->n; ++i)
            h = mix(h, hash(t, v.list->at[i]));
        return h;
    case TPL_NONE:
    case TPL_UNDEFINED:
        return v.type;
    case TPL_LIST:
    case TPL_DICT:
    case TPL_VIEW:
        tpl_fail(t, "a %s cannot be a key of a dict", tpl_type_name(v));
    default:
        return mix(4, v.type == TPL_FUNCTION ? v.number : (uint64_t)(uintptr_t)v.list);
    }
}

TplDict *tpl_dict_new(Tpl *t, uint32_t room)
{
    TplDict *d = tpl_alloc(t, sizeof *d);
    d->cap = room < 4 ? 4 : room;
    d->at = tpl_alloc(t, (size_t)d->cap * sizeof *d->at);
    return d;
}

enum { LINEAR = 8 }; // entries that are looked through without a table

static bool is_entry(Tpl *t, const TplEntry *e, TplValue key, uint64_t h)
{
    return e->hash == h && tpl_equal(t, e->key, key);
}

static TplEntry *find(Tpl *t, const TplDict *d, TplValue key, uint64_t h)
{
    tpl_spend(t, 1);
    if (!d->slots) {
        for (uint32_t i = 0; i < d->n; ++i)
            if (is_entry(t, &d->at[i], key, h))
                return &d->at[i];
        return NULL;
    }
    for (uint32_t s = (uint32_t)h & d->slot_mask; d->slots[s]; s = (s + 1) & d->slot_mask) {
        tpl_spend(t, 1);
        if (is_entry(t, &d->at[d->slots[s] - 1], key, h))
            return &d->at[d->slots[s] - 1];
    }
    return NULL;
}

static void place(TplDict *d, uint32_t entry)
{
    uint32_t s = (uint32_t)d->at[entry].hash & d->slot_mask;
    while (d->slots[s])
        s = (s + 1) & d->slot_mask;
    d->slots[s] = entry + 1;
}

static void grow(Tpl *t, TplDict *d)
{
    const uint32_t cap = d->cap * 2;
    TplEntry *at = tpl_alloc(t, (size_t)cap * sizeof *at);
    memcpy(at, d->at, d->n * sizeof *at);
    d->at = at;
    d->cap = cap;
}

static void index_all(Tpl *t, TplDict *d)
{
    uint32_t slots = 16;
    while (slots < d->cap * 2)
        slots *= 2;
    d->slots = tpl_alloc(t, slots * sizeof *d->slots);
    d->slot_mask = slots - 1;
    for (uint32_t i = 0; i < d->n; ++i)
        place(d, i);
}

TplValue *tpl_dict_find(Tpl *t, const TplDict *d, TplValue key)
{
    TplEntry *e = find(t, d, key, hash(t, key));
    return e ? &e->value : NULL;
}

TplValue *tpl_dict_find_text(Tpl *t, const TplDict *d, const char *key)
{
    TplText text = { .at = (const uint8_t *)key, .bytes = (uint32_t)strlen(key), .count = TPL_UNCOUNTED };
    return tpl_dict_find(t, d, (TplValue){ .type = TPL_STRING, .text = &text });
}

void tpl_dict_set(Tpl *t, TplDict *d, TplValue key, TplValue value)
{
    const uint64_t h = hash(t, key);
    TplEntry *e = find(t, d, key, h);
    if (e) {
        e->value = value;
        return;
    }
    if (d->n == d->cap) {
        grow(t, d);
        d->slots = NULL;
    }
    d->at[d->n++] = (TplEntry){ key, value, h };
    if (d->n <= LINEAR)
        return;
    if (!d->slots)
        index_all(t, d);
    else
        place(d, d->n - 1);
}
