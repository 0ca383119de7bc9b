//$ -- draw_barrier: a draw where workers meet at barriers, of 1,024 threads perhaps: few registers, so first the exact last entry, and the
//$ -- request is read where it is needed. Where a list was enough only worker 0 learns the id.
//$ params "name workers threads values_at scratch_at bins_at counts_at words_at listed board_at some"
//$ local each = (workers + 31) // 32 -- workers a lane
// Where the entries that all workers counted reach a number of them, or with by_weight a weight: what the last look left of it; or at first
// the number `goal`, or the share `goal` of all weight (of 2^64). What was before the bin is taken off. The first warp looks, eight bins a lane.
__device__ __forceinline__ Found $(name)_look(const Drawer& me, const unsigned char* state, const int place, const bool by_weight, const bool at_first,
                                           const unsigned long long goal)
{
    SHARED_ARENA(arena);
    Found* found = (Found*)(arena + $(scratch_at));
    unsigned long long* left = (unsigned long long*)(arena + $(scratch_at + 2));
    if (me.thread < 32) {
        const int lane = me.thread;
        const unsigned long long* weights = (const unsigned long long*)(state + $(bins_at)) + place * 256 + lane * 8;
        const unsigned* counts = (const unsigned*)(state + $(counts_at)) + place * 256 + lane * 8;
        unsigned n = 0u;
        unsigned long long w = 0ull, want = at_first ? goal : *left;
        __syncwarp(); // before a lane leaves another
        #pragma unroll 1
        for (int i = 0; i < 8; ++i) {
            n += counts[i];
            w += by_weight ? weights[i] : 0ull;
        }
        const unsigned n_to = (unsigned)sum_up_to(n, lane);
        const unsigned long long w_to = sum_up_to(w, lane);
        const unsigned long long all = __shfl_sync(0xffffffffu, w_to, 31);
        if (at_first && by_weight) {
            want = __umul64hi(all, goal);
            want = want ? want : 1ull;
        }
        unsigned long long before = by_weight ? w_to - w : n_to - n;
        const unsigned long long to = by_weight ? w_to : n_to;
        if (lane == 31 && to < want) {
            *found = { 256, n_to, 0u, all };
            *left = want;
        }
        if (before < want && to >= want) {
            unsigned counted = n_to - n;
            #pragma unroll 1
            for (int i = 0; i < 8; ++i) {
                const unsigned long long step = by_weight ? weights[i] : counts[i];
                if (before + step >= want) {
                    *found = { lane * 8 + i, counted, counts[i], all };
                    *left = want - before;
                    break;
                }
                before += step;
                counted += counts[i];
            }
        }
    }
    __syncthreads();
    return *found;
}

