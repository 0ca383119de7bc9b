// host.c: host PROGRAM CONTEXTS N [GAPS]: the program's package run with the kernels that are linked into this process, so
// that they can be built with any sanitizer, and compared with the reference: N positions that end at each context.
// GAPS: at:bytes,.. of the state that no buffer owns; ASan reports who touches them.
// Prints one line a context, "CONTEXT HASH-OF-LOGITS"; exit code 0: equal bits everywhere; 1: not.
#include "../../runtime/device.h"
#include "../../runtime/hash.h"
#include "../../runtime/rt_error.h"
#include "../../runtime/verify.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void Kernel(void);
int simt_launch(Kernel *kernel, int blocks, int threads, int smem_bytes, const uint64_t *args, int n_args);

// Of ASan, where it is linked.
void __asan_poison_memory_region(const volatile void *at, size_t bytes) __attribute__((weak));

// ---- a device whose image is this process ---------------------------------------------------------------------------

enum { ALLOCATIONS = 4 };

struct Device {
    void *allocated[ALLOCATIONS];
    int n;
};

static RtStatus device_count(int *n, RtError *error)
{
    (void)error;
    *n = 1;
    return RT_OK;
}

static RtStatus device_new(int index, Device **device, RtError *error)
{
    (void)index;
    *device = calloc(1, sizeof **device);
    return *device ? RT_OK : rt_fail(error, ERR_MEMORY, "no memory");
}

static RtStatus device_info(Device *d, DeviceInfo *info, RtError *error)
{
    (void)d, (void)error;
    *info = (DeviceInfo){ .name = "this process", .sms = 65535, .smem_block_bytes = 1 << 20, .total_bytes = 1ll << 40,
                          .free_bytes = 1ll << 40 };
    return RT_OK;
}

static RtStatus device_load(Device *d, const void *image, size_t bytes, RtError *error)
{
    (void)d, (void)image, (void)bytes, (void)error;
    return RT_OK;
}

static RtStatus device_occupancy(Device *d, const char *entry, int threads, int smem_bytes, int *blocks, RtError *error)
{
    (void)d, (void)entry, (void)threads, (void)smem_bytes, (void)error;
    *blocks = 1;
    return RT_OK;
}

static RtStatus device_alloc(Device *d, size_t bytes, uint64_t *address, RtError *error)
{
    void *at = NULL;
    if (d->n == ALLOCATIONS || posix_memalign(&at, 4096, bytes) != 0)
        return rt_fail(error, ERR_DEVICE_MEMORY, "no memory for %zu bytes", bytes);
    d->allocated[d->n++] = memset(at, 0, bytes);
    *address = (uint64_t)(uintptr_t)at;
    return RT_OK;
}

static RtStatus device_map(Device *d, size_t bytes, void **host, uint64_t *address, RtError *error)
{
    const RtStatus status = device_alloc(d, bytes, address, error);
    *host = (void *)(uintptr_t)*address;
    return status;
}

static RtStatus device_upload(Device *d, uint64_t to, const void *from, size_t bytes, RtError *error)
{
    (void)d, (void)error;
    memcpy((void *)(uintptr_t)to, from, bytes);
    return RT_OK;
}

static RtStatus device_download(Device *d, void *to, uint64_t from, size_t bytes, RtError *error)
{
    (void)d, (void)error;
    memcpy(to, (const void *)(uintptr_t)from, bytes);
    return RT_OK;
}

static RtStatus device_launch(Device *d, const char *entry, int blocks, int threads, int smem_bytes, bool cooperative,
                              const uint64_t *args, int n_args, RtError *error)
{
    (void)d, (void)cooperative;
    void *symbol = dlsym(NULL, entry);
    Kernel *kernel;
    memcpy(&kernel, &symbol, sizeof symbol); // POSIX lets dlsym's data pointer be a function's
    if (!symbol)
        return rt_fail(error, ERR_DEVICE_DRIVER, "no kernel \"%s\" is linked", entry);
    simt_launch(kernel, blocks, threads, smem_bytes, args, n_args);
    return RT_OK;
}

static RtStatus device_poll(Device *d, bool *busy, RtError *error)
{
    (void)d, (void)error;
    *busy = false;
    return RT_OK;
}

static RtStatus device_wait(Device *d, RtError *error)
{
    (void)d, (void)error;
    return RT_OK;
}

static void device_end(Device *d)
{
    for (int i = 0; i < d->n; ++i)
        free(d->allocated[i]);
    free(d);
}

const DeviceApi device_simt = {
    .name = "cpu",           .count = device_count,   .open = device_new,         .info = device_info,
    .load = device_load,     .occupancy = device_occupancy, .alloc = device_alloc, .map = device_map,
    .upload = device_upload, .download = device_download, .launch = device_launch, .poll = device_poll,
    .wait = device_wait,     .close = device_end,
};

// ---- the run --------------------------------------------------------------------------------------------------------

typedef struct Seen {
    uint64_t hash;
    bool equal;
} Seen;

static void take(void *context, const VerifyPosition *v)
{
    Seen *seen = context;
    seen->hash = hash_mix(seen->hash ^ v->best_program);
    seen->equal &= v->equal_bits && v->equal_best;
    if (!v->passed || !v->equal_bits)
        fprintf(stderr, "host: position %d: relative error %.2e, id %u, reference %u\n", v->position, v->relative,
                v->best_program, v->best_reference);
}

static void poison(const Rt *rt, const char *gaps)
{
    while (__asan_poison_memory_region && *gaps) {
        char *end;
        const uint64_t at = strtoull(gaps, &end, 10), bytes = *end == ':' ? strtoull(end + 1, &end, 10) : 0;
        __asan_poison_memory_region((void *)(uintptr_t)(rt->state + at), bytes);
        gaps = *end == ',' ? end + 1 : "";
    }
}

static int complain(const Rt *rt)
{
    fprintf(stderr, "host: %s\n", rt_error(rt)->text);
    return 1;
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    int failed = 0;
    Rt *rt;
    const RtOptions options = { .program = argv[1], .weights = "random:1", .ignore_eos = true };
    if (rt_open(&rt, &options) != RT_OK)
        return complain(rt);
    if (argc > 4)
        poison(rt, argv[4]);
    for (char *at = argv[2]; *at; at += *at == ',') {
        const int context = (int)strtol(at, &at, 10);
        Seen seen = { .equal = true };
        bool passed = false;
        if (verify_run(rt, context, atoi(argv[3]), take, &seen, &passed) != RT_OK || !passed)
            failed = complain(rt);
        failed |= !seen.equal;
        printf("%d %016llx\n", context, (unsigned long long)seen.hash);
    }
    rt_close(rt);
    return failed;
}
