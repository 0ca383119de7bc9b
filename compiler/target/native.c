// native.c: the target that is the GPU present, read through the driver.
// libcuda.so.1 is loaded by name and its entry points are declared here, so that llmc builds and runs without CUDA.
#include "target.h"

#include <ctype.h>
#include <dlfcn.h>
#include <stdlib.h>

// CUdevice_attribute, from the driver API's reference.
enum {
    ATTR_SMS = 16,
    ATTR_MEMORY_CLOCK_KHZ = 36,
    ATTR_BUS_BITS = 37,
    ATTR_L2_BYTES = 38,
    ATTR_CC_MAJOR = 75,
    ATTR_CC_MINOR = 76,
    ATTR_REGS_PER_SM = 82,
    ATTR_SMEM_BLOCK_OPTIN = 97,
};

typedef struct Driver {
    int (*init)(unsigned flags);
    int (*count)(int *n);
    int (*get)(int *device, int ordinal);
    int (*name)(char *name, int bytes, int device);
    int (*attribute)(int *value, int attribute, int device);
    int (*memory)(size_t *bytes, int device);
} Driver;

// What the driver says of a device.
typedef struct Present {
    char name[128];
    int sm, sms, smem_block_bytes, regs_per_sm, l2_bytes, memory_khz, bus_bits;
    int64_t dram_bytes;
} Present;

static bool find_entry(void *library, const char *name, void *entry)
{
    void *found = dlsym(library, name);
    memcpy(entry, &found, sizeof found); // ISO C has no cast from an object pointer to a function pointer
    return found != NULL;
}

// NULL: *d is complete; else why not. The library stays loaded: the driver keeps threads and memory of its own.
static const char *driver_open(Arena *a, Driver *d)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library)
        return "no NVIDIA driver (libcuda.so.1) is installed";
    if (!find_entry(library, "cuInit", &d->init) || !find_entry(library, "cuDeviceGetCount", &d->count) ||
        !find_entry(library, "cuDeviceGet", &d->get) || !find_entry(library, "cuDeviceGetName", &d->name) ||
        !find_entry(library, "cuDeviceGetAttribute", &d->attribute) ||
        !find_entry(library, "cuDeviceTotalMem_v2", &d->memory))
        return "libcuda.so.1 lacks an entry point: it is not an NVIDIA driver";
    setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 0); // the first device is then the one nvidia-smi calls 0
    const int failed = d->init(0);
    if (failed)
        return str_format(a, "the NVIDIA driver does not start (cuInit returns %d)", failed);
    return NULL;
}

static const char *driver_ask(Arena *a, const Driver *d, int index, Present *p)
{
    int n = 0, device = 0, major = 0, minor = 0;
    size_t bytes = 0;
    if (d->count(&n) || n < 1)
        return "the NVIDIA driver finds no GPU";
    if (index >= n)
        return str_format(a, "there is no device %d, the last one is %d", index, n - 1);
    if (d->get(&device, index) || d->name(p->name, (int)sizeof p->name, device) || d->memory(&bytes, device) ||
        d->attribute(&major, ATTR_CC_MAJOR, device) || d->attribute(&minor, ATTR_CC_MINOR, device) ||
        d->attribute(&p->sms, ATTR_SMS, device) || d->attribute(&p->regs_per_sm, ATTR_REGS_PER_SM, device) ||
        d->attribute(&p->smem_block_bytes, ATTR_SMEM_BLOCK_OPTIN, device) ||
        d->attribute(&p->l2_bytes, ATTR_L2_BYTES, device))
        return str_format(a, "the NVIDIA driver does not describe device %d", index);
    // Newer drivers may stop telling these two; 0 then.
    if (d->attribute(&p->memory_khz, ATTR_MEMORY_CLOCK_KHZ, device) ||
        d->attribute(&p->bus_bits, ATTR_BUS_BITS, device))
        p->memory_khz = p->bus_bits = 0;
    p->name[sizeof p->name - 1] = 0;
    for (char *c = p->name; *c; ++c) // what target_parse takes
        *c = (unsigned char)*c < 0x20 || *c == 0x7f || *c == '\\' ? ' ' : *c;
    p->sm = major * 10 + minor;
    p->dram_bytes = (int64_t)bytes;
    if (!target_smem_max(p->sm))
        return str_format(a, "device %d is %s, sm_%d, which no kernel of this version is written for", index, p->name,
                          p->sm);
    return NULL;
}

