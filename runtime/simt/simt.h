// simt.h: CUDA's names on a CPU: what rendered text may use beside its own vocabulary, and that vocabulary's CPU twins.
// It stands in front of the text (-include) and includes nothing, as NVRTC does, so a name that is missing here is one
// that a kernel should not use: libm's expf and CUDA's differ in the last bit, rsqrtf and bare fma contraction too.
// Each CUDA thread is a fiber. It gives way only where a real warp or block has to wait, so that one seed is one order.
// clang-format off
#pragma once
#define LLMC_SIMT 1

#define __global__ __attribute__((visibility("default")))
#define __device__
#define __host__
#define __constant__
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)

typedef decltype(sizeof 0) size_t;

struct alignas(8) uint2 { unsigned x, y; };
struct uint3 { unsigned x, y, z; };
struct alignas(16) uint4 { unsigned x, y, z, w; };
struct alignas(8) int2 { int x, y; };
struct alignas(16) int4 { int x, y, z, w; };
struct alignas(8) float2 { float x, y; };
struct alignas(16) float4 { float x, y, z, w; };
static inline uint2 make_uint2(unsigned x, unsigned y) { return { x, y }; }
static inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return { x, y, z, w }; }
static inline int2 make_int2(int x, int y) { return { x, y }; }
static inline int4 make_int4(int x, int y, int z, int w) { return { x, y, z, w }; }
static inline float2 make_float2(float x, float y) { return { x, y }; }
static inline float4 make_float4(float x, float y, float z, float w) { return { x, y, z, w }; }

// ---- the shim behind the names ------------------------------------------------------------------------------------

// The race checker: kernels are compiled with -fsanitize=thread and -DSIMT_TSAN, the shim without the former. Nothing
// orders two threads but what these two calls say, and the shim makes them only where CUDA promises an order.
#ifdef SIMT_TSAN
extern "C" void __tsan_acquire(void *), __tsan_release(void *);
#endif

namespace simt {

struct Place { const char *file; int line; };

// What the text sees of a CUDA thread. `caller`: where it called the vocabulary function that it is in; line 0: none.
struct Thread { uint3 index, block; uint4 *shared; Place caller; };

extern Thread *current;
extern uint3 block_dim, grid_dim;

enum Ballot { BALLOT, ANY, EVERY };
struct Copy { uint4 *to; const uint4 *from; int group; };

unsigned long long shuffle(unsigned mask, unsigned long long bits, unsigned from, const char *op, Place at);
unsigned ballot(unsigned mask, Ballot kind, bool vote, const char *op, Place at);
float group_sum(float v, unsigned lanes, Place at);
float group_max(float v, unsigned lanes, Place at);
unsigned block_count(bool vote, const char *op, Place at);
void poll(const char *op, Place at);
void copy_later(void *to, const void *from, Place at);
Copy *copy_due(int groups_left);
void fence();
void news();
void before_atomic(const void *p);
void before_release(const void *p);
void meet_first(unsigned threads, const char *op, Place at);
void bulk(void *to, const void *from, unsigned bytes, unsigned long long *barrier, Place at);
void mbarrier_set(unsigned long long *barrier, unsigned arrivals);
void mbarrier_come(unsigned long long *barrier, unsigned bytes, Place at);
bool mbarrier_is(unsigned long long *barrier, unsigned parity, bool wait, Place at);
void multiply(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2], bool f16, const char *op, Place at);
[[noreturn]] void trap(Place at);

static inline void acquired(const void *p)
{
#ifdef SIMT_TSAN
    __tsan_acquire((void *)p);
#else
    (void)p;
#endif
}

// The caller of a vocabulary function that waits inside, for reports: an argument that the macros below add to its calls
// and, with the same words, to its definition. `simt::Caller(simt_caller) = PLACE` reads there as one more parameter with
// a default value, and in a call as a value.
enum Nobody { simt_caller };
struct Caller {
    Caller(Nobody) {}
    Caller(Place at) { current->caller = at; }
    Caller &operator=(Place at) { current->caller = at; return *this; }
    ~Caller() { current->caller.line = 0; }
};

} // namespace simt

