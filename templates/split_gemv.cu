//$ -- split_gemv: y[row] = W[row,:] . x, eight rows a tile, the columns split over the eight warps.
//$ -- Who: a worker takes its tiles in the order of its stream; of each chunk of 2,048 columns warp w takes its eighth.
//$ -- Sums: a warp its columns in order, even and odd eights apart; then the warps in order.
//$ -- Chunks: with one or two the input stays in registers; with more all tiles' sums do, and the input comes chunk by chunk.
//$ params "name what total cols chunks round least extra least_text w_format input gated best has_plus x_at y_at layered eps"
//$ local wide = #chunks > 2
//$ local pairs = (#chunks == 1 and round > 1) or #chunks == 2 -- two tiles in registers at once
//$ local function most(n) return (n + 7) // 8 end
//$ local function first(n) return n % 8 == 0 and "me.warp * " .. n // 8 or "me.warp * " .. n .. " / 8" end
//$ local function blocks(n, q) return n % 8 == 0 and tostring(n // 8) or "(me.warp + 1) * " .. n .. " / 8 - first" .. q end
//$ local tiles_text = extra == 0 and tostring(least) or least .. " + (me.worker < " .. extra .. ")"
//$ local first_text = "me.worker * " .. least .. (extra > 0 and " + (me.worker < " .. extra .. " ? me.worker : " .. extra .. ")" or "")
//$ if best then
//$ include("values.cu", { split = true, threads = 256 })

