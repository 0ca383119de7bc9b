// driver.c: a stand-in for libcuda.so.1 whose GPU takes exactly the time that a formula says, by a clock of its own.
// STAND_IN: what goes wrong: "late:ROUND", "wrong:PACKETS", "small" (memory), "none" (no GPU), or nothing.
#include "../../runtime/cuda_driver.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SMS = 20 };

// As in probe.cu.
typedef struct State {
    uint32_t arrived, fault, wrong, seen, streamed, tag;
} State;

static struct {
    double seconds, busy_until;
    char name[32];
    unsigned char *at[8];
    int blocks;
} gpu;

#define API __attribute__((visibility("default")))
double stand_in_now(void);
API double stand_in_now(void)
{
    return gpu.seconds += 1e-8; // looking at the clock takes time
}

static int wish(const char *what)
{
    const char *text = getenv("STAND_IN");
    const size_t n = strlen(what);
    return text && strncmp(text, what, n) == 0 ? text[n] == ':' ? atoi(text + n + 1) : 1 : 0;
}

API int cuInit(unsigned flags)
{
    return flags ? 1 : wish("none") ? CUDA_NO_DEVICE : 0;
}
API int cuGetErrorString(int error, const char **text)
{
    (void)error;
    *text = "a text of the driver";
    return 0;
}
API int cuDriverGetVersion(int *version)
{
    *version = 13000;
    return 0;
}
API int cuDeviceGetCount(int *count)
{
    *count = 2;
    return 0;
}
API int cuDeviceGet(CudaDevice *device, int index)
{
    *device = index;
    return 0;
}
API int cuDeviceGetName(char *name, int bytes, CudaDevice device)
{
    snprintf(name, (size_t)bytes, "NVIDIA GeForce RTX %d", 3050 + device);
    return 0;
}
API int cuDeviceGetAttribute(int *value, int attribute, CudaDevice device)
{
    // Device 0 is of sm_86, device 1 of sm_90.
    const int known[][2] = { { 16, SMS }, { 36, 7001000 }, { 37, 128 }, { 38, 1572864 }, { 75, device ? 9 : 8 },
                             { 76, device ? 0 : 6 }, { 82, 65536 }, { 97, 101376 } };
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
        if (known[i][0] == attribute) {
            *value = known[i][1];
            return 0;
        }
    return 1;
}
API int cuDeviceTotalMem_v2(size_t *bytes, CudaDevice device)
{
    (void)device;
    *bytes = (size_t)8 << 30;
    return 0;
}
API int cuDeviceGetUuid_v2(CudaUuid *uuid, CudaDevice device)
{
    memset(uuid, device, sizeof *uuid);
    return 0;
}
API int cuDeviceGetPCIBusId(char *id, int bytes, CudaDevice device)
{
    snprintf(id, (size_t)bytes, "0000:%02X:00.0", device);
    return 0;
}
API int cuDevicePrimaryCtxRetain(CudaContext **context, CudaDevice device)
{
    (void)device;
    *context = (CudaContext *)&gpu;
    return 0;
}
API int cuDevicePrimaryCtxRelease_v2(CudaDevice device)
{
    (void)device;
    return 0;
}
API int cuCtxSetCurrent(CudaContext *context)
{
    return context ? 0 : 201;
}
API int cuMemGetInfo_v2(size_t *available, size_t *total)
{
    *total = (size_t)8 << 30;
    *available = wish("small") ? (size_t)4 << 20 : (size_t)64 << 20;
    return 0;
}
API int cuMemAlloc_v2(CudaAddress *address, size_t bytes)
{
    gpu.at[gpu.blocks] = calloc(1, bytes);
    *address = (uint64_t)(uintptr_t)gpu.at[gpu.blocks++];
    return 0;
}
API int cuMemFree_v2(CudaAddress address)
{
    free((void *)(uintptr_t)address);
    return 0;
}
API int cuMemsetD8_v2(CudaAddress to, unsigned char value, size_t bytes)
{
    memset((void *)(uintptr_t)to, value, bytes);
    return 0;
}
API int cuMemHostAlloc(void **host, size_t bytes, unsigned flags)
{
    (void)host, (void)bytes, (void)flags;
    return 1;
}
API int cuMemFreeHost(void *host)
{
    (void)host;
    return 1;
}
API int cuMemHostGetDevicePointer_v2(CudaAddress *address, void *host, unsigned flags)
{
    (void)address, (void)host, (void)flags;
    return 1;
}
API int cuMemcpyHtoD_v2(CudaAddress to, const void *from, size_t bytes)
{
    memcpy((void *)(uintptr_t)to, from, bytes);
    return 0;
}
API int cuMemcpyDtoH_v2(void *to, CudaAddress from, size_t bytes)
{
    memcpy(to, (const void *)(uintptr_t)from, bytes);
    return 0;
}
API int cuModuleLoadData(CudaModule **module, const void *image)
{
    *module = (CudaModule *)&gpu;
    return image ? 0 : 200;
}
API int cuModuleUnload(CudaModule *module)
{
    (void)module;
    return 0;
}
API int cuModuleGetFunction(CudaFunction **function, CudaModule *module, const char *name)
{
    static const char *const names[] = { "probe_fill", "probe_read", "probe_chase", "probe_nothing", "probe_meet" };
    (void)module;
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        if (strcmp(name, names[i]) == 0) {
            *function = (CudaFunction *)(uintptr_t)names[i];
            return 0;
        }
    return 500;
}
API int cuFuncSetAttribute(CudaFunction *function, int attribute, int value)
{
    (void)function;
    return attribute == CUDA_FUNCTION_DYNAMIC_SMEM && value <= 101376 ? 0 : 1;
}
API int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CudaFunction *function, int threads, size_t smem_bytes)
{
    (void)function, (void)threads, (void)smem_bytes;
    *blocks = 1;
    return 0;
}
API int cuStreamQuery(CudaStream *stream)
{
    (void)stream;
    if (gpu.seconds < gpu.busy_until)
        gpu.seconds = gpu.busy_until; // the next question finds it done
    else
        return 0;
    return CUDA_NOT_READY;
}
API int cuStreamSynchronize(CudaStream *stream)
{
    (void)stream;
    return 0;
}