#define SIMT_CALLER simt::Caller(simt_caller) = simt::Place{ __builtin_FILE(), __builtin_LINE() }
using simt::simt_caller;
#define warp_sum(...) warp_sum(__VA_ARGS__, SIMT_CALLER)
#define warp_max(...) warp_max(__VA_ARGS__, SIMT_CALLER)
#define grid_sync(...) grid_sync(__VA_ARGS__, SIMT_CALLER)

// ---- threads, warps, blocks ---------------------------------------------------------------------------------------

#define threadIdx (simt::current->index)
#define blockIdx (simt::current->block)
#define blockDim (simt::block_dim)
#define gridDim (simt::grid_dim)
static constexpr int warpSize = 32;

// The block's dynamic shared memory: 0xff, a NaN in every format, when the kernel starts.
#define SHARED_ARENA(name) uint4 *name = simt::current->shared

// Where the call stands in the text; #line makes these the template's.
#define SIMT_AT simt::Place at = { __builtin_FILE(), __builtin_LINE() }

static inline void __syncthreads(SIMT_AT) { simt::block_count(false, "__syncthreads", at); }
static inline int __syncthreads_or(int p, SIMT_AT) { return simt::block_count(p, "__syncthreads_or", at) != 0; }
static inline int __syncthreads_and(int p, SIMT_AT) { return simt::block_count(!p, "__syncthreads_and", at) == 0; }
static inline int __syncthreads_count(int p, SIMT_AT) { return (int)simt::block_count(p, "__syncthreads_count", at); }
void __syncwarp(unsigned mask = ~0u, SIMT_AT);

namespace simt {
template <class T> static inline T shuffle_any(unsigned mask, T v, unsigned from, const char *op, Place at)
{
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "CUDA shuffles 4 and 8 bytes");
    unsigned long long bits = 0;
    __builtin_memcpy(&bits, &v, sizeof v);
    bits = shuffle(mask, bits, from, op, at);
    __builtin_memcpy(&v, &bits, sizeof v);
    return v;
}
} // namespace simt

template <class T> static inline T __shfl_sync(unsigned mask, T v, int lane, SIMT_AT)
{
    return simt::shuffle_any(mask, v, lane & 31, "__shfl_sync", at);
}
template <class T> static inline T __shfl_xor_sync(unsigned mask, T v, int d, SIMT_AT)
{
    return simt::shuffle_any(mask, v, (threadIdx.x & 31) ^ (d & 31), "__shfl_xor_sync", at);
}
template <class T> static inline T __shfl_down_sync(unsigned mask, T v, unsigned d, SIMT_AT)
{
    const unsigned lane = threadIdx.x & 31;
    return simt::shuffle_any(mask, v, lane + d < 32 ? lane + d : lane, "__shfl_down_sync", at);
}
template <class T> static inline T __shfl_up_sync(unsigned mask, T v, unsigned d, SIMT_AT)
{
    const unsigned lane = threadIdx.x & 31;
    return simt::shuffle_any(mask, v, lane >= d ? lane - d : lane, "__shfl_up_sync", at);
}
static inline unsigned __reduce_max_sync(unsigned mask, unsigned v, SIMT_AT)
{
    for (unsigned d = 16; d > 0; d >>= 1) {
        const unsigned other = simt::shuffle_any(mask, v, (threadIdx.x & 31) ^ d, "__reduce_max_sync", at);
        v = other > v ? other : v;
    }
    return v;
}
static inline unsigned __ballot_sync(unsigned mask, int p, SIMT_AT)
{
    return simt::ballot(mask, simt::BALLOT, p, "__ballot_sync", at);
}
static inline int __any_sync(unsigned mask, int p, SIMT_AT)
{
    return (int)simt::ballot(mask, simt::ANY, p, "__any_sync", at);
}
static inline int __all_sync(unsigned mask, int p, SIMT_AT)
{
    return (int)simt::ballot(mask, simt::EVERY, p, "__all_sync", at);
}

