// judge.c: how program and reference are compared: bounds by K/V type, NaN, near ties, the program's own choice.
#include "../test.h"
#include "../../runtime/bench.h"
#include "../../runtime/verify.h"

static const float reference[4] = { 1, 2, 3, 2.99f };

static VerifyPosition compare(const float *program, uint32_t best, const float *other, uint32_t kv)
{
    return verify_compare(7, program, best, other, 4, NULL, kv);
}

static void check_bounds(void)
{
    float a[4] = { 1, 2, 3, 2.99f };
    VerifyPosition v = compare(a, 2, reference, PKG_F32);
    ASSERT(v.passed && v.equal_bits && v.equal_best && v.relative == 0 && v.most == 0);
    ASSERT_INT(7, v.position);

    // 1e-3 relative: within BF16's bound and F16's, outside F32's.
    a[0] = 1.004f;
    v = compare(a, 2, reference, PKG_F16);
    ASSERT(v.passed && !v.equal_bits && v.relative > 8e-4 && v.relative < 9e-4);
    v = compare(a, 2, reference, PKG_F32);
    ASSERT(!v.passed);
    ASSERT_STR("the logits leave the bound", v.why);
    a[0] = 1.01f;
    ASSERT(!compare(a, 2, reference, PKG_F16).passed);
    ASSERT(compare(a, 2, reference, PKG_BF16).passed);
}

static void check_near_ties(void)
{
    // The two largest are 0.01 apart: rounding may choose the other one with F16, never with F32.
    float tie[4] = { 1, 2, 2.9949f, 2.995f };
    VerifyPosition v = compare(tie, 3, reference, PKG_BF16);
    ASSERT(v.passed && !v.equal_best && v.gap > 0.009 && v.gap < 0.011);
    static const float clear[4] = { 1, 2, 3, 2.9f };
    float other[4] = { 1, 2, 2.99f, 2.991f };
    v = verify_compare(0, other, 3, clear, 4, NULL, PKG_BF16);
    ASSERT(!v.passed);
    float exact[4] = { 1, 2, 3, 2.99f };
    v = compare(exact, 3, reference, PKG_F32);
    ASSERT_STR("the id chosen is not the largest of the program's own logits", v.why);
    static const float near_tie[4] = { 0, 0, 3, 2.99999f };
    float swapped[4] = { 0, 0, 2.99999f, 3 };
    v = verify_compare(0, swapped, 3, near_tie, 4, NULL, PKG_F32);
    ASSERT_STR("another id is chosen", v.why);
    ASSERT(verify_compare(0, swapped, 3, near_tie, 4, NULL, PKG_F16).passed);
}

// What may not be chosen is passed over on both sides, however large it is.
static void check_selectable(void)
{
    static const float largest[4] = { 9, 2, 3, 1 };
    const uint8_t all = 0xf, later = 0xe, last = 0x8;
    ASSERT(verify_compare(0, largest, 0, largest, 4, &all, PKG_F32).passed);
    ASSERT_STR("the id chosen is not the largest of the program's own logits",
               verify_compare(0, largest, 0, largest, 4, &later, PKG_F32).why);
    const VerifyPosition v = verify_compare(0, largest, 2, largest, 4, &later, PKG_F32);
    ASSERT(v.passed && v.gap == 1);
    ASSERT(verify_compare(0, largest, 3, largest, 4, &last, PKG_F32).passed);
}

static void check_equal_and_not_finite(void)
{
    // Equal largest: the lowest index is the choice.
    static const float equal[4] = { 5, 1, 5, 5 };
    const VerifyPosition v = verify_compare(0, equal, 0, equal, 4, NULL, PKG_F32);
    ASSERT(v.passed);
    ASSERT_INT(0, v.best_reference);
    ASSERT(v.gap == 0);

    // A value that is not finite fails whatever the rest says, on either side.
    float bad[4] = { 1, NAN, 3, 2.99f };
    ASSERT_STR("a logit is not finite", compare(bad, 2, reference, PKG_BF16).why);
    ASSERT_STR("a logit is not finite", verify_compare(0, reference, 2, bad, 4, NULL, PKG_BF16).why);
    ASSERT(isinf(compare(bad, 2, reference, PKG_BF16).relative));
    float infinite[4] = { 1, 2, INFINITY, 2.99f };
    ASSERT_STR("a logit is not finite", compare(infinite, 2, infinite, PKG_F32).why);
    static const float zeros[4] = { 0, 0, 0, 0 };
    ASSERT(verify_compare(0, zeros, 0, zeros, 4, NULL, PKG_F32).passed);
    ASSERT(!verify_compare(0, reference, 2, zeros, 4, NULL, PKG_F32).passed);
}

static void check_times(void)
{
    // Times: median, 10th and 90th percentile, the samples left in order.
    static const double ms[10] = { 9, 1, 8, 2, 7, 3, 6, 4, 5, 10 };
    double scratch[10];
    BenchTimes times = bench_summary(ms, scratch, 10);
    ASSERT(times.median == 5.5 && times.p10 == 1 && times.p90 == 9 && times.n == 10 && ms[0] == 9);
    times = bench_summary(ms, scratch, 1);
    ASSERT(times.median == 9 && times.p10 == 9 && times.p90 == 9);
    times = bench_summary((const double[]){ 2, 1 }, scratch, 2);
    ASSERT(times.median == 1.5 && times.p10 == 1 && times.p90 == 2);
}

int main(void)
{
    check_bounds();
    check_near_ties();
    check_selectable();
    check_equal_and_not_finite();
    check_times();
    return test_failed;
}
