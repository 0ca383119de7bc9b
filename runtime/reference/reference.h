// reference.h: plain C of every operation, in the plan's order of sums, so that a program's float32 results equal it bit for
// bit, however many threads it runs on. One file an op kind. libc only.
#pragma once
#include "../package.h"

#include <stdbool.h>

// Where the reference gets its numbers from. Several threads ask at once.
typedef struct RefWeights {
    void *context;
    // Row `row` of matrix m (index into the plan's matrices) in layer `layer`, as stored: out[cols].
    void (*row)(void *context, int matrix, int layer, int row, float *out);
    // Norm vector n of a layer: out[cols].
    void (*norm)(void *context, int norm, int layer, float *out);
} RefWeights;

// The plan as the reference reads it: sections of a package.
typedef struct RefPlan {
    const PkgPlan *plan;
    const PkgMatrix *matrices;
    const PkgNorm *norms;
    const PkgSchedule *schedules;
    const PkgWave *waves;
    const PkgTask *tasks;
    const uint32_t *ints;
    const double *rope; // [head_dim / 2]
} RefPlan;

typedef struct Reference Reference;

// Memory for `positions` positions at once and a K/V cache of `context` positions; NULL: no memory.
// Runs on `members` threads, the caller's included; 0: one a processor.
Reference *reference_open(const RefPlan *plan, const RefWeights *weights, int context, int positions, int members);
void reference_close(Reference *r);

// Fills K and V of positions [0, n) of the cache by hash.h, as the program's fill_cache kernel does.
void reference_fill_cache(Reference *r, uint64_t seed, int n);

// Runs n ids at positions first .. first+n-1 through the model, layer by layer, and leaves their logits in
// logits[n][vocab]. n at most `positions`.
void reference_run(Reference *r, const uint32_t *ids, int first, int n, float *logits);
