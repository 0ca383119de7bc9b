// device_cuda.c: a Device through the CUDA driver. Everything runs in order in the default stream of the primary
// context.
#include "cuda_driver.h"
#include "device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CUDA_FUNCTIONS = 32, // entry functions of one image that are looked up
    CUDA_BLOCKS = 16,    // allocations of each kind
    SMEM_WITHOUT_OPTIN = 48 * 1024,
};

typedef struct LoadedFunction {
    char name[48];
    CudaFunction *function;
    int smem_bytes; // dynamic shared memory it may use so far
} LoadedFunction;

struct Device {
    CudaDriver driver;
    CudaDevice device;
    CudaContext *context;
    CudaModule *module;
    LoadedFunction functions[CUDA_FUNCTIONS];
    int n_functions;
    CudaAddress allocated[CUDA_BLOCKS];
    int n_allocated;
    void *mapped[CUDA_BLOCKS];
    int n_mapped;
    int index;
};

static RtStatus cuda_count(int *n, RtError *error)
{
    CudaDriver driver;
    if (cuda_driver_open(&driver, error) != RT_OK)
        return RT_FAILED;
    return cuda_check(&driver, driver.device_count(n), "cuDeviceGetCount", error);
}

static void cuda_close(Device *d)
{
    if (!d)
        return;
    if (d->context) {
        d->driver.stream_wait(NULL);
        for (int i = 0; i < d->n_mapped; ++i)
            d->driver.host_free(d->mapped[i]);
        for (int i = 0; i < d->n_allocated; ++i)
            d->driver.mem_free(d->allocated[i]);
        if (d->module)
            d->driver.module_unload(d->module);
        d->driver.context_release(d->device);
    }
    free(d);
}

static RtStatus cuda_open(int index, Device **device, RtError *error)
{
    Device *d = calloc(1, sizeof *d);
    if (!d)
        return rt_fail(error, ERR_MEMORY, "no memory for %zu bytes", sizeof *d);
    d->index = index;
    if (cuda_driver_open(&d->driver, error) == RT_OK &&
        cuda_check(&d->driver, d->driver.device_get(&d->device, index), "cuDeviceGet", error) == RT_OK) {
        *device = d;
        return RT_OK;
    }
    cuda_close(d);
    return RT_FAILED;
}

// A context costs time and memory on the GPU, so a device that is only looked at has none.
static RtStatus cuda_start(Device *d, RtError *error)
{
    if (cuda_check(&d->driver, d->driver.context_retain(&d->context, d->device), "cuDevicePrimaryCtxRetain", error) !=
        RT_OK)
        return RT_FAILED;
    return cuda_check(&d->driver, d->driver.context_set(d->context), "cuCtxSetCurrent", error);
}

