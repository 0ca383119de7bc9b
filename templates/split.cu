//$ -- split: what every wave of the split style shares: eight warps that consume, one thread that feeds them.
//$ -- A worker's weights arrive in a ring of slots, tile after tile; warp w owns the same part of the columns of every tile,
//$ -- needs only that part of the input vector, and leaves one sum a row; the block adds the eight sums.
//$ params "format ring_at full_at empty_at flags_at stage_at stage_words parts_at squares_at stages request_at poll_limit parts_half"
// What one consumer warp carries from wave to wave.
struct Split {
    int worker, thread, warp, lane;
    int slot;         // of the ring: where the next tile lies
    unsigned phase;   // parity of its turn
    int flip;         // half of the block's sums that is free
    unsigned tag;     // of the packets of this wave; those it reads carry the tag before
    unsigned where;   // step << 16 | wave, for faults
    Request* request; // its fields come from far: what a wave waits for is asked before it waits for packets
};

// The same warp, as if made here: what is computed from it stays in its wave, instead of in registers through all layers.
__device__ __forceinline__ void split_here(Split& me)
{
    me.worker = here(me.worker);
    me.thread = here(me.thread);
    me.warp = here(me.warp);
    me.lane = me.thread & 31;
}

// Words in shared memory: somebody waited in vain, so that nobody waits any more; a fault was noted; the next token, and while it is
// chosen the id of the largest value; no token follows; the consumers have left; how the launch chooses; what the largest value is and
// what the candidates said, for a draw; the position of the launch's first token; the first step that needs logits; the tag of the
// launch's first wave; all workers came to the last meeting, or sent what was waited for.
enum { FLAG_OVER, FLAG_FAULT, FLAG_ID, FLAG_DONE, FLAG_LEFT, FLAG_CHOOSE, FLAG_MOST, FLAG_SAID, FLAG_START, FLAG_HEADS, FLAG_TAG, FLAG_MET };

__device__ __forceinline__ unsigned* split_flags()
{
    SHARED_ARENA(arena);
    return (unsigned*)(arena + $(flags_at));
}

// One thread, before all others: the ring is empty, the launch begins as the request says.
__device__ __forceinline__ void split_begin(const Request* request)
{
    SHARED_ARENA(arena);
    unsigned long long *full = (unsigned long long*)(arena + $(full_at)), *empty = (unsigned long long*)(arena + $(empty_at));
    #pragma unroll 1
    for (int i = 0; i < $(stages * 4); ++i)
        mbarrier_init(full + i, 1u);
    #pragma unroll 1
    for (int i = 0; i < $(stages); ++i)
        mbarrier_init(empty + i, 8u);
    mbarrier_init_done();
    unsigned* flags = split_flags();
    flags[FLAG_OVER] = flags[FLAG_FAULT] = flags[FLAG_DONE] = flags[FLAG_LEFT] = 0u;
    flags[FLAG_ID] = request->id;
    flags[FLAG_CHOOSE] = request->choose;
    flags[FLAG_START] = request->position;
    flags[FLAG_HEADS] = request->all_logits ? 0u : request->forced - 1u;
    flags[FLAG_TAG] = request->tag;
}

__device__ __forceinline__ void split_fault(Request* request, const unsigned where, const int worker, const unsigned cause)
{
    fault(request, where, worker, cause);
    store_flag(split_flags() + FLAG_FAULT, 1u);
}
__device__ __forceinline__ void split_fault(const Split& me, const unsigned cause)
{
    split_fault(me.request, me.where, me.worker, cause);
}

// The position of the launch's first token, and the first step that needs logits.
__device__ __forceinline__ int split_start()
{
    return (int)load_flag(split_flags() + FLAG_START);
}
__device__ __forceinline__ int split_heads()
{
    return (int)load_flag(split_flags() + FLAG_HEADS);
}

// Asked after each look at packets that are not there yet: is it time to give up? Now and then looks for another's fault.
__device__ __forceinline__ bool wait_is_over(Request* request, const unsigned where, const int worker, unsigned& polls)
{
    unsigned* flags = split_flags();
    if (load_flag(flags + FLAG_OVER))
        return true;
    if (++polls % 1024u)
        return false;
    if (polls >= $(poll_limit)u)
        split_fault(request, where, worker, 3u);
    else if (load_acquire((const unsigned*)&request->fault) == 0xffffffffu)
        return false;
    store_flag(flags + FLAG_OVER, 1u);
    return true;
}
__device__ __forceinline__ bool wait_is_over(const Split& me, unsigned& polls)
{
    return wait_is_over(me.request, me.where, me.worker, polls);
}

// Waits for one of the four copies of the slot.
__device__ __forceinline__ void await_quarter(const Split& me, const int quarter)
{
    SHARED_ARENA(arena);
    unsigned long long* full = (unsigned long long*)(arena + $(full_at)) + me.slot * 4 + quarter;
    while (!__all_sync(0xffffffffu, mbarrier_ready(full, me.phase))) // the lanes leave together
        if (__any_sync(0xffffffffu, load_flag(split_flags() + FLAG_OVER)))
            break;
}

