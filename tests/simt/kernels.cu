// kernels.cu: small kernels in the manner of rendered text, right as they stand. Blocks of 64 threads.
// A comment `// break NAME` marks what a test takes out or changes.

// ---- staging, one warp a row, a grid barrier between dependent waves ------------------------------------------------

__device__ __forceinline__ void gemv(int worker, const uint4* __restrict__ weights, const float* x, float* y, int rows,
                                     int words)
{
    SHARED_ARENA(arena);
    float4* xs = (float4*)arena;
    for (int i = threadIdx.x; i < 2 * words; i += 64)
        xs[i] = ((const float4*)x)[i];
    __syncthreads(); // break staged
    const int lane = threadIdx.x & 31;
    const int first = worker * rows / gridDim.x, last = (worker + 1) * rows / gridDim.x;
    for (int row = first + (threadIdx.x >> 5); row < last; row += 2) {
        float acc = 0.0f;
        for (int c = lane; c < words; c += 32) {
            const uint4 q = load_weight(weights + (size_t)row * words + c); // break stride
            const float4 x0 = xs[2 * c], x1 = xs[2 * c + 1];
            acc = fmaf(bf16_lo(q.x), x0.x, acc);
            acc = fmaf(bf16_hi(q.x), x0.y, acc);
            acc = fmaf(bf16_lo(q.y), x0.z, acc);
            acc = fmaf(bf16_hi(q.y), x0.w, acc);
            acc = fmaf(bf16_lo(q.z), x1.x, acc);
            acc = fmaf(bf16_hi(q.z), x1.y, acc);
            acc = fmaf(bf16_lo(q.w), x1.z, acc);
            acc = fmaf(bf16_hi(q.w), x1.w, acc);
        }
        acc = warp_sum(acc); // break sum
        if (lane == 0)
            y[row] = acc;
    }
}

// y1 = W1 x, y2 = W2 y1.
extern "C" __global__ void __launch_bounds__(64, 1)
two_waves(const uint4* __restrict__ weights, unsigned char* state)
{
    Request* request = (Request*)state;
    const float* x = (const float*)(state + 1024);
    float* y1 = (float*)(state + 4096);
    float* y2 = (float*)(state + 8192);
    const int worker = blockIdx.x;
    gemv(worker, weights, x, y1, 136, 33);
    if (!grid_sync(request, gridDim.x, 1u << 30, 0u, worker)) // break grid
        return;
    gemv(worker, weights + 136 * 33, y1, y2, 40, 17);
}

// ---- a ring of asynchronous copies ----------------------------------------------------------------------------------

// Thread t takes the word that thread t ^ 33 copied, tile after tile, through three slots.
extern "C" __global__ void __launch_bounds__(64, 1)
ring(const uint4* __restrict__ weights, unsigned char* state)
{
    SHARED_ARENA(arena);
    const uint4* tiles = weights + blockIdx.x * 20 * 64 + threadIdx.x;
    for (int s = 0; s < 2; ++s) {
        cp_async16(&arena[s * 64 + threadIdx.x], &tiles[s * 64]); // break arena
        cp_async_commit();
    }
    unsigned sum = 0;
    for (int tile = 0; tile < 20; ++tile) {
        cp_async_wait<1>(); // break wait
        __syncthreads();    // break arrived
        const uint4 q = arena[tile % 3 * 64 + (threadIdx.x ^ 33)];
        sum = sum * 31 + (q.x ^ q.y ^ q.z ^ q.w);
        if (tile + 2 < 20)
            cp_async16(&arena[(tile + 2) % 3 * 64 + threadIdx.x], &tiles[(tile + 2) * 64]);
        cp_async_commit();
    }
    cp_async_wait<0>(); // break last
    ((unsigned*)(state + 1024))[blockIdx.x * 64 + threadIdx.x] = sum;
}

// ---- what lanes, warps and blocks tell each other -------------------------------------------------------------------

template <int LANES> __device__ __forceinline__ float tree(float v)
{
    for (int d = LANES / 2; d > 0; d >>= 1)
        v += __shfl_xor_sync(0xffffffffu, v, d);
    return v;
}

template <int LANES> __device__ __forceinline__ unsigned same_bits(float v)
{
    float most = v;
    for (int d = LANES / 2; d > 0; d >>= 1)
        most = fmaxf(most, __shfl_xor_sync(0xffffffffu, most, d));
    const bool sum = __float_as_uint(group_sum<LANES>(v)) == __float_as_uint(tree<LANES>(v));
    return sum && __float_as_uint(group_max<LANES>(v)) == __float_as_uint(most);
}

__device__ __forceinline__ unsigned most_of(unsigned v)
{
    for (int d = 16; d > 0; d >>= 1)
        v = max(v, __shfl_xor_sync(0xffffffffu, v, d));
    return v;
}

