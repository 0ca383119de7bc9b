// probe.cu: what `llmc probe` runs on the GPU: streaming reads, a chain of loads, grid barriers and packet exchanges.
// A worker is one block. Every wait ends after LIMIT clocks: the worker notes a fault, and all of them leave.

struct State {         // set by the host before each launch, zero but for `tag`
    unsigned arrived;  // at the grid barrier, over all rounds
    unsigned fault;    // 1 + the round in which a worker waited too long
    unsigned wrong;    // packets that did not hold what was sent
    unsigned seen;     // keeps loads alive
    unsigned streamed; // KiB that the load read meanwhile
    unsigned tag;      // of the last round of all launches before: no tag comes twice
};

enum {
    UNROLL = 8,        // 16-byte loads of a thread in flight
    COPY = 8192,       // bytes of a bulk copy
    COPIES = 16,       // of them in flight, at most
    FLAGS = 256,       // bytes before the ring: done, late; a barrier a copy from byte 16 on
    MEETING = 512,     // threads of a worker that meet; those behind them are the load
    MOST = 1024,       // threads of a worker
    LIMIT = 2000000000 // clocks of one wait: a second or more
};

// The CPU shim has twins of what stands under LLMC_SIMT below. There a missing worker is a deadlock, which it reports.
#ifndef LLMC_SIMT
// The worker's shared memory: flags first, then the ring of copies.
#define SHARED_ARENA(name) extern __shared__ __align__(128) uint4 name[]

__device__ __forceinline__ uint4 load_stream(const uint4* p)
{
    uint4 v;
    asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p));
    return v;
}

__device__ __forceinline__ unsigned load_acquire(const unsigned* p)
{
    unsigned v;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}

// A packet: three words and a tag, read and written as one access of 16 bytes.
__device__ __forceinline__ uint4 load_packet(const uint4* p)
{
    uint4 v;
    asm volatile("{ .reg .b128 q; .reg .b64 a, b; ld.relaxed.gpu.global.b128 q, [%4]; mov.b128 {a, b}, q;"
                 " mov.b64 {%0, %1}, a; mov.b64 {%2, %3}, b; }"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(p) : "memory");
    return v;
}
__device__ __forceinline__ void store_packet(uint4* p, uint4 v)
{
    asm volatile("{ .reg .b128 q; .reg .b64 a, b; mov.b64 a, {%1, %2}; mov.b64 b, {%3, %4}; mov.b128 q, {a, b};"
                 " st.relaxed.gpu.global.b128 [%0], q; }"
                 :: "l"(p), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w) : "memory");
}

// The threads that meet, and not the load.
__device__ __forceinline__ void meeting_sync()
{
    asm volatile("bar.sync 1, 512;" ::: "memory");
}

// True until LIMIT clocks after *start, which the first call sets.
__device__ __forceinline__ bool in_time(long long* start)
{
    const long long now = clock64();
    if (!*start)
        *start = now;
    return now - *start <= LIMIT;
}
#else
inline uint4 load_stream(const uint4* p) { return *p; }
inline void meeting_sync() { __syncthreads(); }
inline bool in_time(long long*) { return true; }
#endif

extern "C" __global__ void __launch_bounds__(MOST, 1) probe_fill(uint4* to, unsigned long long words)
{
    const unsigned long long step = (unsigned long long)gridDim.x * MOST;
    for (unsigned long long i = (unsigned long long)blockIdx.x * MOST + threadIdx.x; i < words; i += step) {
        unsigned h = (unsigned)i * 0x9e3779b1u ^ (unsigned)(i >> 32);
        h = (h ^ h >> 15) * 0x85ebca77u;
        to[i] = make_uint4(h, h * 3u + 1u, h ^ 0x5bd1e995u, h * 7u);
    }
}

// Reads `words` 16-byte words `passes` times, the workers' tiles of MOST * UNROLL words side by side. `words`: a multiple
// of one tile for each worker.
extern "C" __global__ void __launch_bounds__(MOST, 1)
probe_read(const uint4* from, unsigned long long words, unsigned long long passes, State* state)
{
    const unsigned long long step = (unsigned long long)gridDim.x * (MOST * UNROLL);
    unsigned seen = 0;
    for (unsigned pass = 0; pass < (unsigned)passes; ++pass)
        for (unsigned long long i = (unsigned long long)blockIdx.x * (MOST * UNROLL) + threadIdx.x; i < words; i += step) {
            uint4 q[UNROLL];
            #pragma unroll
            for (int k = 0; k < UNROLL; ++k)
                q[k] = load_stream(from + i + k * MOST);
            #pragma unroll
            for (int k = 0; k < UNROLL; ++k)
                seen ^= q[k].x ^ q[k].y ^ q[k].z ^ q[k].w;
        }
    if (seen == 0x9e3779b9u)
        state->seen = seen;
}

