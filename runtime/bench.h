// bench.h: times of this program on this device, and the floor measured beside them.
#pragma once
#include "rt_state.h"

typedef struct BenchTimes {
    double median, p10, p90; // ms
    int n;
} BenchTimes;

// Of n values, which stay in their order; scratch[n].
BenchTimes bench_summary(const double *ms, double *scratch, int n);

// Milliseconds in which the device reads a token's matrices once: the image's read_weights kernel, median of several groups
// of launches after `warm_seconds` of it.
RtStatus bench_read(Rt *rt, double warm_seconds, BenchTimes *read);

// `repeats` launches of `tokens` greedy tokens that end at context `context` (the first `tokens` positions where the context is
// shorter): host clock around launch and ids, divided by the tokens. ms[repeats]. *mean_context: of the tokens.
RtStatus bench_decode(Rt *rt, int context, int tokens, int repeats, double *ms, double *mean_context);

// Until the first id is known, for a prompt of n ids. ms[repeats].
RtStatus bench_prompt(Rt *rt, int n, int repeats, double *ms);
