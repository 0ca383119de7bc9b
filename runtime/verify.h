// verify.h: a program's logits against the reference in plain C.
#pragma once
#include "rt_state.h"

typedef struct VerifyPosition {
    int position;
    double relative; // L2 of the difference over L2 of the reference; infinite where a value is not finite
    double most;     // largest difference
    uint32_t best_program, best_reference;
    double gap;      // between the reference's two largest logits
    bool equal_bits, equal_best, passed;
    const char *why; // what failed; "" where it passed
} VerifyPosition;

// Largest relative error allowed a position, by the type of the K/V cache.
double verify_bound(uint32_t kv_format);

// How one position compares; logits[vocab]. best_program: the id that the kernel chose. selectable: a bit for each id that may
// be chosen; NULL: all may.
VerifyPosition verify_compare(int position, const float *program, uint32_t best_program, const float *reference, int vocab,
                              const uint8_t *selectable, uint32_t kv_format);

typedef void VerifySink(void *context, const VerifyPosition *position);

// n positions that end at `context` have room. Error: CONTEXT_FULL.
RtStatus verify_fits(Rt *rt, int context, int n);

// Runs n made-up ids that end at context `context` (at 0 .. n-1 where the context is shorter than n), the cache before
// them filled by hash, through both; then all of them again in one launch, which must leave equal bits.
// RT_OK with *passed false: the results differ; rt's error says where.
RtStatus verify_run(Rt *rt, int context, int n, VerifySink *sink, void *sink_context, bool *passed);

// The ids that verify and bench run: `index` counts from 0.
uint32_t verify_id(const Rt *rt, int index);
