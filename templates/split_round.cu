//$ -- split_round: the sums of tiles from/8 .. of the worker are complete: what becomes of them, a row a thread.
//$ params "input gated best has_plus cols eps" -- allowed_at with best
consumers_meet();
//$ if input == "norm" then
if (from == 0)
    scale = rsqrt_fast(fmaf(block_squares(me), $(f32(1 / cols)), $(f32(eps))));
//$ end
if (me.warp * 32 < rows) {
    const bool mine = me.thread < rows;
    //$ if input == "norm" then
    float v = mine ? block_sum(me, me.thread) * scale : 0.0f;
    //$ else
    float v = mine ? block_sum(me, me.thread) : 0.0f;
    //$ end
    //$ if best then
    const unsigned row = (unsigned)(first_tile + from) * 8u + me.thread;
    if (mine && row < $(total)u) {
        if (!is_finite(v))
            split_fault(me, 1u);
        ((float*)y)[row] = v;
        if (v > most && is_selectable((const unsigned char*)(arena + $(allowed_at)), from * 8 + me.thread)) {
            most = v;
            most_row = row;
        }
    }
    //$ elseif gated then
    // Gate and up of one output lie in neighbouring rows; eight rows make one packet.
    const float up = __shfl_xor_sync(0xffffffffu, v, 1);
    v = silu_fast(v) * up;
    const float v1 = __shfl_down_sync(0xffffffffu, v, 2), v2 = __shfl_down_sync(0xffffffffu, v, 4), v3 = __shfl_down_sync(0xffffffffu, v, 6);
    if (mine && (me.thread & 7) == 0)
        store_packet(y + first_tile + from + (me.thread >> 3), pack24(v, v1, v2, v3, me.tag));
    //$ else
    //$ if has_plus then
    float* residual = (float*)(arena + $(residual_at)) + from * 8 + me.thread;
    if (mine) {
        v += *residual;
        *residual = v;
        if (!is_finite(v))
            split_fault(me, 1u);
    }
    //$ end
    const float v1 = __shfl_down_sync(0xffffffffu, v, 1), v2 = __shfl_down_sync(0xffffffffu, v, 2), v3 = __shfl_down_sync(0xffffffffu, v, 3);
    if (mine && (me.thread & 3) == 0)
        store_packet(y + (first_tile + from) * 2 + (me.thread >> 2), pack24(v, v1, v2, v3, me.tag));
    //$ end
}
me.flip ^= 1;
