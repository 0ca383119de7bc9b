//$ -- split_feed: the thread that keeps the ring full: every tile of every wave of this worker, in the order they are consumed.
//$ -- At most `window` copies are under way at once: more would only make the exchanges between workers slower.
//$ params "ring_at full_at empty_at flags_at stages"
// What the feeding thread carries along.
struct Feed {
    int slot;            // to be filled next
    unsigned phase;      // parity of its turn
    int under_way;       // copies; the oldest of them:
    int old_slot, old_quarter;
    unsigned old_phase;
    unsigned long long policy;
    bool left;           // the consumers have gone: nothing more is fed
};

// The oldest copy has arrived.
__device__ __forceinline__ void feed_await(Feed& f)
{
    SHARED_ARENA(arena);
    while (!mbarrier_ready((unsigned long long*)(arena + $(full_at)) + f.old_slot * 4 + f.old_quarter, f.old_phase))
        ;
    --f.under_way;
    if (++f.old_quarter == 4) {
        f.old_quarter = 0;
        if (++f.old_slot == $(stages)) {
            f.old_slot = 0;
            f.old_phase ^= 1u;
        }
    }
}

// Waits until all warps have given the slot back. False: the consumers have left.
__device__ __forceinline__ bool feed_slot(Feed& f)
{
    SHARED_ARENA(arena);
    while (!f.left && !mbarrier_ready((unsigned long long*)(arena + $(empty_at)) + f.slot, f.phase ^ 1u))
        f.left = load_flag(split_flags() + FLAG_LEFT);
    return !f.left;
}

// One of the four copies of a slot; 0 bytes only complete their barrier.
template <bool WEIGHTS> __device__ __forceinline__ void feed_copy(Feed& f, const int quarter, const int to, const unsigned char* from,
                                                                  const unsigned bytes, const int window)
{
    SHARED_ARENA(arena);
    while (f.under_way >= window)
        feed_await(f);
    unsigned long long* full = (unsigned long long*)(arena + $(full_at)) + f.slot * 4 + quarter;
    mbarrier_expect(full, bytes);
    unsigned char* slot = (unsigned char*)(arena + $(ring_at) + f.slot * 2048) + to;
    if (WEIGHTS)
        bulk_copy(slot, from, bytes, full, f.policy);
    else if (bytes)
        bulk_copy(slot, from, bytes, full);
    ++f.under_way;
}

__device__ __forceinline__ void feed_next(Feed& f)
{
    if (++f.slot == $(stages)) {
        f.slot = 0;
        f.phase ^= 1u;
    }
}

// One chunk of one tile: `blocks` of 512 bytes; warps 2k and 2k+1 wait for quarter k.
__device__ __forceinline__ bool feed_tile(Feed& f, const unsigned char* from, const int blocks, const int window)
{
    if (!feed_slot(f))
        return false;
    #pragma unroll
    for (int k = 0; k < 4; ++k) {
        const int first = 2 * k * blocks / 8, last = (2 * k + 2) * blocks / 8;
        feed_copy<true>(f, k, first * 512, from + first * 512, (last - first) * 512, window);
    }
    feed_next(f);
    return true;
}