// One meeting of the warp instead of one for each level of the tree; the additions are the tree's, so the bits are too.
template <int LANES> static inline float group_sum(float v, SIMT_AT)
{
    static_assert(LANES >= 1 && LANES <= 32 && (LANES & (LANES - 1)) == 0, "groups of 1, 2, 4, .. 32 lanes");
    return simt::group_sum(v, LANES, at);
}
template <int LANES> static inline float group_max(float v, SIMT_AT)
{
    static_assert(LANES >= 1 && LANES <= 32 && (LANES & (LANES - 1)) == 0, "groups of 1, 2, 4, .. 32 lanes");
    return simt::group_max(v, LANES, at);
}

// ---- memory -------------------------------------------------------------------------------------------------------

static inline uint4 load_weight(const uint4 *p) { return { p->x, p->y, p->z, p->w }; } // so that UBSan checks it
template <class T> static inline T here(T v) { return v; } // a matter of the GPU's registers

// A poll lets the others run first. What any thread wrote before its fence and its atomic on *p is visible after.
static inline unsigned load_acquire(const unsigned *p, SIMT_AT)
{
    simt::poll("load_acquire", at);
    const unsigned v = __atomic_load_n(p, __ATOMIC_RELAXED);
    simt::acquired(p);
    return v;
}
static inline void store_release(unsigned *p, unsigned v)
{
    simt::before_release(p);
    __atomic_store_n(p, v, __ATOMIC_RELEASE);
}
// Words of the host, which may read and write them from a thread of its own.
static inline unsigned load_system(const unsigned *p) { return __atomic_load_n(p, __ATOMIC_RELAXED); }
static inline void store_system(unsigned *p, unsigned v) { store_release(p, v); }

// A fence alone is no order: the atomic that follows it carries the order to who acquires it.
static inline void __threadfence() { simt::fence(); }
static inline void __threadfence_system() { simt::fence(); }
static inline void __threadfence_block() { simt::fence(); }

