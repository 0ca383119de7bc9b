// sampling.h: how ids are chosen where it is not the largest logit alone: what users ask for, and which values are possible.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Added to the logit of an id; -INFINITY: the id is never chosen.
typedef struct SamplingBias {
    uint32_t id;
    float add;
} SamplingBias;

// In this order, as llama.cpp has it:
// - bias is added to the logits;
// - an id that stands among the last `window` positions, n times: its logit is divided by `repeat` where it is over zero, else
//   multiplied by it; then n * frequency + presence are taken off. What comes of it is the id's value;
// - top_k: the largest values stay; equal ones, as everywhere, the lowest ids first;
// - top_p: of those, in that order, as few as have together this share of their weight e^value, or more;
// - min_p: of those, whose weight is at least this share of the largest one's;
// - one of those is drawn by e^(value / temperature).
typedef struct Sampling {
    double temperature; // 0: the largest value, and what follows has no effect
    int top_k;          // 0: all
    double top_p;       // 1: all
    double min_p;       // 0: all
    double repeat, presence, frequency; // 1, 0, 0: nothing
    int window;         // positions; 0: none, -1: all
    uint64_t seed;      // the same seed, program and prompt: the same ids, however launches are cut
    const SamplingBias *bias; // [biases]
    int biases;
    bool told;          // what log-probabilities are made of is told of each id: its own, and of the `logprobs` largest
    int logprobs;       // 0 to LOGPROBS_MOST
} Sampling;

// The largest logit; with a temperature beside it what llama.cpp takes where nothing is asked.
Sampling sampling_default(void);

typedef enum SamplingField {
    SAMPLING_TEMPERATURE, SAMPLING_TOP_K, SAMPLING_TOP_P, SAMPLING_MIN_P, SAMPLING_REPEAT, SAMPLING_PRESENCE, SAMPLING_FREQUENCY,
    SAMPLING_WINDOW, SAMPLING_FIELDS
} SamplingField;

// Takes a value for a field; false: it is not possible (sampling_wants).
bool sampling_set(Sampling *s, SamplingField field, double value);
// "over 0 and at most 1": the possible values, for messages.
const char *sampling_wants(SamplingField field);
// The first of the fields asked for (bit SamplingField) that changes nothing: it has an effect beside a temperature, or a penalty,
// alone, and nobody asked for one. One that asked for 0 (a penalty: for none) knows. SAMPLING_FIELDS: all have an effect.
SamplingField sampling_idle(const Sampling *s, unsigned asked);

// A bias that can be added: a number that is not too large, or -INFINITY.
bool sampling_bias_possible(double add);
// The id that a text of `bytes` digits names; false: it names none.
bool sampling_bias_id(const char *text, size_t bytes, uint32_t *id);

// A seed that nobody knows beforehand.
uint64_t sampling_any_seed(void);
