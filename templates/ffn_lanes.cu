//$ -- ffn_lanes: partial[part] = down[:, rows] (silu(gate x') * up x'), x' = norm(x), for this task's rows.
//$ -- Who: first each warp takes `rows` rows of gate and up, as in gemv_rows; then each lane owns one output row of down and
//$ -- walks along this task's columns, 32 rows side by side, so nothing is summed across lanes.
//$ -- Sums: gate and up as gemv_rows; down in order of columns.
//$ params "name what ffn hidden words rows unroll warps threads slice_words blocks gate_at gate_layer up_at up_layer down_at down_layer down_slice"
//$ params "y_at y_stride gate_dot8 down_unroll layered"
//$ local full, tail = words // 32, words % 32
//$ include "task_table.cu"
// $(what)
// gate, up [$(ffn) x $(hidden)], down [$(hidden) x $(ffn)] $(gate_format), $(tasks) tasks of $(rows_text) rows of gate and up = columns of down.
__device__ __forceinline__ void $(name)(const int worker, const int layer, const uint4* __restrict__ weights, unsigned char* state)
{
    const int thread = thread_index();
    SHARED_ARENA(arena);
    //$ include "stage_norm.cu"
    float* h = (float*)(arena + $(h_at)); // [$(8 * slice_words)]
    const int lane = thread & 31;
    //$ include "task_rows.cu"
    for (int i = last - first + thread; i < $(8 * slice_words); i += $(threads))
        h[i] = 0.0f; // columns of padding
    for (int row = first + (thread >> 5) * $(rows); row < last; row += $(warps * rows)) {
        //$ for r = 0, rows - 1 do
        //$ if r == 0 then
        const uint4* g0 = weights + $(gate_at) + (size_t)layer * $(gate_layer) + (size_t)row * $(words) + lane;
        const uint4* u0 = weights + $(up_at) + (size_t)layer * $(up_layer) + (size_t)row * $(words) + lane;
        //$ else
        const uint4* g$(r) = g0 + (row + $(r) < last ? $(r * words) : 0);
        const uint4* u$(r) = u0 + (row + $(r) < last ? $(r * words) : 0);
        //$ end
        float gate$(r) = 0.0f, up$(r) = 0.0f;
        //$ end
        //$ if full > 0 then
        #pragma unroll $(unroll)
        for (int c = 0; c < $(full); ++c) {
            //$ include("ffn_word.cu", { at = "c * 32" })
        }
        //$ end
        //$ if tail > 0 then
        if (lane < $(tail)) {
            //$ include("ffn_word.cu", { at = tostring(full * 32) })
        }
        //$ end
        //$ for r = 0, rows - 1 do
        gate$(r) = warp_sum(gate$(r));
        up$(r) = warp_sum(up$(r));
        //$ end
        if (lane == 0) {
            h[row - first] = silu(gate0) * up0;
            //$ for r = 1, rows - 1 do
            if (row + $(r) < last)
                h[row + $(r) - first] = silu(gate$(r)) * up$(r);
            //$ end
        }
    }
    __syncthreads();

    float* partial = (float*)(state + $(y_at)) + worker * $(y_stride);
    for (int block = thread >> 5; block < $(blocks); block += $(warps)) { // 32 output rows
        const uint4* w = weights + $(down_at) + (size_t)layer * $(down_layer) + (size_t)worker * $(down_slice) + block * $(slice_words * 32) + lane;
        float acc = 0.0f;
        #pragma unroll $(down_unroll)
        for (int c = 0; c < $(slice_words); ++c) {
            const uint4 q = load_weight(w + c * 32);
            const float4 x0 = ((const float4*)h)[2 * c], x1 = ((const float4*)h)[2 * c + 1];
            //$ include(gate_dot8, { acc = "acc", q = "q", x0 = "x0", x1 = "x1" })
        }
        partial[block * 32 + lane] = acc;
    }
}