// One thread, `steps` loads, each at an address that needs the one before: lines of 128 bytes in an order without
// repeats (a full-period congruence; `mask` + 1 lines, a power of 2), from *place, where the launch before has ended.
// `zero` is 0, which the compiler does not know.
extern "C" __global__ void __launch_bounds__(32, 1)
probe_chase(const uint4* from, unsigned long long mask, unsigned long long steps, unsigned long long zero, unsigned* place,
            State* state)
{
    if (threadIdx.x)
        return;
    unsigned at = *place & (unsigned)mask, seen = 0;
    for (unsigned step = 0; step < (unsigned)steps; ++step) {
        const unsigned got = load_stream(from + (unsigned long long)at * 8).x;
        seen ^= got;
        at = (at * 1664525u + 1013904223u + (got & (unsigned)zero)) & (unsigned)mask;
    }
    *place = at;
    if (seen == 0x9e3779b9u)
        state->seen = seen;
}

extern "C" __global__ void __launch_bounds__(MEETING, 1) probe_nothing(State* state, unsigned long long never)
{
    if (never)
        state->seen = 1;
}

// ---- the load: streaming reads that keep `kib` KiB in flight on each multiprocessor until *done -----------------------

// The part of the memory that a worker streams, again and again.
struct Stream {
    const uint4* from;
    unsigned long long words; // of one worker
};

#if __CUDA_ARCH__ >= 900
__device__ __forceinline__ unsigned shared_address(const void* p)
{
    return (unsigned)__cvta_generic_to_shared(p);
}

__device__ __forceinline__ void copy_start(unsigned to, const void* from, unsigned full)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" :: "r"(full), "r"((unsigned)COPY) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 :: "r"(to), "l"(from), "r"((unsigned)COPY), "r"(full) : "memory");
}

__device__ __forceinline__ bool copy_ended(unsigned full, unsigned parity)
{
    unsigned ended;
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(ended) : "r"(full), "r"(parity) : "memory");
    return ended;
}

// One thread keeps a ring of bulk copies going: exactly `kib` KiB in flight. It leaves when all have ended.
__device__ void run_load(const Stream& s, unsigned kib, volatile int* done, uint4* ring, unsigned long long* full,
                         State* state)
{
    if (threadIdx.x != MEETING)
        return;
    const unsigned slots = kib * 1024 / COPY, copies = (unsigned)(s.words * 16 / COPY);
    const char* from = (const char*)(s.from + blockIdx.x * s.words);
    unsigned next = 0, slot = 0, parity = 0;
    unsigned long long started = 0, ended = 0;
    for (; started < slots; ++started) {
        copy_start(shared_address(ring) + (unsigned)started * COPY, from + (unsigned long long)next * COPY,
                   shared_address(full + started));
        next = next + 1 == copies ? 0 : next + 1;
    }
    while (ended < started) {
        long long start = 0;
        while (!copy_ended(shared_address(full + slot), parity))
            if (!in_time(&start)) {
                atomicMax(&state->fault, 1u);
                return;
            }
        ++ended;
        if (!*done) {
            copy_start(shared_address(ring) + slot * COPY, from + (unsigned long long)next * COPY,
                       shared_address(full + slot));
            next = next + 1 == copies ? 0 : next + 1;
            ++started;
        }
        if (++slot == slots) {
            slot = 0;
            parity ^= 1;
        }
    }
    atomicAdd(&state->streamed, (unsigned)(ended * COPY / 1024));
}
#else
// The threads behind the meeting ones, each with UNROLL loads in flight: at most `kib` KiB. The ring is not used.
__device__ void run_load(const Stream& s, unsigned kib, volatile int* done, uint4* ring, unsigned long long* full,
                         State* state)
{
    const unsigned loaders = kib * 1024 / (16 * UNROLL), tile = loaders * UNROLL;
    const uint4* from = s.from + blockIdx.x * s.words + (threadIdx.x - MEETING);
    unsigned long long at = 0, ended = 0;
    unsigned seen = 0;
    while (!*done) {
        uint4 q[UNROLL];
        #pragma unroll
        for (int k = 0; k < UNROLL; ++k)
            q[k] = load_stream(from + at + k * loaders);
        #pragma unroll
        for (int k = 0; k < UNROLL; ++k)
            seen ^= q[k].x ^ q[k].y ^ q[k].z ^ q[k].w;
        at = at + 2 * tile > s.words ? 0 : at + tile;
        ++ended;
    }
    atomicAdd(&state->streamed, (unsigned)(ended * (16 * UNROLL) / 1024));
    if (seen == 0x9e3779b9u)
        state->seen = seen;
}
#endif

