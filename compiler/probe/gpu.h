// gpu.h: the GPU that is probed: its memory, and launches with their times.
#pragma once
#include "probe.h"

#include "../../runtime/device.h"

// As in probe.cu.
typedef struct ProbeState {
    uint32_t arrived, fault, wrong, seen, streamed, tag;
} ProbeState;

enum {
    PROBE_THREADS = 1024, // of a worker that streams
    PROBE_MEETING = 512,  // of a worker that meet
    PROBE_TILE = PROBE_THREADS * 8, // 16-byte words
    PROBE_REPEATS = 5,
    PROBE_PACKETS = 4096, // room, for each of two buffers
    PROBE_FLAGS = 256,    // bytes of a worker's shared memory before its ring
};

typedef struct Gpu {
    Arena *a;
    Device *device;
    const Target *t;
    double launch_seconds;
    double (*now)(void);
    uint64_t data, packets, state; // addresses
    int64_t data_bytes;            // of `data`: a multiple of one tile for each multiprocessor
    ProbeState last;               // what the last launch left
    uint32_t tag;                  // of the packets, over all launches
} Gpu;

typedef struct Launch {
    const char *entry, *what; // what: for messages
    int blocks, threads, smem_bytes;
    bool cooperative;
    uint64_t args[8];
    int n_args;
    int rounds; // which of the args says how many rounds there are; 0: none
} Launch;

// Loads the image, takes the memory, fills it. Errors: DEVICE_*.
Gpu *gpu_open(Arena *a, const Target *t, const Artifact *art, const ProbeOptions *o);
void gpu_close(Gpu *g);

// Seconds from the launch until the host knows that it has ended. The state is zero before it. Errors: DEVICE_DRIVER,
// WATCHDOG when a worker waited too long.
double gpu_seconds(Gpu *g, const Launch *l);

// The median of PROBE_REPEATS of them. *spread, may be NULL: the slowest over the fastest.
double gpu_median(Gpu *g, const Launch *l, double *spread);

// Microseconds of one round, of `most` at most: the difference of a short and a long launch, so that the start and the end
// of a launch are not in it.
double gpu_round_us(Gpu *g, Launch *l, int most);
