// gemv.c: y[row] = W[row] . x (+ plus[row]); each row is fetched once for all positions.
#include "steps.h"
#include "sums.h"

void step_gemv(Reference *r, int matrix, int layer, int n, const float *plus, float *to, int at, int stride)
{
    const PkgMatrix *m = &r->p.matrices[matrix];
    const int words32 = sum_words32((int)m->cols);
    for (int row = 0; row < (int)m->rows; ++row) {
        r->w.row(r->w.context, matrix, layer, row, r->row);
        sum_lane_order(r->row, (int)m->cols, r->lanes);
        for (int i = 0; i < n; ++i) {
            const float dot = sum_dot(r->lanes, r->xs + (size_t)i * words32 * 256, words32);
            to[(size_t)i * stride + at + row] = plus ? plus[(size_t)i * stride + at + row] + dot : dot;
        }
    }
}
