// draws.c: the reference's draws: Philox as published, and 100,000 draws against their exact probabilities.
#include "../test.h"
#include "../../runtime/reference/choose.h"

#include <math.h>

enum { VOCAB = 60, DRAWS = 100000 };

// The first two words of the published answers of philox4x32-10 for counter and key 0, and for a counter of one word.
static void check_random(void)
{
    ASSERT(reference_random(0, 0) == 0xe169c58d6627e8d5ull);
    ASSERT(reference_random(0, 1) != reference_random(1, 0));
    ASSERT(reference_random(1ull << 32, 0) != reference_random(0, 0));
}

// The exact probabilities in double, from the definition: sort, cut, weigh.
static int exact(const Request *how, const float *logits, double *share)
{
    int order[VOCAB], n = VOCAB;
    double all = 0, sum = 0;
    for (int i = 0; i < VOCAB; ++i) {
        int at = i;
        for (; at > 0 && logits[order[at - 1]] < logits[i]; --at)
            order[at] = order[at - 1];
        order[at] = i;
        share[i] = 0;
    }
    n = how->top_k && how->top_k < VOCAB ? (int)how->top_k : n;
    for (int i = 0; i < n; ++i)
        all += exp(logits[order[i]]);
    for (int i = 0; i < n && how->top_p; ++i) {
        sum += exp(logits[order[i]]);
        if (sum >= all * how->top_p * 0x1p-32)
            n = i + 1;
    }
    int stay = 0;
    sum = 0;
    for (int i = 0; i < n; ++i)
        if (logits[order[0]] - logits[order[i]] <= how->reach) {
            share[order[i]] = exp2((logits[order[i]] - logits[order[0]]) * how->scale);
            sum += share[order[i]];
            ++stay;
        }
    for (int i = 0; i < VOCAB; ++i)
        share[i] /= sum;
    return stay;
}

static void check_draws(Request how, const float *logits)
{
    static const float bias[VOCAB];
    static uint32_t known[DRAWS];
    double share[VOCAB];
    int drawn[VOCAB] = { 0 }, degrees = -1;
    float values[VOCAB];
    uint64_t weights[VOCAB];
    RefEntry order[VOCAB];
    RefChoice c = { values, weights, order, 0 };
    const int stay = exact(&how, logits, share);
    how.choose = CHOOSE_VALUES | CHOOSE_DRAWN;
    for (int i = 0; i < DRAWS; ++i)
        ++drawn[reference_choose(&how, logits, bias, VOCAB, known, i, &c)];
    double chi = 0, rare = 0, rare_drawn = 0;
    int weighed = 0;
    for (int i = 0; i < VOCAB; ++i) {
        weighed += weights[i] > 0;
        ASSERT((weights[i] > 0) == (share[i] > 0));
        if (share[i] * DRAWS >= 5) {
            chi += (drawn[i] - share[i] * DRAWS) * (drawn[i] - share[i] * DRAWS) / (share[i] * DRAWS);
            ++degrees;
        } else {
            rare += share[i] * DRAWS;
            rare_drawn += drawn[i];
        }
        ASSERT(share[i] > 0 || !drawn[i]);
    }
    ASSERT_INT(stay, weighed);
    // Mean `degrees`, deviation sqrt(2 degrees): five deviations are far beyond chance, and the seed is always the same.
    ASSERT(chi < degrees + 5 * sqrt(2.0 * degrees) + 1e-9);
    ASSERT(fabs(rare_drawn - rare) < 5 * sqrt(rare + 1) + 5);
}

int main(void)
{
    float logits[VOCAB];
    for (int i = 0; i < VOCAB; ++i)
        logits[i] = (float)(4 * sin(1.7 * i) + 0.01 * (i % 7));
    const float log2e = 1.44269504f;
    check_random();
    check_draws((Request){ .reach = INFINITY, .scale = log2e, .seed = 1 }, logits);
    check_draws((Request){ .reach = INFINITY, .scale = log2e / 0.7f, .seed = 2 }, logits);
    check_draws((Request){ .top_k = 7, .reach = INFINITY, .scale = log2e, .seed = 3 }, logits);
    check_draws((Request){ .top_p = 0xc0000000u, .reach = INFINITY, .scale = log2e / 2, .seed = 4 }, logits);
    check_draws((Request){ .reach = 3, .scale = log2e, .seed = 5 }, logits);
    check_draws((Request){ .top_k = 40, .top_p = 0xf3333333u, .reach = 2.9957323f, .scale = log2e / 0.8f, .seed = 6 }, logits);
    return test_failed;
}
