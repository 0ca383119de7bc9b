// mma.cuh: matrix instructions: 16 rows of A times 8 columns of B, 16 deep, added to C in float32; and a float as two halves.
// Lane l holds, with g = l / 4 and q = l % 4: of A rows g (a0, a2) and g + 8 (a1, a3), of B column g, each at depth 2q, 2q+1
// and 2q+8, 2q+9; of C rows g (c[0], c[1]) and g + 8 (c[2], c[3]) at columns 2q, 2q+1.
#ifndef LLMC_SIMT

__device__ __forceinline__ void mma_bf16(float (&c)[4], unsigned a0, unsigned a1, unsigned a2, unsigned a3, unsigned b0, unsigned b1)
{
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}
__device__ __forceinline__ void mma_f16(float (&c)[4], unsigned a0, unsigned a1, unsigned a2, unsigned a3, unsigned b0, unsigned b1)
{
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}
// Four 8 x 8 blocks of 16-bit numbers, each turned: lane l gives the address of row l % 8 of block l / 8; word i of the result
// holds column l / 4 of block i at rows 2q, 2q+1.
__device__ __forceinline__ uint4 load_turned(const void* row)
{
    uint4 v;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "r"((unsigned)__cvta_generic_to_shared(row)) : "memory");
    return v;
}
// An 8 x 8 block of 16-bit numbers, turned: lane l gives row g at columns 2q, 2q+1 and gets column g at rows 2q, 2q+1.
__device__ __forceinline__ unsigned turn_block(unsigned word)
{
    unsigned v;
    asm("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(v) : "r"(word));
    return v;
}
// 2^x, relative error below 2^-22; below 2^-126: 0.
__device__ __forceinline__ float exp2_fast(float x)
{
    float v;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(v) : "f"(x));
    return v;
}
// a / b and 1 / sqrt(a), relative error below 2^-21, without the branch that exact division has for extreme numbers.
__device__ __forceinline__ float divide_fast(float a, float b)
{
    float v;
    asm("div.approx.ftz.f32 %0, %1, %2;" : "=f"(v) : "f"(a), "f"(b));
    return v;
}
__device__ __forceinline__ float rsqrt_fast(float a)
{
    float v;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(v) : "f"(a));
    return v;
}
// v = *p in the threads that say so; the others keep theirs. In shared memory.
__device__ __forceinline__ void load_shared_where(const bool mine, uint4& v, const uint4* p)
{
    asm volatile("{.reg .pred p; setp.ne.u32 p, %4, 0; @p ld.shared.v4.u32 {%0, %1, %2, %3}, [%5];}"
                 : "+r"(v.x), "+r"(v.y), "+r"(v.z), "+r"(v.w) : "r"((unsigned)mine), "r"((unsigned)__cvta_generic_to_shared(p)) : "memory");
}
// a in the low half, b in the high one; to nearest, ties to even.
__device__ __forceinline__ unsigned pair_bf16(float a, float b)
{
    unsigned v;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(v) : "f"(b), "f"(a));
    return v;
}
__device__ __forceinline__ unsigned pair_f16(float a, float b)
{
    unsigned v;
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(v) : "f"(b), "f"(a));
    return v;
}
#else
__device__ __forceinline__ float exp2_fast(float x)
{
    return exp2_fixed(x);
}
__device__ __forceinline__ float divide_fast(float a, float b)
{
    return a / b;
}
__device__ __forceinline__ float rsqrt_fast(float a)
{
    return 1.0f / sqrtf(a);
}
__device__ __forceinline__ unsigned pair_bf16(float a, float b)
{
    return bf16_round(a) | (unsigned)bf16_round(b) << 16;
}
__device__ __forceinline__ unsigned pair_f16(float a, float b)
{
    return f16_round(a) | (unsigned)f16_round(b) << 16;
}
#endif

// a / (1 + e^-a); 1.44269504 is log2(e). Where e^-a is beyond all bounds the result is -0.
__device__ __forceinline__ float silu_fast(float a)
{
    return a < -80.0f ? 0.0f * a : divide_fast(a, 1.0f + exp2_fast(-1.44269504f * a));
}

// a and b as the sum of two halves each: x holds the nearest halves, y the nearest of what is left.
__device__ __forceinline__ uint2 halves_bf16(float a, float b)
{
    const unsigned high = pair_bf16(a, b);
    return make_uint2(high, pair_bf16(a - bf16_lo(high), b - bf16_hi(high)));
}
__device__ __forceinline__ uint2 halves_f16(float a, float b)
{
    const unsigned high = pair_f16(a, b);
    return make_uint2(high, pair_f16(a - f16_lo(high), b - f16_hi(high)));
}

// Rows of the K/V cache lie turned: 16-byte piece c of a position's row at c xor this, so that neither eight positions of one
// piece nor two positions of four pieces meet in a bank.
__device__ __forceinline__ int turn_of(const int position)
{
    return (position & 1) << 2 | (position >> 1 & 3);
}
