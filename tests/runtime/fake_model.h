// fake_model.h: what the stand-in kernels and the stand-in reference compute: no language model, but a function of
// every weight row, rope entry and cache slot that a real one would read, so that a wrong byte anywhere changes the
// ids.
#pragma once
#include "../../runtime/hash.h"
#include "../../runtime/package.h"

#include <string.h>

enum { FAKE_MATRICES = 3, FAKE_NORMS = 2, FAKE_SCHEDULES = 2, FAKE_INTS = 8, FAKE_PAIRS = 8 };

// The stand-in for a cubin: it carries the tables that rendered text would have as literals.
typedef struct FakeImage {
    char magic[8]; // "FAKEIMG"
    PkgPlan plan;
    PkgMatrix matrices[FAKE_MATRICES];
    PkgNorm norms[FAKE_NORMS];
    PkgSchedule schedules[FAKE_SCHEDULES];
    uint32_t ints[FAKE_INTS];
} FakeImage;

static inline float fake_mix(float sum, const float *values, uint32_t n)
{
    for (uint32_t i = 0; i < n; ++i)
        sum = sum * 0.5f + values[i];
    return sum;
}

static inline uint64_t fake_slot(uint64_t history, uint64_t slot)
{
    return hash_mix(history ^ slot);
}

static inline void fake_logits(uint64_t history, float sum, uint32_t vocab, float *out)
{
    uint32_t bits;
    memcpy(&bits, &sum, sizeof bits);
    for (uint32_t v = 0; v < vocab; ++v)
        out[v] = hash_unit(hash_mix(history ^ bits), v, 0);
}

static inline uint32_t fake_best(const float *logits, uint32_t vocab)
{
    uint32_t best = 0;
    for (uint32_t v = 1; v < vocab; ++v)
        if (logits[v] > logits[best])
            best = v;
    return best;
}
