//$ -- split_input: the warp's columns of a vector that the wave before sent in packets; the first tile is taken while they come.
//$ params "chunks input wide pairs x_at"
//$ local function most(n) return (n + 7) // 8 end
const uint4* sent = (const uint4*)(state + $(x_at));
const unsigned tag = me.tag - 1u;
//$ if input == "norm" then
const float4* gain = (const float4*)(weights + $(gain_at)$(layered and " + layer * " .. gain_layer or ""));
//$ end
//$ for q, n in ipairs(chunks) do
//$ for far = 0, 1 do
//$ local k, at = 2 * q - 1 + far, "me.lane" .. (far > 0 and " + 32" or "")
//$ local there = n // 8 * 8 <= far * 32 + 31 and at .. " < blocks" .. q .. " * 8"
uint4 p$(k) = make_uint4(0u, 0u, 0u, tag);
//$ if there then
const bool there$(k) = $(at) < blocks$(q) * 8;
if (there$(k))
//$ end
    p$(k) = load_packet(sent + packet$(q)$(far > 0 and " + 32" or ""));
//$ if input == "norm" then
const float4 g$(k) = $(there and "!there" .. k .. " ? make_float4(0.0f, 0.0f, 0.0f, 0.0f) : " or "")gain[packet$(q)$(far > 0 and " + 32" or "")];
//$ end
//$ end
//$ end
take_tile<$(most(chunks[1]))>(me, tile, first1, blocks1);
for (unsigned polls = 0;;) {
    //$ local ready = {}
    //$ for k = 1, 2 * #chunks do ready[k] = "p" .. k .. ".w == tag" end
    if (__all_sync(0xffffffffu, $(table.concat(ready, " && "))))
        break;
    //$ for q, n in ipairs(chunks) do
    //$ for far = 0, 1 do
    if (p$(2 * q - 1 + far).w != tag)
        p$(2 * q - 1 + far) = load_packet(sent + packet$(q)$(far > 0 and " + 32" or ""));
    //$ end
    //$ end
    if (__any_sync(0xffffffffu, wait_is_over(me, polls)))
        break;
    //$ if pairs then
    //$ local next = #chunks
    if (!ahead && $(next == 1 and "tiles > 1 && " or "")tile_there(me)) {
        take_tile<$(most(chunks[next]))>(me, other, first$(next), blocks$(next));
        ahead = true;
    }
    //$ end
}
//$ if trace then
if (me.thread == 0)
    trace_ready(state, me.where, me.worker);
//$ end
//$ if input == "norm" or not wide then
//$ for k = 1, 2 * #chunks do
float4 v$(k) = unpack24(p$(k));
//$ end
//$ end
//$ if input == "norm" then
{
    float sum = 0.0f;
    //$ for k = 1, 2 * #chunks do
    sum = fmaf(v$(k).x, v$(k).x, sum);
    sum = fmaf(v$(k).y, v$(k).y, sum);
    sum = fmaf(v$(k).z, v$(k).z, sum);
    sum = fmaf(v$(k).w, v$(k).w, sum);
    v$(k) = make_float4(v$(k).x * g$(k).x, v$(k).y * g$(k).y, v$(k).z * g$(k).z, v$(k).w * g$(k).w);
    //$ end
    leave_squares(me, sum);
}
//$ end
//$ if not wide then
//$ for q, n in ipairs(chunks) do
stage_packet(me, $(q - 1), me.lane, v$(2 * q - 1));
stage_packet(me, $(q - 1), me.lane + 32, v$(2 * q));
//$ end
__syncwarp();
//$ end
