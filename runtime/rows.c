// rows.c: the inverse of packing: one row of a matrix, as float32.
#include "rows.h"
#include "half.h"
#include "hash.h"

#include <string.h>

static float value_at(const unsigned char *from, uint32_t format)
{
    uint16_t half;
    float full;
    if (format == PKG_F32) {
        memcpy(&full, from, sizeof full);
        return full;
    }
    memcpy(&half, from, sizeof half);
    return format == PKG_F16 ? f16_to_float(half) : bf16_to_float(half);
}

static float value_round(float value, uint32_t format)
{
    if (format == PKG_F16)
        return f16_to_float(f16_from_float(value));
    return format == PKG_BF16 ? bf16_to_float(bf16_from_float(value)) : value;
}

// Where (row, col) of a slice lies, from the start of the layer's copy: see Matrix in compiler/kernels/kernel.h.
static uint64_t element_at(const PkgMatrix *m, uint32_t slice, uint64_t row, uint64_t col)
{
    const uint64_t bytes = m->format == PKG_F32 ? 4 : 2;
    if (m->layout == PKG_LAYOUT_ROWS)
        return (row * m->slice_cols + col) * bytes;
    if (m->layout == PKG_LAYOUT_FRAGMENTS) {
        const uint32_t at = m->stack_row + (uint32_t)row * m->weave + m->thread, units = (m->stack_rows + 7) / 8;
        return package_unit_place(units, m->deal, at / 8) * m->cols * 16 + col / 32 * 512 + at % 8 * 64 + col % 32 * 2;
    }
    const uint64_t word = (row / 32 * (m->slice_cols / 8) + col / 8) * 32 + row % 32;
    return slice * m->stride + word * 16 + col % 8 * bytes;
}

static void row_packed(const Rows *r, const PkgMatrix *m, int layer, int row, float *out)
{
    const unsigned char *copy = r->streams + m->base + (uint64_t)layer * m->layer_stride;
    const uint32_t *first = r->package->ints + m->first_slice;
    for (uint32_t slice = 0; slice < m->slices; ++slice)
        for (uint32_t col = first[slice]; col < first[slice + 1]; ++col)
            out[col] = value_at(copy + element_at(m, slice, (uint64_t)row, col - first[slice]), m->format);
}

static void row_get(void *context, int matrix, int layer, int row, float *out)
{
    const Rows *r = context;
    const PkgMatrix *m = &r->package->matrices[matrix];
    if (r->streams) {
        row_packed(r, m, layer, row, out);
        return;
    }
    const uint64_t key = hash_key(r->seed, tensor_name(m->tensor, (uint32_t)layer).text);
    const float scale = hash_scale((int)m->cols);
    for (uint32_t col = 0; col < m->cols; ++col)
        out[col] = value_round(hash_weight(key, (uint32_t)row, col, scale), m->format);
}

static void norm_get(void *context, int norm, int layer, float *out)
{
    const Rows *r = context;
    const PkgNorm *n = &r->package->norms[norm];
    if (r->streams) {
        memcpy(out, r->streams + n->base + (uint64_t)layer * n->layer_stride, n->cols * sizeof *out);
        return;
    }
    const uint64_t key = hash_key(r->seed, tensor_name(n->tensor, (uint32_t)layer).text);
    for (uint32_t col = 0; col < n->cols; ++col)
        out[col] = hash_norm(key, col);
}

RefWeights rows_weights(Rows *rows)
{
    return (RefWeights){ .context = rows, .row = row_get, .norm = norm_get };
}
