// place.h: where each number of a matrix lies in the packed weights, by the formulas of the matrix table.
#pragma once
#include "../plan/plan.h"

#include "../../runtime/package.h"

// Byte address of (row, col) in layer `layer`, from the start of the weights.
static inline int64_t place_of(const Matrix *m, int layer, int row, int col)
{
    const int64_t at = m->base + layer * m->layer_stride, bytes = m->format->block_bytes;
    if (m->layout == LAYOUT_ROWS)
        return at + ((int64_t)row * m->slice_cols + col) * bytes;
    if (m->layout == LAYOUT_FRAGMENTS) {
        const int stacked = m->stack_row + row * m->weave + m->thread;
        const uint64_t unit = package_unit_place(((uint32_t)m->stack_rows + 7) / 8, (uint32_t)m->deal, (uint32_t)stacked / 8);
        return at + (int64_t)unit * m->cols * 16 + col / 32 * 512 + stacked % 8 * 64 + col % 32 * 2;
    }
    int slice = 0;
    while (col >= m->slice_first[slice + 1])
        ++slice;
    const int c = col - m->slice_first[slice];
    return at + slice * m->stride + (((int64_t)(row / 32) * (m->slice_cols / 8) + c / 8) * 32 + row % 32) * 16 + c % 8 * bytes;
}

// One tensor of one layer, in address order.
typedef struct Place {
    int64_t at;
    int layer;
    const Matrix *matrix; // or
    const NormMap *norm;
} Place;

typedef struct PlaceList {
    Place *at;
    int n;
} PlaceList;

PlaceList place_list(Arena *a, const Plan *p);

// The Hugging Face name of a place's tensor.
const char *place_name(Arena *a, const Plan *p, const Place *place);
