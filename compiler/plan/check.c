// check.c: the prover: runs every rule over a plan and reports all faults. Never repairs.
#include "rules.h"

const char *const plan_rules[PLAN_RULES + 1] = {
    NULL,
    "every output row of an op has exactly one writer, every context exactly one schedule",
    "a task reads only what an earlier wave wrote",
    "buffers lie in bounds; those that overlap are never needed in the same wave",
    "the shared memory of each wave fits in a block of the target",
    "all workers are resident at once",
    "every worker passes every barrier",
    "every weight byte is read exactly once per token",
    "every vector access is aligned to 16 bytes",
    "the bytes of a wave are balanced over the workers (warning)",
    "each kernel can do its op as it is cut",
    "the plan was made for this model and this target",
    "a packet's place is written again only when everybody has read it",
    "every wait is for a wave before it, so no timing ends in a deadlock",
    "a slot of the ring is filled again only when every warp has consumed it",
    "the K/V row that a token writes is there before anything reads it",
};

void rule_fail(const Plan *p, const Schedule *s, Diags *d, int rule, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    const char *text = str_vformat(d->arena, fmt, args);
    va_end(args);
    diag_add(d, loc_file(p->model->path), ERR_PLAN_RULE, "rule %d: %s%s%s (%s)", rule, s ? s->name : "", s ? ": " : "", text,
             plan_rules[rule]);
}

const char *rule_task(const Plan *p, const Schedule *s, int task)
{
    const Task *t = &s->tasks.at[task];
    return str_format(p->arena, "task %d (%s, worker %d, rows %d to %d, part %d)", task, p->graph->ops.at[t->op].what, t->worker,
                      t->row, t->row + t->rows - 1, t->part);
}

int rule_rows(const Plan *p, const Schedule *s, const Op *op)
{
    if (op->kind == OP_ATTEND)
        return p->model->kv_heads * s->parts;
    if (op->kind == OP_SELECT)
        return s->workers; // every worker takes part
    if (op->kind == OP_FFN)
        return p->graph->tensors.at[graph_operand(op, "gate")].rows;
    return p->graph->tensors.at[op->out[0]].rows;
}

// Rules whose failure would make a later rule read nonsense come first; the later ones then wait for a sound plan.
void plan_check(const Plan *p, Diags *d)
{
    const int before = d->list.n;
    rule_fingerprints(p, d);
    rule_contexts(p, d);
    rule_weights(p, d);
    for (int i = 0; i < p->schedules.n; ++i) {
        rule_repeats(p, &p->schedules.at[i], d);
        rule_one_kernel(p, &p->schedules.at[i], d);
        rule_barriers(p, &p->schedules.at[i], d);
    }
    for (int i = 0; i < p->schedules.n && d->list.n == before; ++i)
        rule_kernels(p, &p->schedules.at[i], d);
    if (d->list.n > before)
        return;
    for (int i = 0; i < p->schedules.n; ++i) {
        const Schedule *s = &p->schedules.at[i];
        rule_writers(p, s, d);
        rule_order(p, s, d);
        rule_buffers(p, s, d);
        rule_cache(p, s, d);
        rule_trace(p, s, d);
        rule_shared(p, s, d);
        rule_resident(p, s, d);
        rule_streams(p, s, d);
        rule_alignment(p, s, d);
        rule_tasks(p, s, d);
        if (s->sync == SYNC_PACKETS && d->list.n == before) {
            rule_polls(p, s, d);
            rule_slots(p, s, d);
            rule_rows_kept(p, s, d);
            if (d->list.n == before)
                rule_packets(p, s, d);
        }
    }
    if (d->list.n == before)
        for (int i = 0; i < p->schedules.n; ++i)
            rule_balance(p, &p->schedules.at[i]);
}
