//$ -- split_merge: the parts of one head's context become one: each of the workers that made them merges a share of the packets and
//$ -- sends it to all. A part left its weighted values in packets and, in one more, the maximum and sum of its softmax.
//$ params "parts group heads words y_at"
//$ local share_words = (group * words + parts - 1) // parts
// The head's $(parts) workers merge its parts, each $(share_words) of its $(group * words) packets, a lane a part.
// Sums: by trees over the parts.
if (me.warp * 32 < $(parts * share_words)) {
    const int of = me.thread % $(parts), word = part * $(share_words) + me.thread / $(parts);
    const bool mine = me.thread < $(parts * share_words)$(parts * share_words > group * words and " && word < " .. group * words or "");
    uint4* y = (uint4*)(state + $(y_at));
    const uint4* sent = y + ((1 + of) * $(heads) + head * $(group)) * $(words) + word;
    const uint4* said = y + $((1 + parts) * heads * words) + of * $(heads) + head * $(group) + word / $(words);
    uint4 p = make_uint4(0u, 0u, 0u, me.tag), s = p;
    if (mine) {
        p = load_packet(sent);
        s = load_packet(said);
    }
    for (unsigned polls = 0;;) {
        if (__all_sync(0xffffffffu, p.w == me.tag && s.w == me.tag) || __any_sync(0xffffffffu, wait_is_over(me, polls)))
            break;
        if (p.w != me.tag)
            p = load_packet(sent);
        if (s.w != me.tag)
            s = load_packet(said);
    }
    float highest = __uint_as_float(s.x);
    #pragma unroll
    for (int d = $(parts // 2); d > 0; d >>= 1)
        highest = fmaxf(highest, __shfl_xor_sync(0xffffffffu, highest, d));
    const float share = exp2_fast(__uint_as_float(s.x) - highest);
    float all = __uint_as_float(s.y) * share;
    float4 v = unpack24(p);
    v = make_float4(v.x * share, v.y * share, v.z * share, v.w * share);
    #pragma unroll
    for (int d = $(parts // 2); d > 0; d >>= 1) {
        all += __shfl_xor_sync(0xffffffffu, all, d);
        v.x += __shfl_xor_sync(0xffffffffu, v.x, d);
        v.y += __shfl_xor_sync(0xffffffffu, v.y, d);
        v.z += __shfl_xor_sync(0xffffffffu, v.z, d);
        v.w += __shfl_xor_sync(0xffffffffu, v.w, d);
    }
    const float one = divide_fast(1.0f, all);
    if (mine && of == 0)
        store_packet(y + head * $(group * words) + word, pack24(v.x * one, v.y * one, v.z * one, v.w * one, me.tag));
}
