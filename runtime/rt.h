// rt.h: the runtime library of a program: open, prefill, decode, reset, close. It never prints and never exits.
#pragma once
#include "errors.h"
#include "package.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum RtStatus { RT_OK = 0, RT_FAILED = 1 } RtStatus;

typedef struct RtError {
    ErrorId id;
    char text[1024];   // what went wrong, as the message says it
    char advice[1024]; // "" or the line to type
} RtError;

typedef struct Rt Rt;

// Called while something long goes on: `done` of `total` units of `what` ("weights").
typedef void RtProgress(void *context, const char *what, uint64_t done, uint64_t total);

struct Package; // package_open.h

// Seconds that rt_open took, and of them those of the driver until its context was made and those of filling the weights.
typedef struct RtLoad {
    double total, driver, weights;
} RtLoad;

typedef struct RtOptions {
    const char *program; // file with the package; NULL: /proc/self/exe
    const struct Package *package; // that file's package where it is open already; stays the caller's. NULL: rt_open opens it
    const char *weights; // NULL: those in the program, or PROGRAM.llmw; a path; "random:SEED"
    const char *device;  // NULL: the first; index, UUID or part of a name
    int context;         // 0: the compiled context; at most that
    bool ignore_eos;     // no id ends a text
    int launch_tokens;   // 0: as many tokens a launch as fit and end soon enough; else as many as fit, at most so many
    RtProgress *progress;
    void *progress_context;
    bool (*interrupted)(void *context); // asked while a kernel runs; true: leave after the current token. May be NULL
    void *interrupted_context;
} RtOptions;

// Opens device and package, checks fingerprints, architecture, multiprocessors, occupancy, memory and the weights' sums,
// copies the weights. On failure *rt still holds the error for rt_error and must be closed.
RtStatus rt_open(Rt **rt, const RtOptions *options);

// Appends ids to the context without choosing any; all but the last skip the head. n >= 1. Where `interrupted` says so it
// ends early, still RT_OK. Error: CONTEXT_FULL, before anything is appended.
RtStatus rt_prefill(Rt *rt, const uint32_t *ids, int n);

// Called for each id as soon as it is known; false: stop after it.
typedef bool RtSink(void *context, uint32_t id);

// Chooses up to n ids, each appended to the context. Ends early at an EOS id (passed to the sink, RT_END_EOS), a full
// context, or when the sink or the option `interrupted` says so. The last id passed to the sink is not yet in the K/V
// cache: the next call puts it there. Something must have been prefilled.
typedef enum RtEnd { RT_END_COUNT, RT_END_EOS, RT_END_CONTEXT, RT_END_SINK, RT_END_INTERRUPTED } RtEnd;
RtStatus rt_decode(Rt *rt, int n, RtSink *sink, void *context, RtEnd *end);

// One position: puts `id` at the end of the context and leaves its logits in out[vocab]; *best is the id the kernel chose.
RtStatus rt_logits(Rt *rt, uint32_t id, float *out, uint32_t *best);

// Cuts the context down to what it shares with the beginning of ids[n], at most n - 1 positions, so that rt_prefill of the
// rest makes it ids[n]. Returns the positions kept.
int rt_keep(Rt *rt, const uint32_t *ids, int n);

// The whole context forgotten.
void rt_reset(Rt *rt);

// What lies behind the first `positions` of the context is forgotten (0 to rt_position), also the id that was to come next:
// something must be prefilled before it goes on.
void rt_rewind(Rt *rt, int positions);
void rt_close(Rt *rt);
const RtError *rt_error(const Rt *rt);

// Positions in the context.
int rt_position(const Rt *rt);
