// device.h: what the runtime asks of a device. Two of them: the CUDA driver (device_cuda.c) and the CPU shim (device_simt.c).
#pragma once
#include "rt.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct DeviceInfo {
    char name[128], uuid[48], pci[24];
    int index, sm, sms;
    int driver;               // 13000: CUDA 13.0; 0 on the CPU
    int smem_block_bytes;     // largest, by opt-in
    int64_t total_bytes, free_bytes; // free_bytes: -1 before start
} DeviceInfo;

typedef struct Device Device;

// Every call but `open` and `count` takes an open device. Failures fill *error (code and text with the driver's number)
// and return its code; RT_OK otherwise. Not thread safe.
typedef struct DeviceApi {
    const char *name; // "cuda", "cpu"
    // Devices present, in PCI order, CUDA_VISIBLE_DEVICES honoured; RT error NO_DEVICE without driver.
    RtStatus (*count)(int *n, RtError *error);
    RtStatus (*open)(int index, Device **device, RtError *error);
    RtStatus (*info)(Device *d, DeviceInfo *info, RtError *error);
    // Once, before load: makes the GPU's context, which takes time and memory there.
    RtStatus (*start)(Device *d, RtError *error);
    // A cubin or shared object; one a device. `entry` functions are looked up by name afterwards.
    RtStatus (*load)(Device *d, const void *image, size_t bytes, RtError *error);
    // Blocks of `entry` with these threads and shared bytes that one multiprocessor holds at once.
    RtStatus (*occupancy)(Device *d, const char *entry, int threads, int smem_bytes, int *blocks, RtError *error);
    RtStatus (*alloc)(Device *d, size_t bytes, uint64_t *address, RtError *error); // zeroed
    // Host memory that the device can read and write at *address while kernels run. Zeroed.
    RtStatus (*map)(Device *d, size_t bytes, void **host, uint64_t *address, RtError *error);
    RtStatus (*upload)(Device *d, uint64_t to, const void *from, size_t bytes, RtError *error);
    RtStatus (*download)(Device *d, void *to, uint64_t from, size_t bytes, RtError *error);
    // Starts entry(weights, state, extra...) on blocks x threads; cooperative: all blocks resident at once. Returns at once
    // on a GPU, after the kernel has ended on the CPU. Launches, uploads and downloads take place in the order of the calls.
    RtStatus (*launch)(Device *d, const char *entry, int blocks, int threads, int smem_bytes, bool cooperative,
                       const uint64_t *args, int n_args, RtError *error);
    // *busy: the launch still runs. wait: returns when it has ended.
    RtStatus (*poll)(Device *d, bool *busy, RtError *error);
    RtStatus (*wait)(Device *d, RtError *error);
    void (*close)(Device *d); // gives everything back
} DeviceApi;

extern const DeviceApi device_cuda, device_simt;
