// merit.cuh: logits and their rows in order, as one number each.

// A value and its row as one number, which is larger where the value is, or among equals the row is lower; and back.
__device__ __forceinline__ unsigned long long merit_of(float value, unsigned row)
{
    const unsigned bits = __float_as_uint(value + 0.0f); // of the two zeros this one
    return (unsigned long long)(bits & 0x80000000u ? ~bits : bits | 0x80000000u) << 32 | ~row;
}
__device__ __forceinline__ float value_of(unsigned long long merit)
{
    const unsigned bits = (unsigned)(merit >> 32);
    return __uint_as_float(bits & 0x80000000u ? bits & 0x7fffffffu : ~bits);
}
__device__ __forceinline__ unsigned row_of(unsigned long long merit)
{
    return ~(unsigned)merit;
}

// The largest of what the lanes have.
__device__ __noinline__ unsigned long long warp_most(unsigned long long n)
{
    //$ if packets then
    const unsigned high = __reduce_max_sync(0xffffffffu, (unsigned)(n >> 32));
    return (unsigned long long)high << 32 | __reduce_max_sync(0xffffffffu, (unsigned)(n >> 32) == high ? (unsigned)n : 0u);
    //$ else
    #pragma unroll 1
    for (int d = 16; d > 0; d >>= 1) {
        const unsigned long long more = __shfl_xor_sync(0xffffffffu, n, d);
        n = more > n ? more : n;
    }
    return n;
    //$ end
}
