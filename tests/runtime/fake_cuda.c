// fake_cuda.c: a stand-in for libcuda.so.1: the entry points of runtime/cuda_driver.h over host memory. It checks what
// it is asked for as a driver and a GPU would, and stops the program with a line on stderr where they would do
// something worse.
//
//   FAKE_CUDA_DEVICES=86:20,90:132   architecture and multiprocessors of each device (default 86:20)
//   FAKE_CUDA_FREE=N                 bytes free on the GPU (default 1 GiB)
//   FAKE_CUDA_OCCUPANCY=N            blocks a multiprocessor holds (default 1)
//   FAKE_CUDA_FAIL=CALL:NUMBER       that call fails
//   FAKE_CUDA_FAULT=TOKEN:WAVE:WORKER:CAUSE   every decode kernel reports it
//   FAKE_CUDA_WRONG=POSITION         logits there are wrong by a tenth; NAN: every logit 3 is NaN;
//                                    BATCH: a little off in launches of several tokens
//   FAKE_CUDA_TOKEN_MS=N             time a token takes
//   FAKE_CUDA_DEAF=1                 kernels do not look at the stop flag
//   FAKE_CUDA_LOG=FILE               a line a launch
#include "fake_kernels.h"

#include "../../runtime/cuda_driver.h"

#include <stdio.h>
#include <stdlib.h>

enum { DEVICES = 4, BLOCKS = 16 };

typedef struct Block {
    unsigned char *at;
    size_t bytes;
    bool host;
} Block;

struct CudaFunction {
    char name[48];
    int smem_bytes;
};

// One process has one driver, so its state is the file's.
static struct {
    bool initialised, context;
    int sm[DEVICES], sms[DEVICES], devices;
    Block blocks[BLOCKS];
    bool loaded;
    struct CudaFunction functions[32];
    int n_functions;
    bool running; // a decode kernel is under way; each query lets it make one token
    FakeGrid grid;
    FILE *log;
} gpu;

static void stop(const char *what)
{
    fprintf(stderr, "fake_cuda: %s\n", what);
    abort();
}

static int fails(const char *call)
{
    const char *text = getenv("FAKE_CUDA_FAIL");
    const size_t bytes = strlen(call);
    return text && strncmp(text, call, bytes) == 0 && text[bytes] == ':' ? atoi(text + bytes + 1) : 0;
}

#define API __attribute__((visibility("default")))
static void check_range(uint64_t at, size_t bytes, const char *what)
{
    for (int i = 0; i < BLOCKS; ++i) {
        const uint64_t from = (uint64_t)(uintptr_t)gpu.blocks[i].at;
        if (gpu.blocks[i].at && at >= from && bytes <= gpu.blocks[i].bytes && at - from <= gpu.blocks[i].bytes - bytes)
            return;
    }
    stop(what);
}

static int take_block(size_t bytes, bool host, void **at)
{
    for (int i = 0; i < BLOCKS; ++i)
        if (!gpu.blocks[i].at) {
            gpu.blocks[i] = (Block){ aligned_alloc(256, (bytes + 255) / 256 * 256), bytes, host };
            memset(gpu.blocks[i].at, 0xee, bytes);
            *at = gpu.blocks[i].at;
            return 0;
        }
    return 2;
}

static int give_block(void *at)
{
    for (int i = 0; i < BLOCKS; ++i)
        if (gpu.blocks[i].at == at) {
            free(at);
            gpu.blocks[i].at = NULL;
            return 0;
        }
    return 1;
}

// ---- devices -------------------------------------------------------------------------------------------------------

API int cuInit(unsigned flags)
{
    if (fails(__func__))
        return fails(__func__);
    const char *devices = getenv("FAKE_CUDA_DEVICES"), *order = getenv("CUDA_DEVICE_ORDER");
    if (!order || strcmp(order, "PCI_BUS_ID") != 0)
        stop("CUDA_DEVICE_ORDER is not PCI_BUS_ID");
    gpu.initialised = flags == 0;
    gpu.devices = 0;
    for (const char *p = devices ? devices : "86:20"; *p; p += *p == ',') {
        char *end;
        gpu.sm[gpu.devices] = (int)strtol(p, &end, 10);
        gpu.sms[gpu.devices++] = (int)strtol(end + 1, &end, 10);
        p = end;
    }
    return gpu.devices ? 0 : 100;
}

API int cuGetErrorString(int error, const char **text)
{
    *text = error == 2 ? "out of memory" : error == 100 ? "no CUDA-capable device is detected" : "a text of the driver";
    return error == 12345;
}

API int cuDriverGetVersion(int *version)
{
    *version = 13000;
    return 0;
}

API int cuDeviceGetCount(int *count)
{
    *count = gpu.devices;
    return gpu.initialised ? 0 : 3;
}

API int cuDeviceGet(CudaDevice *device, int index)
{
    *device = index;
    return index >= 0 && index < gpu.devices ? 0 : 101;
}

