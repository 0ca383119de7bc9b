//$ -- select: the next token: the largest logit, ties to the lowest id; one that is drawn; or the prompt's next id. Worker 0 decides;
//$ -- all take part in a draw.
//$ params "name slots workers best_at request_at"
//$ include("draw.cu", { split = false })

// $(name): next = the best of $(slots) workers' candidates, one that is drawn, or the next forced id; and whether to go on.
__device__ __forceinline__ void $(name)(const int worker, const int step, const unsigned where, unsigned char* state)
{
    const int thread = thread_index();
    Request* request = (Request*)(state + $(request_at));
    const bool heads = head_runs(request, step), draws = heads && request->choose & CHOOSE_DRAWN, tells = heads && request->choose & CHOOSE_TOLD;
    if ((worker != 0 || thread >= 32) && !draws && !tells)
        return;
    float most = -3.402823466e38f;
    unsigned id = 0;
    if (heads) {
        const uint2* bests = (const uint2*)(state + $(best_at)); // [$(slots)] {value, row}
        id = 0xffffffffu;
        for (int slot = thread & 31; slot < $(slots); slot += 32) {
            const uint2 best = bests[slot];
            keep_better(__uint_as_float(best.x), best.y, most, id);
        }
        warp_best(most, id);
    }
    const unsigned largest_id = id;
    const bool fine = request->fault == 0xffffffffffffffffull;
    const Drawer me = { worker, thread, where, request, 0u };
    bool there = true;
    if (draws && fine) {
        id = $(name)_draw(me, state, most, request->position + step + 1);
        there = id != 0xffffffffu;
    }
    if (tells && fine && there)
        there = $(name)_tell(me, state, (Mailbox*)request->mailbox, step, id, request->choose & CHOOSE_VALUES ? 0ull : merit_of(most, largest_id));
    if (!there)
        return; // somebody did not come
    if (worker == 0 && thread == 0) {
        const bool forced = step + 1 < request->forced;
        Mailbox* mailbox = (Mailbox*)request->mailbox;
        bool done = !fine || load_system(&mailbox->stop);
        for (unsigned i = 0; !forced && i < request->eos_count; ++i)
            done |= id == request->eos[i];
        if (fine) { // a token with a fault is not published
            store_system(&mailbox->ids[step], id);
        }
        request->id = forced ? request->ids[step + 1] : id;
        request->done = done;
    }
}
