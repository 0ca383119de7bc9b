//$ -- draw_from: the draw itself: from a list that each block ranks by itself, or from all entries up to a last one.
//$ params "name split workers threads values_at scratch_at words_at list_at listed board_at held some meet all_at"
//$ local number_drawn = 64 -- of the first exchange of a draw; those below are of the largest logits, round by round
//$ local each = (workers + 31) // 32 -- workers a lane
//$ local unroll = split and 4 or 1 -- where loads would wait for each other
// Draws from a list of n entries: each thread ranks its own against all others. top_k 0: the list is cut already, or not by number;
// `whole`: the weight that top-p is a share of, where top_k does not say.
__device__ __forceinline__ unsigned $(name)_from_list(const Drawer& me, const unsigned char* state, const Wanted& want, const int n, const unsigned top_k, unsigned long long whole)
{
    SHARED_ARENA(arena);
    unsigned long long* word = (unsigned long long*)(arena + $(scratch_at)); // the whole weight; the id
    unsigned long long* weights = (unsigned long long*)(arena + $(scratch_at + 8));
    uint2* entries = (uint2*)(weights + $(listed));
    #pragma unroll 1
    for (int i = me.thread; i < n; i += $(threads)) {
        entries[i] = ((const uint2*)(state + $(list_at)))[i];
        weights[i] = weight_of(__uint_as_float(entries[i].x), 1.44269504f);
    }
    $(meet);
    unsigned long long before[$((listed + threads - 1) // threads)]; // weight of the entries before this thread's
    unsigned rank[$((listed + threads - 1) // threads)];
    #pragma unroll
    for (int k = 0; k < $((listed + threads - 1) // threads); ++k) {
        const int i = me.thread + k * $(threads);
        before[k] = 0ull;
        rank[k] = 0u;
        if (i >= n)
            continue;
        const unsigned long long mine = entry_of(__uint_as_float(entries[i].x), entries[i].y);
        #pragma unroll $(unroll)
        for (int j = 0; j < n; ++j)
            if (entry_of(__uint_as_float(entries[j].x), entries[j].y) < mine) {
                before[k] += weights[j];
                ++rank[k];
            }
        if (rank[k] + 1u == top_k)
            word[0] = before[k] + weights[i];
    }
    $(meet);
    whole = top_k ? word[0] : whole;
    unsigned long long part = __umul64hi(whole, want.share);
    part = part ? part : 1ull;
    #pragma unroll
    for (int k = 0; k < $((listed + threads - 1) // threads); ++k) {
        const int i = me.thread + k * $(threads);
        if (i >= n)
            continue;
        const float distance = __uint_as_float(entries[i].x);
        const bool stays = (!top_k || rank[k] < top_k) && (!want.share || before[k] < part) && distance <= want.reach;
        weights[i] = stays ? weight_of(distance, want.scale) : 0ull;
    }
    $(meet);
    #pragma unroll 1
    for (int i = me.thread; i < n; i += $(threads)) {
        const unsigned id = entries[i].y;
        unsigned long long all = 0ull, lower = 0ull; // weight of the ids below
        #pragma unroll $(unroll)
        for (int j = 0; j < n; ++j) {
            all += weights[j];
            lower += entries[j].y < id ? weights[j] : 0ull;
        }
        const unsigned long long r = __umul64hi(want.random, all);
        if (lower <= r && r < lower + weights[i])
            word[1] = id;
    }
    $(meet);
    return (unsigned)word[1];
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
    unsigned long long* word = (unsigned long long*)(arena + $(scratch_at)); // the rank it falls to; what is left of the draw there$(split and "; all weight; the entry at 6" or "")
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
    $(meet);
    //$ if split then
    const unsigned number = $(number_drawn)u + draws * 2;
    //$ else
    unsigned long long* board = (unsigned long long*)(state + $(board_at)); // [$(workers)]
    unsigned long long* chosen = (unsigned long long*)(state + $(words_at)) + 1;
    //$ end
    if (me.thread < 32) {
        const unsigned long long all = sum_up_to(lane < $(threads // 32) ? sums[lane] : 0ull, lane); // the last lane's
        //$ if split then
        $(name)_send(me, state, 1, number, all);
        //$ else
        if (lane == 31)
            board[rows.rank] = all;
        //$ end
    }
    #pragma unroll 1
    for (int w = 0; w < me.thread >> 5; ++w)
        to += sums[w];
    //$ if not split then
    if (!$(name)_meet(me))
        return 0xffffffffffffffffull;
    //$ end
    if (me.thread < 32) {
        //$ if split then
        $(name)_gather(me, state, 1, number);
        const unsigned long long* board = (const unsigned long long*)(arena + $(all_at));
        //$ end
        const int from = lane * $(each), behind = from + $(each) < $(workers) ? from + $(each) : $(workers); // of workers next to each other
        unsigned long long sum = 0ull;
        #pragma unroll $(split and each or 1)
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
        //$ if split then
        if (lane == 0) {
            word[2] = whole;
            store_flag(split_flags() + FLAG_MET, !load_flag(split_flags() + FLAG_OVER));
        }
        //$ end
    }
    $(meet);
    //$ if split then
    if (!load_flag(split_flags() + FLAG_MET))
        return 0xffffffffffffffffull;
    if (word[2] == 0ull)
        return 0ull; // no weight: the largest value is not finite
    uint4* chosen = (uint4*)(state + $(board_at)) + $(4 * workers); // a packet
    //$ end
    if (word[0] == (unsigned long long)$(split and "me.worker" or "rows.rank") && to - mine <= word[1] && word[1] < to) {
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
        //$ if split then
        store_packet(chosen, make_uint4((unsigned)entry, (unsigned)(entry >> 32), number + 1u, me.tag));
        //$ else
        *chosen = entry;
        //$ end
    }
    //$ if split then
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
    //$ else
    return $(name)_meet(me) ? *chosen : 0xffffffffffffffffull;
    //$ end
}
