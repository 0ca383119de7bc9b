//$ -- draw_cut: where the entries of all workers reach a number or a weight: each counts its own into bins, and all look at the sums.
//$ params "name split threads values_at scratch_at bins_at counts_at words_at list_at listed held some meet"
//$ local step = held and 1 or threads -- from one value of a thread to the next
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
// Counts this worker's entries from `least` to `last`, and with by_weight adds their weights: bins of 2^shift entries from `from` on.
__device__ __forceinline__ void $(name)_count(const Drawer& me, unsigned char* state, const float best, const unsigned long long from, const int shift,
                                           const unsigned long long least, const unsigned long long last, const int place, const bool by_weight$(held and ", const float (&v)[" .. some .. "]" or ""))
{
    SHARED_ARENA(arena);
    //$ if held then
    unsigned* halves = (unsigned*)(arena + $(scratch_at + 8)); // weights below 2^20, and in units of 2^20: of $(some * threads) ids they fit
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
        //$ if split then
        unsigned long long weight[$(some)]; // of all at once, so that the one does not wait for the other
        if (by_weight)
            weigh(weight, v, best, 1.44269504f);
        //$ end
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
                add_to(&halves[b], (unsigned)weight[k] & 0xfffffu);
                add_to(&halves[256 + b], (unsigned)(weight[k] >> 20));
            }
            //$ else
            if (by_weight)
                add_to(&weights[b], $(split and "weight[k]" or "weight_of(distance, 1.44269504f)"));
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
