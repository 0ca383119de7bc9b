// fake_model.h: what the stand-in kernels and the stand-in reference compute: no language model, but a function of
// every weight row, rope entry and cache slot that a real one would read, so that a wrong byte anywhere changes the
// ids.
#pragma once
#include "../../runtime/hash.h"
#include "../../runtime/package.h"

#include <string.h>

enum { FAKE_MATRICES = 8, FAKE_NORMS = 3, FAKE_SCHEDULES = 2, FAKE_INTS = 8, FAKE_PAIRS = 8 };

// The stand-in for a cubin: it carries the tables that rendered text would have as literals.
typedef struct FakeImage {
    char magic[8]; // "FAKEIMG"
    PkgPlan plan;
    PkgMatrix matrices[FAKE_MATRICES];
    PkgNorm norms[FAKE_NORMS];
    PkgSchedule schedules[FAKE_SCHEDULES];
    uint32_t ints[FAKE_INTS];
} FakeImage;

static inline uint64_t fake_mix(uint64_t seen, const float *values, uint32_t n)
{
    for (uint32_t i = 0; i < n; ++i) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        seen = hash_mix(seen + bits);
    }
    return seen;
}

static inline uint64_t fake_slot(uint64_t history, uint64_t slot)
{
    return hash_mix(history ^ slot);
}

static inline void fake_logits(uint64_t history, uint64_t seen, uint32_t vocab, float *out)
{
    for (uint32_t v = 0; v < vocab; ++v)
        out[v] = hash_unit(hash_mix(history ^ seen), v, 0);
}

static inline uint32_t fake_best(const float *logits, uint32_t vocab, const uint8_t *selectable)
{
    uint32_t best = vocab;
    for (uint32_t v = 0; v < vocab; ++v)
        if ((selectable[v / 8] >> v % 8 & 1) && (best == vocab || logits[v] > logits[best]))
            best = v;
    return best;
}
