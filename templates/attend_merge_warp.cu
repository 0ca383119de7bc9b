//$ -- attend_merge_warp: the streams of one warp merged by a tree, the result of the first into `merge`.
//$ params "lanes heads"
//$ for h = 0, heads - 1 do
//$ local d = lanes
//$ while d < 32 do
{
    const float other = __shfl_xor_sync(0xffffffffu, most$(h), $(d)), higher = fmaxf(most$(h), other);
    const float mine = exp2_fixed(most$(h) - higher), theirs = exp2_fixed(other - higher);
    most$(h) = higher;
    sum$(h) = fmaf(__shfl_xor_sync(0xffffffffu, sum$(h), $(d)), theirs, sum$(h) * mine);
    //$ for e = 0, 7 do
    o$(h)_$(e) = fmaf(__shfl_xor_sync(0xffffffffu, o$(h)_$(e), $(d)), theirs, o$(h)_$(e) * mine);
    //$ end
}
//$ d = d * 2
//$ end
if (lane < $(lanes)) {
    float* to = merge + (slot * $(heads) + $(h)) * $(lanes * 8 + 2);
    //$ for e = 0, 7 do
    to[piece * 8 + $(e)] = o$(h)_$(e);
    //$ end
    if (lane == 0) {
        to[$(lanes * 8)] = most$(h);
        to[$(lanes * 8 + 1)] = sum$(h);
    }
}
//$ end
