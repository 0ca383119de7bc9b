// plans.h: a plan of a model file for a target, made in the process of the test.
#pragma once
#include "../test.h"

#include "../../compiler/plan/plan.h"

// Whether a model's parameters leave room on a card: a plan that does not fit is refused (tests/cli/options.sh).
static inline bool fits_card(Arena *a, const char *model, const char *target)
{
    const Graph *g = graph_build(a, model_load(a, model));
    int64_t bytes = 0;
    for (int i = 0; i < g->tensors.n; ++i)
        if (g->tensors.at[i].kind == TENSOR_WEIGHT)
            bytes += 2ll * g->tensors.at[i].rows * g->tensors.at[i].cols;
    return bytes / 100 * 102 + (1ll << 30) < target_load(a, target)->dram_bytes;
}

static inline Plan *plan_of(Arena *a, const char *model, const char *target, PlanOptions o)
{
    Diags d = { .arena = a };
    const Model *m = model_load(a, model);
    const Target *t = target_load(a, target);
    Graph *g = graph_build(a, m);
    const char *why_not;
    graph_fuse(g, !plan_splits(g, t, &o, &why_not));
    Plan *p = plan_new(a, g, t, &o);
    plan_make(p);
    plan_check(p, &d);
    for (int i = 0; i < d.list.n; ++i)
        printf("%s on %s: %s\n", m->name, t->name, d.list.at[i].text);
    ASSERT_INT(0, d.list.n);
    return p;
}
