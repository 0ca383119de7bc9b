// device_simt.c: a Device on this machine's CPU. The image is a shared object with the kernels and runtime/simt.
#include "device.h"
#include "rt_error.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

enum {
    SIMT_BLOCKS = 16,     // allocations
    SIMT_WORKERS = 65535, // a block is some memory: any number is resident at once
    SIMT_SMEM_BYTES = 1 << 20,
    HUGE_PAGE_BYTES = 2 << 20,
};

// runtime/simt/launch.cpp.
typedef void Kernel(void);
typedef int SimtLaunch(Kernel *kernel, int blocks, int threads, int smem_bytes, const uint64_t *args, int n_args);

typedef struct SimtBlock {
    void *at;
    size_t bytes;
} SimtBlock;

struct Device {
    void *image;
    int image_file; // open as long as the image: the loader takes two images of one path for the same
    SimtLaunch *launch;
    SimtBlock allocated[SIMT_BLOCKS];
    int n_allocated;
};

static RtStatus simt_count(int *n, RtError *error)
{
    (void)error;
    *n = 1;
    return RT_OK;
}

static RtStatus simt_open(int index, Device **device, RtError *error)
{
    if (index != 0)
        return rt_fail(error, ERR_DEVICE_UNKNOWN, "there is no CPU %d: the machine is device 0", index);
    *device = calloc(1, sizeof **device);
    if (!*device)
        return rt_fail(error, ERR_MEMORY, "no memory for %zu bytes", sizeof **device);
    (*device)->image_file = -1;
    return RT_OK;
}

// The value behind "NAME : " or "NAME: " in one of /proc's lists, or "" where there is none.
static void proc_value(const char *path, const char *name, char *value, size_t bytes)
{
    char line[256];
    value[0] = 0;
    FILE *f = fopen(path, "r");
    while (f && !value[0] && fgets(line, sizeof line, f)) {
        const size_t name_bytes = strlen(name);
        const char *colon = strchr(line, ':');
        if (strncmp(line, name, name_bytes) == 0 && colon && strchr(" \t:", line[name_bytes]))
            snprintf(value, bytes, "%.*s", (int)strcspn(colon + 1 + strspn(colon + 1, " \t"), "\n"),
                     colon + 1 + strspn(colon + 1, " \t"));
    }
    if (f)
        fclose(f);
}

static int64_t free_bytes(void)
{
    char kib[64];
    proc_value("/proc/meminfo", "MemAvailable", kib, sizeof kib);
    return kib[0] ? strtoll(kib, NULL, 10) * 1024 : (int64_t)sysconf(_SC_AVPHYS_PAGES) * sysconf(_SC_PAGESIZE);
}

static RtStatus simt_info(Device *d, DeviceInfo *info, RtError *error)
{
    (void)d;
    (void)error;
    memset(info, 0, sizeof *info);
    proc_value("/proc/cpuinfo", "model name", info->name, sizeof info->name);
    if (!info->name[0])
        snprintf(info->name, sizeof info->name, "CPU");
    info->sms = SIMT_WORKERS;
    info->smem_block_bytes = SIMT_SMEM_BYTES;
    info->total_bytes = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
    info->free_bytes = free_bytes();
    return RT_OK;
}

// What compiler/build/cpu.c compiles for.
static RtStatus check_processor(RtError *error)
{
#if defined(__x86_64__)
    unsigned eax, ebx, ecx = 0, edx;
    const bool f16c = __get_cpuid(1, &eax, &ebx, &ecx, &edx) && (ecx >> 29 & 1);
    if (!f16c || !__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
        return rt_fail(error, ERR_DEVICE_ARCH,
                       "this processor lacks AVX2, FMA or F16C, which the program's code needs");
#else
    (void)error;
#endif
    return RT_OK;
}

static bool write_all(int fd, const char *from, size_t bytes)
{
    while (bytes) {
        const ssize_t wrote = write(fd, from, bytes);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0)
            return false;
        from += wrote;
        bytes -= (size_t)wrote;
    }
    return true;
}

static RtStatus simt_start(Device *d, RtError *error)
{
    (void)d, (void)error;
    return RT_OK;
}

static RtStatus simt_load(Device *d, const void *image, size_t bytes, RtError *error)
{
    char path[64];
    if (d->image)
        return rt_fail(error, ERR_INTERNAL, "a second image for one device");
    if (check_processor(error) != RT_OK)
        return RT_FAILED;
    const int fd = d->image_file = memfd_create("llmc-kernels", MFD_CLOEXEC);
    if (fd < 0)
        return rt_fail(error, ERR_DEVICE_DRIVER, "memfd_create: %s", strerror(errno));
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (!write_all(fd, image, bytes)) {
        rt_fail(error, ERR_DEVICE_MEMORY, "cannot write %zu bytes of code to memory: %s", bytes, strerror(errno));
    } else if (!(d->image = dlopen(path, RTLD_NOW | RTLD_LOCAL))) {
        rt_fail(error, ERR_DEVICE_DRIVER, "cannot load the program's code: %s", dlerror());
    } else {
        // POSIX lets dlsym's data pointer be a function's.
        void *launch = dlsym(d->image, "simt_launch");
        memcpy(&d->launch, &launch, sizeof launch);
        if (!launch)
            rt_fail(error, ERR_PACKAGE, "the program's code has no simt_launch");
    }
    return d->launch ? RT_OK : RT_FAILED;
}

