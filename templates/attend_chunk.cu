//$ -- attend_chunk: `chunk` positions of one stream, `streams` apart, through the online softmax of `heads` query heads.
//$ params "chunk streams heads lanes words kv kv_row"
//$ local wide = kv == "f32"
//$ local whole = words == lanes
//$ for j = 0, chunk - 1 do
const bool there$(j) = at + $(j * streams) <= position;
//$ if wide then
float4 k$(j)_0 = make_float4(0.0f, 0.0f, 0.0f, 0.0f), k$(j)_1 = k$(j)_0, v$(j)_0 = k$(j)_0, v$(j)_1 = k$(j)_0;
//$ else
uint4 k$(j) = make_uint4(0u, 0u, 0u, 0u), v$(j) = k$(j);
//$ end
if (there$(j)$(whole and "" or " && piece < " .. words)) {
    const uint4* key = (const uint4*)(keys + (at + $(j * streams)) * $(kv_row));
    const uint4* value = (const uint4*)(values + (at + $(j * streams)) * $(kv_row));
    //$ if wide then
    k$(j)_0 = ((const float4*)key)[2 * piece], k$(j)_1 = ((const float4*)key)[2 * piece + 1];
    v$(j)_0 = ((const float4*)value)[2 * piece], v$(j)_1 = ((const float4*)value)[2 * piece + 1];
    //$ else
    k$(j) = key[piece];
    v$(j) = value[piece];
    //$ end
}
//$ end
//$ for h = 0, heads - 1 do
{
    const float4 x0 = query[$(h * lanes * 2)], x1 = query[$(h * lanes * 2 + 1)];
    //$ for j = 0, chunk - 1 do
    float s$(j) = 0.0f;
    //$ include("dot8_" .. kv .. ".cu", { acc = "s" .. j, q = "k" .. j, x0 = "x0", x1 = "x1" })
    s$(j) = group_sum<$(lanes)>(s$(j));
    //$ end
    float higher = most$(h);
    //$ for j = 0, chunk - 1 do
    higher = there$(j) ? fmaxf(higher, s$(j)) : higher;
    //$ end
    const float keep = exp2_fixed(most$(h) - higher);
    most$(h) = higher;
    sum$(h) *= keep;
    //$ for e = 0, 7 do
    o$(h)_$(e) *= keep;
    //$ end
    //$ for j = 0, chunk - 1 do
    const float p$(j) = there$(j) ? exp2_fixed(s$(j) - higher) : 0.0f;
    sum$(h) += p$(j);
    //$ include("add8_" .. kv .. ".cu", { o = "o" .. h, p = "p" .. j, v = "v" .. j })
    //$ end
}
//$ end
