// package_write.h: a program: stub + package; weights in the order of the plan's matrix table.
#pragma once
#include "../base/file.h"
#include "../build/build.h"
#include "../chat/chat.h"
#include "../model/weights.h"
#include "../plan/plan.h"
#include "../text/tokenizer.h"
#include "../../runtime/package.h"

// What `compile` knows; `pack` reads the same from an existing program.
typedef struct PackageInput {
    const Plan *plan;
    const char *plan_json, *source, *map, *report; // texts
    bool library; // libNAME.so, no executable
    bool cpu; // the image is for the CPU
    const void *image;
    size_t image_bytes;
    int sm, registers; // of the image
    const Tokenizer *tokenizer;
    const ChatTemplate *chat;      // NULL: none
    const char *license;           // text of the model's licence files; NULL: none
    const Weights *weights;        // packed into the program, as they came from weights_source; NULL: they lie in NAME.llmw
    const char *weights_source;
    int bos;                       // -1: none
    const uint32_t *eos;           // [eos_count] ids that end a text
    int eos_count;
} PackageInput;

// Sets bos, eos and eos_count from the model, the tokenizer and the chat template: the union of what they say.
void package_set_ends(Arena *a, PackageInput *in, const Model *m);

// The executable or shared library `path`, finished but for its name: file_commit. Error: WRITE.
OutFile *package_write(Arena *a, const char *path, const PackageInput *in);

// The package alone, without weights.
Bytes package_bytes(Arena *a, const PackageInput *in);

// The static library `path`: the runtime and, as an object beside it, the package. Finished but for its name. Error: WRITE.
OutFile *archive_write(Arena *a, const char *path, const PackageInput *in);

// Reads the package of a program, but for weights in it. Errors: PACKAGE, FILE_MISSING.
PackageInput package_read(Arena *a, const char *path);

// The weights in a program, as a file NAME.llmw has them; none: they lie beside it. Errors: PACKAGE, FILE_MISSING.
Bytes package_weights(Arena *a, const char *path);

// The first table of the program at `path` that is not what its plan gives, or NULL. Errors: PACKAGE.
const char *package_difference(Arena *a, const char *path, const PackageInput *in);

// The licence files of a model, one after the other under their names: LICENSE*, NOTICE*, USE_POLICY* of a folder,
// general.license* of a GGUF file; before them `file` where it is not NULL. NULL: there are none. Errors: FILE_*, READ.
const char *package_license(Arena *a, const Model *m, const char *file);

// Every tensor the plan's graph needs, for weights_check.
int package_wants(Arena *a, const Graph *g, const WeightWant **wants);

// Packs the weights (which came from `source`, for people) into `path` (NAME.llmw) in the plan's order, with progress on
// stderr; finished but for its name: file_commit. Values are checked to be finite, the rounding of float32 checkpoints is
// reported. Errors: TENSOR_VALUE, DISK_SPACE, WRITE.
OutFile *weights_pack(Arena *a, const Plan *p, const Weights *w, const char *source, const char *path);

// The same at byte `at` (a multiple of WEIGHTS_ALIGN) of an output that is being written and stands there; returns the bytes.
int64_t weights_pack_at(Arena *a, const Plan *p, const Weights *w, const char *source, OutFile *out, int64_t at);

// The inverse: the bytes of a weights file (or of the weights in a program), which messages call `path`, against the
// checkpoint, row by row. Errors: VERIFY, WEIGHTS_FILE, FINGERPRINT.
void weights_compare(Arena *a, const Plan *p, const Weights *w, Bytes file, const char *path);
