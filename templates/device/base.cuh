// base.cuh: the words that every kernel uses beyond CUDA itself: loads, sums, 2^x, the grid barrier, faults.
// The CPU shim supplies its own versions of what stands under LLMC_SIMT.
#ifndef LLMC_SIMT

// The block's dynamic shared memory, laid out by the plan.
#define SHARED_ARENA(name) extern __shared__ uint4 name[]

// A weight: read once a token, so it takes the read-only path and no room in L1.
__device__ __forceinline__ uint4 load_weight(const uint4* p)
{
    uint4 v;
    asm("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
        : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p));
    return v;
}

// The one way to wait for another block: everything it wrote before its release is visible after this load.
__device__ __forceinline__ unsigned load_acquire(const unsigned* p)
{
    unsigned v;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}

// A word in host memory that the host reads or writes during the launch.
__device__ __forceinline__ unsigned load_system(const unsigned* p)
{
    unsigned v;
    asm volatile("ld.relaxed.sys.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}
__device__ __forceinline__ void store_system(unsigned* p, unsigned v)
{
    asm volatile("st.release.sys.global.u32 [%0], %1;" :: "l"(p), "r"(v) : "memory");
}

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

// Sum over aligned groups of LANES lanes; every lane gets it. The order is a tree: partners at distance LANES/2, .., 2, 1.
template <int LANES> __device__ __forceinline__ float group_sum(float v)
{
    #pragma unroll
    for (int d = LANES / 2; d > 0; d >>= 1)
        v += __shfl_xor_sync(0xffffffffu, v, d);
    return v;
}
#endif

__device__ __forceinline__ float warp_sum(float v)
{
    return group_sum<32>(v);
}

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

// Remembers the smallest fault word of the launch: token, wave, worker, cause. `where` is token << 16 | wave.
__device__ __forceinline__ void fault(Request* request, unsigned where, unsigned worker, unsigned cause)
{
    atomicMin(&request->fault, (unsigned long long)where << 32 | worker << 16 | cause);
}

// All workers meet: what any wrote before, all may read after. `target`: arrivals of this launch that complete it, so
// nothing is reset between barriers. False: a worker is missing for too long; the fault is noted and the kernel must end.
__device__ __forceinline__ bool grid_sync(Request* request, unsigned target, unsigned limit, unsigned where, unsigned worker)
{
    int late = 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(&request->arrived, 1u);
        for (unsigned polls = 0; load_acquire(&request->arrived) < target; ++polls)
            if (polls == limit) {
                fault(request, where, worker, 3u);
                late = 1;
                break;
            }
    }
    return !__syncthreads_or(late);
}
