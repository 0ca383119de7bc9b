// fake_reference.c: the reference of the stand-in model, in place of runtime/reference.
#include "fake_model.h"

#include "../../runtime/reference/reference.h"

#include <stdlib.h>

struct Reference {
    RefPlan plan;
    RefWeights weights;
    uint64_t *slots; // [context]
};

Reference *reference_open(const RefPlan *plan, const RefWeights *weights, int context, int positions, int members)
{
    (void)positions;
    (void)members;
    Reference *r = malloc(sizeof *r);
    *r = (Reference){ .plan = *plan, .weights = *weights, .slots = calloc((size_t)context, sizeof *r->slots) };
    return r;
}

void reference_close(Reference *r)
{
    free(r->slots);
    free(r);
}

void reference_fill_cache(Reference *r, uint64_t seed, int n)
{
    for (int i = 0; i < n; ++i)
        r->slots[i] = hash_key(seed, "cache") ^ (uint64_t)i;
}

static uint64_t seen_by(Reference *r, uint32_t id, int position)
{
    float row[64], rope[2 * FAKE_PAIRS];
    uint64_t seen = 0;
    for (int m = 0; m < FAKE_MATRICES; ++m) {
        const PkgMatrix *matrix = &r->plan.matrices[m];
        r->weights.row(r->weights.context, m, (int)matrix->layers - 1, (int)(id % matrix->rows), row);
        seen = fake_mix(seen, row, matrix->cols);
    }
    for (int n = 0; n < FAKE_NORMS; ++n) {
        r->weights.norm(r->weights.context, n, (int)r->plan.norms[n].layers - 1, row);
        seen = fake_mix(seen, row, r->plan.norms[n].cols);
    }
    for (int i = 0; i < FAKE_PAIRS; ++i) {
        rope[2 * i] = (float)cos(position * r->plan.rope[i]);
        rope[2 * i + 1] = (float)sin(position * r->plan.rope[i]);
    }
    return fake_mix(seen, rope, 2 * FAKE_PAIRS);
}

void reference_run(Reference *r, const uint32_t *ids, int first, int n, float *logits)
{
    for (int i = 0; i < n; ++i) {
        uint64_t history = 0;
        r->slots[first + i] = ids[i];
        for (int p = 0; p <= first + i; ++p)
            history = fake_slot(history, r->slots[p]);
        fake_logits(history, seen_by(r, ids[i], first + i), r->plan.plan->vocab,
                    logits + (size_t)i * r->plan.plan->vocab);
    }
}
