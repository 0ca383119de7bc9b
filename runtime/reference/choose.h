// choose.h: how an id is chosen, in plain C.
#pragma once
#include "../package.h"

#include <stdbool.h>

// 64 random bits for a draw at a position under a seed: Philox4x32-10, position and draw its counter, the seed its key.
uint64_t reference_random(uint64_t seed, uint32_t position, uint32_t draw);

typedef struct RefEntry {
    float distance; // below the largest value
    uint32_t id;
} RefEntry;

// Room for the steps of a choice.
typedef struct RefChoice {
    float *values;     // [vocab] what it is chosen by
    uint64_t *weights; // [vocab] of each id in the last draw; 0: it is not in it
    RefEntry *order;   // [vocab] by distance, equal ones by id
    int stay;          // the first so many of order[] are left by top-k and top-p
    bool again;        // the first draw fell behind those, and another followed
} RefChoice;

// What is told of the id that is chosen, over the ids that may be.
void reference_tell(const float *logits, int vocab, const uint8_t *selectable, int logprobs, uint32_t chosen, Told *told);

// The id for the position behind known[positions], chosen as the request says. Where the largest value is taken, values alone are
// filled in.
uint32_t reference_choose(const Request *how, const float *logits, const float *bias, int vocab, const uint32_t *known, int positions,
                          RefChoice *c);
