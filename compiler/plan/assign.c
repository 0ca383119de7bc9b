// assign.c: give the rows of each op to workers, evenly, so that bytes differ by one granule at most.
#include "plan.h"

static void add_task(Plan *p, Schedule *s, int op, int worker, int row, int rows, int part, int parts)
{
    const Task t = { .op = op, .wave = -1, .worker = worker, .row = row, .rows = rows, .part = part, .parts = parts };
    vec_push(p->arena, &s->tasks, t);
}

// Task t of n gets the units from t*units/n on: the rule the renderer writes as a formula.
static void split_rows(Plan *p, Schedule *s, const Kernel *k, int rows, bool partial)
{
    const int units = rows / k->tiling.granule, tasks = units < s->workers ? units : s->workers;
    for (int t = 0; t < tasks; ++t) {
        const int first = (int)((int64_t)t * units / tasks), last = (int)((int64_t)(t + 1) * units / tasks);
        add_task(p, s, k->op, t, first * k->tiling.granule, (last - first) * k->tiling.granule, partial ? t : 0,
                 partial ? tasks : 1);
    }
}

// Whole units of 8 matrix rows dealt out, the first workers one more: the order in which they lie in memory, too.
static void deal_rows(Plan *p, Schedule *s, const Kernel *k)
{
    const int rows = p->graph->tensors.at[p->graph->ops.at[k->op].out[0]].rows, granule = k->tiling.granule;
    const int units = (rows + granule - 1) / granule;
    for (int w = 0; w < s->workers && w < units; ++w) {
        const int first = deal_first(units, s->workers, w) * granule, last = first + deal_units(units, s->workers, w) * granule;
        add_task(p, s, k->op, w, first, (last < rows ? last : rows) - first, 0, 1);
    }
}

// Every worker takes part: it makes its own copy of the choice, or looks through its rows in a draw.
static void repeat_task(Plan *p, Schedule *s, const Kernel *k)
{
    for (int w = 0; w < s->workers; ++w)
        add_task(p, s, k->op, w, 0, 1, w, s->workers);
}

// Behind barriers task head*parts + part goes to the workers in turn.
static void split_heads(Plan *p, Schedule *s, const Kernel *k)
{
    const int heads = p->model->kv_heads;
    for (int head = 0; head < heads; ++head)
        for (int part = 0; part < s->parts; ++part) {
            const int worker = s->sync == SYNC_PACKETS ? deal_attention(heads, s->parts, s->workers, head, part) : (head * s->parts + part) % s->workers;
            add_task(p, s, k->op, worker, head, 1, part, s->parts);
        }
}

void plan_assign(Plan *p)
{
    for (int i = 0; i < p->schedules.n; ++i) {
        Schedule *s = &p->schedules.at[i];
        for (int n = 0; n < s->kernels.n; ++n) {
            const Kernel *k = &s->kernels.at[n];
            const Op *op = &p->graph->ops.at[k->op];
            switch (op->kind) {
            case OP_ATTEND:
                split_heads(p, s, k);
                break;
            case OP_SELECT:
                repeat_task(p, s, k);
                break;
            case OP_FFN:
                split_rows(p, s, k, p->graph->tensors.at[graph_operand(op, "gate")].rows, true);
                break;
            default:
                if (s->sync == SYNC_PACKETS) {
                    deal_rows(p, s, k);
                    break;
                }
                split_rows(p, s, k, p->graph->tensors.at[op->out[0]].rows, false);
            }
        }
    }
}