// The card of the table that the device is: architecture and multiprocessors, and memory within 10%, which tells an
// H100 from an H200 and an RTX 3050 from the laptop's RTX 3050 Ti. Drivers keep a part of it for ECC: 8% on a T4.
static Target *card_of(Arena *a, const Present *p)
{
    int n;
    const char *const *names = target_names(&n);
    for (int i = 0; i < n; ++i) {
        const char *text = target_text(names[i]);
        Target *t = target_parse(a, names[i], text, strlen(text));
        const double memory = (double)p->dram_bytes / (double)t->dram_bytes;
        if (t->sm == p->sm && t->sms == p->sms && memory > 0.9 && memory < 1.1)
            return t;
    }
    return NULL;
}

// "NVIDIA GeForce RTX 3060 Ti" -> "rtx-3060-ti".
static const char *short_name(Arena *a, const char *gpu)
{
    char *name = (char *)str_copy(a, gpu, strlen(gpu));
    for (char *c = name; *c; ++c)
        *c = isalnum((unsigned char)*c) || *c == '.' ? (char)tolower((unsigned char)*c) : '-';
    static const char *const makers[] = { "nvidia-", "geforce-" };
    for (int i = 0; i < ARRAY_LEN(makers); ++i)
        if (str_starts(name, makers[i]))
            name += strlen(makers[i]);
    return *name ? name : "gpu";
}

static void set_rate(Arena *a, Target *t, const Present *p)
{
    const int fact = target_fact("dram_gbs");
    if (p->memory_khz > 0 && p->bus_bits > 0) {
        t->dram_gbs = 2.0 * p->memory_khz * 1e3 * p->bus_bits / 8 / 1e9; // two transfers a clock
        target_set_source(t, fact, FACT_DATA_SHEET,
                          str_format(a, "memory clock %d kHz x 2 x %d bit, from the driver; not measured",
                                     p->memory_khz, p->bus_bits));
        return;
    }
    t->dram_gbs = 10.0 * t->sms; // 8 to 14 on the RTX and A cards of the table
    target_set_source(t, fact, FACT_CHOSEN, "10 GB/s a multiprocessor: the driver tells no memory clock");
}

static Target *generic(Arena *a, const Present *p)
{
    Target *t = arena_alloc(a, sizeof *t);
    t->name = short_name(a, p->name);
    t->gpu = str_copy(a, p->name, strlen(p->name));
    t->kind = TARGET_CUDA;
    t->sm = p->sm;
    t->sms = p->sms;
    t->smem_block_bytes = p->smem_block_bytes;
    t->regs_per_sm = p->regs_per_sm;
    t->l2_bytes = p->l2_bytes;
    t->dram_bytes = p->dram_bytes;
    for (int i = 0; i < TARGET_FACTS; ++i)
        target_set_source(t, i, FACT_DRIVER, "the driver of the GPU present");
    const char *card = target_reference(p->sm), *text = card ? target_text(card) : NULL;
    const Target *like = text ? target_parse(a, card, text, strlen(text)) : NULL;
    t->worker_threads = like ? like->worker_threads : 1024;
    t->barrier_us = like ? like->barrier_us : 1.2;
    const char *as =
        like ? str_format(a, "as %s, the reference card of sm_%d", card, p->sm) : "as most cards of the table";
    target_set_source(t, target_fact("worker_threads"), FACT_CHOSEN, as);
    target_set_source(t, target_fact("barrier_us"), FACT_CHOSEN, as);
    set_rate(a, t, p);
    return t;
}

static const char *present(Arena *a, int index, Present *p)
{
    Driver d;
    const char *why = driver_open(a, &d);
    return why ? why : driver_ask(a, &d, index, p);
}

Target *target_native(Arena *a, const char **why)
{
    Present p = { 0 };
    *why = present(a, 0, &p);
    if (*why)
        return NULL;
    Target *card = card_of(a, &p);
    return card ? card : generic(a, &p);
}

Target *target_device(Arena *a, int index, const char **why)
{
    Present p = { 0 };
    *why = present(a, index, &p);
    return *why ? NULL : generic(a, &p);
}
