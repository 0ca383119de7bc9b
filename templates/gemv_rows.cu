//$ -- gemv_rows: y[row] = W[row,:] . x (+ plus[row]), one warp per `rows` output rows, x in shared memory.
//$ -- Who: each warp takes `rows` rows at a time, its lanes the row's 16-byte words lane, lane+32, ...
//$ -- Sums: a lane its words in order, columns in order; then the warp's tree.
//$ params "name what total cols words rows unroll warps stage best has_plus w_at w_layer w_dot8 y_at layered request_at"
//$ local full, tail = words // 32, words % 32
//$ include "task_table.cu"
//$ if best then
//$ include("values.cu", { split = false, threads = warps * 32 })

//$ end
// $(what)
// [$(total) x $(cols)] $(w_format), $(tasks) tasks of $(rows_text) rows, $(rows) row(s) a warp, $(words) words of 16 bytes a row.
__device__ __forceinline__ void $(name)(const int worker, $(layered and "const int layer, " or "")const unsigned where, const uint4* __restrict__ weights,
                                        unsigned char* state)
{
    const int thread = thread_index();
    SHARED_ARENA(arena);
    //$ include("stage_" .. stage .. ".cu")
    //$ if best or has_plus then
    Request* request = (Request*)(state + $(request_at));
    //$ end
    float* y = (float*)(state + $(y_at));
    const int lane = thread & 31;
    //$ include "task_rows.cu"
    //$ if best then
    float most = -3.402823466e38f;
    unsigned most_row = 0xffffffffu;
    //$ end
    for (int row = first + (thread >> 5) * $(rows); row < last; row += $(warps * rows)) {
        //$ for r = 0, rows - 1 do
        //$ if r == 0 then
        const uint4* w0 = weights + $(w_at)$(layered and " + (size_t)layer * " .. w_layer or "") + (size_t)row * $(words) + lane;
        //$ else
        const uint4* w$(r) = w0 + (row + $(r) < last ? $(r * words) : 0);
        //$ end
        float acc$(r) = 0.0f;
        //$ end
        //$ if full > 0 then
        #pragma unroll $(unroll)
        for (int c = 0; c < $(full); ++c) {
            //$ for r = 0, rows - 1 do
            const uint4 q$(r) = load_weight(w$(r) + c * 32);
            //$ end
            const float4 x0 = xs[c * 32 + lane], x1 = xs[$(words) + c * 32 + lane];
            //$ for r = 0, rows - 1 do
            //$ include(w_dot8, { acc = "acc" .. r, q = "q" .. r, x0 = "x0", x1 = "x1" })
            //$ end
        }
        //$ end
        //$ if tail > 0 then
        if (lane < $(tail)) {
            //$ for r = 0, rows - 1 do
            const uint4 q$(r) = load_weight(w$(r) + $(full * 32));
            //$ end
            const float4 x0 = xs[$(full * 32) + lane], x1 = xs[$(words + full * 32) + lane];
            //$ for r = 0, rows - 1 do
            //$ include(w_dot8, { acc = "acc" .. r, q = "q" .. r, x0 = "x0", x1 = "x1" })
            //$ end
        }
        //$ end
        //$ for r = 0, rows - 1 do
        acc$(r) = warp_sum(acc$(r));
        //$ end
        if (lane == 0) {
            //$ for r = 0, rows - 1 do
            //$ include("gemv_end.cu", { r = r })
            //$ end
        }
    }
    //$ if best then
    //$ include "worker_best.cu"
    //$ end
}