// Draws from all entries up to `last`: workers tell each other what theirs weigh, and the one that the draw falls to finds the id.
__device__ __forceinline__ unsigned $(name)_from_all(const Drawer& me, unsigned char* state, const Wanted& want, const unsigned long long last, const int draws)
{
    SHARED_ARENA(arena);
    unsigned long long* word = (unsigned long long*)(arena + $(scratch_at)); // the rank it falls to; what is left of the draw there
    unsigned long long* sums = (unsigned long long*)(arena + $(scratch_at + 8)); // [warps]
    const float* values = (const float*)(state + $(values_at));
    const $(name)_Rows rows = $(name)_rows_of(me.worker);
    const int each = (rows.last - rows.first + $(threads - 1)) / $(threads), first = rows.first + me.thread * each, lane = me.thread & 31;
    const int end = first + each < rows.last ? first + each : rows.last;
    unsigned long long mine = 0ull;
    #pragma unroll 1
    for (int at = first; at < end; at += $(some)) {
        float v[$(some)];
        load_some(v, values, at, 1, end);
        #pragma unroll
        for (int k = 0; k < $(some); ++k) {
            const float distance = want.best - v[k];
            mine += distance <= want.reach && entry_of(distance, at + k) <= last ? weight_of(distance, want.scale) : 0ull;
        }
    }
    unsigned long long to = sum_up_to(mine, lane);
    if (lane == 31)
        sums[me.thread >> 5] = to;
    __syncthreads();
    unsigned long long all = 0ull;
    #pragma unroll 1
    for (int w = 0; w < $(threads // 32); ++w) {
        to += w < me.thread >> 5 ? sums[w] : 0ull;
        all += sums[w];
    }
    unsigned long long* board = (unsigned long long*)(state + $(board_at)); // [$(workers)]
    unsigned* chosen = (unsigned*)(state + $(words_at)) + 1;
    if (me.thread == 0)
        board[rows.rank] = all;
    if (!$(name)_meet(me))
        return 0xffffffffu;
    if (me.thread < 32) {
        const int from = lane * $(each), behind = from + $(each) < $(workers) ? from + $(each) : $(workers); // of workers next to each other
        unsigned long long sum = 0ull;
        #pragma unroll 1
        for (int rank = from; rank < behind; ++rank)
            sum += board[rank];
        const unsigned long long up_to = sum_up_to(sum, lane);
        const unsigned long long whole = __shfl_sync(0xffffffffu, up_to, 31), r = __umul64hi(word[5 + draws], whole);
        unsigned long long before = up_to - sum;
        #pragma unroll 1
        for (int rank = from; rank < behind; ++rank) {
            if (before <= r && r < before + board[rank]) {
                word[0] = rank;
                word[1] = r - before;
            }
            before += board[rank];
        }
    }
    __syncthreads();
    if (word[0] == (unsigned long long)rows.rank && to - mine <= word[1] && word[1] < to) {
        unsigned long long before = to - mine;
        #pragma unroll 1
        for (int row = first; row < end; ++row) {
            const float distance = want.best - values[row];
            before += distance <= want.reach && entry_of(distance, row) <= last ? weight_of(distance, want.scale) : 0ull;
            if (before > word[1]) {
                *chosen = row;
                break;
            }
        }
    }
    return $(name)_meet(me) ? *chosen : 0xffffffffu;
}

// The id drawn for a position; best: the largest value. All workers call it. 0xffffffff: somebody did not come.
// Top-k leaves a number of entries and top-p a weight of those; each look narrows the last entry that stays down to a bin. Where top-p
// cuts many, an entry is drawn of all up to the end of its first bin: it counts if it stays, else one is drawn of those that stay. So
// each of them has the probability that a draw from those alone gives it.
__device__ __forceinline__ unsigned $(name)_draw(const Drawer me, unsigned char* state, const float best, const unsigned position)
{
    SHARED_ARENA(arena);
    unsigned long long* word = (unsigned long long*)(arena + $(scratch_at)); // at 3 where the bin begins; from 5 on random numbers of two draws, and the end of top-p's first bin
    const Request* ask = me.request;
    unsigned long long last = 0xffffffffffffffffull;
    int place = 0;
    if (me.thread == 0) {
        word[5] = random_bits(ask->seed, position, 0u);
        word[6] = random_bits(ask->seed, position, 1u);
        word[7] = last;
    }
    #pragma unroll 1
    for (int goal = 0; goal < 2; ++goal) { // top-k, then top-p of what it leaves
        const bool by_weight = goal == 1;
        if (!(by_weight ? ask->top_p : ask->top_k))
            continue;
        int shift = FIRST_SHIFT;
        #pragma unroll 1
        for (bool first = true;; first = false) {
            const unsigned long long from = first ? first_entry() : word[3];
            $(name)_count(me, state, best, from, shift, first ? 0ull : from, last, place, by_weight);
            if (!$(name)_meet(me))
                return 0xffffffffu;
            const Found f = $(name)_look(me, state, place++, by_weight, first, by_weight ? share_of(ask) : ask->top_k);
            if (f.bin == 256)
                break; // fewer than that: all stay
            const unsigned long long end = first && f.bin == 255 ? last : from + ((unsigned long long)(f.bin + 1) << shift) - 1ull;
            last = end < last ? end : last;
            if (first && f.before + f.entries <= $(listed)u) {
                $(name)_list(me, state, best, last);
                if (!$(name)_meet(me))
                    return 0xffffffffu;
                if (me.worker != 0)
                    return 0u;
                return $(name)_from_list(me, state, wanted_of(ask, best), (int)(f.before + f.entries), by_weight ? 0u : ask->top_k,
                                         f.weight_all);
            }
            if (me.thread == 0) {
                word[3] = first && f.bin == 0 ? 0ull : from + ((unsigned long long)f.bin << shift);
                if (first || !by_weight)
                    word[7] = last;
            }
            if (f.entries == 1u)
                break;
            __syncthreads();
            shift = next_shift(first, f.bin, shift);
        }
    }
    __syncthreads();
    #pragma unroll 1
    for (int draws = 0;; ++draws) {
        const unsigned id = $(name)_from_all(me, state, wanted_of(ask, best), draws ? last : word[7], draws);
        if (draws || id == 0xffffffffu || entry_of(best - ((const float*)(state + $(values_at)))[id], id) <= last)
            return id;
    }
}
