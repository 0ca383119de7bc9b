//$ -- draw: what `$(name)` calls where a launch asks for more than the largest logit. Every worker looks through the values of its own
//$ -- rows; what workers must know of each other they leave in memory and meet. Counts and weights are whole numbers, so no sum depends
//$ -- on an order.
//$ params "name split workers threads total head drawing_at values_at logits_at selectable_at scratch_at bins_at counts_at words_at list_at listed board_at all_words poll_limit"
//$ local once = split and "__noinline__" or "__forceinline__" -- a worker of 1,024 threads has no register for calls in calls
//$ local number_drawn = 64 -- of the first exchange of a draw; those below are of the largest logits, round by round
//$ local each = (workers + 31) // 32 -- workers a lane
//$ local unroll = split and 4 or 1 -- where loads would wait for each other
//$ local all_at = scratch_at + all_words -- what all workers sent, behind the sums of warps
//$ -- Values that a thread has under way, and whether those are all of its own, which then stay in registers.
//$ local own = split and ((head.least + (head.extra > 0 and 1 or 0)) * 8 + threads - 1) // threads
//$ local held = split and own <= 8
//$ local some = held and own or split and 4 or 1
//$ local step = held and 1 or threads -- from one of them to the next
//$ local meet = split and "consumers_meet()" or "__syncthreads()"
//$ local function open_values()
//$ if held then
    {
        const int at = rows.first + me.thread * $(some);
//$ else
    #pragma unroll 1
    for (int at = rows.first + me.thread; at < rows.last; at += $(some * threads)) {
        float v[$(some)];
        load_some(v, values, at, $(threads), rows.last);
//$ end
//$ end
//$ if head.irregular then
__constant__ int $(name)_rows[$(workers)][3] = { // first row, the one behind the last, place in the order of rows; worker after worker
    //$ for _, row in ipairs(head.rows_table) do
    { $(row.first), $(row.last), $(row.rank) },
    //$ end
};
//$ end

// The rows of a worker, and its place in their order.
struct $(name)_Rows {
    int first, last, rank;
};
__device__ __forceinline__ $(name)_Rows $(name)_rows_of(const int worker)
{
    //$ if head.irregular then
    return { $(name)_rows[worker][0], $(name)_rows[worker][1], $(name)_rows[worker][2] };
    //$ elseif split then
    const int first = (worker * $(head.least)$(head.extra > 0 and " + (worker < " .. head.extra .. " ? worker : " .. head.extra .. ")" or "")) * 8;
    const int last = first + ($(head.least)$(head.extra > 0 and " + (worker < " .. head.extra .. ")" or "")) * 8;
    return { first < $(total) ? first : $(total), last < $(total) ? last : $(total), worker };
    //$ else
    const int w = worker < $(head.tasks) ? worker : $(head.tasks), next = worker < $(head.tasks) ? worker + 1 : $(head.tasks);
    return { w * $(head.units) / $(head.tasks)$(head.granule > 1 and " * " .. head.granule or ""), next * $(head.units) / $(head.tasks)$(head.granule > 1 and " * " .. head.granule or ""), worker };
    //$ end
}

//$ if split then
// wait_is_over, once for all waits of a draw, which are few.
__device__ __noinline__ bool $(name)_late(const Drawer me, unsigned polls)
{
    return wait_is_over(me.request, me.where, me.worker, polls);
}
//$ end

// All workers meet: what any wrote before, all may read after. False: one is missing for too long.
__device__ __noinline__ bool $(name)_meet(const Drawer me)
{
    //$ if not split then
    int late = 0;
    //$ end
    $(meet);
    if (me.thread == 0) {
        const unsigned target = arrive(&me.request->met, $(workers)u);
        //$ if split then
        for (unsigned polls = 0; !have_met(&me.request->met, target); ++polls)
            if ($(name)_late(me, polls))
                break;
        store_flag(split_flags() + FLAG_MET, !load_flag(split_flags() + FLAG_OVER));
        //$ else
        for (unsigned polls = 0; !have_met(&me.request->met, target); ++polls)
            if (polls == $(poll_limit)u) {
                fault(me.request, me.where, me.worker, 3u);
                late = 1;
                break;
            }
        //$ end
    }
    //$ if split then
    consumers_meet();
    return load_flag(split_flags() + FLAG_MET);
    //$ else
    return !__syncthreads_or(late);
    //$ end
}
//$ if split then

// Each worker sends 64 bits, its last lane's `mine`.
__device__ __forceinline__ void $(name)_send(const Drawer& me, unsigned char* state, const int place, const unsigned number, const unsigned long long mine)
{
    if ((me.thread & 31) == 31)
        store_packet((uint4*)(state + $(board_at)) + place * $(workers) + me.worker, make_uint4((unsigned)mine, (unsigned)(mine >> 32), number, me.tag));
}

// What all workers sent, into shared memory. The first warp calls it; FLAG_OVER says that somebody did not.
// A place is written again when all have read it: by the exchange after next of those that all send, or by the next token.
__device__ __noinline__ void $(name)_gather(const Drawer me, const unsigned char* state, const int place, const unsigned number)
{
    SHARED_ARENA(arena);
    unsigned long long* all = (unsigned long long*)(arena + $(all_at));
    const uint4* board = (const uint4*)(state + $(board_at)) + place * $(workers);
    const int lane = me.thread & 31;
    uint4 b[$(each)];
    #pragma unroll
    for (int i = 0; i < $(each); ++i)
        b[i] = make_uint4(0u, 0u, number, i * 32 + lane < $(workers) ? me.tag - 1u : me.tag);
    for (unsigned polls = 0;; ++polls) {
        bool ready = true;
        #pragma unroll
        for (int i = 0; i < $(each); ++i) {
            if (b[i].w != me.tag || b[i].z != number)
                b[i] = load_packet(board + i * 32 + lane);
            ready = ready && b[i].w == me.tag && b[i].z == number;
        }
        if (__all_sync(0xffffffffu, ready) || __any_sync(0xffffffffu, $(name)_late(me, polls)))
            break;
    }
    __syncwarp(); // all lanes have done with what was gathered before
    #pragma unroll
    for (int i = 0; i < $(each); ++i)
        if (i * 32 + lane < $(workers))
            all[i * 32 + lane] = (unsigned long long)b[i].y << 32 | b[i].x;
    __syncwarp();
}
//$ end

// Counts this worker's entries from `least` to `last`, and with by_weight adds their weights: bins of 2^shift entries from `from` on.
__device__ __forceinline__ void $(name)_count(const Drawer& me, unsigned char* state, const float best, const unsigned long long from, const int shift,
                                           const unsigned long long least, const unsigned long long last, const int place, const bool by_weight$(held and ", const float (&v)[" .. some .. "]" or ""))
{
    SHARED_ARENA(arena);
    //$ if held then
    unsigned* halves = (unsigned*)(arena + $(scratch_at + 8)); // weights below 2^20, and in units of 2^20: of $(own * threads) ids at most they fit
    unsigned* counts = halves + 512;
    //$ else
    unsigned long long* weights = (unsigned long long*)(arena + $(scratch_at + 8));
    unsigned* counts = (unsigned*)(weights + 256);
    const float* values = (const float*)(state + $(values_at));
    //$ end
    const $(name)_Rows rows = $(name)_rows_of(me.worker);
    #pragma unroll 1
    for (int b = me.thread; b < 256; b += $(threads)) {
        //$ if held then
        halves[b] = halves[256 + b] = 0u;
        //$ else
        weights[b] = 0ull;
        //$ end
        counts[b] = 0u;
    }
    $(meet);
    //$ open_values()
        #pragma unroll
        for (int k = 0; k < $(some); ++k) {
            const float distance = best - v[k];
            const unsigned long long e = entry_of(distance, at + k * $(step)), far = e < from ? 0ull : (e - from) >> shift;
            if (!is_finite(distance) || e < least || e > last)
                continue;
            const int b = far < 255ull ? (int)far : 255;
            add_to(&counts[b], 1u);
            //$ if held then
            if (by_weight) {
                const unsigned long long weight = weight_of(distance, 1.44269504f);
                add_to(&halves[b], (unsigned)weight & 0xfffffu);
                add_to(&halves[256 + b], (unsigned)(weight >> 20));
            }
            //$ else
            if (by_weight)
                add_to(&weights[b], weight_of(distance, 1.44269504f));
            //$ end
        }
    }
    $(meet);
    #pragma unroll 1
    for (int b = me.thread; b < 256; b += $(threads))
        if (counts[b]) {
            add_to((unsigned*)(state + $(counts_at)) + place * 256 + b, counts[b]);
            if (by_weight)
                add_to((unsigned long long*)(state + $(bins_at)) + place * 256 + b, $(held and "((unsigned long long)halves[256 + b] << 20) + halves[b]" or "weights[b]"));
        }
}

// Where the entries that all workers counted reach `target`: a number of them, or with `share` their weight that share of all weight (of
// 2^64), or with by_weight a weight. What was before the bin is taken off the target. The first warp looks, eight bins a lane.
__device__ __forceinline__ Found $(name)_look(const Drawer& me, const unsigned char* state, const int place, const bool by_weight, const unsigned long long share,
                                           unsigned long long& target)
{
    SHARED_ARENA(arena);
    Found* found = (Found*)(arena + $(scratch_at));
    unsigned long long* left = (unsigned long long*)(arena + $(scratch_at + 2));
    if (me.thread < 32) {
        const int lane = me.thread;
        const unsigned long long* weights = (const unsigned long long*)(state + $(bins_at)) + place * 256 + lane * 8;
        const unsigned* counts = (const unsigned*)(state + $(counts_at)) + place * 256 + lane * 8;
        unsigned n = 0u;
        unsigned long long w = 0ull;
        #pragma unroll $(split and 8 or 1)
        for (int i = 0; i < 8; ++i) {
            n += counts[i];
            w += by_weight ? weights[i] : 0ull;
        }
        const unsigned n_to = (unsigned)sum_up_to(n, lane);
        const unsigned long long w_to = sum_up_to(w, lane);
        const unsigned long long all = __shfl_sync(0xffffffffu, w_to, 31);
        unsigned long long want = target;
        if (share) {
            want = __umul64hi(all, share);
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
    $(meet);
    target = *left;
    return *found;
}

// This worker's entries up to `last`, into the list that all share.
__device__ __forceinline__ void $(name)_list(const Drawer& me, unsigned char* state, const float best, const unsigned long long last$(held and ", const float (&v)[" .. some .. "]" or ""))
{
    //$ if not held then
    const float* values = (const float*)(state + $(values_at));
    //$ end
    const $(name)_Rows rows = $(name)_rows_of(me.worker);
    //$ open_values()
        #pragma unroll
        for (int k = 0; k < $(some); ++k) {
            const float distance = best - v[k];
            const int row = at + k * $(step);
            if (!is_finite(distance) || entry_of(distance, row) > last)
                continue;
            const unsigned number = take_number((unsigned*)(state + $(words_at)));
            if (number < $(listed)u)
                ((uint2*)(state + $(list_at)))[number] = make_uint2(__float_as_uint(distance), row);
        }
    }
}

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

// What a value of `row` weighs in a draw from the entries up to `last`.
__device__ __forceinline__ unsigned long long $(name)_weight(const Wanted& want, const float value, const int row, const unsigned long long last)
{
    const float distance = want.best - value;
    return distance <= want.reach && entry_of(distance, row) <= last ? weight_of(distance, want.scale) : 0ull;
}

// The entry drawn from all up to `last`: workers tell each other what theirs weigh, and the one that the draw falls to finds it.
// All ones: somebody did not come.
__device__ __forceinline__ unsigned long long $(name)_from_all(const Drawer& me, unsigned char* state, const Wanted& want, const unsigned long long last, const int draws$(held and ", const float (&v)[" .. some .. "]" or ""))
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
    #pragma unroll
    for (int k = 0; k < $(some); ++k) {
        weights[k] = $(name)_weight(want, v[k], first + k, last);
        mine += weights[k];
    }
    //$ else
    const float* values = (const float*)(state + $(values_at));
    const int each = (rows.last - rows.first + $(threads - 1)) / $(threads), first = rows.first + me.thread * each;
    const int end = first + each < rows.last ? first + each : rows.last;
    #pragma unroll 1
    for (int at = first; at < end; at += $(some)) {
        float v[$(some)];
        load_some(v, values, at, 1, end);
        #pragma unroll
        for (int k = 0; k < $(some); ++k)
            mine += $(name)_weight(want, v[k], at + k, last);
    }
    //$ end
    unsigned long long to = sum_up_to(mine, lane);
    if (lane == 31)
        sums[me.thread >> 5] = to;
    $(meet);
    unsigned long long all = 0ull;
    #pragma unroll 1
    for (int w = 0; w < $(threads // 32); ++w) {
        to += w < me.thread >> 5 ? sums[w] : 0ull;
        all += sums[w];
    }
    //$ if split then
    const unsigned number = $(number_drawn)u + draws * 2;
    //$ else
    unsigned long long* board = (unsigned long long*)(state + $(board_at)); // [$(workers)]
    unsigned long long* chosen = (unsigned long long*)(state + $(words_at)) + 1;
    if (me.thread == 0)
        board[rows.rank] = all;
    if (!$(name)_meet(me))
        return 0xffffffffffffffffull;
    //$ end
    if (me.thread < 32) {
        //$ if split then
        $(name)_send(me, state, 1, number, all);
        $(name)_gather(me, state, 1, number);
        const unsigned long long* board = (const unsigned long long*)(arena + $(all_at));
        //$ end
        const int from = lane * $(each), behind = from + $(each) < $(workers) ? from + $(each) : $(workers); // of workers next to each other
        unsigned long long sum = 0ull;
        #pragma unroll 1
        for (int rank = from; rank < behind; ++rank)
            sum += board[rank];
        const unsigned long long up_to = sum_up_to(sum, lane);
        const unsigned long long whole = __shfl_sync(0xffffffffu, up_to, 31), r = __umul64hi(want.random, whole);
        unsigned long long before = up_to - sum;
        #pragma unroll 1
        for (int rank = from; rank < behind; ++rank) {
            if (before <= r && r < before + board[rank]) {
                word[0] = rank;
                word[1] = r - before;
            }
            before += board[rank];
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
        int row = first;
        #pragma unroll 1
        for (; row < end - 1; ++row) {
            before += $(name)_weight(want, values[row], row, last);
            if (before > word[1])
                break;
        }
        const unsigned long long entry = entry_of(want.best - values[row], row);
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

// The id drawn for a position; best: the largest value. All workers call it; in a schedule of barriers only worker 0 learns the id where
// a list was enough. 0xffffffff: somebody did not come.
// Top-k leaves a number of entries and top-p a weight of those; each look narrows the last entry that stays down to a bin. An entry that
// is drawn once top-p's first bin is known counts if it lies before that bin: only where it lies in it, one goes on to the exact last
// entry, and draws again if it lies behind that. So each entry that stays has the probability that a draw from those alone gives it.
__device__ $(once) unsigned $(name)_draw(const Drawer me, unsigned char* state, const float best, const unsigned position)
{
    const Request* ask = me.request;
    Wanted want = { best, ask->top_k, (unsigned long long)ask->top_p << 32, ask->reach, ask->scale, random_bits(ask->seed, position, 0u) };
    unsigned long long last = 0xffffffffffffffffull, target = 0ull, from = 0ull, low = 0ull, high = 0ull, drawn = 0ull;
    enum { TOP_K, TOP_P, EXACT };
    int goal = want.top_k ? TOP_K : want.share ? TOP_P : EXACT, level = 0, shift = 0, place = 0, draws = 0;
    //$ if held then
    const $(name)_Rows rows = $(name)_rows_of(me.worker);
    float v[$(some)];
    load_some(v, (const float*)(state + $(values_at)), rows.first + me.thread * $(some), 1, rows.last);
    //$ end
    #pragma unroll 1
    for (;;) {
        if (goal != EXACT) {
            const bool first = level++ == 0, by_weight = goal == TOP_P;
            if (first) {
                target = want.top_k;
                from = first_entry();
                low = 0ull;
                high = last;
                shift = FIRST_SHIFT;
            }
            $(name)_count(me, state, best, from, shift, low, high, place, by_weight$(held and ", v" or ""));
            if (!$(name)_meet(me))
                return 0xffffffffu;
            const Found f = $(name)_look(me, state, place++, by_weight, by_weight && first ? want.share : 0ull, target);
            if (f.bin != 256) { // else all stay
                const unsigned long long end = first && f.bin == 255 ? last : from + ((unsigned long long)(f.bin + 1) << shift) - 1ull;
                low = first && f.bin == 0 ? 0ull : from + ((unsigned long long)f.bin << shift);
                high = end < last ? end : last;
                if (first && f.before + f.entries <= $(listed)u) {
                    $(name)_list(me, state, best, high$(held and ", v" or ""));
                    if (!$(name)_meet(me))
                        return 0xffffffffu;
                    //$ if not split then
                    if (me.worker != 0)
                        return 0u;
                    //$ end
                    return $(name)_from_list(me, state, want, (int)(f.before + f.entries), by_weight ? 0u : want.top_k, f.weight_all);
                }
                from = low;
                shift = !first ? (shift > 8 ? shift - 8 : 0) : f.bin == 0 || f.bin == 255 ? 55 : FIRST_SHIFT - 8;
            }
            if (f.bin == 256 || f.entries == 1u) {
                last = high;
                goal = !by_weight && want.share ? TOP_P : EXACT;
                level = 0;
            }
            if (goal != EXACT && !(by_weight && first))
                continue;
        }
        if (draws > 0 && drawn <= last)
            return (unsigned)drawn;
        drawn = $(name)_from_all(me, state, want, goal == EXACT ? last : high, draws$(held and ", v" or ""));
        if (goal == EXACT || drawn < low || drawn == 0xffffffffffffffffull)
            return (unsigned)drawn;
        want.random = random_bits(ask->seed, position, ++draws);
    }
}

//$ include("tell.cu", { own = some, held = held, all_at = all_at, meet = meet, once = once })
