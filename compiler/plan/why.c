// why.c: `llmc plan`: what is predicted at which context; and of --why: what else could have been planned, and why it was not.
#include "plan_json.h"

// "1", "1,024".
static void write_contexts(const Plan *p, const int *ctx, int n, Str *out)
{
    for (int i = 0; i < n; ++i)
        str_add(out, " %9s", str_count(p->arena, ctx[i]));
    str_add(out, "\n");
}

void plan_write_predicted(const Plan *p, const int *ctx, int n, Str *out)
{
    str_add(out, "\ncontext     predicted ms  floor ms   share  schedule\n");
    for (int i = 0; i < n; ++i) {
        const double us = plan_token_us(p, ctx[i]), floor = plan_floor_us(p, ctx[i]);
        str_add(out, "%-11s %12.3f %9.3f  %5.1f%%  %s\n", str_count(p->arena, ctx[i]), us / 1e3, floor / 1e3, 100 * floor / us,
                plan_schedule(p, ctx[i])->name);
    }
}

// A style's plan with so many parts at every context; parts 0: as the planner chooses.
static Plan *plan_with(const Plan *p, Sync sync, int parts)
{
    PlanOptions o = p->options;
    Graph *g = graph_build(p->arena, p->model);
    o.sync = (int)sync;
    o.feed = sync == SYNC_PACKETS ? FEED_BULK : FEED_PLAIN;
    o.parts = parts;
    o.ctx = p->ctx;
    graph_fuse(g, sync == SYNC_BARRIER);
    Plan *q = plan_new(p->arena, g, p->target, &o);
    plan_make(q);
    return q;
}

static void write_candidate(const Plan *p, Sync sync, int parts, const int *ctx, int n, Str *out)
{
    const Plan *q = plan_with(p, sync, parts);
    str_add(out, "%-8s %-6s %5d", sync_name(sync), feed_name(q->schedules.at[0].feed), parts);
    for (int i = 0; i < n; ++i) {
        const Schedule *s = plan_schedule(p, ctx[i]);
        const bool planned = s->sync == sync && s->parts == parts;
        str_add(out, " %8.3f%s", plan_token_us(q, ctx[i]) / 1e3, planned ? "*" : i < n - 1 ? " " : "");
    }
    str_add(out, "\n");
}

void plan_write_why(const Plan *p, const int *ctx, int n, Str *out)
{
    const Graph *g = graph_build(p->arena, p->model);
    const char *unfit = plan_split_unfit(g, p->target, &p->options);
    const int workers = p->schedules.at[0].workers, heads = p->model->kv_heads;
    str_add(out, "\ncandidates, predicted ms a token (* is planned)\nsync     feed   parts");
    write_contexts(p, ctx, n, out);
    for (int parts = 1; parts <= 32; parts *= 2)
        write_candidate(p, SYNC_BARRIER, parts, ctx, n, out);
    for (int parts = 1; parts <= 32 && parts * heads <= workers && !unfit; parts *= 2)
        write_candidate(p, SYNC_PACKETS, parts, ctx, n, out);
    if (unfit)
        str_add(out, "packets  bulk   is no candidate: %s\n", unfit);
    str_add(out, "Styles are compared at context %d; parts are chosen by context, and a number that gains less than 1%% gets no schedule.\n",
            PLAN_USUAL_CONTEXT < p->ctx ? PLAN_USUAL_CONTEXT : p->ctx);
}
