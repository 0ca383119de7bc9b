//$ -- draw_packets: a draw where workers send packets. An entry that lies before top-p's first bin counts at once; only where it lies in the bin,
//$ -- one goes on to the exact last entry.
//$ params "name workers threads values_at scratch_at bins_at counts_at listed board_at held some all_at"
//$ local number_drawn = 64 -- of the first exchange of a draw; those below are of the largest logits, round by round
//$ local each = (workers + 31) // 32 -- workers a lane
//$ local drawn = "((const unsigned long long*)(arena + " .. scratch_at .. "))[6]" -- what $(name)_from_all drew first
// Where the entries that all workers counted reach a number of them, or with by_weight a weight: what the last look left of it; or at first
// the number `goal`, or the share `goal` of all weight (of 2^64). What was before the bin is taken off. 256 threads look, a bin each.
__device__ __forceinline__ Found $(name)_look(const Drawer& me, const unsigned char* state, const int place, const bool by_weight, const bool at_first,
                                           const unsigned long long goal)
{
    SHARED_ARENA(arena);
    Found* found = (Found*)(arena + $(scratch_at));
    unsigned long long* left = (unsigned long long*)(arena + $(scratch_at + 2));
    Sums* sums = (Sums*)(arena + $(scratch_at + 8)); // [warps]
    const unsigned long long* weights = (const unsigned long long*)(state + $(bins_at)) + place * 256;
    const unsigned* counts = (const unsigned*)(state + $(counts_at)) + place * 256;
    const int first = me.thread, warp = me.thread >> 5, lane = me.thread & 31;
    Sums to = { 0ull, 0ull };
    unsigned n = 0u;
    unsigned long long w = 0ull, want = at_first ? goal : *left;
    if (first < 256) {
        #pragma unroll 1
        for (int b = first; b < first + 1; ++b) {
            n += counts[b];
            w += by_weight ? weights[b] : 0ull;
        }
        to = sums_up_to(w, n, lane);
        if (lane == 31)
            sums[warp] = to;
    }
    consumers_meet();
    if (first < 256) {
        Sums all = { 0ull, 0ull };
        #pragma unroll 4
        for (int i = 0; i < 8; ++i) {
            to.weight += i < warp ? sums[i].weight : 0ull;
            to.number += i < warp ? sums[i].number : 0ull;
            all.weight += sums[i].weight;
            all.number += sums[i].number;
        }
        if (at_first && by_weight) {
            want = __umul64hi(all.weight, goal);
            want = want ? want : 1ull;
        }
        if (me.thread == 0 && (by_weight ? all.weight : all.number) < want) {
            *found = { 256, (unsigned)all.number, 0u, all.weight };
            *left = want;
        }
        unsigned long long before = by_weight ? to.weight - w : to.number - n;
        if (before < want && (by_weight ? to.weight : to.number) >= want) {
            *found = { first, (unsigned)to.number - n, n, all.weight };
            *left = want - before;
        }
    }
    consumers_meet();
    return *found;
}

// What values next to each other, the first that of `row`, weigh in a draw from the entries up to `last`.
__device__ __forceinline__ void $(name)_weigh(unsigned long long (&weights)[$(some)], const float (&v)[$(some)], const Wanted& want, const int row,
                                           const unsigned long long last)
{
    weigh(weights, v, want.best, want.scale);
    #pragma unroll
    for (int k = 0; k < $(some); ++k) {
        const float distance = want.best - v[k];
        weights[k] = distance <= want.reach && entry_of(distance, row + k) <= last ? weights[k] : 0ull;
    }
}

