//$ -- fill_rows: a matrix in the ROWS layout by hash: a block takes a row, a thread its columns.
//$ params "first threads workers layers rows cols row_values base layer_stride round a b"
#pragma unroll 1
for (int i = blockIdx.x; i < $(layers * rows); i += $(workers)) {
    const int layer = i / $(rows), row = i % $(rows);
    unsigned short* to = (unsigned short*)(weights + $(base)ll + layer * $(layer_stride)ll) + (size_t)row * $(row_values);
    #pragma unroll 1
    for (int col = threadIdx.x; col < $(cols); col += $(threads))
        to[col] = $(round)(fmaf(hash_unit(keys[$(first) + layer], row, col), $(f32(a)), $(f32(b))));
}
