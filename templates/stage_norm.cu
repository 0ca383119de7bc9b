//$ -- stage_norm: xs = x / rms(x) * gain in shared memory, by the whole block.
//$ -- Sums: each thread its own words in order, then the warp's tree, then the warps' tree.
//$ params "x_at gain_at gain_layer words cols threads warps eps xs_at sums_at layered"
// xs = x / rms(x) * gain; even and odd halves of each eight columns lie apart, so that no two lanes meet in a bank.
float4* xs = (float4*)(arena + $(xs_at));
{
    const float4* x = (const float4*)(state + $(x_at));
    const float4* gain = (const float4*)(weights + $(gain_at)$(layered and " + layer * " .. gain_layer or ""));
    float* sums = (float*)(arena + $(sums_at));
    float sum = 0.0f;
    for (int i = thread; i < $(2 * words); i += $(threads)) {
        const float4 v = x[i];
        sum = fmaf(v.x, v.x, sum);
        sum = fmaf(v.y, v.y, sum);
        sum = fmaf(v.z, v.z, sum);
        sum = fmaf(v.w, v.w, sum);
        xs[(i & 1) * $(words) + (i >> 1)] = v;
    }
    sum = warp_sum(sum);
    if ((thread & 31) == 0)
        sums[thread >> 5] = sum;
    __syncthreads();
    sum = warp_sum((thread & 31) < $(warps) ? sums[thread & 31] : 0.0f);
    const float scale = 1.0f / sqrtf(fmaf(sum, $(f32(1 / cols)), $(f32(eps))));
    for (int i = thread; i < $(2 * words); i += $(threads)) {
        const float4 v = xs[(i & 1) * $(words) + (i >> 1)];
        const float4 g = gain[i];
        xs[(i & 1) * $(words) + (i >> 1)] =
            make_float4(v.x * scale * g.x, v.y * scale * g.y, v.z * scale * g.z, v.w * scale * g.w);
    }
    __syncthreads();
}
