// host.c: runs one kernel of kernels.cu or wrong.cu and compares what it left with plain C.
// host NAME [BLOCKS]: prints "NAME HASH"; exit code 1 where a value is wrong.
#include "../../runtime/half.h"
#include "../test.h"

#include <stdbool.h>
#include <stdint.h>

enum { ARGUMENTS = 6, THREADS = 64, STATE_BYTES = 1 << 20 };

typedef void Kernel(void);
int simt_launch(Kernel *kernel, int blocks, int threads, int smem_bytes, const uint64_t *args, int n_args);

// Name and bytes of shared memory.
// clang-format off
#define KERNELS(KERNEL) \
    KERNEL(two_waves, 33 * 32) \
    KERNEL(ring, 3 * 1024) \
    KERNEL(talk, 1024) \
    KERNEL(numbers, 0) \
    KERNEL(turns, 0) \
    KERNEL(hand_on, 0) \
    KERNEL(arguments, 0) \
    KERNEL(leaves_early, 0) \
    KERNEL(leaves_warp, 0) \
    KERNEL(sums_in_both_branches, 0) \
    KERNEL(reads_a_lane_outside, 0) \
    KERNEL(not_in_its_mask, 0) \
    KERNEL(polls_for_ever, 0) \
    KERNEL(writes_behind_shared, 1024) \
    KERNEL(copies_beside_shared, 1024) \
    KERNEL(copies_askew, 1024) \
    KERNEL(traps, 0) \
    KERNEL(overflows_its_stack, 0)
// clang-format on

#define DECLARE(name, smem_bytes) Kernel name;
KERNELS(DECLARE)
#undef DECLARE

#define ENTRY(name, smem_bytes) { #name, name, smem_bytes },
static const struct {
    const char *name;
    Kernel *kernel;
    int smem_bytes;
} kernels[] = { KERNELS(ENTRY) };
#undef ENTRY

typedef struct Run {
    int blocks, weight_words;
    uint32_t *weights;
    unsigned char *state;
} Run;

static bool near(double want, float got)
{
    return fabs(got - want) <= 1e-5 * (1 + fabs(want)); // false for a NaN
}

static void check_two_waves(const Run *r)
{
    const float *x = (const float *)(r->state + 1024), *y1 = (const float *)(r->state + 4096);
    const float *y2 = (const float *)(r->state + 8192);
    const uint16_t *w1 = (const uint16_t *)r->weights, *w2 = w1 + 136 * 264;
    for (int row = 0; row < 136; ++row) {
        double sum = 0;
        for (int i = 0; i < 264; ++i)
            sum += (double)bf16_to_float(w1[row * 264 + i]) * x[i];
        ASSERT(near(sum, y1[row]));
    }
    for (int row = 0; row < 40; ++row) {
        double sum = 0;
        for (int i = 0; i < 136; ++i)
            sum += (double)bf16_to_float(w2[row * 136 + i]) * y1[i];
        ASSERT(near(sum, y2[row]));
    }
}

static void check_ring(const Run *r)
{
    const uint32_t *out = (const uint32_t *)(r->state + 1024);
    for (int b = 0; b < r->blocks; ++b)
        for (int t = 0; t < THREADS; ++t) {
            uint32_t sum = 0;
            for (int tile = 0; tile < 20; ++tile) {
                const uint32_t *q = r->weights + 4 * ((b * 20 + tile) * 64 + (t ^ 33));
                sum = sum * 31 + (q[0] ^ q[1] ^ q[2] ^ q[3]);
            }
            ASSERT_INT(sum, out[b * THREADS + t]);
        }
}

