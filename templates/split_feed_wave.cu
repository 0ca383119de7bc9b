//$ -- split_feed_wave: what one wave of this worker streams.
//$ params "kind what window"
//$ if kind == "split_gemv" then
//$ local tiles_text = extra == 0 and tostring(least) or least .. " + (worker < " .. extra .. ")"
//$ local bytes = cols * 16
// $(what)
{
    const int tiles = $(tiles_text);
    const unsigned char* from = weights + $(w_at * 16)ll$(layered and " + layer * " .. w_layer * 16 .. "ll" or "") + worker * $(bytes)ll;
    //$ if #chunks > 2 then
    //$ for q, n in ipairs(chunks) do
    for (int t = 0; t < tiles; ++t)
        if (!feed_tile(f, from + $((q - 1) * 32768) + t * $(w_deal * bytes)ll, $(n), $(window)))
            break;
    //$ end
    //$ else
    for (int t = 0; t < tiles; ++t, from += $(w_deal * bytes)ll) {
        //$ for q, n in ipairs(chunks) do
        if (!feed_tile(f, from$(q > 1 and " + " .. (q - 1) * 32768 or ""), $(n), $(window)))
            break;
        //$ end
    }
    //$ end
}
//$ elseif kind == "split_attend" then
// $(what)
//$ if tasks < workers then
if (worker < $(tasks)) {
//$ else
{
//$ end
    const int head = worker / $(parts), part = worker % $(parts);
    const unsigned char* keys = state + $(kept_at) + (size_t)layer * $(kv_layer) + head * $(kv_head)ll;
    for (int at = part * 128; at < position; at += $(parts * 128)) {
        const int rows = position - at < 128 ? (position - at + 15) & ~15 : 128; // whole groups of 16, which one warp takes
        fence_copies();
        //$ for kv = 0, 1 do
        //$ if kv == 0 or head_dim == 128 then
        if (!feed_slot(f))
            break;
        //$ end
        //$ local quarters = head_dim // 32 -- of a slot: those of K, or of V
        for (int k = 0; k < $(quarters); ++k) {
            const int first = k * $(128 // quarters), some = rows - first < 0 ? 0 : rows - first < $(128 // quarters) ? rows - first : $(128 // quarters);
            feed_copy<false>(f, $(head_dim == 64 and kv == 1 and "2 + " or "")k, first * $(kv_row)$(head_dim == 64 and kv == 1 and " + 16384" or ""),
                             keys + $(kv == 1 and kv_v .. "ll + " or "")(size_t)(at + first) * $(kv_row), some * $(kv_row), $(window));
        }
        //$ if kv == 1 or head_dim == 128 then
        feed_next(f);
        //$ end
        //$ end
    }
}
//$ end
