// gpu.c: launches on the GPU that is probed, and their times.
#include "gpu.h"

#include "../../runtime/rt_error.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static double monotonic_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void want(RtStatus status, const RtError *error)
{
    if (status != RT_OK)
        error_at(NOWHERE, error->id, "%s", error->text);
}

// Twice a cache that the data are to pass by, and a quarter of a gigabyte at least: 1/16 of the L2's hits are left.
static int64_t data_bytes(Arena *a, const Target *t, int64_t available)
{
    const int64_t tiles = (int64_t)t->sms * PROBE_TILE * 16, most = available / 2;
    int64_t bytes = (int64_t)2 << 30;
    if (bytes < 16 * (int64_t)t->l2_bytes)
        bytes = 16 * (int64_t)t->l2_bytes;
    if (bytes > most)
        bytes = most;
    if (bytes < tiles)
        error_at(NOWHERE, ERR_DEVICE_MEMORY, "%s bytes are free on the GPU: the probe needs %s", str_count(a, available),
                 str_count(a, 2 * tiles));
    return bytes / tiles * tiles;
}

Gpu *gpu_open(Arena *a, const Target *t, const Artifact *art, const ProbeOptions *o)
{
    RtError error = { 0 };
    DeviceInfo info;
    Gpu *g = arena_alloc(a, sizeof *g);
    *g = (Gpu){ .a = a, .t = t, .launch_seconds = o->launch_seconds > 0 ? o->launch_seconds : 0.02,
                .now = o->now ? o->now : monotonic_seconds };
    want(device_cuda.open(o->device, &g->device, &error), &error);
    want(device_cuda.start(g->device, &error), &error);
    want(device_cuda.load(g->device, art->image, art->bytes, &error), &error);
    want(device_cuda.info(g->device, &info, &error), &error);
    g->data_bytes = data_bytes(a, t, info.free_bytes);
    want(device_cuda.alloc(g->device, (size_t)g->data_bytes, &g->data, &error), &error);
    want(device_cuda.alloc(g->device, 2 * PROBE_PACKETS * 16, &g->packets, &error), &error);
    want(device_cuda.alloc(g->device, sizeof(ProbeState), &g->state, &error), &error);
    const Launch fill = { .entry = "probe_fill", .what = "filling the memory", .blocks = t->sms, .threads = PROBE_THREADS,
                          .args = { g->data, (uint64_t)g->data_bytes / 16 }, .n_args = 2 };
    gpu_seconds(g, &fill);
    return g;
}

void gpu_close(Gpu *g)
{
    device_cuda.close(g->device);
}

double gpu_seconds(Gpu *g, const Launch *l)
{
    enum { PATIENCE = 60 }; // seconds; the kernels' own waits end after some two
    const ProbeState before = { .tag = g->tag };
    RtError error = { 0 };
    bool busy = true;
    g->tag += l->rounds ? (uint32_t)l->args[l->rounds] : 0;
    want(device_cuda.upload(g->device, g->state, &before, sizeof before, &error), &error);
    const double start = g->now();
    want(device_cuda.launch(g->device, l->entry, l->blocks, l->threads, l->smem_bytes, l->cooperative, l->args, l->n_args,
                            &error),
         &error);
    while (busy) {
        want(device_cuda.poll(g->device, &busy, &error), &error);
        if (busy && g->now() - start > PATIENCE)
            error_at(NOWHERE, ERR_WATCHDOG, "%s has not ended after %d seconds", l->what, PATIENCE);
    }
    const double seconds = g->now() - start;
    want(device_cuda.download(g->device, &g->last, g->state, sizeof g->last, &error), &error);
    if (g->last.fault)
        error_at(NOWHERE, ERR_WATCHDOG, "%s, %d workers: one of them waited too long in round %u", l->what, l->blocks,
                 g->last.fault - 1);
    return seconds;
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double gpu_median(Gpu *g, const Launch *l, double *spread)
{
    double seconds[PROBE_REPEATS];
    for (int i = 0; i < PROBE_REPEATS; ++i)
        seconds[i] = gpu_seconds(g, l);
    qsort(seconds, PROBE_REPEATS, sizeof *seconds, compare_doubles);
    if (spread)
        *spread = seconds[PROBE_REPEATS - 1] / seconds[0];
    return seconds[PROBE_REPEATS / 2];
}

double gpu_round_us(Gpu *g, Launch *l, int most)
{
    enum { FEW = 64, SOME = 512, LEAST = 1024 };
    l->args[l->rounds] = FEW;
    gpu_seconds(g, l); // its code and data are on the GPU now
    const double few = gpu_median(g, l, NULL);
    l->args[l->rounds] = SOME;
    const double one = (gpu_seconds(g, l) - few) / (SOME - FEW), fit = one > 0 ? g->launch_seconds / one : most;
    const int many = fit < LEAST ? LEAST : fit > most ? most : (int)fit;
    l->args[l->rounds] = (uint64_t)many;
    const double us = 1e6 * (gpu_median(g, l, NULL) - few) / (many - FEW);
    if (us < 1e-3)
        error_at(NOWHERE, ERR_DEVICE_DRIVER, "%s: %d rounds take no longer than %d", l->what, many, FEW);
    return us;
}
