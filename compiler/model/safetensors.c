// safetensors.c: one .safetensors file, checked to the last byte before any of it is used.
//
//   u64 header bytes | header | data
//   header = { name: { dtype, shape, data_offsets: [begin, end] }, ..., "__metadata__": { text: text } }
//
// Offsets count from the start of the data. The tensors fill the data without holes, overlaps or a rest.
#include "parts.h"

#include "../base/disguise.h"
#include "../base/file.h"

#include <stdlib.h>

enum { LENGTH_BYTES = 8, HEADER_MOST_BYTES = 100000000, RANK_MOST = 32 }; // 100 MB: the format's own limit

// Bits of a value, of every dtype that the format has.
static const struct {
    const char *name;
    int bits;
} dtypes[] = {
    { "BOOL", 8 },  { "U8", 8 },      { "I8", 8 },          { "F8_E5M2", 8 },     { "F8_E4M3", 8 }, { "F8_E8M0", 8 },
    { "F4", 4 },    { "F6_E2M3", 6 }, { "F6_E3M2", 6 },     { "I16", 16 },        { "U16", 16 },    { "F16", 16 },
    { "BF16", 16 }, { "I32", 32 },    { "U32", 32 },        { "F32", 32 },        { "I64", 64 },    { "U64", 64 },
    { "F64", 64 },  { "C64", 64 },    { "F8_E4M3FNUZ", 8 }, { "F8_E5M2FNUZ", 8 },
};

typedef struct Entry {
    WeightTensor tensor;
    const char *dtype;
    int64_t begin, end;
} Entry;

typedef VEC(Entry) Entries;

static int bits_of(Json dtype, const char *name)
{
    for (int i = 0; i < ARRAY_LEN(dtypes); ++i)
        if (str_equal(dtypes[i].name, json_string(dtype)))
            return dtypes[i].bits;
    error_at(json_loc(dtype), ERR_TENSOR_TYPE, "%s has dtype \"%s\", which is not known", name, json_string(dtype));
}

// Fills rank, rows and cols; returns the number of values.
static int64_t read_shape(Json shape, WeightTensor *t)
{
    int64_t values = 1, last = 1;
    for (Json v = json_first(shape); v.node; v = json_next(v)) {
        const int64_t dim = json_int(v, 0, INT64_C(1) << 53);
        if (++t->rank > RANK_MOST || (dim && values > (INT64_MAX / 64) / dim))
            error_at(json_loc(v), ERR_SAFETENSORS, "%s has more values than any file can hold", t->name);
        values *= dim;
        last = dim;
    }
    const int64_t rows = last ? values / last : 0;
    if ((t->rank == 1 || t->rank == 2) && last <= INT32_MAX && rows <= INT32_MAX) {
        t->cols = (int)last;
        t->rows = t->rank == 1 ? 1 : (int)rows;
    }
    return values;
}

static void refuse_extra(Json entry, const char *name)
{
    for (Json v = json_first(entry); v.node; v = json_next(v))
        if (!str_equal(json_key(v), "dtype") && !str_equal(json_key(v), "shape") &&
            !str_equal(json_key(v), "data_offsets"))
            error_at(json_key_loc(v), ERR_SAFETENSORS, "%s has \"%s\": only dtype, shape and data_offsets are possible",
                     name, json_key(v));
}

static Entry read_entry(Json entry)
{
    Entry e = { .tensor = { .name = json_key(entry) } };
    WeightTensor *t = &e.tensor;
    const Json dtype = json_want(entry, "dtype"), offsets = want_array(entry, "data_offsets");
    refuse_extra(entry, t->name);
    e.dtype = json_string(dtype);
    const int bits = bits_of(dtype, t->name);
    const int64_t values = read_shape(want_array(entry, "shape"), t);
    if (json_count(offsets) != 2)
        error_at(json_loc(offsets), ERR_SAFETENSORS, "%s has %d data_offsets: must have 2", t->name,
                 json_count(offsets));
    const Json first = json_first(offsets);
    e.begin = json_int(first, 0, INT64_C(1) << 53);
    e.end = json_int(json_next(first), 0, INT64_C(1) << 53);
    if (e.begin > e.end)
        error_at(json_loc(offsets), ERR_SAFETENSORS, "%s begins at %lld and ends at %lld of the data", t->name,
                 (long long)e.begin, (long long)e.end);
    if (values * bits % 8 || values * bits / 8 != e.end - e.begin)
        error_at(json_loc(offsets), ERR_SAFETENSORS, "%s takes %lld bytes by its data_offsets, %lld by dtype and shape",
                 t->name, (long long)(e.end - e.begin), (long long)(values * bits / 8));
    t->format = format_of_safetensors(e.dtype);
    return e;
}

