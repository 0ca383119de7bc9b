//$ -- split_select: the next token, found by every worker for itself: the largest logit, ties to the lowest id; one that is drawn; or
//$ -- the prompt's next id. Worker 0 tells the host.
//$ params "name workers best_at"
//$ include("draw.cu", { split = true, threads = 256, scratch_at = stage_at })

// $(name): next = the best of $(workers) workers' candidates, or the next forced id; and whether to go on.
__device__ __forceinline__ void $(name)(Split& me, const int step, unsigned char* state)
{
    unsigned* flags = split_flags();
    const bool forced = step + 1 < me.request->forced;
    const unsigned choose = step >= split_heads() ? load_flag(flags + FLAG_CHOOSE) : 0u;
    unsigned given = 0u, end = 0xffffffffu, id = 0xffffffffu, said = 0u;
    Mailbox* mailbox = (Mailbox*)me.request->mailbox;
    if (me.warp == 0) {
        const uint4* bests = (const uint4*)(state + $(best_at)); // [$(workers)] {value, row, flags, tag}
        const unsigned tag = me.tag - 1u;
        if (forced)
            given = me.request->ids[step + 1];
        if (me.lane < me.request->eos_count)
            end = me.request->eos[me.lane];
        uint4 b[$((workers + 31) // 32)];
        #pragma unroll
        for (int i = 0; i < $((workers + 31) // 32); ++i)
            b[i] = make_uint4(0xff7fffffu, 0xffffffffu, 0u, i * 32 + me.lane < $(workers) ? tag - 1u : tag);
        for (unsigned polls = 0;;) {
            bool ready = true;
            #pragma unroll
            for (int i = 0; i < $((workers + 31) // 32); ++i) {
                if (b[i].w != tag)
                    b[i] = load_packet(bests + i * 32 + me.lane);
                ready = ready && b[i].w == tag;
            }
            if (__all_sync(0xffffffffu, ready) || __any_sync(0xffffffffu, wait_is_over(me, polls)))
                break;
        }
        //$ if trace then
        if (me.thread == 0)
            trace_ready(state, me.where, me.worker);
        //$ end
        float most = -3.402823466e38f;
        #pragma unroll
        for (int i = 0; i < $((workers + 31) // 32); ++i) {
            said |= b[i].z;
            keep_better(__uint_as_float(b[i].x), b[i].y, most, id);
        }
        #pragma unroll
        for (int d = 16; d > 0; d >>= 1) {
            const float v = __shfl_xor_sync(0xffffffffu, most, d);
            const unsigned other = __shfl_xor_sync(0xffffffffu, id, d);
            keep_better(v, other, most, id);
        }
        said = (__any_sync(0xffffffffu, said & 1u) ? 1u : 0u) | (__any_sync(0xffffffffu, said & 2u) ? 2u : 0u);
        id = step >= split_heads() ? id : 0u;
        if (choose & (CHOOSE_DRAWN | CHOOSE_TOLD)) {
            store_flag(flags + FLAG_ID, id); // of the largest, until one is chosen
            store_flag(flags + FLAG_MOST, __float_as_uint(most));
            store_flag(flags + FLAG_SAID, said);
            if (choose & CHOOSE_VALUES)
                fence_gpu(); // what the others wiped is wiped, and where the request tells of logits those are there
        }
    }
    const Drawer drawer = { me.worker, me.thread, me.where, me.request, me.tag };
    bool there = true; // all workers, where one waited for them
    if (choose & CHOOSE_DRAWN) {
        consumers_meet();
        if (!(load_flag(flags + FLAG_SAID) & 2u))
            id = $(name)_draw(drawer, state, __uint_as_float(load_flag(flags + FLAG_MOST)), split_start() + step + 1);
        there = load_flag(flags + FLAG_SAID) & 2u || id != 0xffffffffu;
    }
    if (choose & CHOOSE_TOLD) {
        consumers_meet();
        if (there && !(load_flag(flags + FLAG_SAID) & 2u))
            $(name)_tell(drawer, state, mailbox, step, id,
                          choose & CHOOSE_VALUES ? 0ull : merit_of(__uint_as_float(load_flag(flags + FLAG_MOST)), load_flag(flags + FLAG_ID)));
    }
    if (me.warp == 0) {
        const bool ends = !forced && id == end;
        const bool fine = !(said & 2u) && !load_flag(flags + FLAG_OVER); // a token with a fault is not published
        const bool done = __any_sync(0xffffffffu, ends || !fine || (said & 1u));
        if (me.lane == 0) {
            store_flag(flags + FLAG_ID, forced ? given : id);
            store_flag(flags + FLAG_DONE, done);
            if (me.worker == 0 && fine)
                store_system(&mailbox->ids[step], id);
        }
    }
    consumers_meet();
}
