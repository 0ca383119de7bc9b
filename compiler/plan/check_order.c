// check_order.c: rules 1, 2 and 6: who writes what, in which order, and who meets at which barrier.
#include "rules.h"

#include <string.h>

// The schedule's rolled wave of an op instance, by its name; -1: none.
static int wave_of(const Schedule *s, const Op *op)
{
    for (int i = 0; i < s->waves.n; ++i)
        if (str_equal(s->waves.at[i].what, op->what))
            return i;
    return -1;
}

// Position of a rolled wave of one layer in the unrolled token.
static int unrolled(const Schedule *s, int wave, int layer)
{
    const Repeat *r = &s->repeats.at[0];
    if (wave < r->first_wave)
        return wave;
    if (wave >= r->first_wave + r->waves)
        return wave + r->waves * (r->layers - 1);
    return wave + r->waves * (layer - r->first_layer);
}

void rule_contexts(const Plan *p, Diags *d)
{
    int next = 1;
    for (int i = 0; i < p->schedules.n; ++i) {
        const Schedule *s = &p->schedules.at[i];
        if (s->ctx_min != next || s->ctx_max < s->ctx_min)
            rule_fail(p, s, d, 1, "contexts %d to %d: must begin at %d", s->ctx_min, s->ctx_max, next);
        next = s->ctx_max + 1;
    }
    if (next - 1 != p->ctx)
        rule_fail(p, NULL, d, 1, "schedules end at context %d: the plan is for %d", next - 1, p->ctx);
    if (p->ctx > p->model->max_tokens)
        rule_fail(p, NULL, d, 1, "the plan is for %d positions: the model has %d", p->ctx, p->model->max_tokens);
}

// Counts the writers of each row of one wave's op.
static void count_writers(const Plan *p, const Schedule *s, const Wave *w, unsigned char *writers, int rows, Diags *d)
{
    const Op *op = &p->graph->ops.at[w->op];
    for (int i = w->first_task; i < w->first_task + w->tasks; ++i) {
        const Task *t = &s->tasks.at[i];
        const bool parts = op->kind == OP_ATTEND || op->kind == OP_SELECT; // a row for each
        const int64_t first = parts ? (int64_t)t->row * t->parts + t->part : t->row;
        const int64_t last = parts ? first + 1 : first + t->rows;
        if (t->rows < 1 || first < 0 || last > rows || last < first || t->part < 0 || t->part >= t->parts)
            rule_fail(p, s, d, 1, "%s lies outside the op's %d rows or its %d parts", rule_task(p, s, i), rows, t->parts);
        for (int64_t row = first; row >= 0 && row < last && row < rows; ++row) {
            if (writers[row] == 1)
                rule_fail(p, s, d, 1, "row %d of %s is written twice, the second time by %s", (int)row, op->what, rule_task(p, s, i));
            writers[row] += writers[row] < 2;
        }
    }
}

void rule_writers(const Plan *p, const Schedule *s, Diags *d)
{
    for (int w = 0; w < s->waves.n; ++w) {
        const Op *op = &p->graph->ops.at[s->waves.at[w].op];
        const int rows = rule_rows(p, s, op);
        unsigned char *writers = arena_alloc(d->arena, (size_t)rows + 1);
        count_writers(p, s, &s->waves.at[w], writers, rows, d);
        const unsigned char *hole = memchr(writers, 0, (size_t)rows);
        if (hole)
            rule_fail(p, s, d, 1, "row %d of %s has no writer", (int)(hole - writers), op->what);
    }
}

