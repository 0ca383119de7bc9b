//$ -- split_attend_tile: 128 positions of one head, 16 a warp, through the online softmax of its query heads.
//$ params "group head_dim kv slots blocks"
const int lane = here(me.lane), g = lane >> 2, q = lane & 3, row0 = here(me.warp) * 16; // made here: places are cheaper to find than to keep
const int rows = position - at < 128 ? position - at : 128;
unsigned long long* full = (unsigned long long*)(arena + $(full_at)) + me.slot * 4;
//$ if slots == 1 then
const unsigned char* k = (const unsigned char*)(arena + $(ring_at) + me.slot * 2048);
const unsigned char* v = k + 16384;
#pragma unroll
for (int i = 0; i < 4; ++i)
    while (!mbarrier_ready(full + i, me.phase))
        if (load_flag(split_flags() + FLAG_OVER))
            break;
//$ else
const int next = me.slot + 1 == $(stages) ? 0 : me.slot + 1;
const unsigned char* k = (const unsigned char*)(arena + $(ring_at) + me.slot * 2048);
const unsigned char* v = (const unsigned char*)(arena + $(ring_at) + next * 2048);
#pragma unroll
for (int i = 0; i < 8; ++i)
    while (!mbarrier_ready(i < 4 ? full + i : (unsigned long long*)(arena + $(full_at)) + next * 4 + i - 4, i < 4 || next ? me.phase : me.phase ^ 1u))
        if (load_flag(split_flags() + FLAG_OVER))
            break;
//$ end
if (row0 < rows) {
    float s[2][4];
    #pragma unroll
    for (int t = 0; t < 2; ++t) {
        #pragma unroll
        for (int e = 0; e < 4; ++e)
            s[t][e] = 0.0f;
        const int p = row0 + t * 8 + g;
        #pragma unroll
        for (int b = 0; b < $(blocks); ++b) {
            const uint4 w = *(const uint4*)(k + p * $(head_dim * 2) + ((b * 4 + q) ^ turn_of(p)) * 16);
            mma_$(kv)(s[t], query[b * 4].x, query[b * 4].y, query[b * 4 + 1].x, query[b * 4 + 1].y, w.x, w.y);
            mma_$(kv)(s[t], query[b * 4 + 2].x, query[b * 4 + 2].y, query[b * 4 + 3].x, query[b * 4 + 3].y, w.z, w.w);
        }
    }
    const int first = row0 + q * 2;
    const float s0 = first < rows ? s[0][0] + s[0][2] : -1e30f, s1 = first + 1 < rows ? s[0][1] + s[0][3] : -1e30f;
    const float s2 = first + 8 < rows ? s[1][0] + s[1][2] : -1e30f, s3 = first + 9 < rows ? s[1][1] + s[1][3] : -1e30f;
    float higher = fmaxf(fmaxf(s0, s1), fmaxf(s2, s3));
    higher = fmaxf(higher, __shfl_xor_sync(0xffffffffu, higher, 1));
    higher = fmaxf(higher, __shfl_xor_sync(0xffffffffu, higher, 2));
    higher = fmaxf(higher, most);
    const float keep = exp2_fast(most - higher);
    most = higher;
    const float p0 = exp2_fast(s0 - higher), p1 = exp2_fast(s1 - higher), p2 = exp2_fast(s2 - higher), p3 = exp2_fast(s3 - higher);
    sum = fmaf(sum, keep, (p0 + p1) + (p2 + p3));
    uint2 a = halves_$(kv)(p0, p1), b = halves_$(kv)(p2, p3);
    //$ if group < 8 then
    if (g >= $(group)) // no head: its rows of A are zero
        a = b = make_uint2(0u, 0u);
    //$ end
    const int row = row0 + (lane & 15);
    #pragma unroll
    for (int d = 0; d < $(head_dim // 16); ++d) {
        #pragma unroll
        for (int e = 0; e < 4; ++e) {
            o[2 * d][e] *= keep;
            o[2 * d + 1][e] *= keep;
        }
        const uint4 w = load_turned(v + row * $(head_dim * 2) + ((2 * d + (lane >> 4)) ^ turn_of(row)) * 16);
        mma_$(kv)(o[2 * d], a.x, a.y, b.x, b.y, w.x, w.y);
        mma_$(kv)(o[2 * d + 1], a.x, a.y, b.x, b.y, w.z, w.w);
    }
}
{
    unsigned seen = 0u;
    #pragma unroll
    for (int i = 0; i < $(head_dim // 8); ++i)
        seen |= __float_as_uint(o[i][0]);
    loaded(seen);
}
give_slot(me);
//$ if slots == 2 then
give_slot(me);
//$ end
