// gguf_directory.c: the tensor directory of a GGUF file: every tensor inside the file, no overlap, no hole.
#include "gguf_reader.h"

#include "../base/str.h"
#include "../format/format.h"

#include <stdlib.h>

enum { ALIGNMENT_DEFAULT = 32, ALIGNMENT_MOST = 1 << 16 };

static void read_tensor(Reader *r, GgufTensor *t)
{
    t->at = reader_loc(r);
    t->name = reader_name(r, "a tensor's name");
    const uint32_t rank = reader_u32(r, t->name);
    if (rank < 1 || rank > 4)
        error_at(t->at, ERR_GGUF, "%s has %u dimensions: must have 1 to 4", t->name, rank);
    t->rank = (int)rank;
    uint64_t values = 1;
    for (int i = 0; i < 4; ++i) {
        const uint64_t dim = i < t->rank ? reader_u64(r, t->name) : 1;
        if (dim < 1 || dim > INT32_MAX || values > INT64_MAX / 16 / dim)
            error_at(t->at, ERR_GGUF, "%s has dimension %d of %llu: not possible", t->name, i, (unsigned long long)dim);
        values *= dim;
        t->dims[i] = (int64_t)dim;
    }
    const uint32_t type = reader_u32(r, t->name);
    t->type = type > INT32_MAX ? -1 : (int)type;
    const char *type_name = format_gguf_name(t->type);
    if (!type_name)
        error_at(t->at, ERR_GGUF, "%s has tensor type %u, which is not known", t->name, type);
    const Format *f = format_of_gguf(t->type);
    if (f && t->dims[0] % f->block != 0)
        error_at(t->at, ERR_GGUF, "%s has rows of %lld values: %s needs a multiple of %d", t->name,
                 (long long)t->dims[0], type_name, f->block);
    const uint64_t offset = reader_u64(r, t->name);
    if (offset % (uint64_t)r->g->alignment || offset > INT64_MAX / 4)
        error_at(t->at, ERR_GGUF, "%s begins at 0x%llx of the data: must be a multiple of %lld inside the file",
                 t->name, (unsigned long long)offset, (long long)r->g->alignment);
    t->offset = (int64_t)offset;
    t->bytes = f ? format_bytes(f, (int64_t)values) : 0;
}

static int by_offset(const void *a, const void *b)
{
    const GgufTensor *x = *(const GgufTensor *const *)a, *y = *(const GgufTensor *const *)b;
    return x->offset < y->offset ? -1 : x->offset > y->offset ? 1 : (x > y) - (x < y);
}

// Each tensor begins where the one before it ends, filled up to the alignment: no overlap, no hole.
static void check_layout(const Gguf *g, GgufTensor *const *sorted)
{
    int64_t end = 0;
    for (int i = 0; i < g->n_tensors; ++i) {
        const GgufTensor *t = sorted[i];
        if (t->offset != end)
            error_at(t->at, ERR_GGUF, "%s begins at 0x%llx of the data, but %s at 0x%llx: %s", t->name,
                     (unsigned long long)t->offset, i ? "the tensor before it ends" : "the data begins",
                     (unsigned long long)end,
                     t->offset < end ? "they overlap" : "the bytes between belong to no tensor");
        end += (t->bytes + g->alignment - 1) & ~(g->alignment - 1);
    }
}

static void check_tensors(Gguf *g)
{
    GgufTensor **sorted = arena_alloc(g->arena, (size_t)g->n_tensors * sizeof *sorted);
    int64_t end = 0;
    bool all_read = true;
    for (int i = 0; i < g->n_tensors; ++i) {
        const GgufTensor *t = sorted[i] = &g->tensors[i];
        end = t->offset + t->bytes > end ? t->offset + t->bytes : end;
        all_read = all_read && format_of_gguf(t->type);
    }
    // A cut-off download is the likeliest fault, so it is looked for first.
    if (g->n_tensors && end > g->file_bytes - g->data_at)
        error_at(loc_file(g->path), ERR_GGUF, "cut off: the tensor directory needs %lld bytes, the file has %lld",
                 (long long)(g->data_at + end), (long long)g->file_bytes);
    if (g->n_tensors)
        qsort(sorted, (size_t)g->n_tensors, sizeof *sorted, by_offset);
    if (all_read)
        check_layout(g, sorted);
    for (int i = 0; i < g->n_tensors; ++i)
        if (format_of_gguf(g->tensors[i].type))
            g->tensors[i].data = g->bytes + g->data_at + g->tensors[i].offset;
}

static int by_name(const void *a, const void *b)
{
    return strcmp((*(const GgufName *)a).name, (*(const GgufName *)b).name);
}

void gguf_refuse_twice(const Gguf *g, GgufName *names, int n, const char *what)
{
    if (n)
        qsort(names, (size_t)n, sizeof *names, by_name);
    for (int i = 1; i < n; ++i)
        if (str_equal(names[i - 1].name, names[i].name))
            error_at(loc_offset(g->path, names[i].at > names[i - 1].at ? names[i].at : names[i - 1].at), ERR_GGUF,
                     "%s %s stands twice", what, names[i].name);
}

void gguf_read_directory(Reader *r, Gguf *g)
{
    g->alignment = gguf_int_or(g, "general.alignment", 1, ALIGNMENT_MOST, ALIGNMENT_DEFAULT);
    if (g->alignment & (g->alignment - 1))
        error_at(gguf_loc(g, "general.alignment"), ERR_GGUF_KEY, "general.alignment is %lld: must be a power of two",
                 (long long)g->alignment);
    g->tensors = arena_alloc(g->arena, (size_t)g->n_tensors * sizeof *g->tensors);
    GgufName *names = arena_alloc(g->arena, (size_t)g->n_tensors * sizeof *names);
    for (int i = 0; i < g->n_tensors; ++i) {
        read_tensor(r, &g->tensors[i]);
        names[i] = (GgufName){ g->tensors[i].name, g->tensors[i].at.offset };
    }
    gguf_refuse_twice(g, names, g->n_tensors, "tensor");
    g->data_at = (r->at + g->alignment - 1) & ~(g->alignment - 1);
    check_tensors(g);
}

const GgufTensor *gguf_find_tensor(const Gguf *g, const char *name)
{
    for (int i = 0; i < g->n_tensors; ++i)
        if (str_equal(g->tensors[i].name, name))
            return &g->tensors[i];
    return NULL;
}

void gguf_want_formats(const Gguf *g)
{
    int others = -1;
    const GgufTensor *first = NULL;
    for (int i = 0; i < g->n_tensors; ++i)
        if (!format_of_gguf(g->tensors[i].type)) {
            first = first ? first : &g->tensors[i];
            ++others;
        }
    if (first)
        error_at(loc_hint(first->at, "read here: F32 F16 BF16 Q8_0 Q4_0 Q4_1 Q6_K"), ERR_TENSOR_TYPE,
                 "%s is %s, which is not read here%s", first->name, format_gguf_name(first->type),
                 others ? str_format(g->arena, " (%d tensors more have such types)", others) : "");
}
