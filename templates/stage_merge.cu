//$ -- stage_merge: xs = the attention of all heads, merged from its parts, in shared memory, by the whole block.
//$ -- A part left, for each head, its weighted values and the maximum and sum of its softmax.
//$ params "x_at words heads head_dim parts threads xs_at shares_at"
// xs = attention merged from $(parts) part(s) a head: each part counts 2^(its maximum - the largest) times.
float4* xs = (float4*)(arena + $(xs_at));
{
    const float* values = (const float*)(state + $(x_at));              // [$(parts)][$(heads)][$(head_dim)]
    const float2* softmax = (const float2*)(values + $(parts * heads * head_dim)); // [$(parts)][$(heads)] {maximum, sum}
    float* shares = (float*)(arena + $(shares_at));                     // [$(parts)][$(heads)]
    for (int head = thread; head < $(heads); head += $(threads)) {
        float most = softmax[head].x;
        for (int part = 1; part < $(parts); ++part)
            most = fmaxf(most, softmax[part * $(heads) + head].x);
        float sum = 0.0f;
        for (int part = 0; part < $(parts); ++part) {
            const float2 s = softmax[part * $(heads) + head];
            const float share = exp2_fixed(s.x - most);
            shares[part * $(heads) + head] = share;
            sum = fmaf(s.y, share, sum);
        }
        for (int part = 0; part < $(parts); ++part)
            shares[part * $(heads) + head] /= sum;
    }
    __syncthreads();
    for (int i = thread; i < $(8 * words); i += $(threads)) {
        float v = 0.0f;
        if (i < $(heads * head_dim)) {
            #pragma unroll 4
            for (int part = 0; part < $(parts); ++part)
                v = fmaf(values[part * $(heads * head_dim) + i], shares[part * $(heads) + i / $(head_dim)], v);
        }
        ((float*)xs)[4 * ((i >> 2 & 1) * $(words) + (i >> 3)) + (i & 3)] = v;
    }
    __syncthreads();
}
