// half.c: F16 and BF16 go to float32 exactly and come back to nearest, ties to even.
#include "../test.h"

#include "../../runtime/half.h"

static double f16_value(int h)
{
    const int exponent = h >> 10 & 31, mantissa = h & 0x3ff;
    const double magnitude = exponent ? ldexp(1024 + mantissa, exponent - 25) : ldexp(mantissa, -24);
    return h & 0x8000 ? -magnitude : magnitude;
}

static void every_f16_is_exact_and_comes_back(void)
{
    for (int h = 0; h < 0x10000; ++h) {
        const float f = f16_to_float((uint16_t)h);
        if ((h & 0x7c00) == 0x7c00) {
            ASSERT((h & 0x3ff) ? isnan(f) : isinf(f));
            ASSERT((h & 0x3ff) ? isnan(f16_to_float(f16_from_float(f))) : f16_from_float(f) == h);
        } else if ((double)f != f16_value(h) || f16_from_float(f) != h) {
            ASSERT_INT(h, f16_from_float(f));
            ASSERT((double)f == f16_value(h));
        }
    }
}

// `between` is a float32 half way between neighbours a and a + 1 of a format.
static void check_midpoint(uint16_t (*pack)(float), float between, int a)
{
    const int even = a & 1 ? a + 1 : a;
    if (pack(between) == even && pack(nextafterf(between, 0)) == a && pack(nextafterf(between, INFINITY)) == a + 1)
        return;
    ASSERT_INT(even, pack(between));
    ASSERT_INT(a, pack(nextafterf(between, 0)));
    ASSERT_INT(a + 1, pack(nextafterf(between, INFINITY)));
}

static void every_midpoint_rounds_to_even(void)
{
    for (int h = 0; h < 0x7bff; ++h) // the last one's upper neighbour is infinity, tested below
        check_midpoint(f16_from_float, (float)((f16_value(h) + f16_value(h + 1)) / 2), h);
    for (int h = 0x0080; h < 0x7f7f; ++h)
        check_midpoint(bf16_from_float, half_from_bits((uint32_t)h << 16 | 0x8000), h);
}

static void overflow_is_infinity_and_nan_stays(void)
{
    ASSERT_INT(0x7bff, f16_from_float(65519.996f));
    ASSERT_INT(0x7c00, f16_from_float(65520.0f));
    ASSERT_INT(0xfc00, f16_from_float(-1e30f));
    ASSERT_INT(0x7f80, bf16_from_float(3.4e38f));
    ASSERT_INT(0xff80, bf16_from_float(-INFINITY));
    ASSERT(isnan(bf16_to_float(bf16_from_float(NAN))));
    ASSERT(isnan(bf16_to_float(bf16_from_float(half_from_bits(0x7f800001u))))); // its low bits alone make it NaN
    ASSERT(isnan(f16_to_float(f16_from_float(half_from_bits(0xff800001u)))));
    ASSERT_INT(0x8000, f16_from_float(-1e-30f));
    ASSERT_INT(0x8000, bf16_from_float(-0.0f));
}

static void every_bf16_comes_back(void)
{
    for (int h = 0; h < 0x10000; ++h)
        if ((h & 0x7f80) != 0x7f80)
            ASSERT_INT(h, bf16_from_float(bf16_to_float((uint16_t)h)));
}

int main(void)
{
    every_f16_is_exact_and_comes_back();
    every_midpoint_rounds_to_even();
    every_bf16_comes_back();
    overflow_is_infinity_and_nan_stays();
    return test_failed;
}
