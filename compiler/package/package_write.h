// package_write.h: a program: stub + package; weights in the order of the plan's matrix table.
#pragma once
#include "../base/file.h"
#include "../build/build.h"
#include "../model/weights.h"
#include "../plan/plan.h"
#include "../text/tokenizer.h"
#include "../../runtime/package.h"

// What `compile` knows; `pack` reads the same from an existing program.
typedef struct PackageInput {
    const Plan *plan;
    const char *plan_json, *source, *map, *report; // texts
    bool cpu; // the image is for the CPU
    const void *image;
    size_t image_bytes;
    int sm, registers; // of the image
    const Tokenizer *tokenizer;
    int bos;                       // -1: none
    const uint32_t *eos;           // [eos_count] ids that end a text
    int eos_count;
} PackageInput;

// Sets bos, eos and eos_count from the model and the tokenizer: the union of what both say.
void package_set_ends(Arena *a, PackageInput *in, const Model *m);

// The executable `path`, finished but for its name: file_commit. Error: WRITE.
OutFile *package_write(Arena *a, const char *path, const PackageInput *in);

// Reads the package of a program. Errors: PACKAGE, FILE_MISSING.
PackageInput package_read(Arena *a, const char *path);

// The first table of the program at `path` that is not what its plan gives, or NULL. Errors: PACKAGE.
const char *package_difference(Arena *a, const char *path, const PackageInput *in);

// Every tensor the plan's graph needs, for weights_check.
int package_wants(Arena *a, const Graph *g, const WeightWant **wants);

// Packs the weights (which came from `source`, for people) into `path` (NAME.llmw) in the plan's order, with progress on
// stderr; finished but for its name: file_commit. Values are checked to be finite, the rounding of float32 checkpoints is
// reported. Errors: TENSOR_VALUE, DISK_SPACE, WRITE.
OutFile *weights_pack(Arena *a, const Plan *p, const Weights *w, const char *source, const char *path);

// The inverse: the bytes of a weights file against the checkpoint, row by row. Errors: VERIFY, WEIGHTS_FILE, FINGERPRINT.
void weights_compare(Arena *a, const Plan *p, const Weights *w, const char *path);
