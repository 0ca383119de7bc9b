//$ -- split_embed: x = the row of the embedding that the token names; each worker its own rows, which stay in its shared memory.
//$ params "name table_lo table_at table_layout table_words table_deal table_rows y_at least extra residual_at hidden"
//$ local tiles_text = extra == 0 and tostring(least) or least .. " + (me.worker < " .. extra .. ")"
//$ local first_text = "me.worker * " .. least .. (extra > 0 and " + (me.worker < " .. extra .. " ? me.worker : " .. extra .. ")" or "")
// $(name): x = embedding[id], $(hidden) numbers, one a thread.
__device__ __forceinline__ void $(name)(Split& me, const uint4* __restrict__ weights, unsigned char* state)
{
    SHARED_ARENA(arena);
    const int rows = ($(tiles_text)) * 8, first = ($(first_text)) * 8;
    const unsigned id = load_flag(split_flags() + FLAG_ID);
    //$ if table_layout == "fragments" then
    //$ local units, deal = (table_rows + 7) // 8, table_deal
    //$ local n, more = units // deal, units % deal
    // Row `id` of the head's tiles: the tile's worker and its number there.
    const unsigned unit = id / 8u;
    //$ if more > 0 then
    const bool early = unit < $(more * (n + 1))u;
    const unsigned owner = early ? unit / $(n + 1)u : $(n > 0 and ("%du + (unit - %du) / %du"):format(more, more * (n + 1), n) or "0u");
    const unsigned number = early ? unit % $(n + 1)u : $(n > 0 and ("(unit - %du) %% %du"):format(more * (n + 1), n) or "0u");
    //$ else
    const unsigned owner = unit / $(n)u, number = unit % $(n)u;
    //$ end
    const unsigned char* row = (const unsigned char*)(weights + $(table_at) + (size_t)(number * $(deal)u + owner) * $(8 * table_words)) + id % 8u * 64u;
    //$ else
    const unsigned char* row = (const unsigned char*)(weights + $(table_at) + (size_t)id * $(table_words));
    //$ end
    //$ if least == 0 then
    if (rows > 0)
    //$ end
    if (me.warp * 32 < rows) {
        const bool mine = me.thread < rows;
        const int col = first + (mine ? me.thread : 0);
        //$ if table_layout == "fragments" then
        const float v = $(table_lo)(((const unsigned short*)(row + (col >> 5) * 512 + (col & 31) * 2))[0]);
        //$ else
        const float v = $(table_lo)(((const unsigned short*)row)[col]);
        //$ end
        const float v1 = __shfl_down_sync(0xffffffffu, v, 1), v2 = __shfl_down_sync(0xffffffffu, v, 2), v3 = __shfl_down_sync(0xffffffffu, v, 3);
        if (mine)
            ((float*)(arena + $(residual_at)))[me.thread] = v;
        if (mine && (me.thread & 3) == 0)
            store_packet((uint4*)(state + $(y_at)) + (col >> 2), pack24(v, v1, v2, v3, me.tag));
    }
}
