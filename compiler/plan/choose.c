// choose.c: what the cost model decides: how many parts a context has where, and how waves end.
#include "plan_json.h"

#include "../kernels/split.h"

enum {
    MOST_PARTS = 32,
    MOST_RANGES = 4, // schedules of a program: each has kernels of its own
};

// Fewer parts stay where more gain less than this: of a token's time.
static const double worthwhile = 0.01;

// The plan, but with one schedule, for all contexts in so many parts.
static const Plan *trial(const Plan *p, const Schedule *like, int parts)
{
    Plan *q = arena_alloc(p->arena, sizeof *q);
    Schedule s = *like;
    *q = *p;
    s.ctx_min = 1;
    s.ctx_max = p->ctx;
    s.parts = parts;
    q->schedules = (Schedules){ 0 };
    vec_push(p->arena, &q->schedules, s);
    plan_make(q);
    return q;
}

double plan_token_us(const Plan *p, int ctx)
{
    const Schedule *s = plan_schedule(p, ctx);
    return plan_wave_us(p, s, ctx, arena_alloc(p->arena, (size_t)s->waves.n * sizeof(double)));
}

int plan_best_parts(const Plan *p, const Schedule *like, int ctx)
{
    int best = 2;
    double least = 0;
    for (int parts = best; parts <= MOST_PARTS; parts *= 2) {
        const double us = plan_token_us(trial(p, like, parts), ctx);
        if (least > 0 && us > least * (1 - worthwhile))
            continue;
        best = parts;
        least = us;
    }
    return best;
}

// ---- how waves end ------------------------------------------------------------------------------------------------

static double style_us(const Graph *unfused, const Target *t, PlanOptions o, Sync sync)
{
    Arena *a = unfused->arena;
    Graph *g = graph_build(a, unfused->model);
    o.sync = (int)sync;
    o.feed = sync == SYNC_PACKETS ? FEED_BULK : FEED_PLAIN;
    graph_fuse(g, sync == SYNC_BARRIER);
    Plan *p = plan_new(a, g, t, &o);
    plan_make(p);
    return plan_token_us(p, p->ctx < PLAN_USUAL_CONTEXT ? p->ctx : PLAN_USUAL_CONTEXT);
}

bool plan_splits(const Graph *g, const Target *t, const PlanOptions *o, const char **why_not)
{
    const bool asked = o->sync == SYNC_PACKETS || o->feed == FEED_BULK;
    const bool refused = (o->sync >= 0 && o->sync != SYNC_PACKETS) || (o->feed >= 0 && o->feed != FEED_BULK);
    *why_not = plan_split_unfit(g, t, o);
    if (asked && refused)
        error_at(NOWHERE, ERR_OPTION_VALUE, "--sync packets and --feed bulk go together");
    if (asked && *why_not)
        error_at(g->model->at, ERR_PLAN_KERNEL, "packets and a ring cannot be planned for %s on %s: %s", g->model->name, t->name, *why_not);
    if (!*why_not && refused)
        *why_not = "the options ask for another schedule";
    if (!*why_not && !asked) {
        const double packets = style_us(g, t, *o, SYNC_PACKETS), barrier = style_us(g, t, *o, SYNC_BARRIER);
        if (packets > barrier)
            *why_not = str_format(g->arena, "%.3f ms a token are predicted, %.3f with barriers", packets / 1e3, barrier / 1e3);
    }
    return !*why_not;
}

// ---- ranges of contexts -------------------------------------------------------------------------------------------

enum { TRIALS = 6, MOST_CONTEXTS = 96 }; // 1 to 32 parts in powers of two

typedef struct Ranges {
    int n, contexts;
    int ctx[MOST_CONTEXTS];
    double us[TRIALS][MOST_CONTEXTS]; // of 1 << trial parts
    bool out[TRIALS];                 // not among the candidates any more
} Ranges;

// 1, and multiples of 128 that grow by a quarter.
static void list_contexts(Ranges *r, int last)
{
    r->ctx[r->contexts++] = 1;
    for (int ctx = 128; ctx < last && r->contexts < MOST_CONTEXTS - 1; ctx += ctx / 4 / 128 * 128 > 128 ? ctx / 4 / 128 * 128 : 128)
        r->ctx[r->contexts++] = ctx;
    if (last > 1)
        r->ctx[r->contexts++] = last;
}

// The fastest candidate at a context, of those that have at least as many parts as the range before it.
static int best_at(const Ranges *r, int context, int least, int without)
{
    int best = -1;
    for (int t = least; t < r->n; ++t)
        if (!r->out[t] && t != without && (best < 0 || r->us[t][context] < r->us[best][context]))
            best = t;
    return best;
}

// How much longer a token takes, at worst, when candidate t is left out.
static double loss_without(const Ranges *r, int t)
{
    double worst = 0;
    for (int i = 0; i < r->contexts; ++i) {
        const int with = best_at(r, i, 0, -1), without = best_at(r, i, 0, t);
        const double loss = without < 0 ? 1 : r->us[without][i] / r->us[with][i] - 1;
        worst = loss > worst ? loss : worst;
    }
    return worst;
}

// Candidates that gain least leave, until those are left that are worth a schedule.
static void leave_worthwhile(Ranges *r)
{
    for (int left = r->n; left > 1; --left) {
        int least = -1;
        for (int t = 0; t < r->n; ++t)
            if (!r->out[t] && (least < 0 || loss_without(r, t) < loss_without(r, least)))
                least = t;
        if (left <= MOST_RANGES && loss_without(r, least) > worthwhile)
            return;
        r->out[least] = true;
    }
}

PartRanges plan_part_ranges(const Plan *p, const Schedule *like, int most)
{
    Ranges *r = arena_alloc(p->arena, sizeof *r);
    PartRanges ranges = { 0 };
    *r = (Ranges){ 0 };
    list_contexts(r, p->ctx);
    for (; r->n < TRIALS && 1 << r->n <= most; ++r->n) {
        const Plan *q = trial(p, like, 1 << r->n);
        for (int i = 0; i < r->contexts; ++i)
            r->us[r->n][i] = plan_token_us(q, r->ctx[i]);
    }
    leave_worthwhile(r);
    for (int i = 0, t = 0; i < r->contexts; ++i) {
        t = best_at(r, i, t, -1);
        if (!ranges.n || ranges.parts[ranges.n - 1] != 1 << t)
            ranges.parts[ranges.n++] = 1 << t;
        ranges.last[ranges.n - 1] = r->ctx[i];
    }
    return ranges;
}
