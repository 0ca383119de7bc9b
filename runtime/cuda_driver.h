// cuda_driver.h: the entry points of the CUDA driver that the runtime calls, declared here so that no cuda.h is needed.
// Types and numbers are those of CUDA's public driver API; the names of the symbols are those of cuda.h 11.4 and later.
#pragma once
#include "rt_error.h"

#include <stddef.h>
#include <stdint.h>

typedef int CudaDevice;
typedef uint64_t CudaAddress;
typedef struct CudaContext CudaContext;
typedef struct CudaModule CudaModule;
typedef struct CudaFunction CudaFunction;
typedef struct CudaStream CudaStream;
typedef struct CudaUuid {
    unsigned char bytes[16];
} CudaUuid;

enum {
    CUDA_OK = 0,
    CUDA_OUT_OF_MEMORY = 2,
    CUDA_NO_DEVICE = 100,
    CUDA_NO_BINARY = 209,
    CUDA_NOT_READY = 600,
    CUDA_ATTRIBUTE_SMS = 16,
    CUDA_ATTRIBUTE_MAJOR = 75,
    CUDA_ATTRIBUTE_MINOR = 76,
    CUDA_ATTRIBUTE_SMEM_OPTIN = 97,
    CUDA_FUNCTION_DYNAMIC_SMEM = 8,
    CUDA_HOST_ALLOC_MAPPED = 2,
};

// ENTRY(field, symbol, parameters): the exact name asked of dlsym.
#define CUDA_ENTRIES(ENTRY) \
    ENTRY(init, "cuInit", (unsigned flags)) \
    ENTRY(error_string, "cuGetErrorString", (int error, const char **text)) \
    ENTRY(driver_version, "cuDriverGetVersion", (int *version)) \
    ENTRY(device_count, "cuDeviceGetCount", (int *count)) \
    ENTRY(device_get, "cuDeviceGet", (CudaDevice *device, int index)) \
    ENTRY(device_name, "cuDeviceGetName", (char *name, int bytes, CudaDevice device)) \
    ENTRY(device_attribute, "cuDeviceGetAttribute", (int *value, int attribute, CudaDevice device)) \
    ENTRY(device_total_mem, "cuDeviceTotalMem_v2", (size_t *bytes, CudaDevice device)) \
    ENTRY(device_uuid, "cuDeviceGetUuid_v2", (CudaUuid *uuid, CudaDevice device)) \
    ENTRY(device_pci, "cuDeviceGetPCIBusId", (char *id, int bytes, CudaDevice device)) \
    ENTRY(context_retain, "cuDevicePrimaryCtxRetain", (CudaContext **context, CudaDevice device)) \
    ENTRY(context_release, "cuDevicePrimaryCtxRelease_v2", (CudaDevice device)) \
    ENTRY(context_set, "cuCtxSetCurrent", (CudaContext *context)) \
    ENTRY(mem_info, "cuMemGetInfo_v2", (size_t *available, size_t *total)) \
    ENTRY(module_load, "cuModuleLoadData", (CudaModule **module, const void *image)) \
    ENTRY(module_unload, "cuModuleUnload", (CudaModule *module)) \
    ENTRY(module_function, "cuModuleGetFunction", (CudaFunction **function, CudaModule *module, const char *name)) \
    ENTRY(function_attribute, "cuFuncSetAttribute", (CudaFunction *function, int attribute, int value)) \
    ENTRY(occupancy, "cuOccupancyMaxActiveBlocksPerMultiprocessor", \
          (int *blocks, CudaFunction *function, int threads, size_t smem_bytes)) \
    ENTRY(mem_alloc, "cuMemAlloc_v2", (CudaAddress *address, size_t bytes)) \
    ENTRY(mem_free, "cuMemFree_v2", (CudaAddress address)) \
    ENTRY(mem_set, "cuMemsetD8_v2", (CudaAddress to, unsigned char value, size_t bytes)) \
    ENTRY(host_alloc, "cuMemHostAlloc", (void **host, size_t bytes, unsigned flags)) \
    ENTRY(host_free, "cuMemFreeHost", (void *host)) \
    ENTRY(host_address, "cuMemHostGetDevicePointer_v2", (CudaAddress *address, void *host, unsigned flags)) \
    ENTRY(copy_to, "cuMemcpyHtoD_v2", (CudaAddress to, const void *from, size_t bytes)) \
    ENTRY(copy_from, "cuMemcpyDtoH_v2", (void *to, CudaAddress from, size_t bytes)) \
    ENTRY(stream_query, "cuStreamQuery", (CudaStream *stream)) \
    ENTRY(stream_wait, "cuStreamSynchronize", (CudaStream *stream)) \
    ENTRY(launch, "cuLaunchKernel", \
          (CudaFunction *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y, \
           unsigned block_z, unsigned smem_bytes, CudaStream *stream, void **params, void **extra)) \
    ENTRY(launch_cooperative, "cuLaunchCooperativeKernel", \
          (CudaFunction *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y, \
           unsigned block_z, unsigned smem_bytes, CudaStream *stream, void **params))

typedef struct CudaDriver {
#define CUDA_FIELD(field, symbol, parameters) int(*field) parameters;
    CUDA_ENTRIES(CUDA_FIELD)
#undef CUDA_FIELD
} CudaDriver;

// Opens libcuda.so.1, finds every entry point, initialises the driver. Sets CUDA_DEVICE_ORDER=PCI_BUS_ID unless the user
// has set it, so that indices are nvidia-smi's. The library stays loaded. Errors: NO_DEVICE, DEVICE_DRIVER.
RtStatus cuda_driver_open(CudaDriver *driver, RtError *error);

// RT_OK for result 0; else DEVICE_DRIVER: call, number and the driver's text.
RtStatus cuda_check(const CudaDriver *driver, int result, const char *call, RtError *error);
