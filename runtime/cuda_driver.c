// cuda_driver.c: finds the CUDA driver at run time.
#include "cuda_driver.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static const char *const no_fallback = "the program never runs on the CPU instead; compile with --target cpu for that";

RtStatus cuda_check(const CudaDriver *driver, int result, const char *call, RtError *error)
{
    if (result == CUDA_OK)
        return RT_OK;
    const char *text = NULL;
    if (driver->error_string(result, &text) != CUDA_OK || !text)
        text = "the driver has no text for it";
    return rt_fail(error, ERR_DEVICE_DRIVER, "%s failed: error %d, %s", call, result, text);
}

static RtStatus driver_init(const CudaDriver *driver, RtError *error)
{
    const int result = driver->init(0);
    if (result != CUDA_NO_DEVICE)
        return cuda_check(driver, result, "cuInit", error);
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    if (visible)
        rt_fail(error, ERR_NO_DEVICE, "the NVIDIA driver shows no GPU: CUDA_VISIBLE_DEVICES is \"%.100s\"", visible);
    else
        rt_fail(error, ERR_NO_DEVICE, "the NVIDIA driver finds no GPU");
    rt_advise(error, "%s", no_fallback);
    return RT_FAILED;
}

RtStatus cuda_driver_open(CudaDriver *driver, RtError *error)
{
    setenv("CUDA_DEVICE_ORDER", "PCI_BUS_ID", 0);
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        rt_fail(error, ERR_NO_DEVICE, "the NVIDIA driver is not on this machine: %.600s", dlerror());
        rt_advise(error, "%s", no_fallback);
        return RT_FAILED;
    }
    static const struct {
        size_t at;
        const char *symbol;
    } entries[] = {
#define CUDA_ROW(field, symbol, parameters) { offsetof(CudaDriver, field), symbol },
        CUDA_ENTRIES(CUDA_ROW)
#undef CUDA_ROW
    };
    for (size_t i = 0; i < sizeof entries / sizeof *entries; ++i) {
        void *found = dlsym(library, entries[i].symbol);
        if (!found) {
            rt_fail(error, ERR_DEVICE_DRIVER, "the NVIDIA driver is too old: libcuda.so.1 has no %s",
                    entries[i].symbol);
            rt_advise(error, "update the driver to one of CUDA 11.4 (470) or later");
            return RT_FAILED;
        }
        memcpy((char *)driver + entries[i].at, &found, sizeof found);
    }
    return driver_init(driver, error);
}