static RtStatus kernel_get(Device *d, const char *entry, Kernel **kernel, RtError *error)
{
    void *symbol = d->image ? dlsym(d->image, entry) : NULL;
    memcpy(kernel, &symbol, sizeof symbol);
    if (!symbol)
        return rt_fail(error, ERR_DEVICE_DRIVER, "the program's code has no kernel \"%s\"", entry);
    return RT_OK;
}

static RtStatus simt_occupancy(Device *d, const char *entry, int threads, int smem_bytes, int *blocks, RtError *error)
{
    Kernel *kernel;
    if (kernel_get(d, entry, &kernel, error) != RT_OK)
        return RT_FAILED;
    *blocks = threads >= 1 && threads <= 1024 && smem_bytes >= 0 && smem_bytes <= SIMT_SMEM_BYTES;
    return RT_OK;
}

static RtStatus simt_alloc(Device *d, size_t bytes, uint64_t *address, RtError *error)
{
    if (d->n_allocated == SIMT_BLOCKS)
        return rt_fail(error, ERR_INTERNAL, "more than %d allocations", SIMT_BLOCKS);
    const int64_t available = free_bytes();
    void *at = bytes > (uint64_t)available
                   ? MAP_FAILED
                   : mmap(NULL, bytes ? bytes : 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return rt_fail(error, ERR_DEVICE_MEMORY, "needs %s bytes of memory, %s are free%s", count_text(bytes).text,
                       count_text((uint64_t)available).text,
                       bytes > (uint64_t)available ? "" : ", but a limit of this process (ulimit -v) is in the way");
    // A token reads all of it. Where there are no huge pages, the call fails and nothing is lost.
    if (bytes >= HUGE_PAGE_BYTES)
        madvise(at, bytes, MADV_HUGEPAGE);
    d->allocated[d->n_allocated++] = (SimtBlock){ at, bytes ? bytes : 1 };
    *address = (uint64_t)(uintptr_t)at;
    return RT_OK;
}

static RtStatus simt_map(Device *d, size_t bytes, void **host, uint64_t *address, RtError *error)
{
    if (simt_alloc(d, bytes, address, error) != RT_OK)
        return RT_FAILED;
    *host = (void *)(uintptr_t)*address;
    return RT_OK;
}

static RtStatus simt_upload(Device *d, uint64_t to, const void *from, size_t bytes, RtError *error)
{
    (void)d;
    (void)error;
    memcpy((void *)(uintptr_t)to, from, bytes);
    return RT_OK;
}

static RtStatus simt_download(Device *d, void *to, uint64_t from, size_t bytes, RtError *error)
{
    (void)d;
    (void)error;
    memcpy(to, (const void *)(uintptr_t)from, bytes);
    return RT_OK;
}

// A fault of the kernel (a deadlock, a diverged warp) is a bug of the compiler: the shim prints it and ends the
// process.
static RtStatus simt_launch(Device *d, const char *entry, int blocks, int threads, int smem_bytes, bool cooperative,
                            const uint64_t *args, int n_args, RtError *error)
{
    (void)cooperative;
    Kernel *kernel;
    if (kernel_get(d, entry, &kernel, error) != RT_OK)
        return RT_FAILED;
    d->launch(kernel, blocks, threads, smem_bytes, args, n_args);
    return RT_OK;
}

static RtStatus simt_poll(Device *d, bool *busy, RtError *error)
{
    (void)d;
    (void)error;
    *busy = false;
    return RT_OK;
}

static RtStatus simt_wait(Device *d, RtError *error)
{
    (void)d;
    (void)error;
    return RT_OK;
}

static void simt_close(Device *d)
{
    if (!d)
        return;
    for (int i = 0; i < d->n_allocated; ++i)
        munmap(d->allocated[i].at, d->allocated[i].bytes);
    if (d->image)
        dlclose(d->image);
    if (d->image_file >= 0)
        close(d->image_file);
    free(d);
}

const DeviceApi device_simt = {
    .name = "cpu",
    .count = simt_count,
    .open = simt_open,
    .info = simt_info,
    .start = simt_start,
    .load = simt_load,
    .occupancy = simt_occupancy,
    .alloc = simt_alloc,
    .map = simt_map,
    .upload = simt_upload,
    .download = simt_download,
    .launch = simt_launch,
    .poll = simt_poll,
    .wait = simt_wait,
    .close = simt_close,
};