static void check_talk_thread(const uint32_t *out, int t, int block, int blocks)
{
    const int lane = t & 31, warp = t & 32;
    unsigned votes = 0;
    for (int i = 0; i < 32; ++i)
        votes |= (unsigned)((warp + i) % 3 == 0) << i;
    ASSERT_INT(1, out[0]);
    ASSERT_INT((warp + 5) * (warp + 5), out[2]);
    ASSERT_INT(lane + 3 < 32 ? t + 3 : t, out[3]);
    ASSERT_INT(lane >= 3 ? t - 3 : t, out[4]);
    ASSERT_INT(31, out[5]);
    ASSERT_INT(votes, out[6]);
    ASSERT_INT(warp ? 2 : 1, out[7]);
    ASSERT_INT(13, out[8]);
    ASSERT_INT(2, out[9]);
    ASSERT_INT(lane < 8 ? t ^ 7 : t ^ 1, out[10]);
    ASSERT_INT((t ^ 31) * 7 + block, out[11]);
    ASSERT_INT(63 - t, out[12]);
    ASSERT_INT(__builtin_popcount((unsigned)t) + (t ? __builtin_clz((unsigned)t) : 32) * 100 + __builtin_ffs(t) * 10000,
               out[13]);
    ASSERT_INT((t < 3 ? t : 3) + (t > 60 ? t : 60) * 100 + (int)((uint32_t)t << 28 >> 24) * 10000, out[14]);
    ASSERT_INT(63 - t + 64 * 100 + blocks * 10000 + 32 * 1000000, out[15]);
}

static void check_talk(const Run *r)
{
    for (int b = 0; b < r->blocks; ++b)
        for (int t = 0; t < THREADS; ++t)
            check_talk_thread((const uint32_t *)(r->state + 1024) + (b * THREADS + t) * 16, t, b, r->blocks);
}

static void check_numbers(const Run *r)
{
    const uint32_t *out = (const uint32_t *)(r->state + 1024);
    const float some[5] = { -1, -0.0f, 0, 1, NAN };
    for (uint32_t i = 0; i < 65536; ++i) {
        const float f = half_from_bits(r->weights[i]);
        ASSERT(half_to_bits(f16_to_float((uint16_t)i)) == out[2 * i] || isnan(half_from_bits(out[2 * i])));
        ASSERT(f16_from_float(f) == out[2 * i + 1] || (isnan(f) && isnan(f16_to_float((uint16_t)out[2 * i + 1]))));
    }
    for (int i = 0; i < 25; ++i) {
        const float a = some[i / 5], b = some[i % 5];
        const float max = half_from_bits(out[131072 + 2 * i]), min = half_from_bits(out[131073 + 2 * i]);
        if (isnan(a) || isnan(b)) {
            ASSERT(isnan(a) && isnan(b) ? isnan(max) && isnan(min) : max == min && max == (isnan(a) ? b : a));
        } else {
            ASSERT(max == fmaxf(a, b) && min == fminf(a, b));
            ASSERT(a != 0 || b != 0 ||
                   (!signbit(max) == !(signbit(a) && signbit(b)) && !signbit(min) == !(signbit(a) || signbit(b))));
        }
    }
}

static void check_turns(const Run *r)
{
    const uint32_t *out = (const uint32_t *)(r->state + 1024);
    const int visits = r->blocks * THREADS * 4;
    unsigned char *seen = calloc((size_t)visits, 1);
    for (int i = 0; i < visits; ++i) {
        ASSERT(out[i] < (uint32_t)visits && !seen[out[i]]++);
        ASSERT(i % 4 == 0 || out[i] > out[i - 1]);
    }
    free(seen);
}

static void check_hand_on(const Run *r)
{
    int want = 0;
    for (int b = 0; b < r->blocks; ++b)
        want += b * b + 1;
    ASSERT_INT(want, *(uint32_t *)(r->state + 1024));
    ASSERT_INT(r->blocks, *(uint32_t *)(r->state + 512));
    ASSERT_INT(101 - r->blocks, *(uint64_t *)(r->state + 520));
}

static void check_arguments(const Run *r)
{
    const uint32_t *out = (const uint32_t *)(r->state + 1024);
    for (int i = 0; i < r->blocks * THREADS; ++i)
        ASSERT_INT(i % THREADS * 780 + 11 + 3 * 13 + 17 + 19 + 23, out[i]);
}