static int by_begin(const void *a, const void *b)
{
    const Entry *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return x->end < y->end ? -1 : x->end > y->end;
}

static void check_layout(const Entries *entries, const char *path, int64_t data_at, int64_t data_bytes)
{
    int64_t end = 0;
    for (int i = 0; i < entries->n; ++i) {
        const Entry *e = &entries->at[i];
        if (e->begin < end)
            error_at(loc_offset(path, data_at + e->begin), ERR_SAFETENSORS, "%s overlaps %s by %lld bytes",
                     e->tensor.name, entries->at[i - 1].tensor.name, (long long)(end - e->begin));
        if (e->begin > end)
            error_at(loc_offset(path, data_at + end), ERR_SAFETENSORS, "%lld bytes in front of %s belong to no tensor",
                     (long long)(e->begin - end), e->tensor.name);
        end = e->end;
    }
    if (end > data_bytes)
        error_at(loc_file(path), ERR_SAFETENSORS, "cut off: the header describes %lld bytes of data, the file has %lld",
                 (long long)end, (long long)data_bytes);
    if (end < data_bytes)
        error_at(loc_offset(path, data_at + end), ERR_SAFETENSORS, "%lld bytes at the end belong to no tensor",
                 (long long)(data_bytes - end));
}

static void want_formats(Arena *a, const Entries *entries)
{
    const Entry *first = NULL;
    int others = -1;
    for (int i = 0; i < entries->n; ++i)
        if (!entries->at[i].tensor.format) {
            first = first ? first : &entries->at[i];
            ++others;
        }
    if (first)
        error_at(loc_hint(first->tensor.at, "read here: F32 F16 BF16"), ERR_TENSOR_TYPE,
                 "%s is %s, which is not read here%s", first->tensor.name, first->dtype,
                 others ? str_format(a, " (%d tensors more have such dtypes)", others) : "");
}

// Where the data begins; *header: the JSON between.
static int64_t read_header(Arena *a, const char *path, Bytes file, Json *header)
{
    disguise_refuse(path, file, "a safetensors file");
    if (file.bytes < LENGTH_BYTES + 2)
        error_at(loc_file(path), ERR_SAFETENSORS, "the file has %zu bytes: too short for a header", file.bytes);
    uint64_t bytes;
    memcpy(&bytes, file.at, sizeof bytes);
    if (bytes > HEADER_MOST_BYTES)
        error_at(loc_file(path), ERR_SAFETENSORS, "the header claims %llu bytes: the format allows %d",
                 (unsigned long long)bytes, HEADER_MOST_BYTES);
    if (bytes > file.bytes - LENGTH_BYTES)
        error_at(loc_file(path), ERR_SAFETENSORS, "cut off: the header claims %llu bytes, the file has %zu",
                 (unsigned long long)bytes, file.bytes);
    if (bytes == 0 || file.at[LENGTH_BYTES] != '{')
        error_at(loc_offset(path, LENGTH_BYTES), ERR_SAFETENSORS, "the header must start with '{'");
    *header = json_parse(a, path, (const char *)file.at + LENGTH_BYTES, (size_t)bytes, LENGTH_BYTES);
    return LENGTH_BYTES + (int64_t)bytes;
}

void safetensors_file(Arena *a, const char *path, WeightTensors *out)
{
    const Bytes file = file_map(a, path);
    Json header;
    const int64_t data_at = read_header(a, path, file, &header);
    Entries entries = { 0 };
    for (Json v = json_first(header); v.node; v = json_next(v)) {
        if (!str_equal(json_key(v), "__metadata__")) {
            vec_push(a, &entries, read_entry(v));
            continue;
        }
        for (Json text = json_first(v); text.node; text = json_next(text))
            json_string(text);
    }
    if (entries.n)
        qsort(entries.at, (size_t)entries.n, sizeof *entries.at, by_begin);
    check_layout(&entries, path, data_at, (int64_t)file.bytes - data_at);
    for (int i = 0; i < entries.n; ++i) {
        entries.at[i].tensor.data = file.at + data_at + entries.at[i].begin;
        entries.at[i].tensor.at = loc_offset(path, data_at + entries.at[i].begin);
    }
    want_formats(a, &entries);
    for (int i = 0; i < entries.n; ++i)
        vec_push(a, out, entries.at[i].tensor);
}