// One multiprocessor draws 30 GB/s, all together 212.9 (RTX 3050).
static double rate(unsigned workers)
{
    return workers * 30e9 < 212.9e9 ? workers * 30e9 : 212.9e9;
}

static double meet_seconds(void **params)
{
    const uint64_t rounds = *(uint64_t *)params[2], count = *(uint64_t *)params[3] & 0xffff, kib = *(uint64_t *)params[3] >> 32;
    const double us = (count == 0 ? 1.0 : count == 512 ? 0.75 : 0.5) + 0.0625 * (double)kib;
    State *state = *(State **)params[0];
    if (wish("late") && kib == 32)
        state->fault = (uint32_t)wish("late") + 1;
    if (wish("wrong") && count == 512)
        state->wrong = (uint32_t)wish("wrong");
    state->streamed = kib ? (uint32_t)(1e-6 * us * (double)rounds * 200e9 / 1024) : 0;
    return 1e-6 * us * (double)rounds;
}

static int launch(CudaFunction *function, unsigned blocks, unsigned threads, unsigned smem_bytes, void **params)
{
    const char *name = (const char *)function;
    double seconds = 5e-6;
    if (strcmp(name, "probe_read") == 0)
        seconds += (double)(*(uint64_t *)params[1] * 16 * *(uint64_t *)params[2]) / rate(blocks);
    if (strcmp(name, "probe_chase") == 0)
        seconds += 600e-9 * (double)*(uint64_t *)params[2];
    if (strcmp(name, "probe_meet") == 0)
        seconds += meet_seconds(params);
    gpu.busy_until = gpu.seconds + seconds;
    return threads > 1024 || blocks > SMS || smem_bytes > 101376;
}

API int cuLaunchKernel(CudaFunction *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                       unsigned block_y, unsigned block_z, unsigned smem_bytes, CudaStream *stream, void **params,
                       void **extra)
{
    (void)stream;
    return grid_y * grid_z * block_y * block_z != 1 || extra || launch(function, grid_x, block_x, smem_bytes, params);
}
API int cuLaunchCooperativeKernel(CudaFunction *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                  unsigned block_x, unsigned block_y, unsigned block_z, unsigned smem_bytes,
                                  CudaStream *stream, void **params)
{
    (void)stream;
    return grid_y * grid_z * block_y * block_z != 1 || launch(function, grid_x, block_x, smem_bytes, params);
}
