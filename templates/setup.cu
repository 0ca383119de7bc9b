//$ -- setup: kernels beside the decode: weights and cache made by hash, and the pure read that measures the floor.
//$ params "matrices norms keys_at threads workers read_words cache bulk"
//$ for _, m in ipairs(matrices) do
//$ if m.template == "fill_lanes.cu" then
__constant__ int $(m.name)_slices[$(m.slices + 1)] = { $(m.slice_text) }; // first column of each slice
//$ end
//$ end

// hash.h's arithmetic: 24 bits of (key, row, column) as a number in [-1, 1).
__device__ __forceinline__ unsigned long long hash_mix(unsigned long long x)
{
    x ^= x >> 31;
    x *= 0x9e3779b97f4a7c15ull;
    x ^= x >> 29;
    x *= 0xbf58476d1ce4e5b9ull;
    x ^= x >> 32;
    return x;
}
__device__ __forceinline__ float hash_unit(unsigned long long key, unsigned row, unsigned col)
{
    const unsigned bits = (unsigned)(hash_mix(key ^ hash_mix((unsigned long long)row << 32 | col)) >> 40);
    return (float)bits * 0x1p-23f - 1.0f;
}

// Every matrix and norm by hash; keys: one for each tensor, matrices first, layer after layer.
extern "C" __global__ void __launch_bounds__($(threads), 1)
fill_weights(unsigned char* weights, unsigned char* state)
{
    const unsigned long long* keys = (const unsigned long long*)(state + $(keys_at));
    //$ for _, m in ipairs(matrices) do

    // $(m.name): [$(m.layers)][$(m.rows) x $(m.cols)] $(m.format)
    //$ include(m.template, m)
    //$ end
    //$ for _, n in ipairs(norms) do

    // $(n.name): [$(n.layers)][$(n.cols)] f32
    #pragma unroll 1
    for (int i = blockIdx.x * $(threads) + threadIdx.x; i < $(n.layers * n.cols); i += $(workers * threads)) {
        const int layer = i / $(n.cols), col = i % $(n.cols);
        float* to = (float*)(weights + $(n.base) + layer * $(n.layer_stride)ll);
        to[col] = fmaf(hash_unit(keys[$(n.first) + layer], 0u, col), 0.25f, 1.0f);
    }
    //$ end
}

// K and V of positions 0 .. positions-1 by hash; the row counts layers, then K and V, then heads, then positions.
extern "C" __global__ void __launch_bounds__($(threads), 1)
fill_cache(const uint4* weights, unsigned char* state, unsigned long long positions, unsigned long long key)
{
    //$ include("fill_cache.cu", cache)
}

// Reads every weight byte of a token once and does nothing with it: the floor, measured.
extern "C" __global__ void __launch_bounds__($(threads), 1)
read_weights(const uint4* __restrict__ weights, unsigned char* state)
{
    //$ if bulk then
    //$ include "read_bulk.cu"
    //$ else
    //$ include "read_plain.cu"
    //$ end
}