//$ end
// $(what)
// [$(total) x $(cols)] $(w_format), $(least_text) tiles of 8 rows a worker, $(#chunks) chunk(s) of up to 2,048 columns.
__device__ __forceinline__ void $(name)(Split& me, $(layered and "const int layer, " or "")$(best and "const int step, " or "")const uint4* __restrict__ weights, unsigned char* state)
{
    SHARED_ARENA(arena);
    const int tiles = $(tiles_text), first_tile = $(first_text);
    //$ if best then
    const Mailbox* mailbox = (const Mailbox*)me.request->mailbox;
    unsigned stop = 0u;
    if (me.worker == 0 && me.thread == 0)
        stop = load_system(&mailbox->stop); // used at the end
    float most = -3.402823466e38f;
    unsigned most_row = 0xffffffffu;
    const unsigned chooses = step >= split_heads() ? load_flag(split_flags() + FLAG_CHOOSE) : 0u;
    if (chooses & CHOOSE_VALUES) { // while the input is on its way: wipe, for everybody, what the last draw counted
        #pragma unroll 1
        for (int i = me.worker * 256 + me.thread; i < $(drawing_words); i += $(workers * 256))
            ((uint4*)(state + $(drawing_at)))[i] = make_uint4(0u, 0u, 0u, 0u);
        consumers_meet();
        if (me.thread == 0)
            fence_gpu();
    }
    if (tiles > 0 && step >= split_heads()) {
    //$ elseif least == 0 then
    if (tiles > 0) {
    //$ else
    {
    //$ end
        //$ for q, n in ipairs(chunks) do
        const int first$(q) = $(first(n))$((q == 1 or not wide or n ~= chunks[1]) and ", blocks" .. q .. " = " .. blocks(n, q) or ""), packet$(q) = ($((q - 1) * 64) + first$(q)) * 8 + me.lane;
        //$ end
        Tile tile;
        //$ if pairs then
        Tile other;
        no_tile(other);
        bool ahead = false; // the second tile is taken, too
        //$ end
        //$ include("split_input.cu", { wide = wide, pairs = pairs })
        uint4* y = (uint4*)(state + $(y_at));
        Columns x;
        #pragma unroll
        for (int i = 0; i < 4; ++i)
            x.v[i] = make_uint4(0u, 0u, 0u, 0u);
        //$ if not wide then
        //$ if input == "norm" then
        float scale = 1.0f;
        //$ end
        //$ if pairs and #chunks == 1 then
        if (!ahead && tiles > 1)
            take_tile<$(most(chunks[1]))>(me, other, first1, blocks1);
        #pragma unroll 1
        for (int t = 0; t < tiles; t += 2) {
            float c[2][4] = { { 0.0f, 0.0f, 0.0f, 0.0f }, { 0.0f, 0.0f, 0.0f, 0.0f } }, d[2][4] = { { 0.0f, 0.0f, 0.0f, 0.0f }, { 0.0f, 0.0f, 0.0f, 0.0f } };
            add_tile<$(most(chunks[1]))>(me, 0, tile, x, c[0], d[0]);
            if (t + 2 < tiles)
                take_tile<$(most(chunks[1]))>(me, tile, first1, blocks1);
            leave_sums(me, t & $(round - 1), c[0], d[0]);
            if (t + 1 < tiles) {
                add_tile<$(most(chunks[1]))>(me, 0, other, x, c[1], d[1]);
                leave_sums(me, (t + 1) & $(round - 1), c[1], d[1]);
            }
            if ((t & $(round - 1)) == $(round - 2) || t + 2 >= tiles) {
                const int from = t & $(~(round - 1)), rows = ((t + 2 < tiles ? t + 2 : tiles) - from) * 8;
                //$ include "split_round.cu"
            }
            if (t + 3 < tiles) // not earlier: the sums need the registers
                take_tile<$(most(chunks[1]))>(me, other, first1, blocks1);
            else
                no_tile(other);
        }
        //$ else
        //$ if pairs then
        if (!ahead)
            take_tile<$(most(chunks[2]))>(me, other, first2, blocks2);
        //$ end
        #pragma unroll 1
        for (int t = 0; t < tiles; ++t) {
            float c[4] = { 0.0f, 0.0f, 0.0f, 0.0f }, d[4] = { 0.0f, 0.0f, 0.0f, 0.0f };
            //$ if pairs then
            add_tile<$(most(chunks[1]))>(me, 0, tile, x, c, d);
            if (t + 1 < tiles)
                take_tile<$(most(chunks[1]))>(me, tile, first1, blocks1);
            add_tile<$(most(chunks[2]))>(me, 1, other, x, c, d);
            //$ else
            //$ for q, n in ipairs(chunks) do
            add_tile<$(most(n))>(me, $(q - 1), tile, x, c, d);
            //$ if q < #chunks then
            take_tile<$(most(chunks[q + 1]))>(me, tile, first$(q + 1), blocks$(q + 1));
            //$ else
            if (t + 1 < tiles)
                take_tile<$(most(chunks[1]))>(me, tile, first1, blocks1);
            //$ end
            //$ end
            //$ end
            leave_sums(me, t$(round > 1 and " & " .. round - 1 or " & 0"), c, d);
            if ($(round == 1 and "true" or "(t & " .. round - 1 .. ") == " .. round - 1 .. " || t + 1 == tiles")) {
                const int from = t & $(~(round - 1)), rows = (t + 1 - from) * 8;
                //$ include "split_round.cu"
            }
            //$ if pairs then
            if (t + 1 < tiles) // not earlier: the sums need the registers
                take_tile<$(most(chunks[2]))>(me, other, first2, blocks2);
            else
                no_tile(other);
            //$ end
        }
        //$ end
        //$ else
        //$ local held = least + (extra > 0 and 1 or 0)
        float c[$(held)][4], d[$(held)][4];
        #pragma unroll
        for (int t = 0; t < $(held); ++t)
            #pragma unroll
            for (int e = 0; e < 4; ++e)
                c[t][e] = d[t][e] = 0.0f;
        //$ local value = input == "plain" and "p" or "v"
        //$ local short = chunks[#chunks] ~= chunks[1]
        #pragma unroll 1
        for (int q = 0; q < $(#chunks); ++q) {
            __syncwarp();
            //$ for k = 1, 2 do
            stage_packet(me, 0, me.lane + $((k - 1) * 32), $(input == "plain" and "unpack24(p" .. k .. ")" or "v" .. k));
            //$ end
            //$ for k = 1, 2 * #chunks - 2 do
            $(value)$(k) = $(value)$(k + 2);
            //$ end
            __syncwarp();
            #pragma unroll
            for (int t = 0; t < $(held); ++t)
                if ($(extra > 0 and "t < tiles" or "true")) {
                    add_tile<8>(me, 0, tile, x, c[t], d[t]);
                    //$ if short then
                    const bool ends = q + (t + 1 < tiles ? 0 : 1) == $(#chunks - 1);
                    if (t + 1 < tiles || q < $(#chunks - 1))
                        take_tile<8>(me, tile, ends ? first$(#chunks) : first1, ends ? blocks$(#chunks) : blocks1);
                    //$ else
                    if (t + 1 < tiles || q < $(#chunks - 1))
                        take_tile<8>(me, tile, first1, blocks1);
                    //$ end
                }
        }
        #pragma unroll
        for (int t = 0; t < $(held); ++t)
            if ($(extra > 0 and "t < tiles" or "true"))
                leave_sums(me, t, c[t], d[t]);
        const int from = 0, rows = tiles * 8;
        //$ if input == "norm" then
        float scale = 1.0f;
        //$ end
        //$ include "split_round.cu"
        //$ end
    }
    //$ if best then
    //$ include "split_best.cu"
    //$ end
}
