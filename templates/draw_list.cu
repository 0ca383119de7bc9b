//$ -- draw_list: a draw from a list that each block ranks by itself.
//$ params "name split threads scratch_at list_at listed meet"
//$ local unroll = split and 4 or 1 -- where loads would wait for each other
// Draws from a list of n entries: each thread ranks its own against all others. top_k 0: the list is cut already, or not by number;
// `whole`: the weight that top-p is a share of, where top_k does not say.
__device__ __forceinline__ unsigned $(name)_from_list(const Drawer& me, const unsigned char* state, const Wanted& want, const int n, const unsigned top_k, unsigned long long whole)
{
    SHARED_ARENA(arena);
    unsigned long long* word = (unsigned long long*)(arena + $(scratch_at)); // the whole weight; the id
    unsigned long long* weights = (unsigned long long*)(arena + $(scratch_at + 8));
    uint2* entries = (uint2*)(weights + $(listed));
    #pragma unroll 1
    for (int i = me.thread; i < n; i += $(threads)) {
        entries[i] = ((const uint2*)(state + $(list_at)))[i];
        weights[i] = weight_of(__uint_as_float(entries[i].x), 1.44269504f);
    }
    $(meet);
    unsigned long long before[$((listed + threads - 1) // threads)]; // weight of the entries before this thread's
    unsigned rank[$((listed + threads - 1) // threads)];
    #pragma unroll
    for (int k = 0; k < $((listed + threads - 1) // threads); ++k) {
        const int i = me.thread + k * $(threads);
        before[k] = 0ull;
        rank[k] = 0u;
        if (i >= n)
            continue;
        const unsigned long long mine = entry_of(__uint_as_float(entries[i].x), entries[i].y);
        #pragma unroll $(unroll)
        for (int j = 0; j < n; ++j)
            if (entry_of(__uint_as_float(entries[j].x), entries[j].y) < mine) {
                before[k] += weights[j];
                ++rank[k];
            }
        if (rank[k] + 1u == top_k)
            word[0] = before[k] + weights[i];
    }
    $(meet);
    whole = top_k ? word[0] : whole;
    unsigned long long part = __umul64hi(whole, want.share);
    part = part ? part : 1ull;
    #pragma unroll
    for (int k = 0; k < $((listed + threads - 1) // threads); ++k) {
        const int i = me.thread + k * $(threads);
        if (i >= n)
            continue;
        const float distance = __uint_as_float(entries[i].x);
        const bool stays = (!top_k || rank[k] < top_k) && (!want.share || before[k] < part) && distance <= want.reach;
        weights[i] = stays ? weight_of(distance, want.scale) : 0ull;
    }
    $(meet);
    #pragma unroll 1
    for (int i = me.thread; i < n; i += $(threads)) {
        const unsigned id = entries[i].y;
        unsigned long long all = 0ull, lower = 0ull; // weight of the ids below
        #pragma unroll $(unroll)
        for (int j = 0; j < n; ++j) {
            all += weights[j];
            lower += entries[j].y < id ? weights[j] : 0ull;
        }
        const unsigned long long r = __umul64hi($(split and "want.random" or "word[5]"), all);
        if (lower <= r && r < lower + weights[i])
            word[1] = id;
    }
    $(meet);
    return (unsigned)word[1];
}
