//$ -- fill_lanes: a matrix in the LANES layout by hash: a block takes a row of a slice, a thread its columns.
//$ params "name first threads workers layers rows cols slices slice_words base layer_stride stride round a b"
{
    #pragma unroll 1
    for (int i = blockIdx.x; i < $(layers * rows * slices); i += $(workers)) {
        const int layer = i / $(rows * slices), row = i / $(slices) % $(rows), slice = i % $(slices);
        unsigned short* to = (unsigned short*)(weights + $(base)ll + layer * $(layer_stride)ll + slice * $(stride)ll);
        to += (row / 32 * $(slice_words * 32) + row % 32) * 8;
        #pragma unroll 1
        for (int c = threadIdx.x; c < $(name)_slices[slice + 1] - $(name)_slices[slice]; c += $(threads))
            to[c / 8 * 256 + c % 8] = $(round)(fmaf(hash_unit(keys[$(first) + layer], row, $(name)_slices[slice] + c), $(f32(a)), $(f32(b))));
    }
}
