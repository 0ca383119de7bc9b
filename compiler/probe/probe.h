// probe.h: a Target measured on the GPU present.
#pragma once
#include "../build/build.h"

// What the driver tells of device `index`, in PCI order. Errors: NO_DEVICE, DEVICE_UNKNOWN, DEVICE_DRIVER.
Target *probe_target(Arena *a, int index);

// The kernels, to be built for it.
Source probe_source(Arena *a);

typedef struct ProbeOptions {
    int device;
    double launch_seconds; // what one timed launch should take; 0: 0.02
    double (*now)(void);   // seconds; NULL: the monotonic clock. Tests bring their own
} ProbeOptions;

// Puts what is measured on the device into *t; each step is a note. Errors: DEVICE_DRIVER, DEVICE_MEMORY, WATCHDOG.
// Warning: probe.
void probe_measure(Arena *a, Target *t, const Artifact *art, const ProbeOptions *o);
