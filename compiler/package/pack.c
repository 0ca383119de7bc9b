// pack.c: weights in the order of the plan's matrix table: aligned, padded with zeros, summed.
#include "package_write.h"
#include "place.h"

#include "../base/diag.h"
#include "../base/file.h"
#include "../base/progress.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PACK_STACK = 3 }; // matrices of one stack

// The output: bytes in address order, cut into blocks that are summed.
typedef struct Stream {
    OutFile *out;
    unsigned char *block; // [WEIGHTS_BLOCK]
    int64_t at;           // next address
    size_t used;
    uint64_t *sums;
    int n_sums;
    Progress progress;
} Stream;

static void end_block(Stream *s)
{
    if (!s->used)
        return;
    s->sums[s->n_sums++] = package_sum(s->block, s->used);
    fwrite(s->block, 1, s->used, s->out->stream);
    s->used = 0;
    progress_at(&s->progress, s->at);
}

static void emit(Stream *s, const void *from, int64_t bytes)
{
    const unsigned char *p = from; // NULL: zeros
    while (bytes > 0) {
        const size_t room = WEIGHTS_BLOCK - s->used, n = (size_t)bytes < room ? (size_t)bytes : room;
        if (p)
            memcpy(s->block + s->used, p, n);
        else
            memset(s->block + s->used, 0, n);
        p = p ? p + n : NULL;
        s->used += n;
        s->at += (int64_t)n;
        bytes -= (int64_t)n;
        if (s->used == WEIGHTS_BLOCK)
            end_block(s);
    }
}

// What rounding to the stored format cost, for the note.
typedef struct Rounding {
    float largest; // relative to the value
    const char *tensor;
} Rounding;

// The n floats of 16 bits at `from`, by their bits alone: 1.24 GB of BF16 pack in 0.45 s of a core, in 0.74 s through float32.
static bool all_finite(const unsigned char *from, int n, uint16_t exponent)
{
    int wrong = 0;
    for (int i = 0; i < n; ++i) {
        uint16_t bits;
        memcpy(&bits, from + 2 * i, sizeof bits);
        wrong |= (bits & exponent) == exponent;
    }
    return !wrong;
}

// One row in the stored format, in the checkpoint or in `out`. Refuses what is not finite before or after rounding.
static const void *convert_row(const Weights *w, const WeightTensor *t, int row, const Format *to, float *values, void *out,
                               Rounding *rounding)
{
    const bool plain = t->data && t->format == to && !t->interleaved_heads;
    const unsigned char *there = plain ? t->data + (size_t)row * (size_t)format_bytes(to, t->cols) : NULL;
    if (plain && to->exponent && all_finite(there, t->cols, to->exponent))
        return there;
    weights_row(w, t, row, values);
    for (int i = 0; i < t->cols; ++i)
        if (!isfinite(values[i]))
            error_at(t->at, ERR_TENSOR_VALUE, "%s: row %d, column %d is %g", t->name, row, i, (double)values[i]);
    if (plain)
        return there;
    to->pack(values, out, t->cols);
    if (t->format == to)
        return out;
    float back[256];
    for (int i = 0; i < t->cols; i += 256) {
        const int n = t->cols - i < 256 ? t->cols - i : 256;
        to->unpack((const unsigned char *)out + format_bytes(to, i), back, n);
        for (int k = 0; k < n; ++k) {
            if (!isfinite(back[k]))
                error_at(t->at, ERR_TENSOR_VALUE, "%s: row %d, column %d is %g, which %s cannot hold", t->name, row, i + k,
                         (double)values[i + k], to->name);
            const float error = fabsf(back[k] - values[i + k]) / fmaxf(fabsf(values[i + k]), 1e-30f);
            if (error > rounding->largest && fabsf(values[i + k]) > 1e-30f)
                *rounding = (Rounding){ error, t->name };
        }
    }
    return out;
}

static const WeightTensor *must_find(const Weights *w, const char *name)
{
    const WeightTensor *t = weights_find(w, name);
    if (!t)
        error_at(NOWHERE, ERR_TENSOR_MISSING, "the weights have no tensor %s", name);
    return t;
}