// This warp has done with the slot.
__device__ __forceinline__ void give_slot(Split& me)
{
    SHARED_ARENA(arena);
    __syncwarp();
    if (me.lane == 0)
        mbarrier_arrive((unsigned long long*)(arena + $(empty_at)) + me.slot);
    if (++me.slot == $(stages)) {
        me.slot = 0;
        me.phase ^= 1u;
    }
}

// One warp's part of a tile: 32 columns of 8 rows a block, each lane one row's eight columns.
struct Tile {
    uint4 v[8];
};

// The warp's `blocks` blocks (MOST at most) from `first` on of the next tile, into registers; then the slot is given back.
template <int MOST> __device__ __forceinline__ void take_tile(Split& me, Tile& tile, const int first, const int blocks)
{
    SHARED_ARENA(arena);
    await_quarter(me, me.warp >> 1);
    const uint4* from = arena + $(ring_at) + me.slot * 2048 + first * 32 + me.lane;
    unsigned seen = 0xffffffffu;
    #pragma unroll
    for (int j = 0; j < MOST; ++j) {
        tile.v[j] = j < blocks ? from[j * 32] : make_uint4(0u, 0u, 0u, 0u);
        seen &= tile.v[j].w;
    }
    loaded(seen);
    give_slot(me);
}

// Where no tile is taken: else its registers would be kept for what might still be in them.
__device__ __forceinline__ void no_tile(Tile& tile)
{
    #pragma unroll
    for (int j = 0; j < 8; ++j)
        tile.v[j] = make_uint4(0u, 0u, 0u, 0u);
}

// Could the warp take the next tile without waiting?
__device__ __forceinline__ bool tile_there(const Split& me)
{
    SHARED_ARENA(arena);
    return __all_sync(0xffffffffu, mbarrier_test((unsigned long long*)(arena + $(full_at)) + me.slot * 4 + (me.warp >> 1), me.phase));
}

// The warp's columns of the input as matrix A wait in its staging place, chunk after chunk: row 0 holds the high halves, row 8
// the low ones; the other rows are zero, and so are these registers in the lanes that hold them.
struct Columns {
    uint4 v[4];
};

__device__ __forceinline__ uint4* split_stage(const Split& me)
{
    SHARED_ARENA(arena);
    return arena + $(stage_at) + me.warp * $(stage_words);
}

// Packet p of chunk q: four columns as one lane's part of one matrix instruction.
__device__ __forceinline__ void stage_packet(const Split& me, const int q, const int p, const float4 v)
{
    const uint2 a = halves_$(format)(v.x, v.y), b = halves_$(format)(v.z, v.w);
    split_stage(me)[q * 64 + (p >> 3) * 8 + (p & 1) * 4 + (p >> 1 & 3)] = make_uint4(a.x, a.y, b.x, b.y);
}

// Eight rows' sums over the warp's columns of chunk q: c and d take the blocks' even and odd eights.
template <int MOST> __device__ __forceinline__ void add_tile(const Split& me, const int q, const Tile& tile, Columns& x, float (&c)[4], float (&d)[4])
{
    const uint4* from = split_stage(me) + q * 64 + me.lane;
    #pragma unroll
    for (int j = 0; j < MOST; ++j) {
        uint4 &a = x.v[2 * j & 3], &b = x.v[(2 * j + 1) & 3];
        load_shared_where(me.lane < 4, a, from + j * 8);
        load_shared_where(me.lane < 4, b, from + j * 8 + 4);
        mma_$(format)(c, a.x, a.y, a.z, a.w, tile.v[j].x, tile.v[j].y);
        mma_$(format)(d, b.x, b.y, b.z, b.w, tile.v[j].z, tile.v[j].w);
    }
}

// The warp's sums of the eight rows of one tile, into the block's table: [half][8 warps][$(parts_half // 8) rows].
__device__ __forceinline__ void leave_sums(const Split& me, const int tile, const float (&c)[4], const float (&d)[4])
{
    SHARED_ARENA(arena);
    float* sums = (float*)(arena + $(parts_at)) + me.flip * $(parts_half) + me.warp * $(parts_half // 8);
    if (me.lane < 4)
        ((float2*)(sums + tile * 8))[me.lane] = make_float2((c[0] + d[0]) + (c[2] + d[2]), (c[1] + d[1]) + (c[3] + d[3]));
}

// Warp after warp.
__device__ __forceinline__ float block_sum(const Split& me, const int row)
{
    SHARED_ARENA(arena);
    const float* sums = (const float*)(arena + $(parts_at)) + me.flip * $(parts_half) + row;
    float v = 0.0f;
    #pragma unroll
    for (int w = 0; w < 8; ++w)
        v += sums[w * $(parts_half // 8)];
    return v;
}

// The warp's sum of squares, and behind the next meeting that of all columns.
__device__ __forceinline__ void leave_squares(const Split& me, const float sum)
{
    SHARED_ARENA(arena);
    const float all = warp_sum(sum);
    if (me.lane == 0)
        ((float*)(arena + $(squares_at)))[me.flip * 8 + me.warp] = all;
}
__device__ __forceinline__ float block_squares(const Split& me)
{
    SHARED_ARENA(arena);
    const float* squares = (const float*)(arena + $(squares_at)) + me.flip * 8;
    float sum = 0.0f;
    #pragma unroll
    for (int w = 0; w < 8; ++w)
        sum += squares[w];
    return sum;
}
