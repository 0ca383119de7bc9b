// explain.h: where the time of a token goes: the stamps of a launch beside the plan's prediction and the floor.
#pragma once
#include "rt_state.h"

// The parts of a token's measured time. They add up to it, because they are made of slices that follow each other:
// - A wave is over when the last worker has done it. A wave's slice of a token reaches from the end of the wave before to its own
//   end; the first wave of a launch begins when the first worker does.
// - FLOOR: the wave's bytes at the measured rate of reading, and ahead of them those of later waves that the ring brought during its
//   slice: where a slice is shorter than its floor, what it lacks is counted to the slices before it, at most a layer's and of the same token, the
//   nearest first, as far as these have more. What a slice has beyond its floor is the wave's overhead (less than nothing where none has).
// - LATENCY: of the overhead, the time until the last worker had its inputs; at most all of it.
// - The rest of the overhead: STREAMING of waves that stream weights, ATTENTION of attention, SMALL of all others.
// - LAUNCH: what the host's clock shows around a launch beyond the slices: the call, the request, the kernel's start and end.
typedef enum ExplainPart {
    EXPLAIN_FLOOR, EXPLAIN_STREAMING, EXPLAIN_LATENCY, EXPLAIN_ATTENTION, EXPLAIN_SMALL, EXPLAIN_LAUNCH, EXPLAIN_PARTS
} ExplainPart;

// A rolled wave: all that it stands for in a token together. Microseconds a token.
typedef struct ExplainWave {
    const char *what;
    uint32_t times;  // in a token
    double bytes;    // that it streams
    double predicted, measured, waiting;
    double ahead;    // of `measured`: bytes of later waves; less than nothing: of its own, brought earlier
    double expected[EXPLAIN_PARTS]; // of `predicted`, at the target's rate; LAUNCH is not predicted
    double part[EXPLAIN_PARTS]; // of `measured`
} ExplainWave;

typedef struct Explained {
    const PkgSchedule *schedule;
    int context;             // the launch's last token attends to so many positions, or more where that is fewer than its tokens
    uint32_t tokens;         // of a launch
    double mean_context;     // of its tokens
    int launches;            // timed; the figures are of the one with the median time
    double gbs;              // 10^9 bytes a second, read before and after
    uint64_t tick_ns;        // of the device's clock
    double predicted, measured, expected[EXPLAIN_PARTS], part[EXPLAIN_PARTS]; // microseconds a token
    ExplainWave *waves;      // [schedule->waves]
} Explained;

// Error: MEMORY, CONTEXT_FULL, the device's. To be freed in either case.
RtStatus explain_run(Rt *rt, int context, int launches, double warm_seconds, Explained *e);
void explain_free(Explained *e);