// ---- meetings ---------------------------------------------------------------------------------------------------------

struct Meeting {
    State* state;
    unsigned rounds;
};

// All workers meet `rounds` times, as at the end of a wave.
__device__ void run_barriers(const Meeting& m, volatile int* late)
{
    for (unsigned round = 1; round <= m.rounds; ++round) {
        meeting_sync();
        if (threadIdx.x == 0) {
            long long start = 0;
            __threadfence();
            atomicAdd(&m.state->arrived, 1u);
            while (load_acquire(&m.state->arrived) < round * gridDim.x)
                if (!in_time(&start)) {
                    atomicMax(&m.state->fault, round + 1);
                    *late = 1;
                    break;
                }
        }
        meeting_sync();
        if (*late)
            return;
    }
}

// What a packet of this tag holds.
__device__ __forceinline__ uint4 packet(unsigned tag, unsigned k)
{
    return make_uint4(tag * 0x9e3779b1u, k, tag ^ k, tag);
}

// `count` packets a round from their owners to all workers. `rotate`: another worker owns them in each round, so that one
// packet is a hop from worker to worker. Two buffers are enough: who writes a round's packets has every packet of the
// round before. Where all write in each round nobody can be a round late; in a hop the late may find a later round's tag.
__device__ void run_exchanges(const Meeting& m, uint4* packets, unsigned count, unsigned rotate, volatile int* late)
{
    const unsigned first_tag = m.state->tag;
    unsigned first = blockIdx.x * count / gridDim.x, last = (blockIdx.x + 1) * count / gridDim.x, place = blockIdx.x;
    for (unsigned round = 1; round <= m.rounds; ++round) {
        const unsigned tag = first_tag + round;
        uint4* buffer = packets + (tag & 1) * count;
        if (rotate) {
            place = place + 1 == gridDim.x ? 0 : place + 1;
            first = 0;
            last = place == 0 ? count : 0;
        }
        for (unsigned k = first + threadIdx.x; k < last; k += MEETING)
            store_packet(buffer + k, packet(tag, k));
        for (unsigned k = threadIdx.x; k < count; k += MEETING) {
            long long start = 0;
            uint4 q = load_packet(buffer + k);
            while ((int)(q.w - tag) < 0 && !*late) {
                if (!in_time(&start)) {
                    atomicMax(&m.state->fault, round + 1);
                    *late = 1;
                }
                q = load_packet(buffer + k);
            }
            const uint4 sent = packet(rotate ? q.w : tag, k);
            if (!*late && (q.x != sent.x || q.y != sent.y || q.z != sent.z || q.w != sent.w))
                atomicAdd(&m.state->wrong, 1u);
        }
        meeting_sync();
        if (*late)
            return;
    }
}

// MEETING threads meet, beside a load. `how`: bits 0-15 count of packets, 0: barriers; bit 16 rotate; from bit 32 on the KiB of
// the load.
extern "C" __global__ void __launch_bounds__(MOST, 1)
probe_meet(State* state, uint4* packets, unsigned long long rounds, unsigned long long how, const uint4* from,
           unsigned long long words)
{
    SHARED_ARENA(arena);
    volatile int* done = (volatile int*)arena;
    volatile int* late = done + 1;
    unsigned long long* full = (unsigned long long*)(arena + 1);
    if (threadIdx.x == 0) {
        *done = *late = 0;
#if __CUDA_ARCH__ >= 900
        for (int i = 0; i < COPIES; ++i)
            asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(shared_address(full + i)) : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
    }
    __syncthreads();
    if (threadIdx.x >= MEETING) {
        run_load(Stream{ from, words }, (unsigned)(how >> 32), done, arena + FLAGS / 16, full, state);
        return;
    }
    const Meeting m = { state, (unsigned)rounds };
    const unsigned count = (unsigned)how & 0xffffu, rotate = (unsigned)how >> 16 & 1u;
    if (count)
        run_exchanges(m, packets, count, rotate, late);
    else
        run_barriers(m, late);
    meeting_sync();
    if (threadIdx.x == 0)
        *done = 1;
}
