// sums.h: the numbers every kernel shares, in plain C: 2^x, silu, and sums in the order of a warp's tree.
// They are templates/device/numbers.cuh and base.cuh again; the tests compare both bit for bit.
#pragma once
#include "../half.h"

#include <math.h>
#include <stdint.h>

// 2^x; below 2^-126: 0; NaN stays NaN. Taylor polynomial of degree 7 around the nearest integer.
static inline float sum_exp2(float x)
{
    if (x < -126.0f)
        return 0.0f;
    x = x > 127.0f ? 127.0f : x;
    const float shifted = x + 12582912.0f;
    const float f = x - (shifted - 12582912.0f);
    float p = 1.52527338e-5f;
    p = fmaf(p, f, 1.54035304e-4f);
    p = fmaf(p, f, 1.33335581e-3f);
    p = fmaf(p, f, 9.61812911e-3f);
    p = fmaf(p, f, 5.55041087e-2f);
    p = fmaf(p, f, 2.40226507e-1f);
    p = fmaf(p, f, 6.93147181e-1f);
    p = fmaf(p, f, 1.0f);
    return p * half_from_bits((half_to_bits(shifted) - 0x4b400000u + 127u) << 23);
}

static inline float sum_silu(float a)
{
    return a / (1.0f + sum_exp2(-1.44269504f * a));
}

// v[0] = sum of v[0 .. n-1], partners at distance n/2, .., 2, 1; n a power of two. Destroys v.
static inline float sum_tree(float *v, int n)
{
    for (int d = n / 2; d > 0; d /= 2)
        for (int i = 0; i < d; ++i)
            v[i] += v[i + d];
    return v[0];
}

// y = W x for one row: 32 lanes, lane l the words (of 8) l, l+32, .., each in order; then the tree.
// Both in lane order: element (word, column, lane) at (word * 8 + column) * 32 + lane; `words32` words a lane.
float sum_dot(const float *row, const float *x, int words32);

// row . x of n columns in order, from 0.
float sum_in_order(const float *row, const float *x, int n);

// q . k of one head: `lanes` lanes of eight dimensions each in order, then the lanes' tree. Both with dimension d of lane l at
// d * lanes + l.
float sum_score(const float *k, const float *q, int lanes);

// o[i] += p * v[i].
void sum_add(float p, const float *v, float *o, int n);

// Puts cols values into lane order, zeros behind them: out[words32 * 256].
void sum_lane_order(const float *from, int cols, float *out);

// Words of 8 a lane for rows of `cols`.
static inline int sum_words32(int cols)
{
    return ((cols + 7) / 8 + 31) / 32;
}
