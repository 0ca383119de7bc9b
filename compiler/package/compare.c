// compare.c: the inverse of packing: every number of a weights file against the checkpoint, by the formulas of the table.
#include "package_write.h"
#include "place.h"

#include "../base/diag.h"
#include "../base/file.h"
#include "../base/progress.h"

#include <string.h>

static _Noreturn void differs(const char *path, const char *name, int row, int col, double packed, double want)
{
    error_at(loc_file(path), ERR_VERIFY, "%s: row %d, column %d is %.9g, the checkpoint has %.9g", name, row, col, packed, want);
}

static void compare_matrix(Arena *a, const Weights *w, const WeightTensor *t, const Place *place, const unsigned char *streams,
                           const char *path)
{
    const Matrix *m = place->matrix;
    float *want = arena_alloc(a, (size_t)m->cols * sizeof *want);
    uint16_t *packed = arena_alloc(a, (size_t)m->cols * sizeof *packed);
    for (int row = 0; row < m->rows; ++row) {
        weights_row(w, t, row, want);
        m->format->pack(want, packed, m->cols);
        for (int col = 0; col < m->cols; ++col) {
            const unsigned char *at = streams + place_of(m, place->layer, row, col);
            if (memcmp(at, &packed[col], 2) != 0) {
                float got, expected;
                m->format->unpack(at, &got, 1);
                m->format->unpack(&packed[col], &expected, 1);
                differs(path, t->name, row, col, (double)got, (double)expected);
            }
        }
    }
}

static void compare_norm(Arena *a, const Weights *w, const WeightTensor *t, const Place *place, const unsigned char *streams,
                         const char *path)
{
    float *want = arena_alloc(a, (size_t)t->cols * sizeof *want), got;
    weights_row(w, t, 0, want);
    for (int col = 0; col < t->cols; ++col) {
        memcpy(&got, streams + place->at + 4ll * col, 4);
        if (memcmp(&got, &want[col], 4) != 0)
            differs(path, t->name, 0, col, (double)got, (double)want[col]);
    }
}

static const unsigned char *open_streams(const Plan *p, Bytes file, const char *path)
{
    WeightsHeader h;
    if (file.bytes < sizeof h || memcmp(file.at, WEIGHTS_MAGIC, sizeof h.magic) != 0)
        error_at(loc_file(path), ERR_WEIGHTS_FILE, "not a weights file of llmc");
    memcpy(&h, file.at, sizeof h);
    if (h.version != WEIGHTS_VERSION)
        error_at(loc_file(path), ERR_WEIGHTS_FILE, "weights version %u: this llmc reads %d", h.version, WEIGHTS_VERSION);
    if (h.matrix_fingerprint != p->matrix_fingerprint)
        error_at(loc_file(path), ERR_FINGERPRINT, "packed for matrices %016llx, the plan has %016llx",
                 (unsigned long long)h.matrix_fingerprint, (unsigned long long)p->matrix_fingerprint);
    if (h.bytes != (uint64_t)p->weight_bytes || h.at > file.bytes || file.bytes - h.at < h.bytes)
        error_at(loc_file(path), ERR_WEIGHTS_FILE, "the file has %zu bytes, %llu behind the header were expected", file.bytes,
                 (unsigned long long)h.bytes);
    return file.at + h.at;
}

void weights_compare(Arena *a, const Plan *p, const Weights *w, Bytes file, const char *path)
{
    const unsigned char *streams = open_streams(p, file, path);
    const PlaceList list = place_list(a, p);
    Progress progress = progress_start("comparing weights", p->weight_bytes);
    for (int i = 0; i < list.n; ++i) {
        Arena *scratch = arena_new();
        const char *name = place_name(scratch, p, &list.at[i]);
        const WeightTensor *t = weights_find(w, name);
        if (!t)
            error_at(loc_file(path), ERR_TENSOR_MISSING, "the checkpoint has no tensor %s", name);
        if (list.at[i].matrix)
            compare_matrix(scratch, w, t, &list.at[i], streams, path);
        else
            compare_norm(scratch, w, t, &list.at[i], streams, path);
        arena_free(scratch);
        progress_at(&progress, list.at[i].at);
    }
    progress_end(&progress);
}
