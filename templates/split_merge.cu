//$ -- split_merge: the warp's columns of the attention of all heads, merged here from the parts of each head's context.
//$ -- A part left its weighted values in packets and, in one more, the maximum and sum of its softmax: of these the warp makes
//$ -- each part's share in its head first, in its staging place.
//$ -- Sums: a head's sum by a tree over its parts; values part after part, `batch` of them asked for at a time.
//$ params "chunks wide x_at heads head_dim parts batch"
//$ local function most(n) return (n + 7) // 8 end
//$ local words = head_dim // 4
const uint4* sent = (const uint4*)(state + $(x_at)); // [$(parts)][$(heads)][$(words)], then [$(parts)][$(heads)] {maximum, sum}
const uint4* sums = sent + $(parts * heads * words);
const unsigned tag = me.tag - 1u;
float* shares = (float*)split_stage(me); // [heads of these columns][$(parts)]
//$ for q, n in ipairs(chunks) do
//$ local touched = 1 -- heads that a warp's columns touch
//$ for w = 0, 7 do
//$ local from, to = ((q - 1) * 64 + w * n // 8) * 32, ((q - 1) * 64 + (w + 1) * n // 8) * 32
//$ if to > from then touched = math.max(touched, (to - 1) // head_dim - from // head_dim + 1) end
//$ end
//$ local entries = touched * parts
//$ local each = (entries + 31) // 32
//$ for far = 0, 1 do
//$ local k, at = 2 * q - 1 + far, "me.lane" .. (far > 0 and " + 32" or "")
float4 v$(k) = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
//$ end
{
    const int head0 = ($((q - 1) * 64) + first$(q)) * 32 / $(head_dim);
    //$ for far = 0, 1 do
    //$ local k, at = 2 * q - 1 + far, "me.lane" .. (far > 0 and " + 32" or "")
    const bool there$(k) = $(n // 8 * 8 <= far * 32 + 31 and at .. " < blocks" .. q .. " * 8" or "true");
    const int column$(k) = there$(k) ? packet$(q)$(far > 0 and " + 32" or "") : head0 * $(words);
    //$ end
    uint4 s[$(each)], p[$(batch)][2];
    #pragma unroll
    for (int i = 0; i < $(each); ++i) {
        const int e = i * 32 + me.lane, head = head0 + e / $(parts);
        s[i] = make_uint4(0xff7fffffu, 0u, 0u, tag);
        if (e < $(entries) && head < $(heads))
            s[i].w = tag - 1u;
    }
    #pragma unroll
    for (int i = 0; i < $(batch); ++i) {
        p[i][0] = load_packet(sent + i * $(heads * words) + column$(2 * q - 1));
        p[i][1] = load_packet(sent + i * $(heads * words) + column$(2 * q));
    }
    for (unsigned polls = 0;;) {
        bool ready = true;
        #pragma unroll
        for (int i = 0; i < $(each); ++i) {
            const int e = i * 32 + me.lane;
            if (s[i].w != tag)
                s[i] = load_packet(sums + e % $(parts) * $(heads) + head0 + e / $(parts));
            ready = ready && s[i].w == tag;
        }
        if (__all_sync(0xffffffffu, ready) || __any_sync(0xffffffffu, wait_is_over(me, polls)))
            break;
    }
    #pragma unroll
    for (int i = 0; i < $(each); ++i) {
        float highest = __uint_as_float(s[i].x);
        #pragma unroll
        for (int d = $(parts // 2); d > 0; d >>= 1)
            highest = fmaxf(highest, __shfl_xor_sync(0xffffffffu, highest, d));
        const float share = exp2_fast(__uint_as_float(s[i].x) - highest);
        float sum = __uint_as_float(s[i].y) * share;
        #pragma unroll
        for (int d = $(parts // 2); d > 0; d >>= 1)
            sum += __shfl_xor_sync(0xffffffffu, sum, d);
        if (i * 32 + me.lane < $(entries))
            shares[i * 32 + me.lane] = divide_fast(share, sum);
    }
    __syncwarp();
    const float *share$(2 * q - 1) = shares + (column$(2 * q - 1) / $(words) - head0) * $(parts), *share$(2 * q) = shares + (column$(2 * q) / $(words) - head0) * $(parts);
    #pragma unroll 1
    for (int part = 0; part < $(parts); part += $(batch)) {
        for (unsigned polls = 0;;) {
            bool ready = true;
            #pragma unroll
            for (int i = 0; i < $(batch); ++i) {
                //$ for far = 0, 1 do
                if (p[i][$(far)].w != tag)
                    p[i][$(far)] = load_packet(sent + (part + i) * $(heads * words) + column$(2 * q - 1 + far));
                //$ end
                ready = ready && p[i][0].w == tag && p[i][1].w == tag;
            }
            if (__all_sync(0xffffffffu, ready) || __any_sync(0xffffffffu, wait_is_over(me, polls)))
                break;
        }
        #pragma unroll
        for (int i = 0; i < $(batch); ++i) {
            //$ for far = 0, 1 do
            //$ local k = 2 * q - 1 + far
            {
                const float4 u = unpack24(p[i][$(far)]);
                const float share = share$(k)[part + i];
                v$(k) = make_float4(fmaf(u.x, share, v$(k).x), fmaf(u.y, share, v$(k).y), fmaf(u.z, share, v$(k).z), fmaf(u.w, share, v$(k).w));
                p[i][$(far)].w = tag - 1u; // the next batch is still to be asked for
            }
            //$ end
        }
    }
    //$ for far = 0, 1 do
    if (!there$(2 * q - 1 + far))
        v$(2 * q - 1 + far) = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    //$ end
    __syncwarp();
}
//$ end
//$ if not wide then
//$ for q, n in ipairs(chunks) do
stage_packet(me, $(q - 1), me.lane, v$(2 * q - 1));
stage_packet(me, $(q - 1), me.lane + 32, v$(2 * q));
//$ end
__syncwarp();
//$ end
take_tile<$(most(chunks[1]))>(me, tile, first1, blocks1); // not earlier: the parts need the registers
//$ if trace then
if (me.thread == 0)
    trace_ready(state, me.where, me.worker);
//$ end
