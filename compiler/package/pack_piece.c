// pack_piece.c: numbers of the checkpoint as bytes of the packed weights, by the formulas of the matrix table.
#include "pack_piece.h"

#include "../base/diag.h"

#include <math.h>
#include <string.h>

// The n floats of 16 bits at `from`, by their bits alone: in vectors, as `wrong` is as wide as they are.
static bool all_finite(const unsigned char *from, int n, uint16_t exponent)
{
    uint16_t wrong = 0;
    for (int i = 0; i < n; ++i) {
        uint16_t bits;
        memcpy(&bits, from + 2 * i, sizeof bits);
        wrong |= (uint16_t)-((bits & exponent) == exponent);
    }
    return !wrong;
}

// Whether the values of a row are finite; where they are not, `aloud`, there is no return.
static bool check_values(const WeightTensor *t, int row, const float *values, bool aloud)
{
    for (int i = 0; i < t->cols; ++i)
        if (!isfinite(values[i])) {
            if (aloud)
                error_at(t->at, ERR_TENSOR_VALUE, "%s: row %d, column %d is %g", t->name, row, i, (double)values[i]);
            return false;
        }
    return true;
}

// The same of the row as it is rounded, at `out`; how far it is from the values.
static bool check_rounded(const WeightTensor *t, int row, const Format *to, const float *values, const unsigned char *out,
                          Rounding *rounding, bool aloud)
{
    float back[256];
    for (int i = 0; i < t->cols; i += 256) {
        const int n = t->cols - i < 256 ? t->cols - i : 256;
        to->unpack(out + format_bytes(to, i), back, n);
        for (int k = 0; k < n; ++k) {
            if (!isfinite(back[k])) {
                if (aloud)
                    error_at(t->at, ERR_TENSOR_VALUE, "%s: row %d, column %d is %g, which %s cannot hold", t->name, row, i + k,
                             (double)values[i + k], to->name);
                return false;
            }
            const float error = fabsf(back[k] - values[i + k]) / fmaxf(fabsf(values[i + k]), 1e-30f);
            if (error > rounding->largest && fabsf(values[i + k]) > 1e-30f)
                *rounding = (Rounding){ error, t->name };
        }
    }
    return true;
}

// One row in the stored format, in the checkpoint or in the room; NULL: a number is not finite before or after rounding.
static const unsigned char *convert_row(const Weights *w, const WeightTensor *t, int row, const Format *to, PackRoom *room,
                                        Rounding *rounding, bool aloud)
{
    const bool plain = t->data && t->format == to && !t->interleaved_heads;
    const unsigned char *there = plain ? t->data + (size_t)row * (size_t)format_bytes(to, t->cols) : NULL;
    if (plain && to->exponent && all_finite(there, t->cols, to->exponent))
        return there;
    weights_row(w, t, row, room->values);
    if (!check_values(t, row, room->values, aloud))
        return NULL;
    if (plain)
        return there;
    to->pack(room->values, room->row, t->cols);
    if (t->format != to && !check_rounded(t, row, to, room->values, room->row, rounding, aloud))
        return NULL;
    return room->row;
}

static bool pack_rows(const Weights *w, Piece *piece, PackRoom *room, bool aloud)
{
    const Part *part = piece->part;
    const Matrix *m = part->place->matrix;
    const size_t own = (size_t)m->cols * (size_t)m->format->block_bytes, padded = (size_t)part->unit_bytes;
    unsigned char *to = room->bytes;
    for (int row = piece->first; row < piece->first + piece->units; ++row, to += padded) {
        const unsigned char *from = convert_row(w, part->tensor[0], row, m->format, room, &piece->rounding, aloud);
        if (!from)
            return false;
        memcpy(to, from, own);
        memset(to + own, 0, padded - own);
    }
    return true;
}

// 32 rows side by side: each row of a slice is scattered, 16 bytes every 512.
static bool pack_lanes(const Weights *w, Piece *piece, PackRoom *room, bool aloud)
{
    const Matrix *m = piece->part->place->matrix;
    const size_t unit = (size_t)m->slice_cols * 64, slice_bytes = (size_t)piece->units * unit;
    const int first_row = piece->first * 32, end = first_row + piece->units * 32;
    memset(room->bytes, 0, (size_t)m->slices * slice_bytes);
    for (int row = first_row; row < end && row < m->rows; ++row) {
        const unsigned char *row16 = convert_row(w, piece->part->tensor[0], row, m->format, room, &piece->rounding, aloud);
        if (!row16)
            return false;
        for (int slice = 0; slice < m->slices; ++slice) {
            const int first = m->slice_first[slice], bytes = (m->slice_first[slice + 1] - first) * 2;
            unsigned char *to = room->bytes + (size_t)slice * slice_bytes + (size_t)(row - first_row) / 32 * unit + row % 32 * 16;
            const unsigned char *from = row16 + 2 * (size_t)first;
            int at = 0;
            for (; at + 16 <= bytes; at += 16, to += 512)
                memcpy(to, from + at, 16);
            memcpy(to, from + at, (size_t)(bytes - at));
        }
    }
    return true;
}

// Units of eight rows side by side, 64 bytes of each at a time, as they lie: the first of each worker, the second of each.
static bool pack_fragments(const Weights *w, Piece *piece, PackRoom *room, bool aloud)
{
    const Place *stack = piece->part->place;
    const Matrix *m = stack->matrix;
    const int units = piece->part->units;
    unsigned char *unit = room->bytes;
    for (int place = piece->first; place < piece->first + piece->units; ++place, unit += piece->part->unit_bytes) {
        const int first = (deal_first(units, m->deal, place % m->deal) + place / m->deal) * 8;
        if (first + 8 > m->stack_rows)
            memset(unit, 0, (size_t)piece->part->unit_bytes);
        for (int at = first; at < first + 8 && at < m->stack_rows; ++at) {
            int k = 0; // whose row it is
            if (m->weave > 1)
                k = at % m->weave;
            else
                while (k + 1 < piece->part->tensors && at >= stack[k + 1].matrix->stack_row)
                    ++k;
            const int row = m->weave > 1 ? at / m->weave : at - stack[k].matrix->stack_row;
            const unsigned char *row16 =
                convert_row(w, piece->part->tensor[k], row, m->format, room, &piece->rounding, aloud);
            if (!row16)
                return false;
            for (int block = 0; block < m->cols / 32; ++block)
                memcpy(unit + block * 512 + at % 8 * 64, row16 + block * 64, 64);
        }
    }
    return true;
}

static bool pack_norm(const Weights *w, const Part *part, PackRoom *room, bool aloud)
{
    const WeightTensor *t = part->tensor[0];
    weights_row(w, t, 0, room->values);
    for (int i = 0; i < t->cols; ++i)
        if (!isfinite(room->values[i])) {
            if (aloud)
                error_at(t->at, ERR_TENSOR_VALUE, "%s: column %d is %g", t->name, i, (double)room->values[i]);
            return false;
        }
    memcpy(room->bytes, room->values, (size_t)t->cols * sizeof *room->values);
    return true;
}

void piece_pack(const Weights *w, Piece *piece, PackRoom *room, bool aloud)
{
    const Matrix *m = piece->part->place->matrix;
    if (!m)
        piece->refused = !pack_norm(w, piece->part, room, aloud);
    else if (m->layout == LAYOUT_FRAGMENTS)
        piece->refused = !pack_fragments(w, piece, room, aloud);
    else if (m->layout == LAYOUT_LANES)
        piece->refused = !pack_lanes(w, piece, room, aloud);
    else
        piece->refused = !pack_rows(w, piece, room, aloud);
}
