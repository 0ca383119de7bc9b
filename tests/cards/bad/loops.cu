// loops.cu: loops that read weights in ways that no hot loop may, and one that may. Each NAME_sm_XX.sass is what nvdisasm -c shows of
// decode_NAME, compiled for that architecture.
#define READ(p) asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];" \
                             : "=r"(q.x), "=r"(q.y), "=r"(q.z), "=r"(q.w) : "l"(p)); \
    sum ^= q.x ^ q.y ^ q.z ^ q.w
#define KERNEL(name, ...) extern "C" __global__ void name(const uint4* w, unsigned* out, int n, __VA_ARGS__)

KERNEL(decode_good, int stride)
{
    uint4 q;
    unsigned sum = 0;
    #pragma unroll 1
    for (int i = 0; i < n; ++i) {
        READ(w + (size_t)i * 256 + threadIdx.x);
    }
    out[threadIdx.x] = sum;
}

KERNEL(decode_divides, int d)
{
    uint4 q;
    unsigned sum = 0;
    #pragma unroll 1
    for (int i = 0; i < n; ++i) {
        READ(w + i * 77 / d + threadIdx.x);
    }
    out[threadIdx.x] = sum;
}

KERNEL(decode_divides_by_seven, int k)
{
    uint4 q;
    unsigned sum = 0;
    #pragma unroll 1
    for (int i = 0; i < n; ++i) {
        READ(w + (i ^ k) / 7 + threadIdx.x);
    }
    out[threadIdx.x] = sum;
}

KERNEL(decode_multiplies_64, long long stride)
{
    uint4 q;
    unsigned sum = 0;
    long long at = n;
    #pragma unroll 1
    for (int i = 0; i < n; ++i) {
        at *= stride;
        READ(w + at + threadIdx.x);
    }
    out[threadIdx.x] = sum;
}

KERNEL(decode_multiplies_64_lanes, long long stride)
{
    uint4 q;
    unsigned sum = 0;
    long long at = n;
    #pragma unroll 1
    for (int i = 0; i < n; ++i) {
        at *= stride + threadIdx.x;
        READ(w + at);
    }
    out[threadIdx.x] = sum;
}

KERNEL(decode_reads_words, int stride)
{
    unsigned sum = 0, q;
    #pragma unroll 1
    for (int i = 0; i < n; ++i) {
        asm volatile("ld.global.nc.u32 %0, [%1];" : "=r"(q) : "l"((const unsigned*)w + i * 256 + threadIdx.x));
        sum ^= q;
    }
    out[threadIdx.x] = sum;
}

KERNEL(decode_calls_slow_path, float x)
{
    uint4 q;
    unsigned sum = 0;
    #pragma unroll 1
    for (int i = 0; i < n; ++i) {
        READ(w + i + threadIdx.x);
        x = 1.0f / (x + (float)q.x); // the slow path of a division is a function
    }
    out[threadIdx.x] = sum + (unsigned)x;
}

__device__ __noinline__ unsigned mix(unsigned x)
{
    return (x ^ x >> 15) * 0x85ebca77u;
}

KERNEL(decode_calls, int k)
{
    uint4 q;
    unsigned sum = 0;
    #pragma unroll 1
    for (int i = 0; i < n; ++i) {
        READ(w + i + threadIdx.x);
        sum = mix(sum);
    }
    out[threadIdx.x] = sum;
}

KERNEL(decode_spills, int k)
{
    uint4 q;
    unsigned sum = 0, kept[64];
    for (int i = 0; i < 64; ++i)
        kept[i] = i * k;
    #pragma unroll 1
    for (int i = 0; i < n; ++i) {
        READ(w + i + threadIdx.x);
        kept[q.x & 63] += sum;
    }
    out[threadIdx.x] = sum + kept[k & 63];
}

KERNEL(decode_unrolled, int k)
{
    uint4 q;
    unsigned sum = 0;
    READ(w + threadIdx.x);
    out[threadIdx.x] = sum;
}
