// pack.c: weights in the order of the plan's matrix table: aligned, padded with zeros, summed; in pieces, by several threads.
#include "pack_piece.h"
#include "package_write.h"

#include "../base/diag.h"
#include "../base/file.h"
#include "../base/progress.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PACK_THREADS = 16 }; // at most: a file takes one write at a time

typedef VEC(Piece) Pieces;

// What the threads share. Pieces are taken in memory's order: those before a refused one are done when all threads have ended.
typedef struct Job {
    const Weights *w;
    Pieces pieces;
    int next;           // piece that nobody took
    int error;          // errno of a write that failed, or 0
    int64_t done;       // bytes
    int fd;
    int64_t at;         // of the weights in the file
    uint64_t *sums;     // [blocks]
    Progress *progress;
} Job;

typedef struct Packer {
    Job *job;
    PackRoom room;
    pthread_t thread; // not of the first packer, which is the caller and shows the progress
    bool first;
} Packer;

static const WeightTensor *must_find(const Weights *w, const char *name)
{
    const WeightTensor *t = weights_find(w, name);
    if (!t)
        error_at(NOWHERE, ERR_TENSOR_MISSING, "the weights have no tensor %s", name);
    return t;
}

// The part that begins with the list's place i.
static Part *part_at(Arena *a, const Plan *p, const Weights *w, const PlaceList *list, int i)
{
    Part *part = arena_alloc(a, sizeof *part);
    const Place *at = part->place = &list->at[i];
    const Matrix *m = at->matrix;
    const bool stack = m && m->layout == LAYOUT_FRAGMENTS;
    for (int k = i; k < list->n && part->tensors < (stack ? PACK_STACK : 1) && list->at[k].at == at->at; ++k)
        part->tensor[part->tensors++] = must_find(w, place_name(a, p, &list->at[k]));
    part->units = !m ? 1 : stack ? (m->stack_rows + 7) / 8 : (m->rows + m->unit_rows - 1) / m->unit_rows;
    part->unit_bytes = !m ? 4ll * at->norm->cols : (int64_t)m->slices * m->slice_cols * m->unit_rows * m->format->block_bytes;
    return part;
}

static Pieces cut(Arena *a, const Plan *p, const Weights *w, const PlaceList *list)
{
    Pieces pieces = { 0 };
    for (int i = 0; i < list->n;) {
        const Part *part = part_at(a, p, w, list, i);
        const int most = part->unit_bytes < PIECE_BYTES ? (int)(PIECE_BYTES / part->unit_bytes) : 1;
        for (int first = 0; first < part->units; first += most) {
            const Piece piece = { .part = part, .first = first, .units = part->units - first < most ? part->units - first : most };
            vec_push(a, &pieces, piece);
        }
        i += part->tensors;
    }
    return pieces;
}