// Each thread leaves 16 words; host.c knows what they must be.
extern "C" __global__ void __launch_bounds__(64, 1)
talk(const uint4* __restrict__ weights, unsigned char* state)
{
    SHARED_ARENA(arena);
    unsigned* slots = (unsigned*)arena;
    unsigned* out = (unsigned*)(state + 1024) + (blockIdx.x * 64 + threadIdx.x) * 16;
    const unsigned t = threadIdx.x, lane = t & 31;
    const float v = (float)(t * 2654435761u >> 8) * 0x1p-20f - 3.0f;
    out[0] = same_bits<32>(v) & same_bits<16>(v) & same_bits<8>(v);
    out[0] &= same_bits<4>(v) & same_bits<2>(v) & same_bits<1>(v);
    out[0] &= __reduce_max_sync(0xffffffffu, t * 2654435761u) == most_of(t * 2654435761u);
    out[0] &= slots[t + 128] == 0xffffffffu; // never written
    out[1] = __float_as_uint(warp_sum(v));
    out[2] = __shfl_sync(0xffffffffu, t * t, 5);
    out[3] = __shfl_down_sync(0xffffffffu, t, 3);
    out[4] = __shfl_up_sync(0xffffffffu, t, 3);
    out[5] = (unsigned)__shfl_xor_sync(0xffffffffu, (unsigned long long)t << 33 | t, 31) ^ t;
    out[6] = __ballot_sync(0xffffffffu, t % 3 == 0);
    out[7] = __any_sync(0xffffffffu, t == 40) * 2 + __all_sync(0xffffffffu, t < 32);
    out[8] = __syncthreads_count(t % 5 == 0);
    out[9] = __syncthreads_or(t == 63) * 2 + __syncthreads_and(t < 63);
    if (lane < 8)
        out[10] = __shfl_xor_sync(0x000000ffu, t, 7);
    else
        out[10] = __shfl_xor_sync(0xffffff00u, t, 1);
    slots[t] = t * 7 + blockIdx.x;
    if (__any_sync(0xffffffffu, __shfl_sync(0xffffffffu, t, 0) > 63)) // neither is an order
        return;
    __syncwarp(); // break warp
    out[11] = slots[t ^ 31];
    __syncthreads(); // break block
    slots[63 - t] = t;
    __syncthreads();
    out[12] = slots[t];
    out[13] = __popc(t) + __clz(t) * 100 + __ffs(t) * 10000;
    out[14] = min(3, (int)t) + max(60u, t) * 100 + __umulhi(t << 28, 1u << 8) * 10000;
    out[15] = slots[t] + blockDim.x * 100 + gridDim.x * 10000 + warpSize * 1000000;
}

// Every F16 number to float and back, and fmaxf, fminf of what surrounds zero: [65536] and [25] {max, min}.
extern "C" __global__ void numbers(const uint4* weights, unsigned char* state)
{
    unsigned* out = (unsigned*)(state + 1024);
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < 65536; i += gridDim.x * blockDim.x) {
        out[2 * i] = __float_as_uint(i & 1 ? f16_hi(i << 16) : f16_lo(i));
        out[2 * i + 1] = f16_round(((const float*)weights)[i]);
    }
    const float some[5] = { -1.0f, -0.0f, 0.0f, 1.0f, __uint_as_float(0x7fc00000u) };
    if (blockIdx.x == 0 && threadIdx.x < 25) {
        const float a = some[threadIdx.x / 5], b = some[threadIdx.x % 5];
        out[131072 + 2 * threadIdx.x] = __float_as_uint(fmaxf(a, b));
        out[131072 + 2 * threadIdx.x + 1] = __float_as_uint(fminf(a, b));
    }
}

// In which order threads come, as the seed has it: the place of each thread's four visits.
extern "C" __global__ void turns(const uint4* weights, unsigned char* state)
{
    unsigned* count = (unsigned*)(state + 512);
    unsigned* out = (unsigned*)(state + 1024) + (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    for (int i = 0; i < 4; ++i) {
        out[i] = atomicAdd(count, 1u);
        __syncwarp();
    }
}

// A word handed from block to block by every way there is.
extern "C" __global__ void hand_on(const uint4* weights, unsigned char* state)
{
    unsigned* flag = (unsigned*)(state + 512);
    unsigned* value = (unsigned*)(state + 1024);
    if (threadIdx.x == 0) {
        while (load_acquire(flag) < blockIdx.x) {
        }
        *value += blockIdx.x * blockIdx.x + 1;
        if (blockIdx.x & 1) {
            store_release(flag, blockIdx.x + 1);
        } else {
            __threadfence(); // break hand
            atomicAdd(flag, 1u);
        }
        atomicMin((unsigned long long*)(state + 520), (unsigned long long)(100 - blockIdx.x));
    }
    __syncthreads();
}

// Locals live on each thread's own stack, and six arguments arrive.
extern "C" __global__ void
arguments(unsigned* out, unsigned long long b, unsigned long long c, unsigned long long d, const unsigned* e,
          unsigned char* f)
{
    unsigned kept[40];
    for (int i = 0; i < 40; ++i)
        kept[i] = threadIdx.x * i;
    __syncthreads();
    unsigned sum = 0;
    for (int i = 0; i < 40; ++i)
        sum += kept[(i * 7 + threadIdx.x) % 40];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum + (unsigned)(b + c * 3 + (d >> 32)) + *e + *f;
}