API int cuDeviceGetName(char *name, int bytes, CudaDevice device)
{
    snprintf(name, (size_t)bytes, "NVIDIA Fake %d", gpu.sm[device]);
    return 0;
}

API int cuDeviceGetAttribute(int *value, int attribute, CudaDevice device)
{
    *value = attribute == 16   ? gpu.sms[device]
             : attribute == 75 ? gpu.sm[device] / 10
             : attribute == 76 ? gpu.sm[device] % 10
                               : 101376;
    return attribute == 16 || attribute == 75 || attribute == 76 || attribute == 97 ? 0 : 1;
}

API int cuDeviceTotalMem_v2(size_t *bytes, CudaDevice device)
{
    (void)device;
    *bytes = (size_t)8 << 30;
    return 0;
}

API int cuDeviceGetUuid_v2(CudaUuid *uuid, CudaDevice device)
{
    for (int i = 0; i < 16; ++i)
        uuid->bytes[i] = (unsigned char)(i * 16 + device);
    return 0;
}

API int cuDeviceGetPCIBusId(char *id, int bytes, CudaDevice device)
{
    snprintf(id, (size_t)bytes, "0000:%02X:00.0", device + 1);
    return 0;
}

API int cuDevicePrimaryCtxRetain(CudaContext **context, CudaDevice device)
{
    if (fails(__func__))
        return fails(__func__);
    (void)device;
    gpu.context = true;
    *context = (CudaContext *)&gpu;
    const char *log = getenv("FAKE_CUDA_LOG");
    gpu.log = log ? fopen(log, "a") : NULL;
    return 0;
}

API int cuDevicePrimaryCtxRelease_v2(CudaDevice device)
{
    (void)device;
    for (int i = 0; i < BLOCKS; ++i)
        if (gpu.blocks[i].at)
            stop("memory was not given back");
    if (gpu.loaded)
        stop("the module was not unloaded");
    if (gpu.log)
        fclose(gpu.log);
    gpu.context = false;
    return 0;
}

API int cuCtxSetCurrent(CudaContext *context)
{
    return context ? 0 : 201;
}

// ---- memory --------------------------------------------------------------------------------------------------------

API int cuMemGetInfo_v2(size_t *available, size_t *total)
{
    if (!gpu.context)
        return 201;
    *available = (size_t)fake_setting("FAKE_CUDA_FREE", 1 << 30);
    *total = (size_t)8 << 30;
    return 0;
}

API int cuMemAlloc_v2(CudaAddress *address, size_t bytes)
{
    if (fails(__func__))
        return fails(__func__);
    void *at = NULL;
    const int result = gpu.context ? take_block(bytes, false, &at) : 201;
    *address = (uint64_t)(uintptr_t)at;
    return result;
}

API int cuMemFree_v2(CudaAddress address)
{
    return give_block((void *)(uintptr_t)address);
}

API int cuMemsetD8_v2(CudaAddress to, unsigned char value, size_t bytes)
{
    check_range(to, bytes, "cuMemsetD8 outside an allocation");
    memset((void *)(uintptr_t)to, value, bytes);
    return 0;
}

API int cuMemHostAlloc(void **host, size_t bytes, unsigned flags)
{
    if (flags != CUDA_HOST_ALLOC_MAPPED)
        stop("host memory that the device cannot reach");
    return gpu.context ? take_block(bytes, true, host) : 201;
}

API int cuMemFreeHost(void *host)
{
    return give_block(host);
}

API int cuMemHostGetDevicePointer_v2(CudaAddress *address, void *host, unsigned flags)
{
    (void)flags;
    *address = (uint64_t)(uintptr_t)host;
    return 0;
}

API int cuMemcpyHtoD_v2(CudaAddress to, const void *from, size_t bytes)
{
    if (fails(__func__))
        return fails(__func__);
    check_range(to, bytes, "cuMemcpyHtoD outside an allocation");
    memcpy((void *)(uintptr_t)to, from, bytes);
    return 0;
}

API int cuMemcpyDtoH_v2(void *to, CudaAddress from, size_t bytes)
{
    check_range(from, bytes, "cuMemcpyDtoH outside an allocation");
    memcpy(to, (const void *)(uintptr_t)from, bytes);
    return 0;
}

// ---- code ----------------------------------------------------------------------------------------------------------

API int cuModuleLoadData(CudaModule **module, const void *image)
{
    if (fails(__func__))
        return fails(__func__);
    if (!gpu.context)
        return 201;
    memcpy(&gpu.grid.image, image, sizeof gpu.grid.image);
    gpu.loaded = strcmp(gpu.grid.image.magic, "FAKEIMG") == 0;
    *module = (CudaModule *)&gpu;
    return gpu.loaded ? 0 : 200;
}

