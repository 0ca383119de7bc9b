// rt_rope.c: the table of rotations, made on the host in double, a chunk of positions at a time as they are needed.
#include "rt_state.h"

#include <math.h>

RtStatus rope_extend(Rt *rt, int positions)
{
    const PkgPlan *plan = rt->package.plan;
    const int pairs = (int)plan->head_dim / 2;
    const size_t row_bytes = (size_t)pairs * 2 * sizeof(float);
    while (rt->rope_done < positions) {
        const int first = rt->rope_done, left = (int)plan->context - first;
        const int count = left < ROPE_CHUNK ? left : ROPE_CHUNK;
        for (int p = 0; p < count; ++p)
            for (int pair = 0; pair < pairs; ++pair) {
                const double angle = (first + p) * rt->package.rope[pair];
                rt->rope_chunk[(p * pairs + pair) * 2] = (float)cos(angle);
                rt->rope_chunk[(p * pairs + pair) * 2 + 1] = (float)sin(angle);
            }
        if (rt->api->upload(rt->device, rt->state + plan->rope_at + (uint64_t)first * row_bytes, rt->rope_chunk,
                            (size_t)count * row_bytes, &rt->error) != RT_OK)
            return RT_FAILED;
        rt->rope_done += count;
    }
    return RT_OK;
}
