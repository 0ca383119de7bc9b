// gguf_values.c: typed values of GGUF keys.
#include "gguf.h"

#include "../base/str.h"

#include <string.h>

static const char *const type_names[GGUF_TYPES] = { "u8",   "i8",     "u16",   "i16", "u32", "i32", "f32",
                                                    "bool", "string", "array", "u64", "i64", "f64" };

const GgufEntry *gguf_entry(const Gguf *g, const char *key)
{
    for (int i = 0; i < g->n_entries; ++i)
        if (str_equal(g->entries[i].key, key))
            return &g->entries[i];
    return NULL;
}

bool gguf_has(const Gguf *g, const char *key)
{
    return gguf_entry(g, key) != NULL;
}

static const GgufEntry *want_entry(const Gguf *g, const char *key)
{
    const GgufEntry *e = gguf_entry(g, key);
    if (!e)
        error_at(loc_file(g->path), ERR_GGUF_KEY, "%s is missing", key);
    return e;
}

static Loc entry_loc(const Gguf *g, const GgufEntry *e)
{
    return loc_offset(g->path, e->at);
}

static _Noreturn void refuse_type(const Gguf *g, const GgufEntry *e, const char *want)
{
    if (e->type == GGUF_ARRAY)
        error_at(entry_loc(g, e), ERR_GGUF_KEY, "%s is an array of %s: must be %s", e->key, type_names[e->element],
                 want);
    error_at(entry_loc(g, e), ERR_GGUF_KEY, "%s is of type %s: must be %s", e->key, type_names[e->type], want);
}

static bool is_whole(GgufType type)
{
    return type != GGUF_F32 && type != GGUF_F64 && type != GGUF_BOOL && type != GGUF_STRING && type != GGUF_ARRAY;
}

// A whole number or bool at `from`. Above INT64_MAX it becomes INT64_MAX, which no range here allows.
static int64_t load_int(GgufType type, const uint8_t *from)
{
    static const int bytes[GGUF_TYPES] = { 1, 1, 2, 2, 4, 4, 0, 1, 0, 0, 8, 8, 0 };
    uint64_t v = 0;
    memcpy(&v, from, (size_t)bytes[type]);
    switch (type) {
    case GGUF_I8:
        return (int8_t)v;
    case GGUF_I16:
        return (int16_t)v;
    case GGUF_I32:
        return (int32_t)v;
    case GGUF_I64:
        return (int64_t)v;
    default:
        return v > INT64_MAX ? INT64_MAX : (int64_t)v;
    }
}

static double load_double(GgufType type, const uint8_t *from)
{
    float f;
    double d;
    if (type == GGUF_F32) {
        memcpy(&f, from, sizeof f);
        return (double)f;
    }
    memcpy(&d, from, sizeof d);
    return d;
}

static int64_t int_of(const Gguf *g, const GgufEntry *e, int64_t low, int64_t high)
{
    if (!is_whole(e->type))
        refuse_type(g, e, "a whole number");
    const int64_t v = load_int(e->type, g->bytes + e->value_at);
    if (v < low || v > high)
        error_at(entry_loc(g, e), ERR_GGUF_KEY, "%s is %lld: must be a whole number from %s to %s", e->key,
                 (long long)v, str_count(g->arena, low), str_count(g->arena, high));
    return v;
}

int64_t gguf_int(const Gguf *g, const char *key, int64_t low, int64_t high)
{
    return int_of(g, want_entry(g, key), low, high);
}

int64_t gguf_int_or(const Gguf *g, const char *key, int64_t low, int64_t high, int64_t otherwise)
{
    const GgufEntry *e = gguf_entry(g, key);
    return e ? int_of(g, e, low, high) : otherwise;
}

static double double_of(const Gguf *g, const GgufEntry *e, double low, double high)
{
    double v;
    if (e->type == GGUF_F32 || e->type == GGUF_F64)
        v = load_double(e->type, g->bytes + e->value_at);
    else if (is_whole(e->type))
        v = (double)load_int(e->type, g->bytes + e->value_at);
    else
        refuse_type(g, e, "a number");
    if (!(v >= low && v <= high))
        error_at(entry_loc(g, e), ERR_GGUF_KEY, "%s is %g: must be a number from %g to %g", e->key, v, low, high);
    return v;
}

