//$ -- reduce: y[row] = plus[row] + the partial sums of all parts.
//$ -- Who: `lanes` threads stand side by side on rows, `splits` such groups share the parts: group s takes s, s+splits, ...
//$ -- Sums: a thread its parts in order; then plus, then the groups in order.
//$ params "name what lanes splits threads parts parts_at parts_stride plus_at y_at request_at sums_at"
//$ include "task_table.cu"
// $(what)
// $(parts) parts, $(tasks) tasks of $(rows_text) rows, $(splits) thread(s) a row.
__device__ __forceinline__ void $(name)(const int worker, const unsigned where, unsigned char* state)
{
    const int thread = thread_index();
    Request* request = (Request*)(state + $(request_at));
    const float* partial = (const float*)(state + $(parts_at)); // [$(parts)][$(parts_stride)]
    const float* plus = (const float*)(state + $(plus_at));
    float* y = (float*)(state + $(y_at));
    //$ include "task_rows.cu"
    //$ if splits == 1 then
    for (int row = first + thread; row < last; row += $(threads)) {
        float sum = 0.0f;
        #pragma unroll 4
        for (int part = 0; part < $(parts); ++part)
            sum += partial[part * $(parts_stride) + row];
        const float v = plus[row] + sum;
        if (!is_finite(v))
            fault(request, where, worker, 1u);
        y[row] = v;
    }
    //$ else
    SHARED_ARENA(arena);
    float* sums = (float*)(arena + $(sums_at)); // [$(splits)][$(lanes)]
    const int row = first + thread % $(lanes), split = thread / $(lanes);
    float sum = 0.0f;
    if (row < last && split < $(splits)) {
        #pragma unroll 4
        for (int part = split; part < $(parts); part += $(splits))
            sum += partial[part * $(parts_stride) + row];
        sums[thread] = sum;
    }
    __syncthreads();
    if (thread < $(lanes) && row < last) {
        float v = plus[row];
        #pragma unroll
        for (int s = 0; s < $(splits); ++s)
            v += sums[s * $(lanes) + thread];
        if (!is_finite(v))
            fault(request, where, worker, 1u);
        y[row] = v;
    }
    //$ end
}
