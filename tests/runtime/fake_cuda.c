// fake_cuda.c: a stand-in for libcuda.so.1: the entry points of runtime/cuda_driver.h over host memory. It checks what it is
// asked for as a driver and a GPU would, and stops the program with a line on stderr where they would do something worse.
//
//   FAKE_CUDA_DEVICES=86:20,90:132   architecture and multiprocessors of each device (default 86:20)
//   FAKE_CUDA_FREE=N                 bytes free on the GPU (default 1 GiB)
//   FAKE_CUDA_OCCUPANCY=N            blocks a multiprocessor holds (default 1)
//   FAKE_CUDA_FAIL=CALL:NUMBER       that call fails
//   FAKE_CUDA_FAULT=TOKEN:WAVE:WORKER:CAUSE   every decode kernel reports it
//   FAKE_CUDA_WRONG=POSITION         logits there are wrong by a tenth; NAN: every logit 3 is NaN
//   FAKE_CUDA_TOKEN_MS=N             time a token takes
//   FAKE_CUDA_DEAF=1                 kernels do not look at the stop flag
//   FAKE_CUDA_LOG=FILE               a line a launch
#include "fake_model.h"

#include "../../runtime/cuda_driver.h"
#include "../../runtime/half.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

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
    FakeImage image;
    bool loaded;
    struct CudaFunction functions[32];
    int n_functions;
    bool running; // a decode kernel is under way; each query lets it make one token
    uint32_t token;
    unsigned char *weights, *state;
    FILE *log;
} gpu;

static void stop(const char *what)
{
    fprintf(stderr, "fake_cuda: %s\n", what);
    abort();
}

static int setting(const char *name, int otherwise)
{
    const char *text = getenv(name);
    return text ? atoi(text) : otherwise;
}

static int fails(const char *call)
{
    const char *text = getenv("FAKE_CUDA_FAIL");
    const size_t bytes = strlen(call);
    return text && strncmp(text, call, bytes) == 0 && text[bytes] == ':' ? atoi(text + bytes + 1) : 0;
}

#define API __attribute__((visibility("default")))
#define MAYBE_FAIL() \
    do { \
        const int failure = fails(__func__); \
        if (failure) \
            return failure; \
    } while (0)

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
    MAYBE_FAIL();
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
    MAYBE_FAIL();
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
    *available = (size_t)setting("FAKE_CUDA_FREE", 1 << 30);
    *total = (size_t)8 << 30;
    return 0;
}

API int cuMemAlloc_v2(CudaAddress *address, size_t bytes)
{
    MAYBE_FAIL();
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
    MAYBE_FAIL();
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
    MAYBE_FAIL();
    if (!gpu.context)
        return 201;
    memcpy(&gpu.image, image, sizeof gpu.image);
    gpu.loaded = strcmp(gpu.image.magic, "FAKEIMG") == 0;
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
    bool known = strcmp(name, "fill_weights") == 0 || strcmp(name, "fill_cache") == 0 || strcmp(name, "read_weights") == 0;
    for (int i = 0; i < FAKE_SCHEDULES; ++i)
        known |= strcmp(name, gpu.image.schedules[i].entry) == 0;
    if (!known || fails("cuModuleGetFunction"))
        return 500;
    *function = &gpu.functions[gpu.n_functions++];
    snprintf((*function)->name, sizeof (*function)->name, "%s", name);
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
    *blocks = setting("FAKE_CUDA_OCCUPANCY", 1);
    return 0;
}

// ---- kernels -------------------------------------------------------------------------------------------------------

// Where a value of a matrix lies: the comment at Matrix in compiler/kernels/kernel.h, written out a second time.
static unsigned char *value_place(const PkgMatrix *m, uint32_t layer, uint32_t row, uint32_t col)
{
    unsigned char *copy = gpu.weights + m->base + layer * m->layer_stride;
    if (m->layout == PKG_LAYOUT_ROWS)
        return copy + row * m->slice_cols * 2 + col * 2;
    const uint32_t *first = gpu.image.ints + m->first_slice;
    uint32_t s = 0;
    while (col >= first[s + 1])
        ++s;
    col -= first[s];
    return copy + s * m->stride + ((row / 32 * (m->slice_cols / 8) + col / 8) * 32 + row % 32) * 16 + col % 8 * 2;
}

