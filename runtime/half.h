// half.h: F16 and BF16 to float32 and back: exact one way, to nearest with ties to even the other.
// Shared by the compiler's formats and the runtime's reference.
#pragma once
#include <stdint.h>
#include <string.h>

static inline float half_from_bits(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, 4);
    return f;
}

static inline uint32_t half_to_bits(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, 4);
    return bits;
}

static inline float bf16_to_float(uint16_t h)
{
    return half_from_bits((uint32_t)h << 16);
}

// NaN stays NaN (quiet).
static inline uint16_t bf16_from_float(float f)
{
    const uint32_t u = half_to_bits(f);
    if ((u & 0x7fffffffu) > 0x7f800000u)
        return (uint16_t)(u >> 16 | 0x40);
    return (uint16_t)((u + 0x7fff + (u >> 16 & 1)) >> 16);
}

static inline float f16_to_float(uint16_t h)
{
    const uint32_t sign = (uint32_t)(h & 0x8000) << 16, exponent = h >> 10 & 31, mantissa = h & 0x3ff;
    if (exponent == 31)
        return half_from_bits(sign | 0x7f800000u | mantissa << 13);
    if (exponent)
        return half_from_bits(sign | (exponent + 112) << 23 | mantissa << 13);
    const float subnormal = (float)mantissa * 0x1p-24f;
    return sign ? -subnormal : subnormal;
}

// Over 65519.99: infinity.
static inline uint16_t f16_from_float(float f)
{
    const uint32_t u = half_to_bits(f), sign = u >> 16 & 0x8000, magnitude = u & 0x7fffffffu;
    if (magnitude > 0x7f800000u)
        return (uint16_t)(sign | 0x7e00);
    if (magnitude >= 0x47800000u) // 65536 and more
        return (uint16_t)(sign | 0x7c00);
    if (magnitude < 0x38800000u) { // below 2^-14: subnormal, or zero
        // Adding 0.5 puts the bits of weight 2^-24 last and lets the addition round them.
        const float shifted = half_from_bits(magnitude) + 0.5f;
        return (uint16_t)(sign | (half_to_bits(shifted) - 0x3f000000u));
    }
    const uint32_t rounded = magnitude + 0xfff + (magnitude >> 13 & 1);
    return (uint16_t)(sign | ((rounded >> 13) - (112u << 10)));
}
