//$ -- split_attend_tile: 128 positions of one head, 16 a warp, through the online softmax of its query heads.
//$ params "head_dim kv slots blocks wide own"
const int lane = here(me.lane), g = lane >> 2, q = lane & 3, row0 = here(me.warp) * 16; // made here: places are cheaper to find than to keep
const int rows = position - at < 128 ? position - at : 128;
const unsigned char* k = (const unsigned char*)(arena + $(ring_at) + me.slot * 2048);
// A warp waits for the copies that its rows are in; one without rows, too: so it knows that all have given the slot back before.
await_quarter(me, me.warp >> $(slots == 1 and 2 or 1)); // of K
float s[2][4]; // rows: positions g and g + 8 of the warp's
#pragma unroll
for (int e = 0; e < 4; ++e)
    s[0][e] = s[1][e] = 0.0f;
if (row0 < rows) {
    const unsigned char* row = k + (row0 + g) * $(head_dim * 2);
    #pragma unroll
    for (int b = 0; b < $(blocks); ++b) {
        const int piece = ((b * 4 + q) ^ turn_of(g)) * 16;
        const uint4 w = *(const uint4*)(row + piece), u = *(const uint4*)(row + $(head_dim * 16) + piece);
        //$ for i = 0, own - 1 do
        //$ local first, second = wide and "b * 4 + " .. i or "b * 2", wide and "b * 4 + " .. i + 2 or "b * 2 + 1"
        //$ local c = wide and { i, i } or { 0, 1 }
        mma_$(kv)(s[$(c[1])], w.x, u.x, w.y, u.y, query[$(first)].x, query[$(first)].y);
        mma_$(kv)(s[$(c[2])], w.z, u.z, w.w, u.w, query[$(second)].x, query[$(second)].y);
        //$ end
    }
}
//$ if slots == 2 then
loaded(__float_as_uint(s[0][0]) | __float_as_uint(s[1][0]));
give_slot(me);
const unsigned char* v = (const unsigned char*)(arena + $(ring_at) + me.slot * 2048);
//$ else
const unsigned char* v = k + 16384;
//$ end
float keep[$(own)];
unsigned $(wide and "high0 = 0u, high1 = 0u, low0 = 0u, low1 = 0u" or "share0 = 0u, share1 = 0u");
if (row0 < rows) {
    const bool there0 = row0 + g < rows, there1 = row0 + 8 + g < rows;
    float p[2][$(own)];
    #pragma unroll
    for (int h = 0; h < $(own); ++h) {
        //$ if wide then
        p[0][h] = there0 ? s[0][h] + s[1][h] : -1e30f;
        p[1][h] = there1 ? s[0][2 + h] + s[1][2 + h] : -1e30f;
        //$ else
        p[0][h] = there0 ? (s[0][0] + s[1][0]) + (s[0][1] + s[1][1]) : -1e30f;
        p[1][h] = there1 ? (s[0][2] + s[1][2]) + (s[0][3] + s[1][3]) : -1e30f;
        //$ end
        float higher = fmaxf(p[0][h], p[1][h]);
        higher = fmaxf(higher, __shfl_xor_sync(0xffffffffu, higher, 4));
        higher = fmaxf(higher, __shfl_xor_sync(0xffffffffu, higher, 8));
        higher = fmaxf(higher, __shfl_xor_sync(0xffffffffu, higher, 16));
        higher = fmaxf(higher, most[h]);
        keep[h] = exp2_fast(most[h] - higher);
        most[h] = higher;
        p[0][h] = exp2_fast(p[0][h] - higher);
        p[1][h] = exp2_fast(p[1][h] - higher);
        sum[h] = fmaf(sum[h], keep[h], p[0][h] + p[1][h]);
    }
    //$ if wide then
    const uint2 above = halves_$(kv)(p[0][0], p[0][1]), below = halves_$(kv)(p[1][0], p[1][1]);
    high0 = turn_block(above.x);
    high1 = turn_block(below.x);
    low0 = turn_block(above.y);
    low1 = turn_block(below.y);
    //$ else
    const uint2 both = halves_$(kv)(p[0][0], p[1][0]);
    share0 = turn_block((both.x & 0xffffu) | both.y << 16);
    share1 = turn_block(both.x >> 16 | (both.y & 0xffff0000u));
    //$ end
}
await_quarter(me, $(slots == 1 and "2 + (me.warp >> 2)" or "me.warp >> 1")); // of V
if (row0 < rows) {
    const int from = row0 + (lane & 7) + (lane >> 4) * 8; // the position whose row this lane points to
    #pragma unroll
    for (int d = 0; d < $(head_dim // 16); ++d) {
        #pragma unroll
        for (int e = 0; e < 4; ++e)
            o[d][e] *= keep[$(wide and "e & 1" or "0")];
        const uint4 w = load_turned(v + from * $(head_dim * 2) + ((2 * d + (lane >> 3 & 1)) ^ turn_of(from)) * 16);
        //$ if wide then
        mma_$(kv)(o[d], w.x, w.y, w.z, w.w, high0, high1);
        mma_$(kv)(o[d], w.x, w.y, w.z, w.w, low0, low1);
        //$ else
        mma_$(kv)(o[d], w.x, w.y, w.z, w.w, share0, share1);
        //$ end
    }
}
{
    unsigned seen = 0u;
    #pragma unroll
    for (int i = 0; i < $(head_dim // 16); ++i)
        seen |= __float_as_uint(o[i][0]);
    loaded(seen);
}
give_slot(me);
