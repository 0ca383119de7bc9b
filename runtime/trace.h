// trace.h: the stamps of the last launch of a -ftrace program: when each worker began each wave, had its inputs, and had done.
#pragma once
#include "rt_state.h"

#include <stdio.h>

// Nanoseconds since the first worker began the launch; begin <= ready <= done. A worker begins a wave when it has done the one
// before, or begins the launch; it waits until `ready` and works until `done`.
typedef struct TraceRecord {
    uint64_t begin, ready, done;
} TraceRecord;

typedef struct Trace {
    const Package *package;
    const PkgSchedule *schedule;
    uint32_t position;      // of the launch's first token
    uint32_t launch_tokens; // complete ones of the launch
    uint32_t first, tokens; // of those, the ones that are here
    TraceRecord *at;        // [tokens][schedule->workers][schedule->token_waves]
    uint64_t tick_ns;       // the smallest step of the device's clock that was seen; 0: none
} Trace;

// Was the program compiled with -ftrace? Error: TRACE_MISSING, which names `option`.
RtStatus trace_wanted(const Package *p, const char *name, const char *option, RtError *error);

// Reads the last `most` tokens of rt's last launch, which has ended well. Errors: the device's; MEMORY.
RtStatus trace_read(Rt *rt, uint32_t most, Trace *trace);
void trace_free(Trace *trace);

const TraceRecord *trace_at(const Trace *t, uint32_t token, uint32_t worker, uint32_t wave);

// Chrome's trace format, as Perfetto reads it: one row a worker, one event a wave, and in it one for its wait.
void trace_write(const Trace *t, const char *device, FILE *out);