static void pack_rows(Arena *a, Stream *s, const Weights *w, const Matrix *m, const WeightTensor *t, Rounding *rounding)
{
    const int64_t row_bytes = (int64_t)m->slice_cols * m->format->block_bytes, own = (int64_t)m->cols * m->format->block_bytes;
    float *values = arena_alloc(a, (size_t)m->cols * sizeof *values);
    unsigned char *out = arena_alloc(a, (size_t)row_bytes);
    for (int row = 0; row < m->rows; ++row) {
        emit(s, convert_row(w, t, row, m->format, values, out, rounding), own);
        emit(s, NULL, row_bytes - own);
    }
}

// 32 rows side by side: each row of a slice is scattered, 16 bytes every 512.
static void pack_lanes(Arena *a, Stream *s, const Weights *w, const Matrix *m, const WeightTensor *t, Rounding *rounding)
{
    float *values = arena_alloc(a, (size_t)m->cols * sizeof *values);
    unsigned char *out = arena_alloc(a, (size_t)m->cols * 2);
    unsigned char *all = arena_alloc(a, (size_t)m->bytes);
    for (int row = 0; row < m->rows; ++row) {
        const unsigned char *row16 = convert_row(w, t, row, m->format, values, out, rounding);
        for (int slice = 0; slice < m->slices; ++slice) {
            const int first = m->slice_first[slice], bytes = (m->slice_first[slice + 1] - first) * 2;
            unsigned char *to = all + place_of(m, 0, row, first) - m->base;
            const unsigned char *from = row16 + 2 * (size_t)first;
            int at = 0;
            for (; at + 16 <= bytes; at += 16, to += 512)
                memcpy(to, from + at, 16);
            memcpy(to, from + at, (size_t)(bytes - at));
        }
    }
    emit(s, all, m->bytes);
}

// A stack of matrices, unit after unit as they lie: eight rows side by side, 64 bytes of each at a time.
static void pack_fragments(Arena *a, Stream *s, const Weights *w, const Place *stack, int n, const WeightTensor *const *tensors,
                           Rounding *rounding)
{
    const Matrix *m = stack->matrix;
    const int units = (m->stack_rows + 7) / 8, most = (units + m->deal - 1) / m->deal;
    float *values = arena_alloc(a, (size_t)m->cols * sizeof *values);
    unsigned char *out = arena_alloc(a, (size_t)m->cols * 2), *unit = arena_alloc(a, (size_t)m->cols * 16);
    for (int i = 0; i < most; ++i)
        for (int worker = 0; worker < m->deal && i < deal_units(units, m->deal, worker); ++worker) {
            const int first = (deal_first(units, m->deal, worker) + i) * 8;
            memset(unit, 0, (size_t)m->cols * 16);
            for (int at = first; at < first + 8 && at < m->stack_rows; ++at) {
                int k = 0; // whose row it is
                if (m->weave > 1)
                    k = at % m->weave;
                else
                    while (k + 1 < n && at >= stack[k + 1].matrix->stack_row)
                        ++k;
                const int row = m->weave > 1 ? at / m->weave : at - stack[k].matrix->stack_row;
                const unsigned char *row16 = convert_row(w, tensors[k], row, m->format, values, out, rounding);
                for (int block = 0; block < m->cols / 32; ++block)
                    memcpy(unit + block * 512 + at % 8 * 64, row16 + block * 64, 64);
            }
            emit(s, unit, (int64_t)m->cols * 16);
        }
}

static void pack_norm(Arena *a, Stream *s, const Weights *w, const NormMap *n, const char *name)
{
    const WeightTensor *t = must_find(w, name);
    float *values = arena_alloc(a, (size_t)n->cols * sizeof *values);
    weights_row(w, t, 0, values);
    for (int i = 0; i < n->cols; ++i)
        if (!isfinite(values[i]))
            error_at(t->at, ERR_TENSOR_VALUE, "%s: column %d is %g", name, i, (double)values[i]);
    emit(s, values, 4ll * n->cols);
}

