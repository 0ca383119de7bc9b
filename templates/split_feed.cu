//$ -- split_feed: the thread that keeps the ring full: every tile of every wave of this worker, in the order they are consumed.
//$ -- At most `window` copies are under way at once while the first slots of a wave are asked for: more would make the exchange
//$ -- that comes before it slower. As many slots as the ring has are asked for before that; behind them it may be `wide` copies.
//$ params "ring_at full_at empty_at flags_at stages"
// What the feeding thread carries along. A slot is filled by four copies, each with a barrier of its own.
struct Feed {
    int slot;                     // to be filled next
    unsigned phase;               // parity of its turn
    int narrow, window, wide;     // slots of this wave until `wide` copies may be under way instead of `window`
    int under_way;                // copies; the barrier of the oldest of them:
    int oldest;
    unsigned oldest_phase;
    unsigned long long policy;
};

// What one worker streams of a matrix: its tiles, each of so many chunks of 64 blocks of 512 bytes; the last chunk may be shorter.
struct Run {
    const unsigned char* from;
    int tiles;
    long long tile_bytes;         // from one of its tiles to the next
    int chunks, last_blocks;
    bool by_chunk;                // a chunk of all tiles before the next chunk
    int window, wide;
};

// The oldest copy has arrived.
__device__ __forceinline__ void feed_await(Feed& f)
{
    SHARED_ARENA(arena);
    while (!mbarrier_ready((unsigned long long*)(arena + $(full_at)) + f.oldest, f.oldest_phase))
        ;
    --f.under_way;
    if (++f.oldest == $(stages * 4)) {
        f.oldest = 0;
        f.oldest_phase ^= 1u;
    }
}

// Waits until all warps have given the slot back. False: the consumers have left.
__device__ __forceinline__ bool feed_slot(Feed& f)
{
    SHARED_ARENA(arena);
    while (!mbarrier_ready((unsigned long long*)(arena + $(empty_at)) + f.slot, f.phase ^ 1u))
        if (load_flag(split_flags() + FLAG_LEFT))
            return false;
    return true;
}

// One of the four copies of a slot; 0 bytes only complete their barrier.
template <bool WEIGHTS> __device__ __forceinline__ void feed_copy(Feed& f, const int quarter, const int to, const unsigned char* from,
                                                                  const unsigned bytes)
{
    SHARED_ARENA(arena);
    while (f.under_way >= f.window)
        feed_await(f);
    unsigned long long* full = (unsigned long long*)(arena + $(full_at)) + f.slot * 4 + quarter;
    mbarrier_expect(full, bytes);
    unsigned char* slot = (unsigned char*)(arena + $(ring_at) + f.slot * 2048) + to;
    if (bytes) {
        if (WEIGHTS)
            bulk_copy(slot, from, bytes, full, f.policy);
        else
            bulk_copy(slot, from, bytes, full);
    }
    ++f.under_way;
}

__device__ __forceinline__ void feed_next(Feed& f)
{
    if (++f.slot == $(stages)) {
        f.slot = 0;
        f.phase ^= 1u;
    }
    if (--f.narrow == 0)
        f.window = f.wide;
}

// A wave begins: of it, `window` copies may be under way at first, `wide` once it has filled the ring.
__device__ __forceinline__ void feed_begin(Feed& f, const int window, const int wide)
{
    f.narrow = $(stages);
    f.window = window;
    f.wide = wide;
}

// All tiles of a matrix, a chunk a slot; warps 2k and 2k+1 wait for quarter k.
__device__ __forceinline__ bool feed_run(Feed& f, const Run& run)
{
    feed_begin(f, run.window, run.wide);
    const int outer = run.by_chunk ? run.chunks : run.tiles, inner = run.by_chunk ? run.tiles : run.chunks;
    #pragma unroll 1
    for (int o = 0; o < outer; ++o)
        #pragma unroll 1
        for (int i = 0; i < inner; ++i) {
            const int tile = run.by_chunk ? i : o, chunk = run.by_chunk ? o : i;
            const int blocks = chunk + 1 < run.chunks ? 64 : run.last_blocks;
            const unsigned char* from = run.from + tile * run.tile_bytes + chunk * 32768;
            if (!feed_slot(f))
                return false;
            #pragma unroll
            for (int k = 0; k < 4; ++k) {
                const int first = 2 * k * blocks / 8, last = (2 * k + 2) * blocks / 8;
                feed_copy<true>(f, k, first * 512, from + first * 512, (last - first) * 512);
            }
            feed_next(f);
        }
    return true;
}
