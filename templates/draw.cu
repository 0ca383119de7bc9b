//$ -- draw: what `$(name)` calls where a launch asks for more than the largest logit. Every worker looks through the values of its own
//$ -- rows; what workers must know of each other they leave in memory and meet. Counts and weights are whole numbers, so no sum depends
//$ -- on an order.
//$ params "name split workers threads total head drawing_at values_at logits_at selectable_at scratch_at bins_at counts_at words_at list_at listed board_at all_words poll_limit"
//$ local once = split and "__noinline__" or "__forceinline__" -- a worker of 1,024 threads has no register for calls in calls
//$ local all_at = scratch_at + all_words -- what all workers sent, behind the sums of warps
//$ -- Values that a thread has under way, and whether those are all of its own, which then stay in registers.
//$ local own = split and ((head.least + (head.extra > 0 and 1 or 0)) * 8 + threads - 1) // threads
//$ local held = split and own <= 8
//$ local some = held and own or split and 4 or 1
//$ local each = (workers + 31) // 32 -- workers a lane
//$ local meet = split and "consumers_meet()" or "__syncthreads()"
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
// A place is written again when all have read it: by the exchange after next of those that all send, behind a meeting, or by the next token.
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

//$ local drawn = split and "((const unsigned long long*)(arena + " .. scratch_at .. "))[6]" or "((const unsigned long long*)(state + " .. words_at .. "))[1]"
//$ -- What a draw goes by: read early, or where a worker has no register for it when it is needed.
//$ local want, top_k, share = "want", "want.top_k", "want.share"
//$ if not split then
//$ want, top_k, share = "wanted_of(ask, best, position, draws)", "ask->top_k", "share_of(ask)"
//$ end
//$ include("draw_cut.cu", { held = held, some = some, meet = meet })
//$ include("draw_from.cu", { held = held, some = some, meet = meet, all_at = all_at })

// The id drawn for a position; best: the largest value. All workers call it; in a schedule of barriers only worker 0 learns the id where
// a list was enough. 0xffffffff: somebody did not come.
// Top-k leaves a number of entries and top-p a weight of those; each look narrows the last entry that stays down to a bin. An entry that
// is drawn once top-p's first bin is known counts if it lies before that bin: only where it lies in it, one goes on to the exact last
// entry, and draws again if it lies behind that. So each entry that stays has the probability that a draw from those alone gives it.
__device__ $(once) unsigned $(name)_draw(const Drawer me, unsigned char* state, const float best, const unsigned position)
{
    //$ if held then
    const $(name)_Rows rows = $(name)_rows_of(me.worker);
    float v[$(some)];
    load_some(v, (const float*)(state + $(values_at)), rows.first + me.thread * $(some), 1, rows.last);
    //$ end
    //$ if split then
    SHARED_ARENA(arena);
    //$ end
    const Request* ask = me.request;
    //$ if split then
    Wanted want = wanted_of(ask, best, position, 0u);
    //$ end
    unsigned long long low = 0ull, last = 0xffffffffffffffffull; // of the entries among which the last that stays is
    enum { TOP_K, TOP_P, EXACT };
    int goal = $(top_k) ? TOP_K : $(share) ? TOP_P : EXACT, level = 0, shift = 0, place = 0, draws = 0;
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
            const Found f = $(name)_look(me, state, place++, by_weight, first, by_weight ? $(share) : $(top_k));
            if (f.bin != 256) { // else all stay
                const unsigned long long end = first && f.bin == 255 ? last : from + ((unsigned long long)(f.bin + 1) << shift) - 1ull;
                low = first && f.bin == 0 ? 0ull : from + ((unsigned long long)f.bin << shift);
                last = end < last ? end : last;
                if (first && f.before + f.entries <= $(listed)u) {
                    $(name)_list(me, state, best, last$(held and ", v" or ""));
                    if (!$(name)_meet(me))
                        return 0xffffffffu;
                    //$ if not split then
                    if (me.worker != 0)
                        return 0u;
                    //$ end
                    return $(name)_from_list(me, state, $(want), (int)(f.before + f.entries), by_weight ? 0u : $(top_k), f.weight_all);
                }
                shift = !first ? (shift > 8 ? shift - 8 : 0) : f.bin == 0 || f.bin == 255 ? 55 : FIRST_SHIFT - 8;
            }
            if (f.bin == 256 || f.entries == 1u) {
                goal = !by_weight && $(share) ? TOP_P : EXACT;
                level = 0;
            }
            if (goal != EXACT && !(by_weight && first))
                continue;
        }
        if (draws > 0 && $(drawn) <= last) { // nobody wipes what others still look at
            const unsigned id = (unsigned)$(drawn);
            return $(name)_meet(me) ? id : 0xffffffffu;
        }
        const unsigned long long drawn = $(name)_from_all(me, state, $(want), last, draws$(held and ", v" or ""));
        if (goal == EXACT || drawn < low || drawn == 0xffffffffffffffffull)
            return (unsigned)drawn;
        ++draws;
        //$ if split then
        want = wanted_of(ask, best, position, draws);
        //$ end
    }
}

//$ include("tell.cu", { own = some, held = held, all_at = all_at, meet = meet, once = once })
