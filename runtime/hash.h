// hash.h: `--weights random:SEED`: a value for each (seed, Hugging Face tensor name, row, column).
// The same integer arithmetic and the same float32 steps stand in templates/fill.cu; test vectors in tests/base/hash.c.
//
//   key   = mix(seed ^ fnv1a(name))                   one a tensor
//   bits  = mix(key ^ mix(row << 32 | column)) >> 40  24 bits
//   u     = bits * 2^-23 - 1                          in [-1, 1), exact
//   value = fmaf(u, a, b)                             matrices: a = sqrt(3 / columns), b = a * a / 12 = 0.25 / columns;
//                                                     norms: a = 0.25, b = 1; K/V: a = 1, b = 0
// then rounded to the tensor's format. A matrix's mean makes errors common to all weights show: it returns a quarter of its
// input's mean, whatever its width. At one or more the mean would grow from layer to layer until it is all there is: every
// position then has the same logits, and those between its two signs are ill-conditioned.
#pragma once
#include <math.h>
#include <stdint.h>

static inline uint64_t hash_mix(uint64_t x)
{
    x ^= x >> 31;
    x *= 0x9e3779b97f4a7c15ull;
    x ^= x >> 29;
    x *= 0xbf58476d1ce4e5b9ull;
    x ^= x >> 32;
    return x;
}

static inline uint64_t hash_key(uint64_t seed, const char *name)
{
    uint64_t h = 0xcbf29ce484222325ull;
    for (; *name; ++name)
        h = (h ^ (unsigned char)*name) * 0x100000001b3ull;
    return hash_mix(seed ^ h);
}

static inline float hash_unit(uint64_t key, uint32_t row, uint32_t col)
{
    const uint32_t bits = (uint32_t)(hash_mix(key ^ hash_mix((uint64_t)row << 32 | col)) >> 40);
    return (float)bits * 0x1p-23f - 1.0f;
}

static inline float hash_scale(int cols)
{
    return (float)sqrt(3.0 / cols);
}

// The mean of a matrix's values; scale = hash_scale(cols).
static inline float hash_mean(float scale)
{
    return scale * scale * (1.0f / 12);
}

// A matrix value before rounding; scale = hash_scale(cols).
static inline float hash_weight(uint64_t key, uint32_t row, uint32_t col, float scale)
{
    return fmaf(hash_unit(key, row, col), scale, hash_mean(scale));
}

static inline float hash_norm(uint64_t key, uint32_t col)
{
    return fmaf(hash_unit(key, 0, col), 0.25f, 1.0f);
}
