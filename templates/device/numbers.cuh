// numbers.cuh: BF16 and F16 to float and back, 2^x and silu: the same bits on a GPU and on the CPU shim.
#ifndef LLMC_SIMT

// The two F16 numbers of a word, exact; and a float as F16, to nearest, ties to even.
__device__ __forceinline__ float f16_lo(unsigned w)
{
    float v;
    asm("{.reg .f16 a, b; mov.b32 {a, b}, %1; cvt.f32.f16 %0, a;}" : "=f"(v) : "r"(w));
    return v;
}
__device__ __forceinline__ float f16_hi(unsigned w)
{
    float v;
    asm("{.reg .f16 a, b; mov.b32 {a, b}, %1; cvt.f32.f16 %0, b;}" : "=f"(v) : "r"(w));
    return v;
}
__device__ __forceinline__ unsigned short f16_round(float v)
{
    unsigned short h;
    asm("{.reg .f16 a; cvt.rn.f16.f32 a, %1; mov.b16 %0, a;}" : "=h"(h) : "f"(v));
    return h;
}
#endif

__device__ __forceinline__ float bf16_lo(unsigned w)
{
    return __uint_as_float(w << 16);
}
__device__ __forceinline__ float bf16_hi(unsigned w)
{
    return __uint_as_float(w & 0xffff0000u);
}
// To nearest, ties to even; NaN stays NaN.
__device__ __forceinline__ unsigned short bf16_round(float v)
{
    const unsigned u = __float_as_uint(v);
    return (u & 0x7fffffffu) > 0x7f800000u ? u >> 16 | 0x40u : (u + 0x7fffu + (u >> 16 & 1u)) >> 16;
}

__device__ __forceinline__ bool is_finite(float v)
{
    return (__float_as_uint(v) & 0x7f800000u) != 0x7f800000u;
}

// 2^x by the same additions and multiplications on every machine: 2^x = 2^n * 2^f with n the nearest integer, 2^f by its
// Taylor polynomial of degree 7 (relative error under 1e-8 for |f| <= 0.5). Below 2^-126: 0. NaN stays NaN.
__device__ __forceinline__ float exp2_fixed(float x)
{
    if (x < -126.0f)
        return 0.0f;
    x = x > 127.0f ? 127.0f : x;
    const float shifted = x + 12582912.0f; // 1.5 * 2^23: the integer lands in the low bits
    const float f = x - (shifted - 12582912.0f);
    float p = 1.52527338e-5f;
    p = fmaf(p, f, 1.54035304e-4f);
    p = fmaf(p, f, 1.33335581e-3f);
    p = fmaf(p, f, 9.61812911e-3f);
    p = fmaf(p, f, 5.55041087e-2f);
    p = fmaf(p, f, 2.40226507e-1f);
    p = fmaf(p, f, 6.93147181e-1f);
    p = fmaf(p, f, 1.0f);
    return p * __uint_as_float((__float_as_uint(shifted) - 0x4b400000u + 127u) << 23);
}

// a / (1 + e^-a); 1.44269504 is log2(e).
__device__ __forceinline__ float silu(float a)
{
    return a / (1.0f + exp2_fixed(-1.44269504f * a));
}
