// driver.c: a stand-in for libcuda.so.1 with the one GPU that the environment describes.
// STAND_IN_GPU = "name|major|minor|SMs|shared memory|registers|L2|memory|memory kHz|bus bits", or "none": no GPU,
// "broken": cuInit fails.
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cuInit(unsigned flags);
int cuDeviceGetCount(int *n);
int cuDeviceGet(int *device, int ordinal);
int cuDeviceGetName(char *name, int bytes, int device);
int cuDeviceGetAttribute(int *value, int attribute, int device);
int cuDeviceTotalMem_v2(size_t *bytes, int device);

static const char *described(void)
{
    const char *text = getenv("STAND_IN_GPU");
    return text ? text : "none";
}

// The field number `n`, from 0: a number.
static long long field(int n)
{
    const char *at = described();
    while (n-- > 0 && at)
        at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL;
    return at ? atoll(at) : 0;
}

int cuInit(unsigned flags)
{
    (void)flags;
    return strcmp(described(), "broken") ? 0 : 999;
}

int cuDeviceGetCount(int *n)
{
    *n = strcmp(described(), "none") ? 1 : 0;
    return 0;
}

int cuDeviceGet(int *device, int ordinal)
{
    *device = ordinal;
    return 0;
}

int cuDeviceGetName(char *name, int bytes, int device)
{
    (void)device;
    snprintf(name, (size_t)bytes, "%.*s", (int)strcspn(described(), "|"), described());
    return 0;
}

int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    (void)device;
    static const int attributes[] = { -1, 75, 76, 16, 97, 82, 38, -1, 36, 37 }; // in the order of the fields
    for (int i = 0; i < 10; ++i)
        if (attributes[i] == attribute) {
            *value = (int)field(i);
            return 0;
        }
    return 1;
}

int cuDeviceTotalMem_v2(size_t *bytes, int device)
{
    (void)device;
    *bytes = (size_t)field(7);
    return 0;
}
