// choices.c: choices PROGRAM CASES: what a program's kernels choose is what the reference chooses, whatever the values: with the head's
// matrix zero a bias is the value, so every value can be tried: ties, equal ones, minus infinity, one left, far apart, close together.
#include "../test.h"
#include "../../runtime/hash.h"
#include "../../runtime/reference/choose.h"
#include "../../runtime/rt_state.h"
#include "../../runtime/sampling.h"

#include <math.h>
#include <stdlib.h>

typedef struct Random {
    uint64_t state;
} Random;

static uint64_t word(Random *r)
{
    return hash_mix(++r->state * 0x9e3779b97f4a7c15ull);
}

static double unit(Random *r) // [0, 1)
{
    return (double)(word(r) >> 11) * 0x1p-53;
}

static int below(Random *r, int n)
{
    return (int)(word(r) % (uint64_t)n);
}

static float normal(Random *r)
{
    return (float)(sqrt(-2 * log(1 - unit(r))) * cos(6.283185307179586 * unit(r)));
}

enum { KINDS = 10 };

static void make_values(Random *r, int kind, float *v, int vocab)
{
    const float levels[] = { 0, 0.5f, -3, 7, -20 };
    for (int i = 0; i < vocab; ++i)
        switch (kind) {
        case 0:
            v[i] = 3 * normal(r);
            break;
        case 1: // few levels: many ties
            v[i] = levels[below(r, 5)];
            break;
        case 2: // all equal
            v[i] = -4.25f;
            break;
        case 3: // most can never be chosen
            v[i] = below(r, 20) ? -INFINITY : normal(r);
            break;
        case 4: // one alone
            v[i] = i == vocab / 3 ? -1e6f : -INFINITY;
            break;
        case 5: // far apart
            v[i] = 2000 * normal(r);
            break;
        case 6: // neighbouring floats
            v[i] = 1 + 0x1p-23f * (float)below(r, 64);
            break;
        case 7: // one peak above a plain
            v[i] = i == vocab - 1 ? 12 : 0.01f * normal(r);
            break;
        case 8: // most within the first few bins
            v[i] = 0.05f * (float)unit(r);
            break;
        default: // flat
            v[i] = 0.3f * normal(r) - 50;
        }
}

static Sampling make_settings(Random *r, int kind)
{
    static const int ks[] = { 0, 1, 2, 40, 100, 255, 256, 257, 700, 1 << 20 };
    static const double ps[] = { 1, 0.95, 0.5, 1e-9, 0.999999, 0.1 }, ms[] = { 0, 0.05, 1, 1e-30, 0.5 }, ts[] = { 1000, 1, 0.3, 0.001 };
    Sampling s = sampling_default();
    s.top_k = ks[below(r, 10)];
    s.top_p = below(r, 3) ? ps[below(r, 6)] : unit(r) * 0.998 + 0.001;
    s.min_p = ms[below(r, 5)];
    s.temperature = ts[below(r, 4)]; // 1000: all that stay weigh the same, so that one too many or too few shows
    s.seed = word(r);
    if (kind == 2 && below(r, 2)) { // of a hundred equal ones half, to the entry
        s.top_k = 100;
        s.top_p = 0.5;
    }
    if (below(r, 3) == 0) {
        s.repeat = 0.5 + unit(r);
        s.presence = 2 * unit(r) - 1;
        s.frequency = unit(r) - 0.25;
        s.window = below(r, 12) - 1;
    }
    return s;
}

static RtStatus zero_head(Rt *rt)
{
    const PkgMatrix *head = NULL;
    for (uint32_t i = 0; i < rt->package.plan->matrices; ++i)
        if (rt->package.matrices[i].role == PKG_HEAD)
            head = &rt->package.matrices[i];
    void *zeros = calloc(1, head->bytes);
    const RtStatus status = rt->api->upload(rt->device, rt->memory + head->base, zeros, head->bytes, &rt->error);
    free(zeros);
    return status;
}

