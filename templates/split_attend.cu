//$ -- split_attend: one K/V head and one part of its context: softmax(q K^T) V over that part, with its maximum and sum; where
//$ -- there are several, their workers exchange them and each merges its share of y.
//$ -- Who: the last workers, each with one head and part; K/V tiles of 128 positions come through the ring, tile t to part t mod parts;
//$ -- of a tile each warp takes 16 positions. The new position comes in packets and is added at the end by its part.
//$ -- Sums: products in matrix instructions, 16 positions of K, then 16 dimensions of V as the rows of A, queries and shares as
//$ -- two halves each in the columns of B; online softmax in each warp; then the warps in order, then the new position.
//$ params "name what first_worker kv_heads group head_dim parts kv q_at kept_at kv_layer kv_head kv_row kv_v angles_at y_at"
//$ params "turned_at merge_at query_scale ring_at"
//$ local half, pieces, blocks = head_dim // 2, head_dim // 8, head_dim // 32
//$ local heads = kv_heads * group
//$ local slots, words = head_dim // 64, head_dim // 4 -- packets of one head's vector
//$ local wide = group > 4 -- a column of a matrix instruction holds a head, not a half of one
//$ local own = wide and 2 or 1
//$ local lo, hi = kv .. "_lo", kv .. "_hi"
// $(what)
// $(kv_heads) K/V heads x $(parts) part(s); tiles of 128 positions go to the parts in turn. K/V in $(kv), $(head_dim) a row.
__device__ __forceinline__ void $(name)(Split& me, const int layer, const int position, unsigned char* state)
{
    SHARED_ARENA(arena);
    //$ if first_worker > 0 then
    if (me.worker < $(first_worker))
        return;
    //$ end
    float* turned = (float*)(arena + $(turned_at)); // [$(group + 2)][$(head_dim)]: queries, the new key, the new value
    float* merge = (float*)(arena + $(merge_at));   // [8 warps][$(group)][$(head_dim + 4)], then [$(group)] scores of the new position
    const int task = me.worker$(first_worker > 0 and " - " .. first_worker or ""), head = task / $(parts), part = task % $(parts);
    const bool owner = $(parts == 1 and "true" or "(position >> 7) % " .. parts .. " == part");
    unsigned char* keys = state + $(kept_at) + (size_t)layer * $(kv_layer) + head * $(kv_head)ll;
    unsigned char* values = keys + $(kv_v)ll;

    // Queries and the new key, turned by position; the queries' scale holds 1/sqrt($(head_dim)) and log2(e).
    const int vector = me.thread / $(pieces), piece = me.thread % $(pieces); // 4 dimensions of the row's first half and of its second
    {
        const bool mine = vector < $(group + 2), value = vector == $(group + 1);
        const unsigned tag = me.tag - 1u;
        const uint4* sent = (const uint4*)(state + $(q_at)) + piece;
        sent += value ? $((heads + kv_heads) * words) + head * $(words)
              : vector == $(group) ? $(heads * words) + head * $(words) : (head * $(group) + vector) * $(words);
        const float4* angles = (const float4*)(state + $(angles_at)) + ((size_t)position * $(half) + piece * 4) / 2; // {cos, sin} twice
        const float4 t0 = angles[0], t1 = angles[1];
        uint4 p0 = make_uint4(0u, 0u, 0u, tag), p1 = p0;
        if (mine) {
            p0 = load_packet(sent);
            p1 = load_packet(sent + $(head_dim // 8));
        }
        for (unsigned polls = 0;;) {
            if (__all_sync(0xffffffffu, p0.w == tag && p1.w == tag))
                break;
            if (p0.w != tag)
                p0 = load_packet(sent);
            if (p1.w != tag)
                p1 = load_packet(sent + $(head_dim // 8));
            if (__any_sync(0xffffffffu, wait_is_over(me, polls)))
                break;
        }
        //$ if trace then
        if (me.thread == 0)
            trace_ready(state, me.where, me.worker);
        //$ end
        float4 a = unpack24(p0), b = unpack24(p1);
        if (!value) {
            const float4 u = a, w = b;
            a = make_float4(fmaf(u.x, t0.x, -(w.x * t0.y)), fmaf(u.y, t0.z, -(w.y * t0.w)), fmaf(u.z, t1.x, -(w.z * t1.y)), fmaf(u.w, t1.z, -(w.w * t1.w)));
            b = make_float4(fmaf(w.x, t0.x, u.x * t0.y), fmaf(w.y, t0.z, u.y * t0.w), fmaf(w.z, t1.x, u.z * t1.y), fmaf(w.w, t1.z, u.w * t1.w));
        }
        if (mine && vector >= $(group)) { // as the cache keeps it
            const unsigned k0 = pair_$(kv)(a.x, a.y), k1 = pair_$(kv)(a.z, a.w), k2 = pair_$(kv)(b.x, b.y), k3 = pair_$(kv)(b.z, b.w);
            a = make_float4($(lo)(k0), $(hi)(k0), $(lo)(k1), $(hi)(k1));
            b = make_float4($(lo)(k2), $(hi)(k2), $(lo)(k3), $(hi)(k3));
            if (owner) {
                unsigned char* row = (value ? values : keys) + (size_t)position * $(kv_row);
                *(uint2*)(row + ((piece >> 1) ^ turn_of(position)) * 16 + (piece & 1) * 8) = make_uint2(k0, k1);
                *(uint2*)(row + (($(pieces // 2) + (piece >> 1)) ^ turn_of(position)) * 16 + (piece & 1) * 8) = make_uint2(k2, k3);
                //$ if kv == "f16" then
                if (!is_finite(a.x + a.y + a.z + a.w + b.x + b.y + b.z + b.w))
                    split_fault(me, 2u); // rounds to infinity
                //$ end
            }
        } else if (mine) {
            a = make_float4(a.x * $(f32(query_scale)), a.y * $(f32(query_scale)), a.z * $(f32(query_scale)), a.w * $(f32(query_scale)));
            b = make_float4(b.x * $(f32(query_scale)), b.y * $(f32(query_scale)), b.z * $(f32(query_scale)), b.w * $(f32(query_scale)));
        }
        if (mine) {
            *(float4*)(turned + vector * $(head_dim) + piece * 4) = a;
            *(float4*)(turned + vector * $(head_dim) + $(half) + piece * 4) = b;
        }
    }
    consumers_meet();

    const int g = me.lane >> 2, q = me.lane & 3;
    if (me.warp < $(group)) { // the new position's score
        float s = 0.0f;
        #pragma unroll
        for (int d = 0; d < $(head_dim); d += 32)
            s = fmaf(turned[me.warp * $(head_dim) + d + me.lane], turned[$(group * head_dim) + d + me.lane], s);
        s = warp_sum(s);
        if (me.lane == 0)
            merge[$(8 * group * (head_dim + 4)) + me.warp] = owner ? s : -1e30f;
    }
    // This lane's part of the queries as matrix B, columns: $(wide and "a head each, high halves apart from low ones" or "head after head, its high halves, then its low ones").
    uint2 query[$(2 * blocks * own)];
    {
        const int head_of = g$(wide and "" or " >> 1");
        #pragma unroll
        for (int i = 0; i < $(2 * blocks); ++i) {
            const float4 v = *(const float4*)(turned + (head_of < $(group) ? head_of : 0) * $(head_dim) + i / 2 * 32 + q * 8 + i % 2 * 4);
            const uint2 a = halves_$(kv)(v.x, v.y), b = halves_$(kv)(v.z, v.w);
            //$ if wide then
            query[2 * i] = make_uint2(a.x, b.x);
            query[2 * i + 1] = make_uint2(a.y, b.y);
            //$ else
            query[i] = g & 1 ? make_uint2(a.y, b.y) : make_uint2(a.x, b.x);
            //$ end
        }
    }
    // most: of head$(wide and "s 2q and 2q + 1" or " q"), the same in all lanes of that q; sum: of this lane's positions alone.
    float most[$(own)], sum[$(own)], o[$(head_dim // 16)][4];
    #pragma unroll
    for (int h = 0; h < $(own); ++h) {
        most[h] = -1e30f;
        sum[h] = 0.0f;
    }
    #pragma unroll
    for (int i = 0; i < $(head_dim // 16); ++i)
        #pragma unroll
        for (int e = 0; e < 4; ++e)
            o[i][e] = 0.0f;
    #pragma unroll 1
    for (int at = part * 128; at < position; at += $(parts * 128)) {
        //$ include("split_attend_tile.cu", { slots = slots, blocks = blocks, wide = wide, own = own })
    }
    #pragma unroll
    for (int h = 0; h < $(own); ++h) {
        const int mine = q$(wide and " * 2 + h" or "");
        sum[h] += __shfl_xor_sync(0xffffffffu, sum[h], 4);
        sum[h] += __shfl_xor_sync(0xffffffffu, sum[h], 8);
        sum[h] += __shfl_xor_sync(0xffffffffu, sum[h], 16);
        if (mine < $(group)) {
            float* to = merge + (me.warp * $(group) + mine) * $(head_dim + 4);
            #pragma unroll
            for (int i = 0; i < $(head_dim // 16); ++i) {
                to[i * 16 + g] = $(wide and "o[i][h]" or "o[i][0] + o[i][1]");
                to[i * 16 + 8 + g] = $(wide and "o[i][2 + h]" or "o[i][2] + o[i][3]");
            }
            if (g == 0)
                *(float2*)(to + $(head_dim)) = make_float2(most[h], sum[h]);
        }
    }
    consumers_meet();

    if (me.warp * 32 < $(group * words)) {
        const int h = me.thread / $(words), d = me.thread % $(words) * 4;
        const bool mine = h < $(group);
        const float* from = merge + (mine ? h : 0) * $(head_dim + 4);
        const float score = merge[$(8 * group * (head_dim + 4)) + (mine ? h : 0)];
        float highest = score;
        #pragma unroll
        for (int w = 0; w < 8; ++w)
            highest = fmaxf(highest, from[w * $(group * (head_dim + 4)) + $(head_dim)]);
        float all = 0.0f;
        float4 v = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        #pragma unroll
        for (int w = 0; w < 8; ++w) {
            const float* one = from + w * $(group * (head_dim + 4));
            const float share = exp2_fast(one[$(head_dim)] - highest);
            const float4 u = *(const float4*)(one + d);
            all = fmaf(one[$(head_dim + 1)], share, all);
            v = make_float4(fmaf(u.x, share, v.x), fmaf(u.y, share, v.y), fmaf(u.z, share, v.z), fmaf(u.w, share, v.w));
        }
        if (owner) {
            const float share = exp2_fast(score - highest);
            const float4 u = *(const float4*)(turned + $((group + 1) * head_dim) + d);
            all += share;
            v = make_float4(fmaf(u.x, share, v.x), fmaf(u.y, share, v.y), fmaf(u.z, share, v.z), fmaf(u.w, share, v.w));
        }
        uint4* y = (uint4*)(state + $(y_at)); // [$(heads)][$(words)]$(parts > 1 and ", then each part's: [" .. parts .. "][" .. heads .. "][" .. words .. "], and [" .. parts .. "][" .. heads .. "] {maximum, sum}" or "")
        if (mine) {
            //$ if parts == 1 then
            const float share = divide_fast(1.0f, all);
            store_packet(y + (head * $(group) + h) * $(words) + d / 4, pack24(v.x * share, v.y * share, v.z * share, v.w * share, me.tag));
            //$ else
            store_packet(y + ((1 + part) * $(heads) + head * $(group) + h) * $(words) + d / 4, pack24(v.x, v.y, v.z, v.w, me.tag));
            if (d == 0)
                store_packet(y + $((1 + parts) * heads * words) + part * $(heads) + head * $(group) + h,
                             make_uint4(__float_as_uint(highest), __float_as_uint(all), 0u, me.tag));
            //$ end
        }
    }
    //$ if parts > 1 then
    //$ include("split_merge.cu", { words = words, heads = heads })
    //$ end
    if (owner)
        fence_gpu(); // the row kept above: it must be there before a slot that is given back from here on is filled with it
}
