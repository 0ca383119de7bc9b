//$ -- split_best: the worker's candidate: {value, row, 1: stop | 2: a fault, tag}; sent for every token.
//$ params "best_slot_at best_at"
if (chooses & CHOOSE_VALUES) {
    const int first = first_tile * 8, last = first + tiles * 8 < $(total) ? first + tiles * 8 : $(total);
    const uint2 best = $(name)_values(me.request, state, me.worker, me.thread, step, load_flag(split_flags() + FLAG_ID), first, last);
    most = __uint_as_float(best.x);
    most_row = best.y;
}
warp_best(most, most_row);
uint2* bests = (uint2*)(arena + $(best_slot_at)); // [8] {value, row}
if (me.lane == 0)
    bests[me.warp] = make_uint2(__float_as_uint(most), most_row);
consumers_meet();
if (me.warp == 0) {
    const uint2 best = bests[me.lane & 7];
    most = __uint_as_float(best.x);
    most_row = best.y;
    warp_best(most, most_row);
}
if (me.thread == 0) {
    const unsigned flags = (stop ? 1u : 0u) | (load_flag(split_flags() + FLAG_FAULT) ? 2u : 0u);
    if (chooses & CHOOSE_TOLD)
        fence_gpu(); // the logits are there for everybody
    store_packet((uint4*)(state + $(best_at)) + me.worker, make_uint4(__float_as_uint(most), most_row, flags, me.tag));
}
