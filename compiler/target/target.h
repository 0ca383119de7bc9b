// target.h: Target: facts of one GPU, no policy.
#pragma once
#include "../base/diag.h"
#include "../base/json.h"
#include "../base/str.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum TargetKind { TARGET_CUDA, TARGET_CPU } TargetKind;

typedef struct Target {
    const char *name;          // "rtx-3050"
    const char *gpu;           // "NVIDIA GeForce RTX 3050", for people
    TargetKind kind;           // CPU: the same text on this machine's cores
    int sm;                    // 86
    int sms;                   // multiprocessors
    int worker_threads;        // threads of one worker that this card streams best with
    int smem_block_bytes;      // largest shared memory of one block
    int regs_per_sm, l2_bytes;
    int64_t dram_bytes;
    double dram_gbs;           // streaming rate in 10^9 bytes a second, measured where `measured` says so
    double barrier_us;         // one grid barrier, nobody late
    bool dram_gbs_measured, barrier_us_measured;
    const char *dram_source, *barrier_source; // where the two figures come from
} Target;

// `name`: a card of `llmc targets`, sm_XX (its reference card, printed with a note), native (the GPU present), cpu, or a
// path to a JSON file (anything with a '/' or ending in .json). Errors: TARGET, TARGET_UNKNOWN, NO_DEVICE.
Target *target_load(Arena *a, const char *name);

// All names, in order of the table; *n of them. target_text: the JSON of one.
const char *const *target_names(int *n);
const char *target_text(const char *name);

// The "target" object of plan.json on one line, and back.
void target_write_json(const Target *t, Str *out);
Target *target_read_json(Arena *a, Json section);

// Human text, one fact a line with measured / data sheet and source.
void target_print(const Target *t, Str *out);