// Values around every F16 number: exact, halfway to the next, and just beside that.
static void fill_floats(uint32_t *out)
{
    for (uint32_t i = 0; i < 65536; ++i) {
        const uint32_t exact = half_to_bits(f16_to_float((uint16_t)(i & 0x8000) | (uint16_t)(i >> 2 & 0x7fff)));
        out[i] = exact + (const uint32_t[]){ 0, 0x1000, 0xfff, 0x1001 }[i & 3];
    }
}

static void fill(const char *name, Run *r)
{
    uint32_t random = 1;
    for (int i = 0; i < r->weight_words; ++i) { // bf16 numbers around 0.03, of both signs
        random = random * 1664525u + 1013904223u;
        r->weights[i] = (random & 0x807f807fu) | 0x3c803d00u;
    }
    if (strcmp(name, "numbers") == 0)
        fill_floats(r->weights);
    memset(r->state, strcmp(name, "two_waves") == 0 ? 0xff : 0, STATE_BYTES); // what no wave writes is a NaN
    memset(r->state, 0, 1024);
    for (int i = 0; strcmp(name, "two_waves") == 0 && i < 264; ++i)
        ((float *)(r->state + 1024))[i] = (float)(i % 17) - 7.5f;
    if (strcmp(name, "hand_on") == 0)
        *(uint64_t *)(r->state + 520) = UINT64_MAX;
}

static uint64_t hash(const unsigned char *at, size_t bytes)
{
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < bytes; ++i)
        h = (h ^ at[i]) * 0x100000001b3u;
    return h;
}

static void check(const char *name, const Run *r)
{
    const struct {
        const char *name;
        void (*check)(const Run *);
    } checks[] = { { "two_waves", check_two_waves }, { "ring", check_ring },   { "talk", check_talk },
                   { "numbers", check_numbers },     { "turns", check_turns }, { "hand_on", check_hand_on },
                   { "arguments", check_arguments } };
    for (size_t i = 0; i < sizeof checks / sizeof *checks; ++i)
        if (strcmp(name, checks[i].name) == 0)
            checks[i].check(r);
}

// Twice: the second launch finds the first one's memory.
static void run(const char *name, Kernel *kernel, int smem_bytes, Run *r)
{
    for (int launch = 0; launch < 2; ++launch) {
        fill(name, r);
        const uint32_t e = 19;
        unsigned char f = 23;
        const uint64_t two[] = { (uintptr_t)r->weights, (uintptr_t)r->state };
        const uint64_t six[ARGUMENTS] = {
            (uintptr_t)(r->state + 1024), 11, 13, 17ull << 32, (uintptr_t)&e, (uintptr_t)&f
        };
        const bool all = strcmp(name, "arguments") == 0;
        simt_launch(kernel, r->blocks, THREADS, smem_bytes, all ? six : two, all ? ARGUMENTS : 2);
        check(name, r);
    }
    printf("%s %016llx\n", name, (unsigned long long)hash(r->state, STATE_BYTES));
}

int main(int n, char **words)
{
    Run r = { .blocks = n > 2 ? atoi(words[2]) : 4 };
    for (size_t i = 0; n > 1 && i < sizeof kernels / sizeof *kernels; ++i)
        if (strcmp(words[1], kernels[i].name) == 0) {
            // As many as are read, so that ASan sees a read behind them.
            r.weight_words = strcmp(words[1], "two_waves") == 0 ? 4 * (136 * 33 + 40 * 17) : 65536;
            r.weights = malloc((size_t)r.weight_words * sizeof *r.weights);
            r.state = malloc(STATE_BYTES);
            run(kernels[i].name, kernels[i].kernel, kernels[i].smem_bytes, &r);
            free(r.weights);
            free(r.state);
            return test_failed;
        }
    fprintf(stderr, "host: no such kernel\n");
    return 2;
}
