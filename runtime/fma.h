// fma.h: a function a second time with the processor's own multiply-add, without which each fmaf is a call.
#pragma once

#if defined(__x86_64__)
#define WITH_FMA __attribute__((target("avx2,fma")))
static inline int has_fma(void)
{
    return __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2");
}
#else
#define WITH_FMA
static inline int has_fma(void)
{
    return 1;
}
#endif
