//$ -- split_best: the worker's candidate: {value, row, 1: stop | 2: a fault, tag}; sent for every token.
//$ params "best_slot_at best_at"
const bool chooses = (load_flag(split_flags() + FLAG_CHOOSE) & CHOOSE_VALUES) && step >= me.heads_from;
if (chooses) {
    const Request* ask = me.request;
    const int worker = me.worker, thread = me.thread, taken = load_flag(split_flags() + FLAG_ID);
    const int first = first_tile * 8, last = first + tiles * 8 < $(total) ? first + tiles * 8 : $(total);
    //$ include("values.cu", { split = true, threads = 256 })
}
#pragma unroll
for (int d = 16; d > 0; d >>= 1) {
    const float v = __shfl_xor_sync(0xffffffffu, most, d);
    const unsigned row = __shfl_xor_sync(0xffffffffu, most_row, d);
    if (v > most || (v == most && row < most_row)) {
        most = v;
        most_row = row;
    }
}
uint2* bests = (uint2*)(arena + $(best_slot_at)); // [8] {value, row}
if (me.lane == 0)
    bests[me.warp] = make_uint2(__float_as_uint(most), most_row);
consumers_meet();
if (me.thread == 0) {
    for (int w = 1; w < 8; ++w) {
        const float v = __uint_as_float(bests[w].x);
        if (v > most || (v == most && bests[w].y < most_row)) {
            most = v;
            most_row = bests[w].y;
        }
    }
    const unsigned flags = (stop ? 1u : 0u) | (load_flag(split_flags() + FLAG_FAULT) ? 2u : 0u);
    if (chooses)
        fence_gpu(); // what was wiped is wiped for everybody
    store_packet((uint4*)(state + $(best_at)) + me.worker, make_uint4(__float_as_uint(most), most_row, flags, me.tag));
}
