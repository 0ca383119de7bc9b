// norm.c: y = x / rms(x) * gain, summed as templates/stage_norm.cu does.
#include "steps.h"
#include "sums.h"

#include <stdlib.h>
#include <string.h>

// Thread t of the block takes the words of four t, t+threads, ..; then each warp's tree; then the tree of the warps.
static float square_sum(const float *x, int cols, int threads)
{
    const int words = (cols + 7) / 8 * 2;
    float warp[32], all[32] = { 0 };
    for (int w = 0; w < threads / 32; ++w) {
        for (int l = 0; l < 32; ++l) {
            warp[l] = 0.0f;
            for (int i = w * 32 + l; i < words; i += threads)
                for (int k = 4 * i; k < 4 * i + 4; ++k) {
                    const float v = k < cols ? x[k] : 0.0f;
                    warp[l] = fmaf(v, v, warp[l]);
                }
        }
        all[w] = sum_tree(warp, 32);
    }
    return sum_tree(all, 32);
}

void step_norm(Reference *r, const float *from, int norm, int layer, int first, int n)
{
    const int cols = (int)r->p.plan->hidden, words32 = sum_words32(cols);
    r->w.norm(r->w.context, norm, layer, r->gain);
    for (int i = 0; i < n; ++i) {
        const float *x = from + (size_t)i * cols;
        const float sum = square_sum(x, cols, (int)step_schedule(r, first + i)->threads);
        const float scale = 1.0f / sqrtf(fmaf(sum, (float)(1.0 / cols), r->p.plan->norm_eps));
        float *row = r->member[0].row;
        for (int k = 0; k < cols; ++k)
            row[k] = x[k] * scale * r->gain[k];
        sum_lane_order(row, cols, r->xs + (size_t)i * words32 * 256);
    }
}
