// library_sample.c: how a library chooses: what it refuses changes nothing, and the ids that a program with the same options gives are
// printed for library.sh, a line for each way of choosing.
#include "../test.h"

#include MODEL

#include <math.h>

enum { MOST = 64 };

typedef struct Ids {
    uint32_t at[MOST];
    int n;
} Ids;

static int take(void *context, uint32_t id)
{
    Ids *ids = context;
    ids->at[ids->n++] = id;
    return 1;
}

static Ids answer(Llmc *l)
{
    static const uint32_t prompt[] = { 1, 2, 3 };
    Ids ids = { .n = 0 };
    LlmcEnd end;
    llmc_reset(l);
    ASSERT_INT(0, llmc_prefill(l, prompt, 3));
    ASSERT_INT(0, llmc_decode(l, 24, take, &ids, &end));
    return ids;
}

static int is_same(const Ids *a, const Ids *b)
{
    return a->n == b->n && memcmp(a->at, b->at, (size_t)a->n * sizeof *a->at) == 0;
}

static Ids show(Llmc *l, const LlmcSampling *how)
{
    ASSERT_INT(0, llmc_sample(l, how));
    const Ids ids = answer(l), again = answer(l);
    ASSERT(is_same(&ids, &again));
    for (int i = 0; i < ids.n; ++i)
        printf("%s%u", i ? "," : "", ids.at[i]);
    putchar('\n');
    return ids;
}

static void test_refusals(Llmc *l)
{
    const LlmcBias missing = { 512, 1 }, too_much = { 3, 2e6f }, not_a_number = { 3, NAN };
    LlmcBias all[512];
    for (uint32_t id = 0; id < 512; ++id)
        all[id] = (LlmcBias){ id, -INFINITY };
    const LlmcSampling drawn = { .temperature = 2, .seed = 9 };
    ASSERT_INT(0, llmc_sample(l, &drawn));
    const Ids before = answer(l);
    const struct {
        LlmcSampling how;
        int error;
        const char *says;
    } cases[] = {
        { { .temperature = -1 }, 202, "temperature is -1: expected 0 (the largest logit), or 0.001 to 1000" },
        { { .temperature = NAN }, 202, "temperature is nan: expected 0 (the largest logit), or 0.001 to 1000" },
        { { .top_k = -1 }, 202, "top_k is -1: expected a whole number, 0 (all) or more" },
        { { .top_p = 1.5 }, 202, "top_p is 1.5: expected over 0 and at most 1 (all)" },
        { { .min_p = -0.5 }, 202, "min_p is -0.5: expected 0 (all) to 1" },
        { { .repeat_penalty = -1 }, 202, "repeat_penalty is -1: expected over 0 and at most 100; 1 changes nothing" },
        { { .presence_penalty = 101 }, 202, "presence_penalty is 101: expected -100 to 100; 0 changes nothing" },
        { { .frequency_penalty = 101 }, 202, "frequency_penalty is 101: expected -100 to 100; 0 changes nothing" },
        { { .repeat_last_n = -2 }, 202, "repeat_last_n is -2: expected a whole number: 0 (none) or more, -1 (the whole context)" },
        { { .biases = -1 }, 202, "biases is -1: expected 0 or more" },
        { { .bias = &too_much, .biases = 1 }, 202, "the bias for id 3 is 2e+06: expected -1000000 to 1000000, or -INFINITY (never)" },
        { { .bias = &not_a_number, .biases = 1 }, 202, "the bias for id 3 is nan: expected -1000000 to 1000000, or -INFINITY (never)" },
        { { .bias = &missing, .biases = 1 }, 200, "a bias for id 512: the model has ids below 512" },
        { { .bias = all, .biases = 512 }, 200, "the biases leave no id that may be chosen" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        ASSERT_INT(cases[i].error, llmc_sample(l, &cases[i].how));
        ASSERT_STR(cases[i].says, llmc_error(l));
        ASSERT_STR("", llmc_advice(l));
    }
    const Ids after = answer(l);
    ASSERT(is_same(&before, &after));
}

int main(void)
{
    const LlmcOptions options = { .ignore_eos = 1 };
    const LlmcSampling zero = { 0 };
    Llmc *l;
    ASSERT_INT(0, llmc_open(&l, &options));
    const Ids largest = answer(l);
    const Ids same = show(l, &zero);
    ASSERT(is_same(&largest, &same));
    show(l, &(LlmcSampling){ .temperature = 2, .seed = 7 });
    show(l, &(LlmcSampling){ .temperature = 2, .top_k = 40, .top_p = 0.9, .min_p = 0.02, .seed = 7 });
    show(l, &(LlmcSampling){ .temperature = 1, .repeat_penalty = 1.3, .presence_penalty = 0.4, .frequency_penalty = 0.2, .repeat_last_n = 9 });
    show(l, &(LlmcSampling){ .repeat_penalty = 1.5 });
    const LlmcBias bias[] = { { largest.at[0], -INFINITY }, { 7, 3 } };
    const Ids biased = show(l, &(LlmcSampling){ .temperature = 0.9, .seed = 1, .bias = bias, .biases = 2 });
    for (int i = 0; i < biased.n; ++i)
        ASSERT(biased.at[i] != largest.at[0]);
    test_refusals(l);
    ASSERT_INT(0, llmc_sample(l, NULL));
    const Ids last = answer(l);
    ASSERT(is_same(&largest, &last));
    llmc_close(l);
    return test_failed;
}
