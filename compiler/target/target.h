// target.h: Target: facts of one GPU, no policy.
#pragma once
#include "../base/diag.h"
#include "../base/json.h"
#include "../base/str.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum TargetKind { TARGET_CUDA, TARGET_CPU } TargetKind;

// How a fact is known. PLAN: read back from a plan, which keeps figures and not their sources.
typedef enum FactFrom { FACT_MEASURED, FACT_DATA_SHEET, FACT_DRIVER, FACT_CHOSEN, FACT_PLAN } FactFrom;

enum {
    TARGET_FACTS = 9,   // those of the table in facts.c, from `sm` to `barrier_us`
    TARGET_EXTRAS = 6,  // those of the table in extras.c, which need not be known
    TARGET_POINTS = 24, // of a curve
};

// A measured curve: y[i] at x[i], x ascending; n 0: not known.
typedef struct Curve {
    int n;
    double x[TARGET_POINTS], y[TARGET_POINTS];
} Curve;

typedef struct Target {
    const char *name;          // "rtx-3050"
    const char *gpu;           // "NVIDIA GeForce RTX 3050", for people
    TargetKind kind;           // CPU: the same text on this machine's cores
    int sm;                    // 86; CPU: 0
    int sms;                   // multiprocessors
    int worker_threads;        // threads of one worker that this card streams best with
    int smem_block_bytes;      // largest shared memory of one block
    int regs_per_sm, l2_bytes;
    int64_t dram_bytes;
    double dram_gbs;           // streaming rate in 10^9 bytes a second, measured where `measured` says so
    double barrier_us;         // one grid barrier, nobody late
    bool dram_gbs_measured, barrier_us_measured;
    const char *dram_source, *barrier_source; // where the two figures come from
    FactFrom from[TARGET_FACTS];              // the same for every fact, in the table's order
    const char *source[TARGET_FACTS];
    // What only predictions, and the choices made by them, use, where it is known; a plan does not hold it. KiB: streaming loads in flight on each
    // multiprocessor meanwhile, 0: none.
    Curve rate_by_sms;      // multiprocessors that stream -> 10^9 bytes a second
    Curve barrier_by_kib;   // KiB -> us of one grid barrier
    Curve exchange_by_kib;  // KiB -> us until 2,048 values, 16-byte packets of 3 words and a tag, went from all to all
    Curve hop_by_kib;       // KiB -> us until one worker's packet is with all others
    double launch_us;       // a launch of one worker a multiprocessor that does nothing, until the host knows its end
    double dram_latency_ns; // a load that no cache holds, alone
    FactFrom extra_from[TARGET_EXTRAS];
    const char *extra_source[TARGET_EXTRAS]; // NULL: the fact is not known
} Target;

// `name`: a card of `llmc targets`, sm_XX (the GPU present if it has this architecture, else its reference card; a note
// says which), native (the GPU present), cpu, or a path to a JSON file (anything with a '/' or ending in .json).
// Errors: TARGET, TARGET_UNKNOWN, NO_DEVICE.
Target *target_load(Arena *a, const char *name);

// All names, in order of the table; *n of them. target_text: the JSON of one, NULL: no such name.
const char *const *target_names(int *n);
const char *target_text(const char *name);

// The names in one line, for messages: "t4 a100 rtx-3050 ...".
const char *target_list(Arena *a);

// The GPU present, or NULL with the reason in *why. A card of the table gives its own facts; of any other the driver
// tells them.
Target *target_native(Arena *a, const char **why);

// Device `index`, in PCI order: what the driver tells, whether the table has the card or not; or NULL with the reason.
Target *target_device(Arena *a, int index, const char **why);

// A target file: one object for each fact, {"value", "from", "source"}. `name` is what messages call the file.
// Errors: JSON_SYNTAX, JSON_KEY, TARGET.
Target *target_parse(Arena *a, const char *name, const char *text, size_t bytes);

// The reference card of an architecture (sm_86 alone means it), or NULL.
const char *target_reference(int sm);

// Largest shared memory of one block on an architecture, by opt-in; 0: an architecture that is not known here.
int target_smem_max(int sm);

// The "target" object of plan.json on one line, and back.
void target_write_json(const Target *t, Str *out);
Target *target_read_json(Arena *a, Json section);

// Human text, one fact a line with measured / data sheet and source.
void target_print(const Target *t, Str *out);

// The text of a target file, which target_parse reads back.
void target_write_file(const Target *t, Str *out);

// Between the points of a curve that is known; outside, what its end has.
double target_curve(const Curve *c, double x);

// The inside of target_parse and target_native: the table's i-th fact.
void target_set_source(Target *t, int fact, FactFrom from, const char *source);
int target_fact(const char *name); // its place in the table, -1: none

// The same of what need not be known. target_extra_text: as it stands in a target file.
int target_extra(const char *name);
const char *target_extra_name(int extra);
void target_read_extra(Target *t, int extra, Json value);
void target_take_extras(Target *t, const Target *from);
const char *target_extra_text(Arena *a, const Target *t, int extra);