static float value_read(const PkgMatrix *m, uint32_t layer, uint32_t row, uint32_t col)
{
    uint16_t half;
    memcpy(&half, value_place(m, layer, row, col), sizeof half);
    return m->format == PKG_F16 ? f16_to_float(half) : bf16_to_float(half);
}

static void fill_weights(void)
{
    const uint64_t *key = (const uint64_t *)(gpu.state + gpu.image.plan.keys_at);
    for (int i = 0; i < FAKE_MATRICES; ++i) {
        const PkgMatrix *m = &gpu.image.matrices[i];
        for (uint32_t layer = 0; layer < m->layers; ++layer, ++key)
            for (uint32_t row = 0; row < m->rows; ++row)
                for (uint32_t col = 0; col < m->cols; ++col) {
                    const float value = hash_weight(*key, row, col, hash_scale((int)m->cols));
                    const uint16_t half = m->format == PKG_F16 ? f16_from_float(value) : bf16_from_float(value);
                    memcpy(value_place(m, layer, row, col), &half, sizeof half);
                }
    }
    for (int i = 0; i < FAKE_NORMS; ++i) {
        const PkgNorm *n = &gpu.image.norms[i];
        for (uint32_t layer = 0; layer < n->layers; ++layer, ++key)
            for (uint32_t col = 0; col < n->cols; ++col) {
                const float value = hash_norm(*key, col);
                memcpy(gpu.weights + n->base + layer * n->layer_stride + col * 4, &value, sizeof value);
            }
    }
}

static float sum_of(uint32_t id, uint32_t position)
{
    const PkgPlan *plan = &gpu.image.plan;
    float row[64], sum = 0;
    for (int i = 0; i < FAKE_MATRICES; ++i) {
        const PkgMatrix *m = &gpu.image.matrices[i];
        for (uint32_t col = 0; col < m->cols; ++col)
            row[col] = value_read(m, m->layers - 1, id % m->rows, col);
        sum = fake_mix(sum, row, m->cols);
    }
    for (int i = 0; i < FAKE_NORMS; ++i) {
        const PkgNorm *n = &gpu.image.norms[i];
        memcpy(row, gpu.weights + n->base + (n->layers - 1) * n->layer_stride, n->cols * sizeof *row);
        sum = fake_mix(sum, row, n->cols);
    }
    memcpy(row, gpu.state + plan->rope_at + position * plan->head_dim * 4, plan->head_dim * sizeof *row);
    return fake_mix(sum, row, plan->head_dim);
}

static bool report_fault(Request *r)
{
    const char *text = getenv("FAKE_CUDA_FAULT");
    unsigned token, wave, worker, cause;
    if (!text || sscanf(text, "%u:%u:%u:%u", &token, &wave, &worker, &cause) != 4 || token != gpu.token)
        return false;
    r->fault = (uint64_t)token << 48 | (uint64_t)wave << 32 | worker << 16 | cause;
    return true;
}

// One token of the decode kernel; false: it has left.
static bool decode_token(void)
{
    const PkgPlan *plan = &gpu.image.plan;
    Request *r = (Request *)(gpu.state + plan->request_at);
    Mailbox *mailbox = (Mailbox *)(uintptr_t)r->mailbox;
    if (gpu.token == r->tokens || r->done || (gpu.token && mailbox->stop && !setting("FAKE_CUDA_DEAF", 0)) || report_fault(r))
        return false;
    if (setting("FAKE_CUDA_TOKEN_MS", 0))
        usleep(1000 * (unsigned)setting("FAKE_CUDA_TOKEN_MS", 0));
    const uint32_t position = r->position + gpu.token;
    const uint32_t id = gpu.token < r->forced ? r->ids[gpu.token] : r->id;
    uint64_t *slots = (uint64_t *)(gpu.state + plan->kv_at), history = 0;
    slots[position] = id;
    for (uint32_t p = 0; p <= position; ++p)
        history = fake_slot(history, slots[p]);
    if (gpu.token + 1 >= r->forced || r->all_logits) {
        float *logits = (float *)(gpu.state + plan->logits_at);
        const char *wrong = getenv("FAKE_CUDA_WRONG");
        fake_logits(history, sum_of(id, position), plan->vocab, logits);
        if (wrong && strcmp(wrong, "NAN") == 0)
            logits[3] = NAN;
        else if (wrong && (uint32_t)atoi(wrong) == position)
            logits[3] += 0.1f;
        r->id = fake_best(logits, plan->vocab);
        mailbox->ids[gpu.token] = r->id;
        for (uint32_t i = 0; i < r->eos_count; ++i)
            r->done |= r->eos[i] == r->id;
    } else {
        mailbox->ids[gpu.token] = UINT32_MAX; // nothing was chosen
    }
    __atomic_store_n(&mailbox->made, ++gpu.token, __ATOMIC_RELEASE);
    return true;
}

