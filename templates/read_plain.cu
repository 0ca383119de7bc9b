//$ -- read_plain: the body of read_weights: loads of 16 bytes, eight in flight a thread.
//$ params "read_words threads workers keys_at"
unsigned seen = 0;
//$ for _, r in ipairs(read_words) do
//$ local index = r.to + workers * threads * 8 < 1 << 31 and "int" or "long long"
for ($(index) i = $(r.from) + blockIdx.x * $(threads * 8) + threadIdx.x; i < $(r.to); i += $(workers * threads * 8)) {
    uint4 q[8];
    #pragma unroll
    for (int k = 0; k < 8; ++k)
        q[k] = i + k * $(threads) < $(r.to) ? load_weight(weights + i + k * $(threads)) : make_uint4(0u, 0u, 0u, 0u);
    #pragma unroll
    for (int k = 0; k < 8; ++k)
        seen ^= q[k].x ^ q[k].y ^ q[k].z ^ q[k].w;
}
//$ end
if (seen == 0x9e3779b9u)
    *(unsigned*)(state + $(keys_at)) = seen; // never; keeps the loads
