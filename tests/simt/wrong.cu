// wrong.cu: kernels that are wrong as they stand, one way each; the shim must say so.
extern "C" __global__ void leaves_early(const uint4* weights, unsigned char* state)
{
    if (threadIdx.x == 37)
        return;
    __syncthreads();
}

extern "C" __global__ void leaves_warp(const uint4* weights, unsigned char* state)
{
    if (threadIdx.x < 32 && (threadIdx.x & 31) > 20)
        return;
    __syncwarp();
}

extern "C" __global__ void sums_in_both_branches(const uint4* weights, unsigned char* state)
{
    float v = threadIdx.x;
    if (threadIdx.x & 16)
        v = warp_sum(v);
    else
        v = warp_sum(-v);
    ((float*)state)[threadIdx.x] = v;
}

extern "C" __global__ void reads_a_lane_outside(const uint4* weights, unsigned char* state)
{
    if (threadIdx.x < 8)
        ((unsigned*)state)[threadIdx.x] = __shfl_xor_sync(0x000000ffu, threadIdx.x, 8);
}

extern "C" __global__ void not_in_its_mask(const uint4* weights, unsigned char* state)
{
    if (threadIdx.x == 9)
        __syncwarp(0x000000ffu);
}

extern "C" __global__ void polls_for_ever(const uint4* weights, unsigned char* state)
{
    while (!__all_sync(0xffffffffu, load_acquire((unsigned*)state + 100) == threadIdx.x + 1)) {
    }
}

extern "C" __global__ void writes_behind_shared(const uint4* weights, unsigned char* state)
{
    SHARED_ARENA(arena);
    if (threadIdx.x == 0)
        ((unsigned char*)arena)[1024] = 1;
}

extern "C" __global__ void copies_beside_shared(const uint4* weights, unsigned char* state)
{
    cp_async16(state + 64, weights);
    cp_async_commit();
    cp_async_wait<0>();
}

extern "C" __global__ void copies_askew(const uint4* weights, unsigned char* state)
{
    SHARED_ARENA(arena);
    cp_async16(arena, (const unsigned char*)weights + 4);
    cp_async_commit();
    cp_async_wait<0>();
}

extern "C" __global__ void traps(const uint4* weights, unsigned char* state)
{
    if (blockIdx.x == 2 && threadIdx.x == 3)
        __trap();
}

__device__ __attribute__((noinline)) unsigned deep(unsigned n)
{
    volatile unsigned kept[200];
    kept[n % 200] = n;
    return n ? deep(n - 1) + kept[n % 200] : 0;
}

extern "C" __global__ void overflows_its_stack(const uint4* weights, unsigned char* state)
{
    ((unsigned*)state)[threadIdx.x] = deep(1000 + threadIdx.x);
}