// With the head's matrix zero all logits are equal: what may be chosen is what makes the ids differ that are told.
static void forbid_some(Rt *rt)
{
    const PkgPlan *plan = rt->package.plan;
    for (uint32_t i = 0; i < plan->vocab; i += 7)
        rt->selectable[i / 8] &= (uint8_t)~(1u << i % 8);
    ASSERT_INT(RT_OK, rt->api->upload(rt->device, rt->state + plan->selectable_at, rt->selectable, (plan->vocab + 7) / 8, &rt->error));
}

static void check_told(const Rt *rt, const float *logits, uint32_t chosen)
{
    Told told;
    if (!(rt->choice.choose & CHOOSE_TOLD))
        return;
    reference_tell(logits, (int)rt->package.plan->vocab, rt->selectable, (int)rt->choice.logprobs, chosen, &told);
    ASSERT(told.largest == rt->told.largest && told.chosen == rt->told.chosen && told.weight == rt->told.weight);
    for (uint32_t k = 0; k < rt->choice.logprobs; ++k)
        ASSERT(told.ids[k] == rt->told.ids[k] && told.logits[k] == rt->told.logits[k]);
}

int main(int n, char **words)
{
    const RtOptions options = { .program = n > 2 ? words[1] : NULL, .weights = "random:1" };
    const int cases = n > 2 ? atoi(words[2]) : 0;
    Rt *rt;
    if (rt_open(&rt, &options) != RT_OK || zero_head(rt) != RT_OK) {
        fprintf(stderr, "choices: %s\n", rt_error(rt)->text);
        return 1;
    }
    forbid_some(rt);
    const int vocab = (int)rt->package.plan->vocab;
    const size_t room = (size_t)vocab;
    float *logits = calloc(room, sizeof *logits);
    RefChoice c = { calloc(room, sizeof *c.values), calloc(room, sizeof *c.weights), calloc(room, sizeof *c.order), 0, false };
    Random r = { 7 };
    int listed = 0, spread = 0, again = 0;
    for (int i = 0; i < cases; ++i) {
        const int kind = i % KINDS;
        const Sampling s = make_settings(&r, kind);
        uint32_t chosen = 0;
        if (rt_position(rt) > 40)
            rt_rewind(rt, below(&r, 30));
        ASSERT_INT(RT_OK, rt_choose(rt, &s));
        make_values(&r, kind, rt->bias, vocab);
        ASSERT_INT(RT_OK, rt->api->upload(rt->device, rt->state + rt->package.plan->bias_at, rt->bias, room * sizeof *rt->bias, &rt->error));
        const uint32_t id = (uint32_t)(below(&r, 2) ? below(&r, 8) : below(&r, vocab));
        if (i % 3 == 0) {
            rt->choice.choose |= CHOOSE_TOLD;
            rt->choice.logprobs = (uint32_t)below(&r, LOGPROBS_MOST + 1);
        }
        if (rt_logits(rt, id, logits, &chosen) != RT_OK) {
            fprintf(stderr, "case %d: %s\n", i, rt_error(rt)->text);
            return 1;
        }
        const uint32_t want = reference_choose(&rt->choice, logits, rt->bias, vocab, rt->known, rt_position(rt), &c);
        listed += c.stay <= 256;
        spread += c.stay > 256;
        again += c.again;
        if (chosen != want)
            fprintf(stderr, "case %d, values %d: top_k %d top_p %g min_p %g temperature %g window %d: %d stay\n", i, kind, s.top_k, s.top_p,
                    s.min_p, s.temperature, s.window, c.stay);
        ASSERT_INT(want, chosen);
        check_told(rt, logits, want);
    }
    fprintf(stderr, "%d cases, %d of them left more entries than one block ranks, %d were drawn again\n", cases, spread, again);
    ASSERT(cases < 50 || (listed > cases / 10 && spread > cases / 20 && again > 0));
    rt_close(rt);
    free(logits);
    free(c.values);
    free(c.weights);
    free(c.order);
    return test_failed;
}
