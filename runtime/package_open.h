// package_open.h: the package of a program: found at the end of its file, mapped and checked.
#pragma once
#include "package.h"
#include "rt_error.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct PackageBytes {
    const void *at; // NULL: the package has no such section
    size_t bytes;
} PackageBytes;

typedef struct Package {
    const unsigned char *file; // the whole program
    size_t file_bytes;
    bool mapped; // by package_open
    unsigned char *unsqueezed; // what the squeezed sections stand for, one after the other
    const PkgPlan *plan;
    const PkgMatrix *matrices;    // [plan->matrices]
    const PkgNorm *norms;         // [plan->norms]
    const PkgSchedule *schedules; // [plan->schedules]
    const PkgWave *waves;         // [plan->waves]
    const PkgTask *tasks;         // [plan->tasks]
    const uint32_t *ints;         // [n_ints]
    uint64_t n_ints;
    const double *rope;           // [plan->head_dim / 2]
    PackageBytes image, tokenizer, plan_json, source, map, report, no_tokenizer, license,
        weights; // texts have no zero at their end
    PackageBytes chat_template; // for template_open
    const PkgTrace *trace;           // NULL: compiled without -ftrace
    const PkgTraceWave *trace_waves; // [plan->waves]
} Package;

// Maps `path` and checks bounds, versions, digests and every field that is used as an index or a size later on.
// `name` is how messages call the file. Errors: FILE_MISSING, PACKAGE, DIGEST. On failure nothing stays open.
RtStatus package_open(Package *p, const char *path, const char *name, RtError *error);

// The same for a package that is in memory, at a multiple of WEIGHTS_ALIGN, and stays there.
RtStatus package_take(Package *p, const void *at, size_t bytes, const char *name, RtError *error);
void package_close(Package *p);

// Every number of the plan and its tables is possible (package_check.c). Error: PACKAGE.
RtStatus package_check(const Package *p, RtError *error);

// The name of the tensor of one layer: `pattern` with its "%d" replaced.
typedef struct TensorName {
    char text[112];
} TensorName;
TensorName tensor_name(const char *pattern, uint32_t layer);

// The schedule for a context (positions attended, the new one included); package_check makes sure that there is one.
const PkgSchedule *package_schedule(const Package *p, uint32_t context);

// Where an unrolled wave of a token stands: its rolled wave, counted in the schedule; its layer, -1 outside the layers.
typedef struct WavePlace {
    uint32_t rolled;
    int layer;
} WavePlace;
WavePlace package_wave(const Package *p, const PkgSchedule *s, uint32_t wave);

// Bytes of the matrices one token streams, as the kernel read_weights reads them: all but an embedding table that is only
// looked up in.
uint64_t package_matrix_bytes(const Package *p);

// Bytes of weights that one token has to stream: two a parameter, without padding, and no embedding that is only looked up in.
uint64_t package_stream_bytes(const Package *p);

// Bytes of K and V that one attended position adds to a token.
uint64_t package_kv_bytes(const Package *p);
