//$ -- select: the next token: the largest logit, ties to the lowest id; or the prompt's next id. One warp of worker 0.
//$ params "name slots best_at request_at"
// $(name): next = the best of $(slots) workers' candidates, or the next forced id; and whether to go on.
__device__ __forceinline__ void $(name)(const int step, unsigned char* state)
{
    const int thread = thread_index();
    Request* request = (Request*)(state + $(request_at));
    Mailbox* mailbox = (Mailbox*)request->mailbox;
    if (thread >= 32)
        return;
    float most = -3.402823466e38f;
    unsigned id = 0;
    if (head_runs(request, step)) {
        const uint2* bests = (const uint2*)(state + $(best_at)); // [$(slots)] {value, row}
        id = 0xffffffffu;
        for (int slot = thread; slot < $(slots); slot += 32) {
            const float v = __uint_as_float(bests[slot].x);
            if (v > most || (v == most && bests[slot].y < id)) {
                most = v;
                id = bests[slot].y;
            }
        }
        #pragma unroll
        for (int d = 16; d > 0; d >>= 1) {
            const float v = __shfl_xor_sync(0xffffffffu, most, d);
            const unsigned other = __shfl_xor_sync(0xffffffffu, id, d);
            if (v > most || (v == most && other < id)) {
                most = v;
                id = other;
            }
        }
    }
    if (thread == 0) {
        const bool forced = step + 1 < request->forced;
        const bool fine = request->fault == 0xffffffffffffffffull;
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
