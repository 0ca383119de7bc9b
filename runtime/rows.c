// rows.c: the inverse of packing: one row of a matrix, as float32.
#include "rows.h"
#include "fma.h"
#include "half.h"
#include "hash.h"

#include <string.h>

// n values as stored.
static void values_get(const unsigned char *from, uint32_t format, uint32_t n, float *out)
{
    uint16_t half;
    if (format == PKG_F32)
        memcpy(out, from, n * sizeof *out);
    else
        for (uint32_t i = 0; i < n; ++i) {
            memcpy(&half, from + 2 * i, sizeof half);
            out[i] = format == PKG_F16 ? f16_to_float(half) : bf16_to_float(half);
        }
}

// Where a row of a slice begins, from the start of the layer's copy: see Matrix in compiler/kernels/kernel.h.
static uint64_t row_at(const PkgMatrix *m, uint32_t slice, uint64_t row)
{
    if (m->layout == PKG_LAYOUT_ROWS)
        return row * m->slice_cols * (m->format == PKG_F32 ? 4 : 2);
    if (m->layout == PKG_LAYOUT_FRAGMENTS) {
        const uint32_t at = m->stack_row + (uint32_t)row * m->weave + m->thread, units = (m->stack_rows + 7) / 8;
        return package_unit_place(units, m->deal, at / 8) * m->cols * 16 + at % 8 * 64;
    }
    return slice * m->stride + (row / 32 * (m->slice_cols / 8) * 32 + row % 32) * 16;
}

// From there to a column, a multiple of 8: eight lie together.
static uint64_t columns_at(const PkgMatrix *m, uint64_t col)
{
    if (m->layout == PKG_LAYOUT_ROWS)
        return col * (m->format == PKG_F32 ? 4 : 2);
    return m->layout == PKG_LAYOUT_FRAGMENTS ? col / 32 * 512 + col % 32 * 2 : col / 8 * 512;
}

static void row_packed(const Rows *r, const PkgMatrix *m, int layer, int row, float *out)
{
    const unsigned char *copy = r->streams + m->base + (uint64_t)layer * m->layer_stride;
    const uint32_t *first = r->package->ints + m->first_slice;
    for (uint32_t slice = 0; slice < m->slices; ++slice) {
        const unsigned char *from = copy + row_at(m, slice, (uint64_t)row);
        const uint32_t cols = first[slice + 1] - first[slice];
        for (uint32_t col = 0; col < cols; col += 8)
            values_get(from + columns_at(m, col), m->format, cols - col < 8 ? cols - col : 8, out + first[slice] + col);
    }
}

// A row of values of a seed, rounded to the format.
static inline __attribute__((always_inline)) void draw(uint64_t key, uint32_t row, uint32_t cols, uint32_t format, float *out)
{
    const float scale = hash_scale((int)cols);
    for (uint32_t col = 0; col < cols; ++col)
        out[col] = hash_weight(key, row, col, scale);
    for (uint32_t col = 0; col < cols && format == PKG_F16; ++col)
        out[col] = f16_to_float(f16_from_float(out[col]));
    for (uint32_t col = 0; col < cols && format == PKG_BF16; ++col)
        out[col] = bf16_to_float(bf16_from_float(out[col]));
}

WITH_FMA static void draw_fma(uint64_t key, uint32_t row, uint32_t cols, uint32_t format, float *out)
{
    draw(key, row, cols, format, out);
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
    if (has_fma())
        draw_fma(key, (uint32_t)row, m->cols, m->format, out);
    else
        draw(key, (uint32_t)row, m->cols, m->format, out);
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
