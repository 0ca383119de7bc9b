// ffn.c: h = silu(gate x) * up x; x = y + down h, where down's columns are summed in the plan's parts.
#include "steps.h"
#include "sums.h"

#include <string.h>

// One output row: the parts, each in order of its columns; then as templates/reduce.cu adds them.
static float reduce_row(const Reference *r, const float *row, const float *h, float plus, int splits)
{
    const PkgMatrix *down = &r->p.matrices[r->down];
    const uint32_t *first = r->p.ints + down->first_slice;
    for (uint32_t part = 0; part < down->slices; ++part) {
        float sum = 0.0f;
        for (uint32_t c = first[part]; c < first[part + 1]; ++c)
            sum = fmaf(row[c], h[c], sum);
        r->parts[part] = sum;
    }
    float v = plus;
    for (int s = 0; s < splits; ++s) {
        float sum = 0.0f;
        for (uint32_t part = (uint32_t)s; part < down->slices; part += (uint32_t)splits)
            sum += r->parts[part];
        v += sum;
    }
    return v;
}

void step_ffn(Reference *r, int layer, int first, int n)
{
    const PkgPlan *p = r->p.plan;
    const int words32 = sum_words32((int)p->hidden);
    for (int row = 0; row < (int)p->ffn; ++row) {
        r->w.row(r->w.context, r->gate, layer, row, r->row);
        sum_lane_order(r->row, (int)p->hidden, r->lanes);
        for (int i = 0; i < n; ++i)
            r->h[(size_t)i * p->ffn + (size_t)row] = sum_silu(sum_dot(r->lanes, r->xs + (size_t)i * words32 * 256, words32));
        r->w.row(r->w.context, r->up, layer, row, r->row);
        sum_lane_order(r->row, (int)p->hidden, r->lanes);
        for (int i = 0; i < n; ++i)
            r->h[(size_t)i * p->ffn + (size_t)row] *= sum_dot(r->lanes, r->xs + (size_t)i * words32 * 256, words32);
    }
    for (int row = 0; row < (int)p->hidden; ++row) {
        r->w.row(r->w.context, r->down, layer, row, r->row);
        for (int i = 0; i < n; ++i)
            r->x[(size_t)i * p->hidden + (size_t)row] =
                reduce_row(r, r->row, r->h + (size_t)i * p->ffn, r->y[(size_t)i * p->hidden + (size_t)row],
                           (int)step_schedule(r, first + i)->reduce_splits);
    }
}