double gguf_double(const Gguf *g, const char *key, double low, double high)
{
    return double_of(g, want_entry(g, key), low, high);
}

double gguf_double_or(const Gguf *g, const char *key, double low, double high, double otherwise)
{
    const GgufEntry *e = gguf_entry(g, key);
    return e ? double_of(g, e, low, high) : otherwise;
}

bool gguf_bool_or(const Gguf *g, const char *key, bool otherwise)
{
    const GgufEntry *e = gguf_entry(g, key);
    if (!e)
        return otherwise;
    if (e->type != GGUF_BOOL)
        refuse_type(g, e, "a bool");
    if (g->bytes[e->value_at] > 1)
        error_at(entry_loc(g, e), ERR_GGUF_KEY, "%s is a bool of %d: must be 0 or 1", key, g->bytes[e->value_at]);
    return g->bytes[e->value_at] == 1;
}

static GgufText text_at(const Gguf *g, int64_t at)
{
    uint64_t bytes;
    memcpy(&bytes, g->bytes + at, sizeof bytes);
    return (GgufText){ (const char *)g->bytes + at + 8, (size_t)bytes };
}

const char *gguf_str_or(const Gguf *g, const char *key, const char *otherwise)
{
    const GgufEntry *e = gguf_entry(g, key);
    if (!e)
        return otherwise;
    if (e->type != GGUF_STRING)
        refuse_type(g, e, "a string");
    const GgufText text = text_at(g, e->value_at);
    if (memchr(text.at, 0, text.bytes))
        error_at(entry_loc(g, e), ERR_GGUF_KEY, "%s holds a zero byte", key);
    return str_copy(g->arena, text.at, text.bytes);
}

const GgufText *gguf_texts(const Gguf *g, const char *key, int *n)
{
    const GgufEntry *e = gguf_entry(g, key);
    *n = 0;
    if (!e)
        return NULL;
    if (e->type != GGUF_ARRAY || e->element != GGUF_STRING)
        refuse_type(g, e, "an array of strings");
    *n = (int)e->count;
    GgufText *texts = arena_alloc(g->arena, (size_t)e->count * sizeof *texts);
    int64_t at = e->value_at;
    for (int i = 0; i < *n; ++i) {
        texts[i] = text_at(g, at);
        at += 8 + (int64_t)texts[i].bytes;
    }
    return texts;
}

const int64_t *gguf_ints(const Gguf *g, const char *key, int *n)
{
    static const int bytes[GGUF_TYPES] = { 1, 1, 2, 2, 4, 4, 0, 1, 0, 0, 8, 8, 0 };
    const GgufEntry *e = gguf_entry(g, key);
    *n = 0;
    if (!e)
        return NULL;
    if (e->type != GGUF_ARRAY || !(is_whole(e->element) || e->element == GGUF_BOOL))
        refuse_type(g, e, "an array of whole numbers");
    *n = (int)e->count;
    int64_t *ints = arena_alloc(g->arena, (size_t)e->count * sizeof *ints);
    for (int i = 0; i < *n; ++i)
        ints[i] = load_int(e->element, g->bytes + e->value_at + (int64_t)i * bytes[e->element]);
    return ints;
}

const float *gguf_floats(const Gguf *g, const char *key, int *n)
{
    const GgufEntry *e = gguf_entry(g, key);
    *n = 0;
    if (!e)
        return NULL;
    if (e->type != GGUF_ARRAY || (e->element != GGUF_F32 && e->element != GGUF_F64))
        refuse_type(g, e, "an array of floats");
    *n = (int)e->count;
    float *floats = arena_alloc(g->arena, (size_t)e->count * sizeof *floats);
    const int bytes = e->element == GGUF_F32 ? 4 : 8;
    for (int i = 0; i < *n; ++i)
        floats[i] = (float)load_double(e->element, g->bytes + e->value_at + (int64_t)i * bytes);
    return floats;
}