API int cuStreamQuery(CudaStream *stream)
{
    MAYBE_FAIL();
    (void)stream;
    gpu.running = gpu.running && decode_token();
    return gpu.running ? 600 : 0;
}

API int cuStreamSynchronize(CudaStream *stream)
{
    (void)stream;
    while (gpu.running && decode_token()) {
    }
    gpu.running = false;
    return 0;
}

static int launch(const char *name, unsigned blocks, unsigned threads, unsigned smem_bytes, void **params)
{
    if (gpu.running)
        stop("a launch while a decode kernel runs");
    gpu.weights = *(unsigned char **)params[0];
    gpu.state = *(unsigned char **)params[1];
    check_range((uint64_t)(uintptr_t)gpu.weights, gpu.image.plan.state_at + gpu.image.plan.state_bytes, "weights address");
    if (gpu.state != gpu.weights + gpu.image.plan.state_at)
        stop("state address");
    if (gpu.log)
        fprintf(gpu.log, "%s %u x %u, %u shared", name, blocks, threads, smem_bytes);
    return 0;
}

API int cuLaunchKernel(CudaFunction *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                       unsigned block_y, unsigned block_z, unsigned smem_bytes, CudaStream *stream, void **params,
                       void **extra)
{
    MAYBE_FAIL();
    (void)stream;
    if (grid_y * grid_z * block_y * block_z != 1 || extra)
        stop("a launch of another form");
    launch(function->name, grid_x, block_x, smem_bytes, params);
    if (gpu.log)
        fputc('\n', gpu.log);
    if (strcmp(function->name, "fill_weights") == 0)
        fill_weights();
    if (strcmp(function->name, "fill_cache") == 0)
        for (uint64_t i = 0; i < *(uint64_t *)params[2]; ++i)
            ((uint64_t *)(gpu.state + gpu.image.plan.kv_at))[i] = *(uint64_t *)params[3] ^ i;
    return 0;
}

API int cuLaunchCooperativeKernel(CudaFunction *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                                  unsigned block_y, unsigned block_z, unsigned smem_bytes, CudaStream *stream,
                                  void **params)
{
    MAYBE_FAIL();
    (void)stream;
    if (grid_y * grid_z * block_y * block_z != 1)
        stop("a launch of another form");
    launch(function->name, grid_x, block_x, smem_bytes, params);
    const PkgPlan *plan = &gpu.image.plan;
    const Request *r = (const Request *)(gpu.state + plan->request_at);
    const PkgSchedule *s = &gpu.image.schedules[strcmp(function->name, gpu.image.schedules[0].entry) != 0];
    if (r->tokens < 1 || r->tokens > REQUEST_TOKENS || r->forced < 1 || r->forced > r->tokens || r->fault != FAULT_NONE ||
        r->done || r->arrived || r->id != r->ids[0] || r->position + 1 < s->ctx_min ||
        r->position + r->tokens > s->ctx_max || smem_bytes != s->smem_bytes || grid_x != s->workers || block_x != s->threads)
        stop("a request that no kernel can take");
    if (gpu.log)
        fprintf(gpu.log, ", position %u, %u tokens, %u forced, %u eos\n", r->position, r->tokens, r->forced, r->eos_count);
    gpu.running = true;
    gpu.token = 0;
    return 0;
}