API int cuModuleUnload(CudaModule *module)
{
    (void)module;
    gpu.loaded = false;
    return 0;
}

API int cuModuleGetFunction(CudaFunction **function, CudaModule *module, const char *name)
{
    (void)module;
    const bool known = strcmp(name, "fill_weights") == 0 || strcmp(name, "fill_cache") == 0 || strcmp(name, "read_weights") == 0 ||
                       strcmp(name, PKG_ENTRY) == 0;
    if (!known || fails("cuModuleGetFunction"))
        return 500;
    *function = &gpu.functions[gpu.n_functions++];
    snprintf((*function)->name, sizeof(*function)->name, "%s", name);
    (*function)->smem_bytes = 48 * 1024;
    return 0;
}

API int cuFuncSetAttribute(CudaFunction *function, int attribute, int value)
{
    if (attribute != CUDA_FUNCTION_DYNAMIC_SMEM || value > 101376)
        return 1;
    function->smem_bytes = value;
    return 0;
}

API int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CudaFunction *function, int threads, size_t smem_bytes)
{
    (void)threads;
    if ((int)smem_bytes > function->smem_bytes)
        stop("shared memory over 48 KiB without the attribute");
    *blocks = fake_setting("FAKE_CUDA_OCCUPANCY", 1);
    return 0;
}

// ---- launches ------------------------------------------------------------------------------------------------------

API int cuStreamQuery(CudaStream *stream)
{
    if (fails(__func__))
        return fails(__func__);
    (void)stream;
    gpu.running = gpu.running && fake_decode_token(&gpu.grid);
    return gpu.running ? 600 : 0;
}

API int cuStreamSynchronize(CudaStream *stream)
{
    (void)stream;
    while (gpu.running && fake_decode_token(&gpu.grid)) {
    }
    gpu.running = false;
    return 0;
}

static int launch(const char *name, unsigned blocks, unsigned threads, unsigned smem_bytes, void **params)
{
    if (gpu.running)
        stop("a launch while a decode kernel runs");
    gpu.grid.weights = *(unsigned char **)params[0];
    gpu.grid.state = *(unsigned char **)params[1];
    check_range((uint64_t)(uintptr_t)gpu.grid.weights, gpu.grid.image.plan.state_at + gpu.grid.image.plan.state_bytes,
                "weights address");
    if (gpu.grid.state != gpu.grid.weights + gpu.grid.image.plan.state_at)
        stop("state address");
    if (gpu.log)
        fprintf(gpu.log, "%s %u x %u, %u shared", name, blocks, threads, smem_bytes);
    return 0;
}

API int cuLaunchKernel(CudaFunction *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                       unsigned block_y, unsigned block_z, unsigned smem_bytes, CudaStream *stream, void **params,
                       void **extra)
{
    if (fails(__func__))
        return fails(__func__);
    (void)stream;
    if (grid_y * grid_z * block_y * block_z != 1 || extra)
        stop("a launch of another form");
    launch(function->name, grid_x, block_x, smem_bytes, params);
    if (gpu.log)
        fputc('\n', gpu.log);
    if (strcmp(function->name, "fill_weights") == 0)
        fake_fill_weights(&gpu.grid);
    if (strcmp(function->name, "fill_cache") == 0)
        for (uint64_t i = 0; i < *(uint64_t *)params[2]; ++i)
            ((uint64_t *)(gpu.grid.state + gpu.grid.image.plan.kv_at))[i] = *(uint64_t *)params[3] ^ i;
    return 0;
}

API int cuLaunchCooperativeKernel(CudaFunction *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                  unsigned block_x, unsigned block_y, unsigned block_z, unsigned smem_bytes,
                                  CudaStream *stream, void **params)
{
    if (fails(__func__))
        return fails(__func__);
    (void)stream;
    if (grid_y * grid_z * block_y * block_z != 1)
        stop("a launch of another form");
    launch(function->name, grid_x, block_x, smem_bytes, params);
    const PkgPlan *plan = &gpu.grid.image.plan;
    const Request *r = (const Request *)(gpu.grid.state + plan->request_at);
    const PkgSchedule *s = &gpu.grid.image.schedules[r->position >= gpu.grid.image.schedules[0].ctx_max];
    if (r->tokens < 1 || r->tokens > REQUEST_TOKENS || r->forced < 1 || r->forced > r->tokens ||
        r->fault != FAULT_NONE || r->done || r->arrived || r->id != r->ids[0] || r->position + 1 < s->ctx_min ||
        r->position + r->tokens > s->ctx_max || smem_bytes != s->smem_bytes || grid_x != s->workers ||
        block_x != s->threads)
        stop("a request that no kernel can take");
    if (gpu.log)
        fprintf(gpu.log, ", position %u, %u tokens, %u forced, %u eos\n", r->position, r->tokens, r->forced,
                r->eos_count);
    gpu.running = true;
    gpu.grid.token = 0;
    return 0;
}
