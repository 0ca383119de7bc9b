//$ -- fill_fragments: a matrix in the FRAGMENTS layout by hash: a block takes a row, a thread its columns.
//$ params "first threads workers layers rows cols base layer_stride round a b deal stack_row stack_rows thread weave"
//$ local units = (stack_rows + 7) // 8
//$ local n, more = units // deal, units % deal
#pragma unroll 1
for (int i = blockIdx.x; i < $(layers * rows); i += $(workers)) {
    const int layer = i / $(rows), row = i % $(rows), at = $(weave > 1 and ("row * %d + %d"):format(weave, thread) or "row + " .. stack_row);
    //$ if n > 0 then
    const int unit = at / 8, early = unit < $(more * (n + 1));
    const int owner = early ? unit / $(n + 1) : $(more) + (unit - $(more * (n + 1))) / $(n), number = early ? unit % $(n + 1) : (unit - $(more * (n + 1))) % $(n);
    //$ else
    const int owner = at / 8, number = 0;
    //$ end
    unsigned char* to = weights + $(base)ll + layer * $(layer_stride)ll + ((long long)number * $(deal) + owner) * $(cols * 16) + at % 8 * 64;
    #pragma unroll 1
    for (int col = threadIdx.x; col < $(cols); col += $(threads))
        *(unsigned short*)(to + col / 32 * 512 + col % 32 * 2) = $(round)(fmaf(hash_unit(keys[$(first) + layer], row, col), $(f32(a)), $(f32(b))));
}