// The entry drawn from all up to `last`: workers tell each other what theirs weigh, and the one that the draw falls to finds it.
// All ones: somebody did not come.
__device__ __forceinline__ unsigned long long $(name)_from_all(const Drawer& me, unsigned char* state, const Wanted& want, const unsigned long long last,
                                                         const int draws$(held and ", const float (&v)[" .. some .. "]" or ""))
{
    SHARED_ARENA(arena);
    unsigned long long* word = (unsigned long long*)(arena + $(scratch_at)); // the rank it falls to; what is left of the draw there; all weight; the entry at 6
    unsigned long long* sums = (unsigned long long*)(arena + $(scratch_at + 8)); // [warps]
    const $(name)_Rows rows = $(name)_rows_of(me.worker);
    const int lane = me.thread & 31;
    unsigned long long mine = 0ull;
    //$ if held then
    const int first = rows.first + me.thread * $(some);
    unsigned long long weights[$(some)];
    $(name)_weigh(weights, v, want, first, last);
    #pragma unroll
    for (int k = 0; k < $(some); ++k)
        mine += weights[k];
    //$ else
    const float* values = (const float*)(state + $(values_at));
    const int each = (rows.last - rows.first + $(threads - 1)) / $(threads), first = rows.first + me.thread * each;
    const int end = first + each < rows.last ? first + each : rows.last;
    #pragma unroll 1
    for (int at = first; at < end; at += $(some)) {
        float v[$(some)];
        unsigned long long weights[$(some)];
        load_some(v, values, at, 1, end);
        $(name)_weigh(weights, v, want, at, last);
        #pragma unroll
        for (int k = 0; k < $(some); ++k)
            mine += weights[k];
    }
    //$ end
    unsigned long long to = sum_up_to(mine, lane);
    if (lane == 31)
        sums[me.thread >> 5] = to;
    consumers_meet();
    const unsigned number = $(number_drawn)u + draws * 2;
    if (me.thread < 32) {
        const unsigned long long all = sum_up_to(lane < $(threads // 32) ? sums[lane] : 0ull, lane); // the last lane's
        $(name)_send(me, state, 1, number, all);
    }
    #pragma unroll 1
    for (int w = 0; w < me.thread >> 5; ++w)
        to += sums[w];
    if (me.thread < 32) {
        $(name)_gather(me, state, 1, number);
        const unsigned long long* board = (const unsigned long long*)(arena + $(all_at));
        const int from = lane * $(each), behind = from + $(each) < $(workers) ? from + $(each) : $(workers); // of workers next to each other
        unsigned long long sum = 0ull;
        #pragma unroll $(each)
        for (int rank = from; rank < behind; ++rank)
            sum += board[rank];
        const unsigned long long up_to = sum_up_to(sum, lane);
        const unsigned long long whole = __shfl_sync(0xffffffffu, up_to, 31), r = __umul64hi(want.random, whole);
        unsigned long long before = up_to - sum;
        if (before <= r && r < up_to) {
            int rank = from;
            #pragma unroll 1
            for (; before + board[rank] <= r; ++rank)
                before += board[rank];
            word[0] = rank;
            word[1] = r - before;
        }
        if (lane == 0) {
            word[2] = whole;
            store_flag(split_flags() + FLAG_MET, !load_flag(split_flags() + FLAG_OVER));
        }
    }
    consumers_meet();
    if (!load_flag(split_flags() + FLAG_MET))
        return 0xffffffffffffffffull;
    if (word[2] == 0ull)
        return 0ull; // no weight: the largest value is not finite
    uint4* chosen = (uint4*)(state + $(board_at)) + $(4 * workers); // a packet
    if (word[0] == (unsigned long long)me.worker && to - mine <= word[1] && word[1] < to) {
        unsigned long long before = to - mine;
        //$ if held then
        int k = 0;
        #pragma unroll
        for (int i = 0; i < $(some); ++i) {
            before += weights[i];
            k += before <= word[1];
        }
        float value = v[0];
        #pragma unroll
        for (int i = 1; i < $(some); ++i)
            value = k == i ? v[i] : value;
        const unsigned long long entry = entry_of(want.best - value, first + k);
        //$ else
        unsigned long long entry = 0ull;
        #pragma unroll 1
        for (int row = first; row < end && before <= word[1]; ++row) {
            const float distance = want.best - values[row];
            entry = entry_of(distance, row);
            before += distance <= want.reach && entry <= last ? weight_of(distance, want.scale) : 0ull;
        }
        //$ end
        store_packet(chosen, make_uint4((unsigned)entry, (unsigned)(entry >> 32), number + 1u, me.tag));
    }
    if (me.thread == 0) {
        uint4 b = make_uint4(0u, 0u, 0u, me.tag - 1u);
        for (unsigned polls = 0; b.w != me.tag || b.z != number + 1u; ++polls) {
            b = load_packet(chosen);
            if ($(name)_late(me, polls))
                break;
        }
        word[6] = b.w == me.tag && b.z == number + 1u ? (unsigned long long)b.y << 32 | b.x : 0xffffffffffffffffull;
    }
    consumers_meet();
    return word[6];
}

// The id drawn for a position; best: the largest value. All workers call it. 0xffffffff: somebody did not come.
// Top-k leaves a number of entries and top-p a weight of those; each look narrows the last entry that stays down to a bin. Where top-p
// cuts many, an entry is drawn of all up to the end of its first bin: it counts if it stays, else one is drawn of those that stay. So
// each of them has the probability that a draw from those alone gives it.
__device__ __noinline__ unsigned $(name)_draw(const Drawer me, unsigned char* state, const float best, const unsigned position)
{
    SHARED_ARENA(arena);
    //$ if held then
    const $(name)_Rows rows = $(name)_rows_of(me.worker);
    float v[$(some)];
    load_some(v, (const float*)(state + $(values_at)), rows.first + me.thread * $(some), 1, rows.last);
    //$ end
    const Request* ask = me.request;
    Wanted want = { best, ask->top_k, share_of(ask), ask->reach, ask->scale, random_bits(ask->seed, position, 0u) };
    unsigned long long low = 0ull, last = 0xffffffffffffffffull; // of the entries among which the last that stays is
    enum { TOP_K, TOP_P, EXACT };
    int goal = want.top_k ? TOP_K : want.share ? TOP_P : EXACT, level = 0, shift = 0, place = 0, draws = 0;
    #pragma unroll 1
    for (;;) {
        if (goal != EXACT) {
            const bool first = level++ == 0, by_weight = goal == TOP_P;
            if (first) {
                low = 0ull;
                shift = FIRST_SHIFT;
            }
            const unsigned long long from = first ? first_entry() : low;
            $(name)_count(me, state, best, from, shift, low, last, place, by_weight$(held and ", v" or ""));
            if (!$(name)_meet(me))
                return 0xffffffffu;
            const Found f = $(name)_look(me, state, place++, by_weight, first, by_weight ? want.share : want.top_k);
            if (f.bin != 256) { // else all stay
                const unsigned long long end = first && f.bin == 255 ? last : from + ((unsigned long long)(f.bin + 1) << shift) - 1ull;
                low = first && f.bin == 0 ? 0ull : from + ((unsigned long long)f.bin << shift);
                last = end < last ? end : last;
                if (first && f.before + f.entries <= $(listed)u) {
                    $(name)_list(me, state, best, last$(held and ", v" or ""));
                    if (!$(name)_meet(me))
                        return 0xffffffffu;
                    return $(name)_from_list(me, state, want, (int)(f.before + f.entries), by_weight ? 0u : want.top_k, f.weight_all);
                }
                shift = next_shift(first, f.bin, shift);
            }
            if (f.bin == 256 || f.entries == 1u) {
                goal = !by_weight && want.share ? TOP_P : EXACT;
                level = 0;
            }
            if (goal != EXACT && !(by_weight && first))
                continue;
        }
        if (draws > 0 && $(drawn) <= last) { // nobody wipes what others still look at
            const unsigned id = (unsigned)$(drawn);
            return $(name)_meet(me) ? id : 0xffffffffu;
        }
        const unsigned long long drawn = $(name)_from_all(me, state, want, last, draws$(held and ", v" or ""));
        if (goal == EXACT || drawn < low || drawn == 0xffffffffffffffffull)
            return (unsigned)drawn;
        ++draws;
        want = { best, ask->top_k, share_of(ask), ask->reach, ask->scale, random_bits(ask->seed, position, draws) };
    }
}
