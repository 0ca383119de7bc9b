// sums.c: dot products in the order of the kernels' lanes.
#include "sums.h"
#include "../fma.h"

#include <string.h>

// Lanes are independent, so the inner loop can be one vector operation; the order within a lane stays.
static inline __attribute__((always_inline)) float dot(const float *row, const float *x, int words32)
{
    float lane[32] = { 0 };
    for (int i = 0; i < words32 * 8; ++i)
        for (int l = 0; l < 32; ++l)
            lane[l] = __builtin_fmaf(row[i * 32 + l], x[i * 32 + l], lane[l]);
    return sum_tree(lane, 32);
}

static inline __attribute__((always_inline)) float score(const float *k, const float *q, int lanes)
{
    float lane[32] = { 0 };
    for (int d = 0; d < 8; ++d)
        for (int l = 0; l < lanes; ++l)
            lane[l] = __builtin_fmaf(k[d * lanes + l], q[d * lanes + l], lane[l]);
    return sum_tree(lane, lanes);
}

static inline __attribute__((always_inline)) void add(float p, const float *v, float *o, int n)
{
    for (int i = 0; i < n; ++i)
        o[i] = __builtin_fmaf(p, v[i], o[i]);
}

static inline __attribute__((always_inline)) float in_order(const float *row, const float *x, int n)
{
    float sum = 0.0f;
    for (int i = 0; i < n; ++i)
        sum = __builtin_fmaf(row[i], x[i], sum);
    return sum;
}

WITH_FMA static float dot_fma(const float *row, const float *x, int words32)
{
    return dot(row, x, words32);
}

WITH_FMA static float score_fma(const float *k, const float *q, int lanes)
{
    return score(k, q, lanes);
}

WITH_FMA static float in_order_fma(const float *row, const float *x, int n)
{
    return in_order(row, x, n);
}

WITH_FMA static void add_fma(float p, const float *v, float *o, int n)
{
    add(p, v, o, n);
}

float sum_dot(const float *row, const float *x, int words32)
{
    return has_fma() ? dot_fma(row, x, words32) : dot(row, x, words32);
}

float sum_score(const float *k, const float *q, int lanes)
{
    return has_fma() ? score_fma(k, q, lanes) : score(k, q, lanes);
}

float sum_in_order(const float *row, const float *x, int n)
{
    return has_fma() ? in_order_fma(row, x, n) : in_order(row, x, n);
}

void sum_add(float p, const float *v, float *o, int n)
{
    if (has_fma())
        add_fma(p, v, o, n);
    else
        add(p, v, o, n);
}

void sum_lane_order(const float *from, int cols, float *out)
{
    for (; cols > 0; from += 256, cols -= 256, out += 256) {
        if (cols < 256)
            memset(out, 0, 256 * sizeof *out);
        for (int lane = 0; lane < 32 && lane * 8 < cols; ++lane)
            for (int i = 0; i < 8 && lane * 8 + i < cols; ++i)
                out[i * 32 + lane] = from[lane * 8 + i];
    }
}
