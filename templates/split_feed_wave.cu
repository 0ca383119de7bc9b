//$ -- split_feed_wave: what one wave of this worker streams: keys and values here, a matrix as a run that is left to the caller.
//$ params "kind what variants number"
//$ -- of(variant), for the context at hand: one text, or a choice by position.
//$ local function by_context(of)
//$ local text = tostring(of(variants[#variants]))
//$ for k = #variants - 1, 1, -1 do
//$ local other = tostring(of(variants[k]))
//$ if other ~= text then text = "position < " .. variants[k].below .. " ? " .. other .. " : " .. text end
//$ end
//$ return text
//$ end
//$ local window = by_context(function(v) return v.window end)
//$ local wide = by_context(function(v) return v.wide end)
//$ if kind == "split_gemv" then
//$ local bytes = cols * 16
case $(number): // $(what)
    run = { weights + $(w_at * 16)ll$(layered and " + layer * " .. w_layer * 16 .. "ll" or "") + worker * $(bytes)ll,
            $(extra == 0 and tostring(least) or least .. " + (worker < " .. extra .. ")"), $(w_deal * bytes)ll, $(#chunks), $(chunks[#chunks]), $(#chunks > 2), $(window), $(wide) };
    break;
//$ elseif kind == "split_attend" then
//$ local quarters = head_dim // 32 -- of a slot: those of K, or of V
//$ local each = 128 // quarters
case $(number): { // $(what)
    const int task = $(by_context(function(v) return v.first_worker > 0 and "worker - " .. v.first_worker or "worker" end)); // below 0: none
    const int head = $(by_context(function(v) return "task / " .. v.parts end));
    const int part = $(by_context(function(v) return "task % " .. v.parts end));
    const int stride = $(by_context(function(v) return v.parts * 128 end)); // positions from tile to tile of one part
    const unsigned char* keys = state + $(kept_at) + (size_t)layer * $(kv_layer) + head * $(kv_head)ll;
    feed_begin(f, $(window), $(wide));
    #pragma unroll 1
    for (int at = part * 128; task >= 0 && at < position; at += stride) {
        const int rows = position - at < 128 ? (position - at + 15) & ~15 : 128; // whole groups of 16, which one warp takes
        //$ for kv = 0, 1 do
        //$ if kv == 0 or head_dim == 128 then
        if (!feed_slot(f))
            return;
        //$ end
        //$ if kv == 0 then
        fence_copies(); // behind the slot, whose return may be what orders the newest row before this
        //$ end
        #pragma unroll
        for (int k = 0; k < $(quarters); ++k) {
            const int first = k * $(each), some = rows - first < 0 ? 0 : rows - first < $(each) ? rows - first : $(each);
            feed_copy<false>(f, $(head_dim == 64 and kv == 1 and "2 + " or "")k, first * $(kv_row)$(head_dim == 64 and kv == 1 and " + 16384" or ""),
                             keys + $(kv == 1 and kv_v .. "ll + " or "")(size_t)(at + first) * $(kv_row), some * $(kv_row));
        }
        //$ if kv == 1 or head_dim == 128 then
        feed_next(f);
        //$ end
        //$ end
    }
    continue;
}
//$ end
