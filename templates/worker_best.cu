//$ -- worker_best: the largest value of this worker's rows and the lowest row that has it, into the worker's slot.
//$ params "warps threads best_slot_at best_at"
if (request->choose & CHOOSE_VALUES) {
    const uint2 best = $(name)_values(request, state, worker, thread, where >> 16, request->id, first, last);
    most = __uint_as_float(best.x);
    most_row = best.y;
}
// The largest logit of this worker's rows, the lowest row among equals. A warp's rows rise, so its first one is kept.
uint2* bests = (uint2*)(arena + $(best_slot_at)); // [$(warps)] {value, row}
if (lane == 0)
    bests[thread >> 5] = make_uint2(__float_as_uint(most), most_row);
__syncthreads();
if (thread == 0) {
    for (int warp = 1; warp < $(warps); ++warp) {
        const uint2 best = bests[warp];
        keep_better(__uint_as_float(best.x), best.y, most, most_row);
    }
    ((uint2*)(state + $(best_at)))[worker] = make_uint2(__float_as_uint(most), most_row);
}
