// weights.h: where a program's weights come from: NAME.llmw, the program itself, or `random:SEED`.
#pragma once
#include "device.h"
#include "package_open.h"

typedef struct WeightsFile {
    const unsigned char *map; // NULL: not open
    size_t map_bytes;
    bool inside; // of a program, which stays mapped
    const WeightsHeader *header;
    const uint64_t *sums;         // [header->blocks]
    const unsigned char *streams; // [header->bytes]
    const char *name;             // for messages
} WeightsFile;

// Maps a weights file and checks header, sizes and that it belongs to the plan. Errors: WEIGHTS_MISSING, WEIGHTS_FILE,
// FINGERPRINT. `program` is how the advice calls the program.
RtStatus weights_open(WeightsFile *w, const char *path, const PkgPlan *plan, const char *program, RtError *error);

// The same for weights that lie in a program (Package.weights); `path`: the program's.
RtStatus weights_inside(WeightsFile *w, PackageBytes weights, const char *path, const PkgPlan *plan,
                        const char *program, RtError *error);
void weights_close(WeightsFile *w);

// The `llmc pack` line that mends missing weights or a missing tokenizer.
void weights_advise(RtError *error, const PkgPlan *plan, const char *program);

// Copies the streams to the device address `to` and compares the sum of every block, in a thread beside. Error: DIGEST.
RtStatus weights_upload(const WeightsFile *w, const DeviceApi *api, Device *device, uint64_t to, RtProgress *progress,
                        void *context, RtError *error);

// "random:SEED". false: it is a path. Error in the seed: OPTION_VALUE in *status.
bool weights_random(const char *text, uint64_t *seed, RtStatus *status, RtError *error);

// The keys of every tensor for a seed, in the order that fill_weights reads: each matrix's layers, then each norm's.
// keys[weights_keys_count()].
uint64_t weights_keys_count(const Package *p);
void weights_keys(const Package *p, uint64_t seed, uint64_t *keys);
