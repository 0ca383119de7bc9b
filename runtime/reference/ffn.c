// ffn.c: h = silu(gate x) * up x; x = y + down h, where down's columns are summed in the plan's parts.
#include "steps.h"
#include "sums.h"
#include "team.h"

typedef struct Ffn {
    Reference *r;
    int layer, first, n;
} Ffn;

// One output row: the parts, each in order of its columns; then as templates/reduce.cu adds them.
static float reduce_row(const Reference *r, int member, const float *h, float plus, int splits)
{
    const PkgMatrix *down = &r->p.matrices[r->down];
    const uint32_t *first = r->p.ints + down->first_slice;
    const RefMember *m = &r->member[member];
    for (uint32_t part = 0; part < down->slices; ++part)
        m->parts[part] = sum_in_order(m->row + first[part], h + first[part], (int)(first[part + 1] - first[part]));
    float v = plus;
    for (int s = 0; s < splits; ++s) {
        float sum = 0.0f;
        for (uint32_t part = (uint32_t)s; part < down->slices; part += (uint32_t)splits)
            sum += m->parts[part];
        v += sum;
    }
    return v;
}

static void gate_up_rows(void *context, int member, int first, int last)
{
    const Ffn *f = context;
    Reference *r = f->r;
    const int words32 = sum_words32((int)r->p.plan->hidden);
    const size_t ffn = r->p.plan->ffn;
    for (int row = first; row < last; ++row) {
        const float *lanes = step_row(r, member, r->gate, f->layer, row);
        for (int i = 0; i < f->n; ++i)
            r->h[(size_t)i * ffn + (size_t)row] = sum_silu(sum_dot(lanes, r->xs + (size_t)i * words32 * 256, words32));
        lanes = step_row(r, member, r->up, f->layer, row);
        for (int i = 0; i < f->n; ++i)
            r->h[(size_t)i * ffn + (size_t)row] *= sum_dot(lanes, r->xs + (size_t)i * words32 * 256, words32);
    }
}

static void down_rows(void *context, int member, int first, int last)
{
    const Ffn *f = context;
    Reference *r = f->r;
    const size_t hidden = r->p.plan->hidden;
    for (int row = first; row < last; ++row) {
        r->w.row(r->w.context, r->down, f->layer, row, r->member[member].row);
        for (int i = 0; i < f->n; ++i)
            r->x[(size_t)i * hidden + (size_t)row] =
                reduce_row(r, member, r->h + (size_t)i * r->p.plan->ffn, r->y[(size_t)i * hidden + (size_t)row],
                           (int)step_schedule(r, f->first + i)->reduce_splits);
    }
}

void step_ffn(Reference *r, int layer, int first, int n)
{
    const int hidden = (int)r->p.plan->hidden, ffn = (int)r->p.plan->ffn;
    Ffn f = { r, layer, first, n };
    team_run(r->members, ffn, 2 * hidden, gate_up_rows, &f);
    team_run(r->members, hidden, ffn, down_rows, &f);
}
