//$ -- values: what ids are chosen by where it is not the logits alone: logits with their bias; ids that stand in the window are moved
//$ -- by the penalties.
//$ -- Who: all threads of the worker; `thread` counts to $(threads). Counts of a row are its worker's own.
//$ params "name threads split y_at bias_at counted_at values_at history_at recent_at drawing_at drawing_words workers"
//$ local some = split and 4 or 1 -- values that a thread has under way
//$ local meet = split and "consumers_meet()" or "__syncthreads()"
// The values of this worker's rows `first` up to `last`; `taken`: the id that the step takes in. Each warp's best: {value, row}.
__device__ __noinline__ uint2 $(name)_values(const Request* ask, unsigned char* state, const int worker, const int thread, const int step, const int taken,
                                             const int first, const int last)
{
    const float* logits = (const float*)(state + $(y_at));
    const float* bias = (const float*)(state + $(bias_at));
    float* values = (float*)(state + $(values_at));
    unsigned* counts = (unsigned*)(state + $(counted_at));
    const bool penalties = ask->choose & CHOOSE_PENALTIES;
    $(meet);
    //$ if not split then
    if (first == 0 && last > 0) // one worker
        #pragma unroll 1
        for (int i = thread; i < $(drawing_words); i += $(threads))
            ((uint4*)(state + $(drawing_at)))[i] = make_uint4(0u, 0u, 0u, 0u);
    //$ end
    if (penalties) {
        const unsigned* history = (const unsigned*)(state + $(history_at));
        unsigned* recent = (unsigned*)(state + $(recent_at)) + worker * 64; // this worker's copy of what the launch has taken in
        const int start = ask->position, forced = ask->forced, end = start + step + 1, window = ask->window;
        const int begin = end > window ? end - window : 0;
        if (step == (ask->all_logits ? 0 : forced - 1)) { // the launch's first choice: counted anew
            #pragma unroll 1
            for (int row = first + thread; row < last; row += $(threads))
                counts[row] = 0u;
            $(meet);
            #pragma unroll 1
            for (int p = begin + thread; p < end; p += $(threads)) {
                const int id = p < start ? history[p] : ask->ids[p - start];
                if (id >= first && id < last)
                    add_to(&counts[id], 1u);
            }
        } else if (thread == 0) {
            if (taken >= first && taken < last)
                add_to(&counts[taken], 1u);
            if (begin > 0) { // one position leaves the window
                const int p = begin - 1, id = p < start ? history[p] : p - start < forced ? ask->ids[p - start] : recent[p - start];
                if (id >= first && id < last)
                    add_to(&counts[id], 0xffffffffu);
            }
        }
        if (thread == 0)
            recent[step] = taken;
        $(meet);
    }
    const float shrink = ask->shrink, grow = ask->grow, presence = ask->presence, frequency = ask->frequency;
    float most = -3.402823466e38f;
    unsigned most_row = 0xffffffffu;
    #pragma unroll 1
    for (int at = first + thread; at < last; at += $(some * threads)) {
        float from[$(some)], more[$(some)];
        load_some(from, logits, at, $(threads), last);
        load_some(more, bias, at, $(threads), last);
        #pragma unroll
        for (int k = 0; k < $(some); ++k) {
            const int row = at + k * $(threads);
            if (row >= last)
                break;
            float v = from[k] + more[k];
            const unsigned n = penalties ? counts[row] : 0u;
            if (n) {
                v *= v > 0.0f ? shrink : grow;
                v -= fmaf((float)n, frequency, presence);
            }
            values[row] = v;
            if (v > most) {
                most = v;
                most_row = row;
            }
        }
    }
    warp_best(most, most_row);
    return make_uint2(__float_as_uint(most), most_row);
}
