// measured.h: Measured: one token of a program's --trace FILE, to be drawn beside its plan.
#pragma once
#include "../plan/plan.h"

// Microseconds since the launch began.
typedef struct MeasuredWave {
    double begin, ready, done;
} MeasuredWave;

typedef struct Measured {
    const Schedule *schedule;
    const char *device;
    int context;               // positions that the token attends to
    bool first;                // of its launch
    const MeasuredWave *waves; // [workers][waves of a token, unrolled]
} Measured;

// The last token of a trace. Errors: JSON_*, FILE_MISSING; FILE_KIND: not a whole trace of llmc; FINGERPRINT: of another plan.
Measured measured_read(Arena *a, const Plan *p, const char *path);

const MeasuredWave *measured_at(const Measured *m, int worker, int wave);
