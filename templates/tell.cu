//$ -- tell: what `$(name)` calls where a launch asks for log-probabilities. Rounds: each worker sends its largest logit below the last one
//$ -- told, and all find the largest of those.
//$ params "name split workers threads total logits_at selectable_at scratch_at board_at own held each unroll meet once"
// A thread's logits from row `at` on; minus infinity for ids that may not be chosen.
__device__ __forceinline__ void $(name)_load(float (&v)[$(own)], const float* logits, const unsigned char* state, const int at, const int last)
{
    load_some(v, logits, at, $(threads), last);
    #pragma unroll
    for (int k = 0; k < $(own); ++k) {
        const int row = at + k * $(threads);
        v[k] = is_selectable(state + $(selectable_at), row < last ? row : at) ? v[k] : __uint_as_float(0xff800000u);
    }
}

// Tells the host what log-probabilities are made of: the largest logits one after the other, a meeting each, and the weight of all.
// False: somebody did not come.
__device__ $(once) bool $(name)_tell(const Drawer me, unsigned char* state, Mailbox* mailbox, const int step, const unsigned id)
{
    SHARED_ARENA(arena);
    uint4* best = (uint4*)(arena + $(scratch_at + 8)); // {logit, id, weight} of each warp, then of all workers
    uint4* board = (uint4*)(state + $(board_at));      // [2]$(split and "[2]" or "")[$(workers)]
    const float* logits = (const float*)(state + $(logits_at));
    const $(name)_Rows rows = $(name)_rows_of(me.worker);
    const int wanted = me.request->logprobs, lane = me.thread & 31;
    const bool tells = me.worker == 0 && me.thread == 0;
    Told* to = &mailbox->told[step];
    float largest = 0.0f, last = __uint_as_float(0x7f800000u);
    unsigned last_id = 0u;
    //$ if held then
    float v[$(own)];
    $(name)_load(v, logits, state, rows.first + me.thread, rows.last);
    //$ end
    #pragma unroll 1
    for (int round = 0; round < (wanted > 2 ? wanted : 2); ++round) {
        float most = -3.402823466e38f;
        unsigned most_id = 0xffffffffu;
        unsigned long long weight = 0ull;
        //$ if held then
        {
            const int at = rows.first + me.thread;
        //$ else
        #pragma unroll 1
        for (int at = rows.first + me.thread; at < rows.last; at += $(own * threads)) {
            float v[$(own)];
            $(name)_load(v, logits, state, at, rows.last);
        //$ end
            #pragma unroll
            for (int k = 0; k < $(own); ++k) {
                const int row = at + k * $(threads);
                if (round == 1)
                    weight += weight_of(largest - v[k], 1.44269504f);
                if (v[k] > most && (v[k] < last || (v[k] == last && row > (int)last_id))) {
                    most = v[k];
                    most_id = row;
                }
            }
        }
        //$ local function reduce()
        #pragma unroll $(split and 5 or 1)
        for (int d = 16; d > 0; d >>= 1) {
            const float v = __shfl_xor_sync(0xffffffffu, most, d);
            const unsigned other = __shfl_xor_sync(0xffffffffu, most_id, d);
            weight += __shfl_xor_sync(0xffffffffu, weight, d);
            if (v > most || (v == most && other < most_id)) {
                most = v;
                most_id = other;
            }
        }
        //$ end
        //$ reduce()
        if (lane == 0)
            best[me.thread >> 5] = make_uint4(__float_as_uint(most), most_id, (unsigned)weight, (unsigned)(weight >> 32));
        $(meet);
        if (me.thread == 0) {
            #pragma unroll $(split and threads // 32 or 1)
            for (int w = 1; w < $(threads // 32); ++w) {
                const float v = __uint_as_float(best[w].x);
                weight += (unsigned long long)best[w].w << 32 | best[w].z;
                if (v > most || (v == most && best[w].y < most_id)) {
                    most = v;
                    most_id = best[w].y;
                }
            }
            //$ if split then
            store_packet(board + (round & 1) * $(2 * workers) + me.worker, make_uint4(__float_as_uint(most), most_id, round, me.tag));
            if (round == 1)
                store_packet(board + $(3 * workers) + me.worker, make_uint4((unsigned)weight, (unsigned)(weight >> 32), 1u, me.tag));
            //$ else
            board[(round & 1) * $(workers) + me.worker] = make_uint4(__float_as_uint(most), most_id, (unsigned)weight, (unsigned)(weight >> 32));
            //$ end
        }
        //$ if not split then
        if (!$(name)_meet(me))
            return false;
        //$ end
        if (me.thread < 32) {
            most = -3.402823466e38f;
            most_id = 0xffffffffu;
            weight = 0ull;
            //$ if split then
            uint4 b[$(each)];
            bool met = $(name)_gather(me, board + (round & 1) * $(2 * workers), round, b);
            #pragma unroll
            for (int i = 0; i < $(each); ++i) {
                const float v = __uint_as_float(b[i].x);
                if (lane * $(each) + i < $(workers) && (v > most || (v == most && b[i].y < most_id))) {
                    most = v;
                    most_id = b[i].y;
                }
            }
            if (round == 1) {
                met = $(name)_gather(me, board + $(3 * workers), 1u, b) && met;
                #pragma unroll
                for (int i = 0; i < $(each); ++i)
                    weight += (unsigned long long)b[i].y << 32 | b[i].x;
            }
            if (lane == 0)
                store_flag(split_flags() + FLAG_MET, met);
            //$ else
            #pragma unroll $(unroll)
            for (int w = lane; w < $(workers); w += 32) {
                const uint4 b = board[(round & 1) * $(workers) + w];
                const float v = __uint_as_float(b.x);
                weight += (unsigned long long)b.w << 32 | b.z;
                if (v > most || (v == most && b.y < most_id)) {
                    most = v;
                    most_id = b.y;
                }
            }
            //$ end
            //$ reduce()
            if (lane == 0)
                best[$(threads // 32)] = make_uint4(__float_as_uint(most), most_id, (unsigned)weight, (unsigned)(weight >> 32));
        }
        $(meet);
        //$ if split then
        if (!load_flag(split_flags() + FLAG_MET))
            return false;
        //$ end
        last = __uint_as_float(best[$(threads // 32)].x);
        last_id = best[$(threads // 32)].y;
        if (round == 0)
            largest = last;
        if (tells && round == 1)
            to->weight = (unsigned long long)best[$(threads // 32)].w << 32 | best[$(threads // 32)].z;
        if (tells && round < wanted) {
            to->ids[round] = last_id;
            to->logits[round] = last;
        }
    }
    if (tells) {
        to->largest = largest;
        to->chosen = logits[id];
        __threadfence_system(); // before the id, which says that all is there
    }
    return true;
}
