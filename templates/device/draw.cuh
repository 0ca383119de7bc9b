// draw.cuh: the arithmetic of a draw: entries and their order, weights, random numbers. Whole numbers wherever sums are made, so
// that no order of adding matters; runtime/reference/choose.c has the same in plain C.

// An entry is an id with its distance below the largest value. Entries are ordered by distance, equal ones by id.
__device__ __forceinline__ unsigned long long entry_of(float distance, unsigned id)
{
    return (unsigned long long)__float_as_uint(distance) << 32 | id;
}

//$ if packets then
// Two weights: 2^(-distance * scale) in units of 2^-40, cut off; scale log2(e): e^-distance. Of two the one does not wait for the other.
struct Two {
    unsigned long long x, y;
};
__device__ __noinline__ Two weights_of(float distance, float other, float scale)
{
    const float a = exp2_fixed(-distance * scale), b = exp2_fixed(-other * scale);
    return { (unsigned long long)(a * 0x1p40f), (unsigned long long)(b * 0x1p40f) };
}
__device__ __forceinline__ unsigned long long weight_of(float distance, float scale)
{
    return weights_of(distance, distance, scale).x;
}
// The weights of what lies below `best`.
template <int N> __device__ __forceinline__ void weigh(unsigned long long (&weights)[N], const float (&values)[N], const float best, const float scale)
{
    #pragma unroll
    for (int k = 0; k < N; k += 2) {
        const int other = k + 1 < N ? k + 1 : k;
        const Two two = weights_of(best - values[k], best - values[other], scale);
        weights[other] = two.y;
        weights[k] = two.x;
    }
}
//$ else
// 2^(-distance * scale) in units of 2^-40, cut off; scale log2(e): e^-distance.
__device__ __noinline__ unsigned long long weight_of(float distance, float scale)
{
    return (unsigned long long)(exp2_fixed(-distance * scale) * 0x1p40f);
}
//$ end

// 64 random bits for a draw at a position under a seed: Philox4x32-10 with position and draw as counter and the seed as key (Salmon,
// Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3; SC 2011).
__device__ __noinline__ unsigned long long random_bits(unsigned long long seed, unsigned position, unsigned draw)
{
    unsigned c0 = position, c1 = draw, c2 = 0u, c3 = 0u, k0 = (unsigned)seed, k1 = (unsigned)(seed >> 32);
    #pragma unroll 1
    for (int round = 0; round < 10; ++round) {
        const unsigned long long a = (unsigned long long)c0 * 0xd2511f53u, b = (unsigned long long)c2 * 0xcd9e8d57u;
        c0 = (unsigned)(b >> 32) ^ c1 ^ k0;
        c1 = (unsigned)b;
        c2 = (unsigned)(a >> 32) ^ c3 ^ k1;
        c3 = (unsigned)a;
        k0 += 0x9e3779b9u;
        k1 += 0xbb67ae85u;
    }
    return (unsigned long long)c1 << 32 | c0;
}

// What lies at `at`, at + step, ..: so many loads under way together. Behind `last`: minus infinity.
template <int N> __device__ __forceinline__ void load_some(float (&v)[N], const float* from, const int at, const int step, const int last)
{
    #pragma unroll
    for (int k = 0; k < N; ++k)
        v[k] = at + k * step < last ? from[at + k * step] : __uint_as_float(0xff800000u);
}

// Sums that several threads add to.
__device__ __forceinline__ void add_to(unsigned* sum, unsigned n)
{
    atomicAdd(sum, n);
}
__device__ __forceinline__ void add_to(unsigned long long* sum, unsigned long long n)
{
    atomicAdd(sum, n);
}

//$ if packets then
// The sums of what the lanes up to this one have: of a weight and of a number.
struct Sums {
    unsigned long long weight, number;
};
__device__ __noinline__ Sums sums_up_to(unsigned long long weight, unsigned number, int lane)
{
    #pragma unroll 1
    for (int d = 1; d < 32; d *= 2) {
        const unsigned long long more = __shfl_up_sync(0xffffffffu, weight, d);
        const unsigned others = __shfl_up_sync(0xffffffffu, number, d);
        weight += lane >= d ? more : 0ull;
        number += lane >= d ? others : 0u;
    }
    return { weight, number };
}
__device__ __forceinline__ unsigned long long sum_up_to(unsigned long long weight, int lane)
{
    return sums_up_to(weight, 0u, lane).weight;
}
//$ else
// The sum of what the lanes up to this one have.
__device__ __noinline__ unsigned long long sum_up_to(unsigned long long n, int lane)
{
    #pragma unroll 1
    for (int d = 1; d < 32; d *= 2) {
        const unsigned long long more = __shfl_up_sync(0xffffffffu, n, d);
        n += lane >= d ? more : 0ull;
    }
    return n;
}
//$ end

// Bins of the first look: sixteen an octave of distances, from 2^-6 on; the last takes all that is farther.
enum { FIRST_SHIFT = 51 };
__device__ __forceinline__ unsigned long long first_entry()
{
    return 0x3c800000ull << 32;
}
// A look's bins are 1 << shift entries: those of the next one divide the bin that was found, a 256th each.
__device__ __forceinline__ int next_shift(bool first, int bin, int shift)
{
    return !first ? (shift > 8 ? shift - 8 : 0) : bin == 0 || bin == 255 ? 55 : FIRST_SHIFT - 8;
}

// What a draw goes by.
struct Wanted {
    float best;                // the largest value
    unsigned top_k;
    unsigned long long share;  // of all weight, of 2^64
    float reach, scale;
    unsigned long long random; // where registers hold it
};
__device__ __forceinline__ unsigned long long share_of(const Request* ask)
{
    return (unsigned long long)ask->top_p << 32;
}
__device__ __forceinline__ Wanted wanted_of(const Request* ask, float best)
{
    return { best, ask->top_k, share_of(ask), ask->reach, ask->scale, 0ull };
}

// Where entries in order reach what was looked for: a number of them, or a weight.
struct Found {
    int bin;                       // 256: nowhere
    unsigned before, entries;      // entries in the bins before, and in it
    unsigned long long weight_all; // of all entries in the bins
};
