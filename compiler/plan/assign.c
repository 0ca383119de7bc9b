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

// Task head*parts + part goes to the workers in turn.
static void split_heads(Plan *p, Schedule *s, const Kernel *k)
{
    for (int head = 0; head < p->model->kv_heads; ++head)
        for (int part = 0; part < s->parts; ++part)
            add_task(p, s, k->op, (head * s->parts + part) % s->workers, head, 1, part, s->parts);
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
            case OP_FFN:
                split_rows(p, s, k, p->graph->tensors.at[graph_operand(op, "gate")].rows, true);
                break;
            default:
                split_rows(p, s, k, p->graph->tensors.at[op->out[0]].rows, false);
            }
        }
    }
}