void rule_order(const Plan *p, const Schedule *s, Diags *d)
{
    const Graph *g = p->graph;
    int *written = arena_alloc(d->arena, (size_t)(g->tensors.n + 1) * sizeof *written); // unrolled wave + 1
    for (int i = 0; i < g->ops.n; ++i)
        for (int k = 0; k < OP_OUT; ++k)
            if (g->ops.at[i].out[k] >= 0)
                written[g->ops.at[i].out[k]] = unrolled(s, wave_of(s, &g->ops.at[i]), g->ops.at[i].layer) + 1;
    for (int i = 0; i < g->ops.n; ++i) {
        const Op *op = &g->ops.at[i];
        const int wave = unrolled(s, wave_of(s, op), op->layer) + 1;
        for (int k = 0; k < OP_IN; ++k)
            if (op->in[k] >= 0 && g->tensors.at[op->in[k]].kind == TENSOR_ACT && written[op->in[k]] >= wave)
                rule_fail(p, s, d, 2, "%s of layer %d in wave %d reads %s, which wave %d writes", op->what, op->layer, wave - 1,
                          g->tensors.at[op->in[k]].name, written[op->in[k]] - 1);
    }
}

// Every planned op has one wave; the repeat holds exactly the layer ops.
void rule_repeats(const Plan *p, const Schedule *s, Diags *d)
{
    const Repeat *r = s->repeats.n == 1 ? &s->repeats.at[0] : NULL;
    if (!r || r->first_layer != 0 || r->layers != p->model->layers || r->class != 0 || r->waves < 1 ||
        r->first_wave + r->waves > s->waves.n) {
        rule_fail(p, s, d, 6, "one repeat must cover layers 0 to %d", p->model->layers - 1);
        return;
    }
    for (int i = 0; i < p->graph->ops.n; ++i) {
        const Op *op = &p->graph->ops.at[i];
        int waves = 0;
        for (int w = 0; w < s->waves.n; ++w)
            waves += s->waves.at[w].op == i;
        if (plan_is_planned(op) && waves != 1)
            rule_fail(p, s, d, 1, "op %s stands in %d waves", op->what, waves);
    }
    for (int w = 0; w < s->waves.n; ++w) {
        const bool inside = w >= r->first_wave && w < r->first_wave + r->waves;
        if ((p->graph->ops.at[s->waves.at[w].op].layer == 0) != inside)
            rule_fail(p, s, d, 6, "wave %d (%s) stands on the wrong side of the layer loop", w, s->waves.at[w].what);
    }
}

// One kernel runs all schedules, so they have the same workers. The order of the waves is that of the graph in each of them: rule 2.
void rule_one_kernel(const Plan *p, const Schedule *s, Diags *d)
{
    const Schedule *first = &p->schedules.at[0];
    if (s->workers != first->workers || s->warps != first->warps || s->sync != first->sync || s->feed != first->feed)
        rule_fail(p, s, d, 6, "%d workers, warps each: %d, %s, %s loads: one kernel runs all schedules, and the first has %d, each %d, %s, %s",
                  s->workers, s->warps, sync_name(s->sync), feed_name(s->feed), first->workers, first->warps,
                  sync_name(first->sync), feed_name(first->feed));
}

void rule_barriers(const Plan *p, const Schedule *s, Diags *d)
{
    int *busy = arena_alloc(d->arena, (size_t)s->workers * sizeof *busy); // wave + 1 of the worker's last task
    for (int w = 0; w < s->waves.n; ++w)
        if (s->waves.at[w].sync != s->sync || s->waves.at[w].scope != SCOPE_GPU)
            rule_fail(p, s, d, 6, "wave %d (%s) ends in %s%s: all of its schedule end in %s of this GPU", w, s->waves.at[w].what,
                      sync_name(s->waves.at[w].sync), s->waves.at[w].scope == SCOPE_GPU ? "" : " of several GPUs", sync_name(s->sync));
    for (int i = 0; i < s->tasks.n; ++i) {
        const Task *t = &s->tasks.at[i];
        if (t->worker < 0 || t->worker >= s->workers) {
            rule_fail(p, s, d, 6, "%s: workers are 0 to %d, no other passes a barrier", rule_task(p, s, i), s->workers - 1);
            continue;
        }
        if (busy[t->worker] == t->wave + 1 && p->graph->ops.at[t->op].kind != OP_ATTEND)
            rule_fail(p, s, d, 6, "%s: the worker has a task in this wave already", rule_task(p, s, i));
        busy[t->worker] = t->wave + 1;
    }
}