template <class T> static inline T atomicAdd(T *p, T v)
{
    simt::before_atomic(p);
    return __atomic_fetch_add(p, v, __ATOMIC_RELAXED);
}
template <class T> static inline T atomicExch(T *p, T v)
{
    simt::before_atomic(p);
    return __atomic_exchange_n(p, v, __ATOMIC_RELAXED);
}
template <class T> static inline T atomicMin(T *p, T v)
{
    simt::before_atomic(p);
    T old = __atomic_load_n(p, __ATOMIC_RELAXED);
    while (v < old && !__atomic_compare_exchange_n(p, &old, v, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    return old;
}
template <class T> static inline T atomicMax(T *p, T v)
{
    simt::before_atomic(p);
    T old = __atomic_load_n(p, __ATOMIC_RELAXED);
    while (old < v && !__atomic_compare_exchange_n(p, &old, v, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
    return old;
}

// cp.async: what was not waited for is a NaN in every format. The bytes arrive at the wait of the thread that copied.
static inline void cp_async16(void *to, const void *from, SIMT_AT)
{
    simt::copy_later(to, from, at);
    *(uint4 *)to = { ~0u, ~0u, ~0u, ~0u };
}
void cp_async_commit();
template <int GROUPS_LEFT> static inline void cp_async_wait()
{
    while (simt::Copy *c = simt::copy_due(GROUPS_LEFT))
        *c->to = *c->from;
}

// Packets: whole, and no order for anything else. A look at one lets the others run first.
static inline uint4 load_packet(const uint4 *p, SIMT_AT)
{
    simt::poll("load_packet", at);
    unsigned long long half[2];
    for (int i = 0; i < 2; ++i)
        half[i] = __atomic_load_n((const unsigned long long *)p + i, __ATOMIC_RELAXED);
    return { (unsigned)half[0], (unsigned)(half[0] >> 32), (unsigned)half[1], (unsigned)(half[1] >> 32) };
}
static inline void store_packet(uint4 *p, uint4 v)
{
    const unsigned long long half[2] = { v.x | (unsigned long long)v.y << 32, v.z | (unsigned long long)v.w << 32 };
    for (int i = 0; i < 2; ++i)
        __atomic_store_n((unsigned long long *)p + i, half[i], __ATOMIC_RELAXED);
    simt::news();
}
static inline unsigned load_flag(const unsigned *p) { return __atomic_load_n(p, __ATOMIC_RELAXED); }
static inline void store_flag(unsigned *p, unsigned v)
{
    __atomic_store_n(p, v, __ATOMIC_RELAXED);
    simt::news();
}
static inline void fence_gpu() { simt::fence(); }
static inline void consumers_meet(SIMT_AT) { simt::meet_first(256, "consumers_meet", at); }

// Bulk copies: what was not waited for is a NaN in every format. The bytes arrive while somebody looks at a barrier.
static inline void mbarrier_init(unsigned long long *b, unsigned arrivals) { simt::mbarrier_set(b, arrivals); }
static inline void mbarrier_init_done() {}
static inline void mbarrier_expect(unsigned long long *b, unsigned bytes, SIMT_AT) { simt::mbarrier_come(b, bytes, at); }
static inline void mbarrier_arrive(unsigned long long *b, SIMT_AT) { simt::mbarrier_come(b, 0, at); }
static inline bool mbarrier_ready(unsigned long long *b, unsigned parity, SIMT_AT) { return simt::mbarrier_is(b, parity, true, at); }
static inline bool mbarrier_test(unsigned long long *b, unsigned parity, SIMT_AT) { return simt::mbarrier_is(b, parity, false, at); }
static inline unsigned long long evict_first() { return 0; }
static inline void bulk_copy(void *to, const void *from, unsigned bytes, unsigned long long *b, unsigned long long, SIMT_AT)
{
    simt::bulk(to, from, bytes, b, at);
}
static inline void bulk_copy(void *to, const void *from, unsigned bytes, unsigned long long *b, SIMT_AT)
{
    simt::bulk(to, from, bytes, b, at);
}
static inline void fence_copies() {}
static inline void loaded(unsigned) {} // a matter of the GPU's registers

// Matrix instructions: products added one after the other, depth by depth; a GPU adds them in an order of its own.
static inline void mma_bf16(float (&c)[4], unsigned a0, unsigned a1, unsigned a2, unsigned a3, unsigned b0, unsigned b1, SIMT_AT)
{
    simt::multiply(c, { a0, a1, a2, a3 }, { b0, b1 }, false, "mma_bf16", at);
}
static inline void mma_f16(float (&c)[4], unsigned a0, unsigned a1, unsigned a2, unsigned a3, unsigned b0, unsigned b1, SIMT_AT)
{
    simt::multiply(c, { a0, a1, a2, a3 }, { b0, b1 }, true, "mma_f16", at);
}
static inline uint4 load_turned(const void *row, SIMT_AT)
{
    const unsigned lane = threadIdx.x & 31;
    unsigned word[4];
    for (unsigned i = 0; i < 4; ++i) {
        word[i] = 0;
        for (unsigned k = 0; k < 2; ++k) {
            const unsigned short *from = (const unsigned short *)simt::shuffle_any(~0u, (unsigned long long)row, i * 8 + lane % 4 * 2 + k, "load_turned", at);
            word[i] |= (unsigned)from[lane / 4] << 16 * k;
        }
    }
    return { word[0], word[1], word[2], word[3] };
}
static inline unsigned turn_block(unsigned word, SIMT_AT)
{
    const unsigned lane = threadIdx.x & 31;
    unsigned v = 0;
    for (unsigned k = 0; k < 2; ++k)
        v |= ((unsigned)simt::shuffle_any(~0u, word, lane % 4 * 8 + k * 4 + lane / 8, "turn_block", at) >> 16 * (lane / 4 % 2) & 0xffffu) << 16 * k;
    return v;
}
static inline void load_shared_where(bool mine, uint4 &v, const uint4 *p)
{
    if (mine)
        v = { p->x, p->y, p->z, p->w };
}

unsigned long long trace_now(); // of the machine's clock that never goes back
static inline void __nanosleep(unsigned) {}
[[noreturn]] static inline void __trap(SIMT_AT) { simt::trap(at); }

// ---- arithmetic, bit for bit the GPU's ------------------------------------------------------------------------------

static inline float __uint_as_float(unsigned u)
{
    float f;
    __builtin_memcpy(&f, &u, 4);
    return f;
}
static inline unsigned __float_as_uint(float f)
{
    unsigned u;
    __builtin_memcpy(&u, &f, 4);
    return u;
}
static inline float __int_as_float(int i) { return __uint_as_float((unsigned)i); }
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
    return (unsigned long long)((unsigned __int128)a * b >> 64);
}
static inline int __float_as_int(float f) { return (int)__float_as_uint(f); }

static inline float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
static inline float sqrtf(float a) { return __builtin_sqrtf(a); }
static inline float fabsf(float a) { return __builtin_fabsf(a); }
static inline float floorf(float a) { return __builtin_floorf(a); }
static inline float ceilf(float a) { return __builtin_ceilf(a); }
static inline float truncf(float a) { return __builtin_truncf(a); }
static inline float rintf(float a) { return __builtin_rintf(a); }
// The number where the other is a NaN; -0 is below +0.
static inline float fmaxf(float a, float b)
{
    return a > b || b != b ? a : a == b ? __uint_as_float(__float_as_uint(a) & __float_as_uint(b)) : b;
}
static inline float fminf(float a, float b)
{
    return a < b || b != b ? a : a == b ? __uint_as_float(__float_as_uint(a) | __float_as_uint(b)) : b;
}
template <class A, class B> static inline auto min(A a, B b) -> decltype(a + b)
{
    const decltype(a + b) x = a, y = b;
    return y < x ? y : x;
}
template <class A, class B> static inline auto max(A a, B b) -> decltype(a + b)
{
    const decltype(a + b) x = a, y = b;
    return x < y ? y : x;
}
static inline float min(float a, float b) { return fminf(a, b); }
static inline float max(float a, float b) { return fmaxf(a, b); }

static inline int __popc(unsigned v) { return __builtin_popcount(v); }
static inline int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
static inline int __clz(int v) { return v ? __builtin_clz((unsigned)v) : 32; }
static inline int __clzll(long long v) { return v ? __builtin_clzll((unsigned long long)v) : 64; }
static inline int __ffs(int v) { return __builtin_ffs(v); }
static inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((unsigned long long)a * b >> 32); }

// The two F16 numbers of a word, exact; and a float as F16, to nearest, ties to even, infinity beyond 65504.
#if defined(__F16C__)
namespace simt {
typedef short Halves __attribute__((vector_size(16)));
typedef float Floats __attribute__((vector_size(16)));
static inline float half_to_float(unsigned short h)
{
    return ((Floats)__builtin_ia32_vcvtph2ps((Halves){ (short)h, 0, 0, 0, 0, 0, 0, 0 }))[0];
}
} // namespace simt
static inline unsigned short f16_round(float v)
{
    return (unsigned short)((simt::Halves)__builtin_ia32_vcvtps2ph((simt::Floats){ v, 0, 0, 0 }, 0))[0];
}
#elif defined(__aarch64__)
namespace simt {
static inline float half_to_float(unsigned short h)
{
    __fp16 v;
    __builtin_memcpy(&v, &h, 2);
    return v;
}
} // namespace simt
static inline unsigned short f16_round(float v)
{
    const __fp16 h = (__fp16)v;
    unsigned short bits;
    __builtin_memcpy(&bits, &h, 2);
    return bits;
}
#else
#error "simt.h needs F16 conversions: -mf16c on x86-64, or aarch64"
#endif
static inline float f16_lo(unsigned w) { return simt::half_to_float((unsigned short)w); }
static inline float f16_hi(unsigned w) { return simt::half_to_float((unsigned short)(w >> 16)); }
