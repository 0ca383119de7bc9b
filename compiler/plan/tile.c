// tile.c: choose a kernel for each op and how it cuts its work.
#include "plan.h"

// A kernel whose text depends on the number of context parts gets it in its name, so that schedules can share the others.
static const char *kernel_name(const Plan *p, const Schedule *s, const Op *op)
{
    bool by_parts = op->kind == OP_ATTEND;
    if (op->kind == OP_GEMV)
        by_parts = s->sync == SYNC_BARRIER && p->graph->tensors.at[graph_operand(op, "x")].cols > 1; // it merges attention's parts
    return by_parts ? str_format(p->arena, "%s_%d", op->what, s->parts) : op->what;
}

void plan_tile(Plan *p)
{
    for (int i = 0; i < p->schedules.n; ++i) {
        Schedule *s = &p->schedules.at[i];
        for (int k = 0; k < p->graph->ops.n; ++k) {
            const Op *op = &p->graph->ops.at[k];
            if (!plan_is_planned(op))
                continue;
            const Choice c = plan_choice(p, s, op);
            const KernelKind *kind = kernel_find(op, p->graph, p->target, &c);
            const Kernel kernel = { kernel_name(p, s, op), k, kind, kind->tile(op, p->graph, p->target, &c) };
            vec_push(p->arena, &s->kernels, kernel);
        }
    }
}
