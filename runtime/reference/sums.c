// sums.c: dot products in the order of the kernels' lanes.
#include "sums.h"

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

#if defined(__x86_64__)
// The same text with the processor's own multiply-add; without it each step is a call.
#define WITH_FMA __attribute__((target("avx2,fma")))
static int has_fma(void)
{
    return __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2");
}
#else
#define WITH_FMA
static int has_fma(void)
{
    return 1;
}
#endif

WITH_FMA static float dot_fma(const float *row, const float *x, int words32)
{
    return dot(row, x, words32);
}

WITH_FMA static float score_fma(const float *k, const float *q, int lanes)
{
    return score(k, q, lanes);
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

void sum_add(float p, const float *v, float *o, int n)
{
    if (has_fma())
        add_fma(p, v, o, n);
    else
        add(p, v, o, n);
}

void sum_lane_order(const float *from, int cols, float *out)
{
    const int words32 = sum_words32(cols);
    memset(out, 0, (size_t)words32 * 256 * sizeof *out);
    for (int i = 0; i < cols; ++i) {
        const int word = i / 8;
        out[(word / 32 * 8 + i % 8) * 32 + word % 32] = from[i];
    }
}
