// gemv.c: y[row] = W[row] . x (+ plus[row]); each row is fetched once for all positions.
#include "steps.h"
#include "sums.h"
#include "team.h"

const float *step_row(const Reference *r, int member, int matrix, int layer, int row)
{
    const RefMember *m = &r->member[member];
    r->w.row(r->w.context, matrix, layer, row, m->row);
    sum_lane_order(m->row, (int)r->p.matrices[matrix].cols, m->lanes);
    return m->lanes;
}

typedef struct Gemv {
    const Reference *r;
    int matrix, layer, n;
    const float *plus;
    float *to;
    int at, stride;
} Gemv;

static void gemv_rows(void *context, int member, int first, int last)
{
    const Gemv *g = context;
    const int words32 = sum_words32((int)g->r->p.matrices[g->matrix].cols);
    for (int row = first; row < last; ++row) {
        const float *lanes = step_row(g->r, member, g->matrix, g->layer, row);
        for (int i = 0; i < g->n; ++i) {
            const size_t to = (size_t)i * (size_t)g->stride + (size_t)(g->at + row);
            const float dot = sum_dot(lanes, g->r->xs + (size_t)i * words32 * 256, words32);
            g->to[to] = g->plus ? g->plus[to] + dot : dot;
        }
    }
}

void step_gemv(Reference *r, int matrix, int layer, int n, const float *plus, float *to, int at, int stride)
{
    const PkgMatrix *m = &r->p.matrices[matrix];
    Gemv g = { r, matrix, layer, n, plus, to, at, stride };
    team_run(r->members, (int)m->rows, (int)m->cols, gemv_rows, &g);
}
