//$ -- fill_cache: the body of fill_cache.
//$ params "layers kv_heads head_dim context at layer_stride head_stride row_bytes v_offset kv turned threads workers"
#pragma unroll 1
for (int which = 0; which < $(layers * 2 * kv_heads); ++which) {
    const int layer = which / $(2 * kv_heads), v = which / $(kv_heads) % 2, head = which % $(kv_heads);
    #pragma unroll 1
    for (int position = blockIdx.x; position < (int)positions; position += $(workers)) {
        unsigned char* to = state + $(at) + layer * $(layer_stride)ll + head * $(head_stride)ll + v * $(v_offset)ll + position * $(row_bytes)ll;
        #pragma unroll 1
        for (int d = threadIdx.x; d < $(head_dim); d += $(threads)) {
            const float u = hash_unit(key, (unsigned)which * $(context)u + position, d);
            //$ if kv == "f32" then
            ((float*)to)[d] = u;
            //$ else
            ((unsigned short*)to)[$(turned and "(d >> 3 ^ turn_of(position)) << 3 | (d & 7)" or "d")] = $(kv)_round(u);
            //$ end
        }
    }
}
