// draws.c: the reference's draws: Philox as published, and 100,000 draws against their exact probabilities.
#include "../test.h"
#include "../../runtime/reference/choose.h"

#include <math.h>

enum { VOCAB = 60, MANY = 400, DRAWS = 100000 };

// The first two words of the published answers of philox4x32-10 for counter and key 0, and for a counter of one word.
static void check_random(void)
{
    ASSERT(reference_random(0, 0, 0) == 0xe169c58d6627e8d5ull);
    ASSERT(reference_random(0, 1, 0) != reference_random(1, 0, 0));
    ASSERT(reference_random(0, 1, 0) != reference_random(0, 0, 1));
    ASSERT(reference_random(1ull << 32, 0, 0) != reference_random(0, 0, 0));
}

// The exact probabilities in double, from the definition: sort, cut, weigh.
static int exact(const Request *how, const float *logits, int vocab, double *share)
{
    int order[MANY], n = vocab;
    double all = 0, sum = 0;
    for (int i = 0; i < vocab; ++i) {
        int at = i;
        for (; at > 0 && logits[order[at - 1]] < logits[i]; --at)
            order[at] = order[at - 1];
        order[at] = i;
        share[i] = 0;
    }
    n = how->top_k && (int)how->top_k < vocab ? (int)how->top_k : n;
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
    for (int i = 0; i < vocab; ++i)
        share[i] /= sum;
    return stay;
}

// Of many ids some draws fall behind top-p's cut, and another follows.
static void check_draws(Request how, const float *logits, int vocab)
{
    static const float bias[MANY];
    static uint32_t known[DRAWS];
    double share[MANY];
    int drawn[MANY] = { 0 }, degrees = -1, again = 0;
    float values[MANY];
    uint64_t weights[MANY];
    RefEntry order[MANY];
    RefChoice c = { values, weights, order, 0, false };
    const int stay = exact(&how, logits, vocab, share);
    how.choose = CHOOSE_VALUES | CHOOSE_DRAWN;
    for (int i = 0; i < DRAWS; ++i) {
        ++drawn[reference_choose(&how, logits, bias, vocab, known, i, &c)];
        again += c.again;
    }
    double chi = 0, rare = 0, rare_drawn = 0;
    int weighed = 0;
    for (int i = 0; i < vocab; ++i) {
        weighed += share[i] > 0;
        ASSERT(weights[i] > 0 || share[i] == 0);
        ASSERT(share[i] > 0 || weights[i] == 0 || vocab > VOCAB);
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
    ASSERT((again > 0) == (vocab > VOCAB));
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
    check_draws((Request){ .reach = INFINITY, .scale = log2e, .seed = 1 }, logits, VOCAB);
    check_draws((Request){ .reach = INFINITY, .scale = log2e / 0.7f, .seed = 2 }, logits, VOCAB);
    check_draws((Request){ .top_k = 7, .reach = INFINITY, .scale = log2e, .seed = 3 }, logits, VOCAB);
    check_draws((Request){ .top_p = 0xc0000000u, .reach = INFINITY, .scale = log2e / 2, .seed = 4 }, logits, VOCAB);
    check_draws((Request){ .reach = 3, .scale = log2e, .seed = 5 }, logits, VOCAB);
    check_draws((Request){ .top_k = 40, .top_p = 0xf3333333u, .reach = 2.9957323f, .scale = log2e / 0.8f, .seed = 6 }, logits, VOCAB);
    float flat[MANY];
    for (int i = 0; i < MANY; ++i)
        flat[i] = (float)(0.5 * sin(1.7 * i));
    check_draws((Request){ .top_p = 0xd0000000u, .reach = INFINITY, .scale = log2e / 2, .seed = 7 }, flat, MANY);
    check_draws((Request){ .top_k = 390, .top_p = 0xe0000000u, .reach = 0.95f, .scale = log2e, .seed = 8 }, flat, MANY);
    return test_failed;
}
