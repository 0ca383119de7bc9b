// base.cuh: the words that every kernel uses beyond CUDA itself: loads, sums, the grid barrier, faults.
// The CPU shim supplies its own versions of what stands under LLMC_SIMT.
#ifndef LLMC_SIMT

// The block's dynamic shared memory, laid out by the plan.
#define SHARED_ARENA(name) extern __shared__ uint4 name[]

// The same value, made here: what is computed from it is computed behind this point. Without it the compiler computes every
// address of a layer once, before the layer loop, and keeps dozens of them in registers it does not have.
__device__ __forceinline__ int here(int v)
{
    asm volatile("" : "+r"(v));
    return v;
}
template <class T> __device__ __forceinline__ T* here(T* p)
{
    asm volatile("" : "+l"(p));
    return p;
}

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
    asm volatile("st.relaxed.sys.global.u32 [%0], %1;" :: "l"(p), "r"(v) : "memory");
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

// The arena, for entries: nvcc warns of an extern array that is declared inside an extern "C" function.
__device__ __forceinline__ uint4* shared_arena()
{
    SHARED_ARENA(arena);
    return arena;
}

__device__ __forceinline__ int thread_index()
{
    return here((int)threadIdx.x);
}

__device__ __forceinline__ float warp_sum(float v)
{
    return group_sum<32>(v);
}

// Of two values and the rows that have them: the larger value, the lower row among equals.
__device__ __forceinline__ void keep_better(const float v, const unsigned row, float& most, unsigned& most_row)
{
    if (v > most || (v == most && row < most_row)) {
        most = v;
        most_row = row;
    }
}

// The largest value of the warp's lanes, and the lowest row that has it.
__device__ __forceinline__ void warp_best(float& most, unsigned& most_row)
{
    #pragma unroll 1
    for (int d = 16; d > 0; d >>= 1) {
        const float v = __shfl_xor_sync(0xffffffffu, most, d);
        const unsigned row = __shfl_xor_sync(0xffffffffu, most_row, d);
        keep_better(v, row, most, most_row);
    }
}

// Remembers the smallest fault word of the launch: token, wave, worker, cause. `where` is token << 16 | wave.
__device__ __forceinline__ void fault(Request* request, unsigned where, unsigned worker, unsigned cause)
{
    atomicMin(&request->fault, (unsigned long long)where << 32 | worker << 16 | cause);
}

// Does this token of the launch need logits? The last forced one and all behind it do; every one when all are asked for.
__device__ __forceinline__ bool head_runs(const Request* request, int step)
{
    return step + 1 >= request->forced || request->all_logits;
}

// May the id be chosen? `bits`: one for each id.
__device__ __forceinline__ bool is_selectable(const unsigned char* bits, unsigned id)
{
    return bits[id >> 3] >> (id & 7u) & 1u;
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