static void pack_all(Arena *a, const Plan *p, const Weights *w, Stream *s)
{
    Rounding rounding = { 0 };
    const PlaceList list = place_list(a, p);
    for (int i = 0; i < list.n; ++i) {
        const Place *at = &list.at[i];
        Arena *scratch = arena_new();
        emit(s, NULL, at->at - s->at);
        const char *name = place_name(scratch, p, at);
        if (at->matrix && at->matrix->layout == LAYOUT_FRAGMENTS) {
            const WeightTensor *tensors[PACK_STACK];
            int n = 0;
            for (; n < PACK_STACK && i + n < list.n && list.at[i + n].at == at->at; ++n)
                tensors[n] = must_find(w, place_name(scratch, p, &list.at[i + n]));
            pack_fragments(scratch, s, w, at, n, tensors, &rounding);
            i += n - 1;
        } else if (at->norm)
            pack_norm(scratch, s, w, at->norm, name);
        else if (at->matrix->layout == LAYOUT_LANES)
            pack_lanes(scratch, s, w, at->matrix, must_find(w, name), &rounding);
        else
            pack_rows(scratch, s, w, at->matrix, must_find(w, name), &rounding);
        arena_free(scratch);
    }
    emit(s, NULL, p->weight_bytes - s->at);
    end_block(s);
    uint64_t seed;
    if (rounding.tensor && !weights_random(w, &seed))
        note("weights rounded to 16 bits: largest relative error %.3g, in %s", (double)rounding.largest, rounding.tensor);
}

static void check_space(Arena *a, const char *path, int64_t bytes)
{
    const int64_t room = file_free_bytes(a, path);
    if (room >= 0 && room < bytes)
        error_at(loc_file(path), ERR_DISK_SPACE, "needs %s bytes, the disk has %s free", str_count(a, bytes), str_count(a, room));
}

int64_t weights_pack_at(Arena *a, const Plan *p, const Weights *w, const char *source, OutFile *out, int64_t at)
{
    const int blocks = (int)((p->weight_bytes + WEIGHTS_BLOCK - 1) / WEIGHTS_BLOCK);
    WeightsHeader header = { .magic = WEIGHTS_MAGIC, .version = WEIGHTS_VERSION, .blocks = (uint32_t)blocks,
                             .matrix_fingerprint = p->matrix_fingerprint, .bytes = (uint64_t)p->weight_bytes };
    const uint64_t head = sizeof header + (uint64_t)blocks * 8;
    header.at = (head + WEIGHTS_ALIGN - 1) / WEIGHTS_ALIGN * WEIGHTS_ALIGN;
    check_space(a, out->path, (int64_t)header.at + p->weight_bytes);
    Stream s = { .out = out, .block = arena_alloc(a, WEIGHTS_BLOCK),
                 .sums = arena_alloc(a, (size_t)(blocks + 1) * sizeof *s.sums),
                 .progress = progress_start("packing weights", p->weight_bytes) };
    for (uint64_t i = 0; i < header.at; ++i)
        fputc(0, s.out->stream); // written at the end, when the sums are known
    pack_all(a, p, w, &s);
    header.digest = package_digest(s.sums, (uint64_t)blocks * 8);
    snprintf(header.source, sizeof header.source, "%s", str_basename(source));
    if (fseeko(out->stream, (off_t)at, SEEK_SET) != 0)
        error_at(loc_file(out->path), ERR_WRITE, "cannot go back to the start of the weights");
    fwrite(&header, 1, sizeof header, out->stream);
    fwrite(s.sums, 8, (size_t)blocks, out->stream);
    if (fseeko(out->stream, 0, SEEK_END) != 0)
        error_at(loc_file(out->path), ERR_WRITE, "cannot go to the end of the weights");
    progress_end(&s.progress);
    return (int64_t)header.at + p->weight_bytes;
}

OutFile *weights_pack(Arena *a, const Plan *p, const Weights *w, const char *source, const char *path)
{
    OutFile *out = file_create(a, path);
    weights_pack_at(a, p, w, source, out, 0);
    file_finish(out);
    return out;
}
