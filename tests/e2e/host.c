// host.c: host PROGRAM CONTEXTS N [GAPS]: the program's package run with the kernels that are linked into this process, so
// that they can be built with any sanitizer, and compared with the reference: N positions that end at each context.
// GAPS: at:bytes,.. of the state that no buffer owns; ASan reports who touches them.
// Then ids are chosen in every way there is: as the reference chooses them, and the same with several tokens a launch.
// Prints one line a context, "CONTEXT HASH-OF-LOGITS"; exit code 0: equal bits everywhere; 1: not.
#include "../../runtime/device.h"
#include "../../runtime/hash.h"
#include "../../runtime/reference/choose.h"
#include "../../runtime/rt_error.h"
#include "../../runtime/sampling.h"
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

static RtStatus device_start(Device *d, RtError *error)
{
    (void)d, (void)error;
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
    .start = device_start,   .load = device_load,     .occupancy = device_occupancy, .alloc = device_alloc, .map = device_map,
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

// Few entries left, which one block ranks; all of them; many, which take several looks. Penalties whose window the tokens run out of.
static Sampling way(int i)
{
    Sampling s = sampling_default();
    s.temperature = i == 0 ? 0.9 : 1000;
    s.seed = (uint64_t)i;
    s.top_k = i == 0 ? 40 : i == 1 ? 0 : 500;
    s.top_p = i == 1 ? 1 : 0.95;
    s.min_p = i == 0 ? 0.05 : 0;
    s.repeat = i == 2 ? 1 : 1.5;
    s.presence = i == 0 ? 0.5 : 0;
    s.window = 3;
    s.told = i < 2;
    s.logprobs = i == 0 ? 5 : 0;
    return s;
}
enum { WAYS = 3, STEPS = 3, TOGETHER = 5 };

static bool choose_as_reference(Rt *rt, const Sampling *s, uint32_t id, float *logits, RefChoice *c)
{
    uint32_t chosen = 0;
    bool same = true;
    rt_reset(rt);
    if (rt_choose(rt, s) != RT_OK)
        return complain(rt), false;
    for (int i = 0; i < STEPS && same; ++i, id = chosen) {
        if (rt_logits(rt, id, logits, &chosen) != RT_OK)
            return complain(rt), false;
        Told told = rt->told;
        if (s->told)
            reference_tell(logits, (int)rt->package.plan->vocab, rt->selectable, s->logprobs, chosen, &told);
        for (int k = 0; k < s->logprobs; ++k)
            same = same && told.ids[k] == rt->told.ids[k] && told.logits[k] == rt->told.logits[k];
        same = same && told.largest == rt->told.largest && told.chosen == rt->told.chosen && told.weight == rt->told.weight;
        if (!same)
            return fprintf(stderr, "host: position %d: what is told of id %u is not the reference's\n", rt_position(rt), chosen), false;
        same = chosen == reference_choose(&rt->choice, logits, rt->bias, (int)rt->package.plan->vocab, rt->known, rt_position(rt), c);
    }
    if (!same)
        fprintf(stderr, "host: seed %d, position %d: id %u is not the reference's\n", (int)s->seed, rt_position(rt), chosen);
    return same;
}

static bool add_id(void *context, uint32_t id)
{
    uint64_t *hash = context;
    *hash = hash_mix(*hash ^ id);
    return true;
}

static bool choose_together(Rt *rt, const Sampling *s, int tokens, uint64_t *hash)
{
    static const uint32_t prompt[] = { 1, 2, 3 };
    RtEnd end;
    rt_reset(rt);
    rt->options.launch_tokens = tokens;
    *hash = 0;
    return rt_choose(rt, s) == RT_OK && rt_prefill(rt, prompt, 3) == RT_OK && rt_decode(rt, TOGETHER, add_id, hash, &end) == RT_OK;
}

static bool choose_every_way(Rt *rt)
{
    const size_t vocab = rt->package.plan->vocab;
    float *logits = malloc(vocab * sizeof *logits);
    RefChoice c = { malloc(vocab * sizeof *c.values), malloc(vocab * sizeof *c.weights), malloc(vocab * sizeof *c.order), 0, false };
    bool same = true;
    for (int i = 0; i < WAYS && same; ++i) {
        const Sampling s = way(i);
        uint64_t one = 0, all = 0;
        same = choose_as_reference(rt, &s, (uint32_t)i, logits, &c);
        if (same && i == 0 && (!choose_together(rt, &s, 1, &one) || !choose_together(rt, &s, 64, &all)))
            same = complain(rt) == 0;
        if (one != all)
            fprintf(stderr, "host: other ids with several tokens a launch\n");
        same = same && one == all;
    }
    free(logits);
    free(c.values);
    free(c.weights);
    free(c.order);
    return same;
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
    failed |= !choose_every_way(rt);
    rt_close(rt);
    return failed;
}
