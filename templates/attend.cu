//$ -- attend: one K/V head and one part of its context: y = softmax(q K^T) V over that part, with its maximum and sum.
//$ -- Who: a position belongs to one stream; a stream is `lanes` neighbouring lanes, each with eight of the head's dimensions,
//$ -- which take `chunk` positions at once for `heads` query heads. Tile t (`tile` positions) belongs to part t mod parts.
//$ -- Softmax: online in each stream; then streams are merged, in a warp by a tree, then warp after warp.
//$ -- Sums: a lane its eight dimensions in order, then the tree of its lanes; positions in order.
//$ -- Shared memory: `turned` is written before the first barrier and read before the second, `merge` written between them and
//$ -- read behind: so a worker's next task needs no barrier in between.
//$ params "name what kv_heads group head_dim parts tile heads lanes chunk slots warps_a_group streams words kv q_at kept_at"
//$ params "kv_layer kv_head kv_row kv_v angles_at y_at turned_at merge_at threads warps request_at query_scale"
//$ local half, padded = head_dim // 2, lanes * 8
//$ local lo, hi, round = kv .. "_lo", kv .. "_hi", kv .. "_round"
//$ local wide = kv == "f32"
//$ if irregular then
__constant__ int $(name)_begin[$(workers + 1)] = { $(begin_text) }; // a worker's first entry below, from the plan
__constant__ int $(name)_tasks[$(tasks)] = { $(tasks_text) };       // head * $(parts) + part
//$ end
// $(what)
// $(kv_heads) K/V heads x $(parts) part(s); tiles of $(tile) positions go to the parts in turn. K/V in $(kv), $(head_dim) a row.
__device__ __forceinline__ void $(name)(const int task, const int layer, const int position, const unsigned where, const int worker,
                                        unsigned char* state)
{
    const int thread = thread_index();
    SHARED_ARENA(arena);
    Request* request = (Request*)(state + $(request_at));
    float* q = (float*)(arena + $(turned_at));     // [$(group)][$(padded)] turned and scaled
    float* merge = (float*)(arena + $(merge_at));  // [$(slots)][$(heads)][$(padded + 2)]
    const int head = task / $(parts), part = task % $(parts);
    const float* qkv = (const float*)(state + $(q_at));
    const float2* angles = (const float2*)(state + $(angles_at)) + (size_t)position * $(half); // {cos, sin} of each pair
    unsigned char* keys = state + $(kept_at) + (size_t)layer * $(kv_layer) + head * $(kv_head)ll;
    unsigned char* values = keys + $(kv_v)ll;

    // Query heads of this K/V head, turned by position; the scale holds 1/sqrt($(head_dim)) and log2(e).
    for (int i = thread; i < $(group * padded // 2); i += $(threads)) {
        const int h = i / $(padded // 2), d = i % $(padded // 2);
        //$ if padded > head_dim then
        if (d >= $(half)) { // dimensions of padding
            q[h * $(padded) + d + $(half)] = 0.0f;
            q[h * $(padded) + d + $(padded // 2)] = 0.0f;
            continue;
        }
        //$ end
        const float a = qkv[(head * $(group) + h) * $(head_dim) + d], b = qkv[(head * $(group) + h) * $(head_dim) + d + $(half)];
        const float2 turn = angles[d];
        q[h * $(padded) + d] = fmaf(a, turn.x, -(b * turn.y)) * $(f32(query_scale));
        q[h * $(padded) + d + $(half)] = fmaf(b, turn.x, a * turn.y) * $(f32(query_scale));
    }
    // The part that holds the new position keeps its K and V, rounded to $(kv).
    if (position / $(tile) % $(parts) == part) {
        for (int d = thread; d < $(half); d += $(threads)) {
            const float* k = qkv + $(kv_heads * group * head_dim) + head * $(head_dim) + d;
            const float* v = k + $(kv_heads * head_dim);
            const float2 turn = angles[d];
            const float k0 = fmaf(k[0], turn.x, -(k[$(half)] * turn.y)), k1 = fmaf(k[$(half)], turn.x, k[0] * turn.y);
            //$ if wide then
            float* key = (float*)(keys + (size_t)position * $(kv_row)) + d;
            float* value = (float*)(values + (size_t)position * $(kv_row)) + d;
            key[0] = k0, key[$(half)] = k1;
            value[0] = v[0], value[$(half)] = v[$(half)];
            //$ else
            unsigned short* key = (unsigned short*)(keys + (size_t)position * $(kv_row)) + d;
            unsigned short* value = (unsigned short*)(values + (size_t)position * $(kv_row)) + d;
            key[0] = $(round)(k0), key[$(half)] = $(round)(k1);
            value[0] = $(round)(v[0]), value[$(half)] = $(round)(v[$(half)]);
            //$ if kv == "f16" then
            if (fmaxf(fmaxf(fabsf(k0), fabsf(k1)), fmaxf(fabsf(v[0]), fabsf(v[$(half)]))) >= 65520.0f)
                fault(request, where, worker, 2u); // rounds to infinity
            //$ end
            //$ end
        }
    }
    __syncthreads();

    //$ if slots <= warps then
    if (const int slot = thread >> 5; slot < $(slots)) {
    //$ else
    for (int slot = thread >> 5; slot < $(slots); slot += $(warps)) {
    //$ end
        const int lane = thread & 31, first = slot / $(warps_a_group) * $(heads);
        const int stream = slot % $(warps_a_group) * $(32 // lanes) + lane / $(lanes), piece = lane % $(lanes);
        const float4* query = (const float4*)(q + first * $(padded)) + 2 * piece;
        //$ for h = 0, heads - 1 do
        float most$(h) = -1e30f, sum$(h) = 0.0f;
        float $(("o%d_0 = 0.0f, o%d_1 = 0.0f, o%d_2 = 0.0f, o%d_3 = 0.0f"):format(h, h, h, h));
        float $(("o%d_4 = 0.0f, o%d_5 = 0.0f, o%d_6 = 0.0f, o%d_7 = 0.0f"):format(h, h, h, h));
        //$ end
        #pragma unroll 1
        for (int at = part * $(tile) + stream; at - stream <= position; at += $(parts * tile)) {
            //$ include "attend_chunk.cu"
        }
        //$ include "attend_merge_warp.cu"
    }
    __syncthreads();

    // Warp after warp, then into this part's place: weighted values, and {maximum, sum} behind all of them.
    float* out = (float*)(state + $(y_at));
    for (int i = thread; i < $(group * head_dim); i += $(threads)) {
        const int h = i / $(head_dim), d = i % $(head_dim);
        const float* from = merge + (h / $(heads) * $(warps_a_group * heads) + h % $(heads)) * $(padded + 2);
        float most = from[$(padded)];
        for (int w = 1; w < $(warps_a_group); ++w)
            most = fmaxf(most, from[w * $(heads * (padded + 2)) + $(padded)]);
        float sum = 0.0f, value = 0.0f;
        for (int w = 0; w < $(warps_a_group); ++w) {
            const float* one = from + w * $(heads * (padded + 2));
            const float share = exp2_fixed(one[$(padded)] - most);
            sum = fmaf(one[$(padded + 1)], share, sum);
            value = fmaf(one[d], share, value);
        }
        const int row = part * $(kv_heads * group) + head * $(group) + h;
        out[row * $(head_dim) + d] = value;
        if (d == 0)
            ((float2*)(out + $(parts * kv_heads * group * head_dim)))[row] = make_float2(most, sum);
    }
}