// GPU-8-4-4-4-12, as nvidia-smi writes it.
static void uuid_text(const CudaUuid *uuid, char *out, size_t bytes)
{
    const unsigned char *b = uuid->bytes;
    snprintf(out, bytes, "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0], b[1], b[2],
             b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
}

static RtStatus cuda_info(Device *d, DeviceInfo *info, RtError *error)
{
    const CudaDriver *driver = &d->driver;
    CudaUuid uuid;
    int major = 0, minor = 0;
    size_t available = 0, total = 0;
    memset(info, 0, sizeof *info);
    info->index = d->index;
    const struct {
        int result;
        const char *call;
    } steps[] = {
        { driver->driver_version(&info->driver), "cuDriverGetVersion" },
        { driver->device_name(info->name, sizeof info->name, d->device), "cuDeviceGetName" },
        { driver->device_uuid(&uuid, d->device), "cuDeviceGetUuid_v2" },
        { driver->device_pci(info->pci, sizeof info->pci, d->device), "cuDeviceGetPCIBusId" },
        { driver->device_attribute(&major, CUDA_ATTRIBUTE_MAJOR, d->device), "cuDeviceGetAttribute" },
        { driver->device_attribute(&minor, CUDA_ATTRIBUTE_MINOR, d->device), "cuDeviceGetAttribute" },
        { driver->device_attribute(&info->sms, CUDA_ATTRIBUTE_SMS, d->device), "cuDeviceGetAttribute" },
        { driver->device_attribute(&info->smem_block_bytes, CUDA_ATTRIBUTE_SMEM_OPTIN, d->device),
          "cuDeviceGetAttribute" },
        { driver->device_total_mem(&total, d->device), "cuDeviceTotalMem_v2" },
        { d->context ? driver->mem_info(&available, &total) : CUDA_OK, "cuMemGetInfo_v2" },
    };
    for (size_t i = 0; i < sizeof steps / sizeof *steps; ++i)
        if (cuda_check(driver, steps[i].result, steps[i].call, error) != RT_OK)
            return RT_FAILED;
    uuid_text(&uuid, info->uuid, sizeof info->uuid);
    info->sm = major * 10 + minor;
    info->free_bytes = d->context ? (int64_t)available : -1;
    info->total_bytes = (int64_t)total;
    return RT_OK;
}

static RtStatus cuda_load(Device *d, const void *image, size_t bytes, RtError *error)
{
    (void)bytes; // a cubin says its own size
    if (d->module)
        return rt_fail(error, ERR_INTERNAL, "a second image for one device");
    return cuda_check(&d->driver, d->driver.module_load(&d->module, image), "cuModuleLoadData", error);
}

// The function of that name, allowed to use smem_bytes of dynamic shared memory.
static RtStatus function_get(Device *d, const char *entry, int smem_bytes, CudaFunction **function, RtError *error)
{
    LoadedFunction *f = NULL;
    for (int i = 0; i < d->n_functions; ++i)
        if (strcmp(d->functions[i].name, entry) == 0)
            f = &d->functions[i];
    if (!f) {
        if (d->n_functions == CUDA_FUNCTIONS || strlen(entry) >= sizeof f->name)
            return rt_fail(error, ERR_INTERNAL, "too many kernels in one image, at \"%s\"", entry);
        f = &d->functions[d->n_functions];
        if (cuda_check(&d->driver, d->driver.module_function(&f->function, d->module, entry), "cuModuleGetFunction",
                       error) != RT_OK) {
            rt_advise(error, "the program's code has no kernel \"%s\"", entry);
            return RT_FAILED;
        }
        memcpy(f->name, entry, strlen(entry) + 1);
        f->smem_bytes = SMEM_WITHOUT_OPTIN;
        ++d->n_functions;
    }
    if (smem_bytes > f->smem_bytes) {
        if (cuda_check(&d->driver, d->driver.function_attribute(f->function, CUDA_FUNCTION_DYNAMIC_SMEM, smem_bytes),
                       "cuFuncSetAttribute", error) != RT_OK)
            return RT_FAILED;
        f->smem_bytes = smem_bytes;
    }
    *function = f->function;
    return RT_OK;
}

static RtStatus cuda_occupancy(Device *d, const char *entry, int threads, int smem_bytes, int *blocks, RtError *error)
{
    CudaFunction *function;
    if (function_get(d, entry, smem_bytes, &function, error) != RT_OK)
        return RT_FAILED;
    return cuda_check(&d->driver, d->driver.occupancy(blocks, function, threads, (size_t)smem_bytes),
                      "cuOccupancyMaxActiveBlocksPerMultiprocessor", error);
}

static RtStatus cuda_alloc(Device *d, size_t bytes, uint64_t *address, RtError *error)
{
    if (d->n_allocated == CUDA_BLOCKS)
        return rt_fail(error, ERR_INTERNAL, "more than %d allocations", CUDA_BLOCKS);
    const int result = d->driver.mem_alloc(address, bytes);
    if (result == CUDA_OUT_OF_MEMORY) {
        size_t available = 0, total = 0;
        d->driver.mem_info(&available, &total);
        return rt_fail(error, ERR_DEVICE_MEMORY, "needs %s bytes on the GPU, %s are free", count_text(bytes).text,
                       count_text(available).text);
    }
    if (cuda_check(&d->driver, result, "cuMemAlloc_v2", error) != RT_OK)
        return RT_FAILED;
    d->allocated[d->n_allocated++] = *address;
    return cuda_check(&d->driver, d->driver.mem_set(*address, 0, bytes), "cuMemsetD8_v2", error);
}

static RtStatus cuda_map(Device *d, size_t bytes, void **host, uint64_t *address, RtError *error)
{
    if (d->n_mapped == CUDA_BLOCKS)
        return rt_fail(error, ERR_INTERNAL, "more than %d mapped blocks", CUDA_BLOCKS);
    if (cuda_check(&d->driver, d->driver.host_alloc(host, bytes, CUDA_HOST_ALLOC_MAPPED), "cuMemHostAlloc", error) !=
        RT_OK)
        return RT_FAILED;
    d->mapped[d->n_mapped++] = *host;
    memset(*host, 0, bytes);
    return cuda_check(&d->driver, d->driver.host_address(address, *host, 0), "cuMemHostGetDevicePointer_v2", error);
}

static RtStatus cuda_upload(Device *d, uint64_t to, const void *from, size_t bytes, RtError *error)
{
    return cuda_check(&d->driver, d->driver.copy_to(to, from, bytes), "cuMemcpyHtoD_v2", error);
}

static RtStatus cuda_download(Device *d, void *to, uint64_t from, size_t bytes, RtError *error)
{
    return cuda_check(&d->driver, d->driver.copy_from(to, from, bytes), "cuMemcpyDtoH_v2", error);
}

static RtStatus cuda_launch(Device *d, const char *entry, int blocks, int threads, int smem_bytes, bool cooperative,
                            const uint64_t *args, int n_args, RtError *error)
{
    enum { MOST_ARGS = 8 };
    CudaFunction *function;
    uint64_t values[MOST_ARGS];
    void *params[MOST_ARGS];
    if (n_args > MOST_ARGS)
        return rt_fail(error, ERR_INTERNAL, "%d arguments for a kernel", n_args);
    if (function_get(d, entry, smem_bytes, &function, error) != RT_OK)
        return RT_FAILED;
    for (int i = 0; i < n_args; ++i) {
        values[i] = args[i];
        params[i] = &values[i];
    }
    if (cooperative)
        return cuda_check(&d->driver,
                          d->driver.launch_cooperative(function, (unsigned)blocks, 1, 1, (unsigned)threads, 1, 1,
                                                       (unsigned)smem_bytes, NULL, params),
                          "cuLaunchCooperativeKernel", error);
    return cuda_check(&d->driver,
                      d->driver.launch(function, (unsigned)blocks, 1, 1, (unsigned)threads, 1, 1, (unsigned)smem_bytes,
                                       NULL, params, NULL),
                      "cuLaunchKernel", error);
}

static RtStatus cuda_poll(Device *d, bool *busy, RtError *error)
{
    const int result = d->driver.stream_query(NULL);
    *busy = result == CUDA_NOT_READY;
    return *busy ? RT_OK : cuda_check(&d->driver, result, "cuStreamQuery", error);
}

static RtStatus cuda_wait(Device *d, RtError *error)
{
    return cuda_check(&d->driver, d->driver.stream_wait(NULL), "cuStreamSynchronize", error);
}

const DeviceApi device_cuda = {
    .name = "cuda",
    .count = cuda_count,
    .open = cuda_open,
    .info = cuda_info,
    .start = cuda_start,
    .load = cuda_load,
    .occupancy = cuda_occupancy,
    .alloc = cuda_alloc,
    .map = cuda_map,
    .upload = cuda_upload,
    .download = cuda_download,
    .launch = cuda_launch,
    .poll = cuda_poll,
    .wait = cuda_wait,
    .close = cuda_close,
};
