//$ -- tell: what `$(name)` calls where a launch asks for log-probabilities. Rounds: each worker sends its largest logit below the last one
//$ -- told, and all find the largest of those.
//$ params "name split workers threads total logits_at selectable_at scratch_at board_at own held all_at meet once"
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

// Tells the host what log-probabilities are made of: the largest logits one after the other, an exchange each, and the weight of all.
// known: merit of the largest, which then needs no exchange; 0: not known. False: somebody did not come.
__device__ $(once) bool $(name)_tell(const Drawer me, unsigned char* state, Mailbox* mailbox, const int step, const unsigned id, const unsigned long long known)
{
    SHARED_ARENA(arena);
    const unsigned long long nobody = merit_of(-3.402823466e38f, 0xffffffffu);
    uint4* best = (uint4*)(arena + $(scratch_at + 8)); // {merit, weight} of each warp, then of all workers
    //$ if split then
    const unsigned long long* all = (const unsigned long long*)(arena + $(all_at)); // [$(workers)]
    //$ else
    uint4* board = (uint4*)(state + $(board_at)); // [2][$(workers)]
    //$ end
    const float* logits = (const float*)(state + $(logits_at));
    const $(name)_Rows rows = $(name)_rows_of(me.worker);
    const int wanted = me.request->logprobs, lane = me.thread & 31;
    const bool tells = me.worker == 0 && me.thread == 0;
    Told* to = &mailbox->told[step];
    float largest = 0.0f;
    unsigned long long last = known ? known : 0xffffffffffffffffull;
    //$ if held then
    float v[$(own)];
    $(name)_load(v, logits, state, rows.first + me.thread, rows.last);
    //$ end
    #pragma unroll 1
    for (int round = 0; round < (wanted > 2 ? wanted : 2); ++round) {
        if (round > 0 || !known) {
            unsigned long long most = nobody, weight = 0ull; // the weight is summed in round 1
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
                    const unsigned long long merit = merit_of(v[k], at + k * $(threads));
                    if (merit < last && merit > most)
                        most = merit;
                    if (round == 1)
                        weight += weight_of(largest - v[k], 1.44269504f);
                }
            }
            //$ local function of_warp()
            most = warp_most(most);
            if (round == 1)
                weight = sum_up_to(weight, lane); // the last lane has all
            //$ end
            //$ of_warp()
            if (lane == 31)
                best[me.thread >> 5] = make_uint4((unsigned)most, (unsigned)(most >> 32), (unsigned)weight, (unsigned)(weight >> 32));
            $(meet);
            if (me.thread < 32) {
                const uint4 mine = best[lane < $(threads // 32) ? lane : 0];
                most = (unsigned long long)mine.y << 32 | mine.x;
                weight = lane < $(threads // 32) ? (unsigned long long)mine.w << 32 | mine.z : 0ull;
                //$ of_warp()
                //$ if not split then
                if (lane == 31)
                    board[(round & 1) * $(workers) + me.worker] = make_uint4((unsigned)most, (unsigned)(most >> 32), (unsigned)weight, (unsigned)(weight >> 32));
                //$ end
            }
            //$ if not split then
            if (!$(name)_meet(me))
                return false;
            //$ end
            if (me.thread < 32) {
                //$ if split then
                $(name)_send(me, state, (round & 1) * 2, round, most);
                if (round == 1)
                    $(name)_send(me, state, 3, 1u, weight);
                $(name)_gather(me, state, (round & 1) * 2, round);
                most = nobody;
                #pragma unroll 1
                for (int w = lane; w < $(workers); w += 32)
                    most = all[w] > most ? all[w] : most;
                most = warp_most(most);
                if (lane == 0)
                    store_flag(split_flags() + FLAG_MET, !load_flag(split_flags() + FLAG_OVER));
                //$ else
                most = nobody;
                weight = 0ull;
                #pragma unroll 1
                for (int w = lane; w < $(workers); w += 32) {
                    const uint4 b = board[(round & 1) * $(workers) + w];
                    const unsigned long long merit = (unsigned long long)b.y << 32 | b.x;
                    most = merit > most ? merit : most;
                    weight += (unsigned long long)b.w << 32 | b.z;
                }
                //$ of_warp()
                //$ end
                if (lane == 31)
                    best[$(threads // 32)] = make_uint4((unsigned)most, (unsigned)(most >> 32), (unsigned)weight, (unsigned)(weight >> 32));
            }
            $(meet);
            //$ if split then
            if (!load_flag(split_flags() + FLAG_MET))
                return false;
            //$ end
            const uint4 found = best[$(threads // 32)];
            last = (unsigned long long)found.y << 32 | found.x;
            //$ if not split then
            if (tells && round == 1)
                to->weight = (unsigned long long)found.w << 32 | found.z;
            //$ end
        }
        if (round == 0)
            largest = value_of(last);
        if (tells && round < wanted) {
            to->ids[round] = row_of(last);
            to->logits[round] = value_of(last);
        }
    }
    //$ if split then
    if (me.worker == 0 && me.thread < 32) { // where they have long been sent
        $(name)_gather(me, state, 3, 1u);
        unsigned long long weight = 0ull;
        #pragma unroll 1
        for (int w = lane; w < $(workers); w += 32)
            weight += all[w];
        weight = __shfl_sync(0xffffffffu, sum_up_to(weight, lane), 31);
        if (tells)
            to->weight = weight;
    }
    //$ end
    if (tells) {
        to->largest = largest;
        to->chosen = known ? largest : logits[id]; // another worker's, unless it is the largest
        __threadfence_system(); // before the id, which says that all is there
    }
    return true;
}