// `bytes` at address `at` (a multiple of 8) of the weights; behind a part word lie zeros.
static void put(Job *job, int64_t at, const unsigned char *from, int64_t bytes)
{
    for (int64_t done = 0; done < bytes;) {
        const int64_t block = (at + done) / WEIGHTS_BLOCK, first = (at + done) % WEIGHTS_BLOCK;
        const int64_t n = bytes - done < WEIGHTS_BLOCK - first ? bytes - done : WEIGHTS_BLOCK - first;
        __atomic_fetch_add(&job->sums[block], package_sum_from((uint64_t)first / 8, from + done, (uint64_t)n), __ATOMIC_RELAXED);
        done += n;
    }
    for (int64_t done = 0; done < bytes;) {
        const ssize_t n = pwrite(job->fd, from + done, (size_t)(bytes - done), (off_t)(job->at + at + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            __atomic_store_n(&job->error, n < 0 ? errno : ENOSPC, __ATOMIC_RELAXED);
            return;
        }
        done += n;
    }
}

static void put_piece(Job *job, const Piece *piece, const unsigned char *bytes)
{
    const Part *part = piece->part;
    const Matrix *m = part->place->matrix;
    const int slices = m ? m->slices : 1;
    const int64_t unit = part->unit_bytes / slices, slice_bytes = piece->units * unit;
    for (int i = 0; i < slices; ++i)
        put(job, part->place->at + i * (m ? m->stride : 0) + piece->first * unit, bytes + i * slice_bytes, slice_bytes);
}

static void *pack_pieces(void *context)
{
    Packer *own = context;
    Job *job = own->job;
    for (;;) {
        const int i = __atomic_fetch_add(&job->next, 1, __ATOMIC_RELAXED);
        if (i >= job->pieces.n)
            return NULL;
        Piece *piece = &job->pieces.at[i];
        piece_pack(job->w, piece, &own->room, false);
        if (!piece->refused)
            put_piece(job, piece, own->room.bytes);
        if (piece->refused || __atomic_load_n(&job->error, __ATOMIC_RELAXED))
            __atomic_store_n(&job->next, job->pieces.n, __ATOMIC_RELAXED); // nobody takes another
        const int64_t done = __atomic_add_fetch(&job->done, piece->units * piece->part->unit_bytes, __ATOMIC_RELAXED);
        if (own->first)
            progress_at(job->progress, done);
    }
}

static PackRoom room_for(Arena *a, const Pieces *pieces)
{
    size_t cols = 0, bytes = 0;
    for (int i = 0; i < pieces->n; ++i) {
        const Part *part = pieces->at[i].part;
        const size_t own = (size_t)(pieces->at[i].units * part->unit_bytes);
        cols = (size_t)part->tensor[0]->cols > cols ? (size_t)part->tensor[0]->cols : cols;
        bytes = own > bytes ? own : bytes;
    }
    return (PackRoom){ arena_alloc(a, cols * sizeof(float)), arena_alloc(a, cols * sizeof(float)), arena_alloc(a, bytes) };
}

// The processors that this process may use, but no more than there are pieces.
static int pack_threads(int pieces)
{
    cpu_set_t set;
    const long cores = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : sysconf(_SC_NPROCESSORS_ONLN);
    const int most = pieces < PACK_THREADS ? pieces : PACK_THREADS;
    return cores < 1 ? 1 : cores < most ? (int)cores : most;
}

// Says which number it was.
static _Noreturn void refuse(const Weights *w, Piece *piece, PackRoom *room)
{
    piece_pack(w, piece, room, true);
    error_at(piece->part->tensor[0]->at, ERR_READ, "was changed while it was read");
}

static void pack_all(Arena *a, Job *job, const char *path)
{
    const int threads = pack_threads(job->pieces.n);
    Packer packer[PACK_THREADS];
    int started = 1;
    for (int i = 0; i < threads; ++i)
        packer[i] = (Packer){ .job = job, .room = room_for(a, &job->pieces), .first = i == 0 };
    while (started < threads && pthread_create(&packer[started].thread, NULL, pack_pieces, &packer[started]) == 0)
        ++started;
    pack_pieces(&packer[0]);
    for (int i = 1; i < started; ++i)
        pthread_join(packer[i].thread, NULL);
    if (job->error)
        error_at(loc_file(path), ERR_WRITE, "cannot write: %s", strerror(job->error));
    Rounding rounding = { 0 };
    for (int i = 0; i < job->pieces.n; ++i) {
        Piece *piece = &job->pieces.at[i];
        if (piece->refused)
            refuse(job->w, piece, &packer[0].room);
        if (piece->rounding.largest > rounding.largest)
            rounding = piece->rounding;
    }
    uint64_t seed;
    if (rounding.tensor && !weights_random(job->w, &seed))
        note("weights rounded to 16 bits: largest relative error %.3g, in %s", (double)rounding.largest, rounding.tensor);
}

static void check_space(Arena *a, const char *path, int64_t bytes)
{
    const int64_t room = file_free_bytes(a, path);
    if (room >= 0 && room < bytes)
        error_at(loc_file(path), ERR_DISK_SPACE, "needs %s bytes, the disk has %s free", str_count(a, bytes), str_count(a, room));
}

static void must_write(const OutFile *out, int result)
{
    if (result != 0)
        error_at(loc_file(out->path), ERR_WRITE, "cannot write: %s", strerror(errno));
}

int64_t weights_pack_at(Arena *a, const Plan *p, const Weights *w, const char *source, OutFile *out, int64_t at)
{
    const int blocks = (int)((p->weight_bytes + WEIGHTS_BLOCK - 1) / WEIGHTS_BLOCK);
    WeightsHeader header = { .magic = WEIGHTS_MAGIC, .version = WEIGHTS_VERSION, .blocks = (uint32_t)blocks,
                             .matrix_fingerprint = p->matrix_fingerprint, .bytes = (uint64_t)p->weight_bytes };
    const uint64_t head = sizeof header + (uint64_t)blocks * 8;
    header.at = (head + WEIGHTS_ALIGN - 1) / WEIGHTS_ALIGN * WEIGHTS_ALIGN;
    const int64_t bytes = (int64_t)header.at + p->weight_bytes;
    check_space(a, out->path, bytes);
    Progress progress = progress_start("packing weights", p->weight_bytes);
    const PlaceList list = place_list(a, p);
    Job job = { .w = w, .pieces = cut(a, p, w, &list), .fd = fileno(out->stream), .at = at + (int64_t)header.at,
                .sums = arena_alloc(a, (size_t)(blocks + 1) * sizeof *job.sums), .progress = &progress };
    must_write(out, fflush(out->stream));
    pack_all(a, &job, out->path);
    if (out->temporary)
        must_write(out, ftruncate(job.fd, (off_t)(at + bytes))); // what no piece covers is zero, at the end too
    header.digest = package_digest(job.sums, (uint64_t)blocks * 8);
    snprintf(header.source, sizeof header.source, "%s", str_basename(source));
    if (fseeko(out->stream, (off_t)at, SEEK_SET) != 0)
        error_at(loc_file(out->path), ERR_WRITE, "cannot go back to the start of the weights");
    fwrite(&header, 1, sizeof header, out->stream);
    fwrite(job.sums, 8, (size_t)blocks, out->stream);
    if (fseeko(out->stream, 0, SEEK_END) != 0)
        error_at(loc_file(out->path), ERR_WRITE, "cannot go to the end of the weights");
    progress_end(&progress);
    return bytes;
}

OutFile *weights_pack(Arena *a, const Plan *p, const Weights *w, const char *source, const char *path)
{
    OutFile *out = file_create(a, path);
    weights_pack_at(a, p, w, source, out, 0);
    file_finish(out);
    return out;
}
