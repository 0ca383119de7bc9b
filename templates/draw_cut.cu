//$ -- draw_cut: where the entries of all workers reach a number or a weight: each counts its own into bins, and all look at the sums.
//$ params "name split threads values_at scratch_at bins_at counts_at words_at list_at listed held some meet"
//$ local bins = threads >= 256 and 1 or threads >= 128 and 2 or threads >= 64 and 4 or 8 -- a thread in a look, of whole warps
//$ local look_warps = 256 // bins // 32
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
        unsigned long long weight[$(some)];
        if (by_weight)
            weigh(weight, v, best, 1.44269504f);
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
                add_to(&weights[b], weight[k]);
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

// Where the entries that all workers counted reach a number of them, or with by_weight a weight: what the last look left of it; or at first
// the number `goal`, or the share `goal` of all weight (of 2^64). What was before the bin is taken off. The first $(256 // bins) threads look, $(bins) bin$(bins > 1 and "s" or "") each.
__device__ __forceinline__ Found $(name)_look(const Drawer& me, const unsigned char* state, const int place, const bool by_weight, const bool at_first,
                                           const unsigned long long goal)
{
    SHARED_ARENA(arena);
    Found* found = (Found*)(arena + $(scratch_at));
    unsigned long long* left = (unsigned long long*)(arena + $(scratch_at + 2));
    Sums* sums = (Sums*)(arena + $(scratch_at + 8)); // [warps]
    const unsigned long long* weights = (const unsigned long long*)(state + $(bins_at)) + place * 256;
    const unsigned* counts = (const unsigned*)(state + $(counts_at)) + place * 256;
    const int first = me.thread * $(bins), warp = me.thread >> 5, lane = me.thread & 31;
    Sums to = { 0ull, 0ull };
    unsigned n = 0u;
    unsigned long long w = 0ull, want = at_first ? goal : *left;
    if (first < 256) {
        #pragma unroll 1
        for (int b = first; b < first + $(bins); ++b) {
            n += counts[b];
            w += by_weight ? weights[b] : 0ull;
        }
        to = sums_up_to(w, n, lane);
        if (lane == 31)
            sums[warp] = to;
    }
    $(meet);
    if (first < 256) {
        Sums all = { 0ull, 0ull };
        #pragma unroll $(split and 4 or 1)
        for (int i = 0; i < $(look_warps); ++i) {
            to.weight += i < warp ? sums[i].weight : 0ull;
            to.number += i < warp ? sums[i].number : 0ull;
            all.weight += sums[i].weight;
            all.number += sums[i].number;
        }
        if (at_first && by_weight) {
            want = __umul64hi(all.weight, goal);
            want = want ? want : 1ull;
        }
        if (me.thread == 0 && (by_weight ? all.weight : all.number) < want) {
            *found = { 256, (unsigned)all.number, 0u, all.weight };
            *left = want;
        }
        unsigned long long before = by_weight ? to.weight - w : to.number - n;
        if (before < want && (by_weight ? to.weight : to.number) >= want) {
            //$ if bins == 1 then
            *found = { first, (unsigned)to.number - n, n, all.weight };
            //$ else
            unsigned counted = (unsigned)to.number - n;
            int b = first;
            #pragma unroll 1
            for (; before + (by_weight ? weights[b] : counts[b]) < want; ++b) {
                before += by_weight ? weights[b] : counts[b];
                counted += counts[b];
            }
            *found = { b, counted, counts[b], all.weight };
            //$ end
            *left = want - before;
        }
    }
    $(meet);
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
