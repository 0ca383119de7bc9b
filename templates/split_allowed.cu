//$ -- split_allowed: which of its rows' ids a worker may choose: a bit a row, from memory into its own, once a launch.
//$ params "least extra selectable_at allowed_at"
{
    uint4* arena = shared_arena();
    const int tiles = $(extra == 0 and tostring(least) or least .. " + (me.worker < " .. extra .. ")");
    const int first_tile = me.worker * $(least)$(extra > 0 and " + (me.worker < " .. extra .. " ? me.worker : " .. extra .. ")" or "");
    #pragma unroll 1
    for (int t = me.thread; t < tiles; t += 256)
        ((unsigned char*)(arena + $(allowed_at)))[t] = (state + $(selectable_at))[first_tile + t];
}
