// packet.cuh: what workers send each other: 16 bytes that hold four numbers and a tag, written whole and read whole. The
// packet carries its data, so no fence and no flag stand beside it.
#ifndef LLMC_SIMT

__device__ __forceinline__ uint4 load_packet(const uint4* p)
{
    uint4 v;
    asm volatile("{.reg .b128 t; .reg .b64 a, b; ld.relaxed.gpu.global.b128 t, [%4]; mov.b128 {a, b}, t; mov.b64 {%0, %1}, a; mov.b64 {%2, %3}, b;}"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p) : "memory");
    return v;
}
__device__ __forceinline__ void store_packet(uint4* p, uint4 v)
{
    asm volatile("{.reg .b128 t; .reg .b64 a, b; mov.b64 a, {%1, %2}; mov.b64 b, {%3, %4}; mov.b128 t, {a, b}; st.relaxed.gpu.global.b128 [%0], t;}"
                 :: "l"(p), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w) : "memory");
}

// A word of shared memory that another warp of the block may change.
__device__ __forceinline__ unsigned load_flag(const unsigned* p)
{
    return *(const volatile unsigned*)p;
}
__device__ __forceinline__ void store_flag(unsigned* p, unsigned v)
{
    *(volatile unsigned*)p = v;
}

// Everything this thread wrote is visible to the whole GPU before what it writes next.
__device__ __forceinline__ void fence_gpu()
{
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
}

// The eight consumer warps of a block meet; the warp that feeds the ring does not.
__device__ __forceinline__ void consumers_meet()
{
    asm volatile("bar.sync 1, 256;" ::: "memory");
}
#endif

// To 24 bits, to nearest; what is not finite stays so.
__device__ __forceinline__ unsigned round24(float v)
{
    const unsigned u = __float_as_uint(v);
    return is_finite(v) ? u + 0x80u : u;
}
// Four floats of 24 bits (sign, exponent, 15 of the mantissa) and the tag.
__device__ __forceinline__ uint4 pack24(float a, float b, float c, float d, unsigned tag)
{
    const unsigned w = round24(d);
    return make_uint4(round24(a) >> 8 | (w & 0xff000000u), round24(b) >> 8 | (w << 8 & 0xff000000u),
                      round24(c) >> 8 | (w << 16 & 0xff000000u), tag);
}
__device__ __forceinline__ float4 unpack24(uint4 p)
{
    return make_float4(__uint_as_float(p.x << 8), __uint_as_float(p.y << 8), __uint_as_float(p.z << 8),
                       __uint_as_float((p.x & 0xff000000u) | (p.y >> 8 & 0x00ff0000u) | (p.z >> 16 & 0x0000ff00u)));
}
