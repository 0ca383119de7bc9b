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

//$ include("draw_cut.cu", { held = held, some = some, meet = meet })
//$ include("draw_list.cu", { meet = meet })

//$ if split then
//$ include("draw_packets.cu", { held = held, some = some, all_at = all_at })
//$ else
//$ include("draw_barrier.cu", { some = some })
//$ end

//$ include("tell.cu", { own = some, held = held, all_at = all_at, meet = meet, once = once })
