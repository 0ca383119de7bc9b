// check_kernels.c: rules 5, 9, 10 and 11: the kernels can do what is asked of them, here, evenly.
#include "rules.h"

void rule_resident(const Plan *p, const Schedule *s, Diags *d)
{
    const int threads = plan_threads(s);
    if (s->workers > p->target->sms)
        rule_fail(p, s, d, 5, "%d workers on %d multiprocessors: one too many would wait for ever", s->workers, p->target->sms);
    if ((int64_t)threads * s->regs > p->target->regs_per_sm)
        rule_fail(p, s, d, 5, "%d threads of %d registers on a multiprocessor of %d", threads, s->regs, p->target->regs_per_sm);
}

// A wave counts as uneven when its busiest worker has over 1% and over one granule more than an even share.
void rule_balance(const Plan *p, const Schedule *s)
{
    for (int i = 0; i < s->waves.n; ++i) {
        const Wave *w = &s->waves.at[i];
        const Kernel *k = plan_kernel(s, w->op);
        const Choice c = plan_choice(p, s, &p->graph->ops.at[w->op]);
        int64_t most = 0, total = 0;
        for (int t = w->first_task; t < w->first_task + w->tasks; ++t) {
            total += s->tasks.at[t].bytes;
            most = s->tasks.at[t].bytes > most ? s->tasks.at[t].bytes : most;
        }
        const int64_t even = total / s->workers, granule = k->kind->bytes(&p->graph->ops.at[w->op], p->graph, &c, k->tiling.granule);
        if (k->kind->op == OP_ATTEND || w->tasks < s->workers || most - even <= granule || (double)most <= 1.01 * (double)even)
            continue;
        warning_at(loc_file(p->model->path), "balance", "rule 9: %s: wave %d (%s): the busiest worker reads %.2f%% over an even share, %.2f us a layer",
                   s->name, i, w->what, 100.0 * (double)(most - even) / (double)even,
                   (double)(most - even) * s->workers / (p->target->dram_gbs * 1e3));
    }
}

// The matrices of an op lie as its kernel reads them, all in one format.
static void check_matrices(const Plan *p, const Schedule *s, const Kernel *k, Diags *d)
{
    const Op *op = &p->graph->ops.at[k->op];
    const OpInfo info = op_info(op->kind);
    const Matrix *first = NULL;
    for (int i = 0; i < OP_IN; ++i) {
        const Matrix *m = op->in[i] < 0 ? NULL : plan_matrix(p, op->in[i]);
        if (!m)
            continue;
        const Layout want = k->kind->layout(op, p->graph, info.slot[i]);
        const char *name = p->graph->tensors.at[m->tensor].name;
        if (m->layout != want)
            rule_fail(p, s, d, 10, "kernel %s (%s) reads %s in %s: it lies in %s", k->name, k->kind->name, name, layout_name(want),
                      layout_name(m->layout));
        if (first && m->format != first->format)
            rule_fail(p, s, d, 10, "kernel %s (%s) reads its matrices in one format: %s is %s, %s is %s", k->name, k->kind->name,
                      p->graph->tensors.at[first->tensor].name, first->format->name, name, m->format->name);
        first = first ? first : m;
    }
}

// Shared pieces as the kernel needs them, and its own conditions. A shared buffer that is no kernel's piece would take
// the place of a parameter of that name in the template.
void rule_kernels(const Plan *p, const Schedule *s, Diags *d)
{
    const int before = d->list.n;
    bool *used = arena_alloc(d->arena, (size_t)s->buffers.n + 1);
    for (int i = 0; i < s->waves.n; ++i) {
        const Kernel *k = plan_kernel(s, s->waves.at[i].op);
        const Op *op = &p->graph->ops.at[k->op];
        const Choice c = plan_choice(p, s, op);
        const char *why_not = "";
        Smem smem = { 0 };
        if (!k->kind->fits(op, p->graph, p->target, &c, &why_not) || !k->kind->valid(op, p->graph, &c, &k->tiling, &why_not)) {
            rule_fail(p, s, d, 10, "kernel %s (%s) cannot do %s: %s", k->name, k->kind->name, op->what, why_not);
            continue;
        }
        k->kind->smem(op, p->graph, &c, &k->tiling, &smem);
        for (int n = 0; n < smem.n; ++n) {
            const Buffer *b = plan_buffer(s, str_format(p->arena, "%s.%s", s->waves.at[i].what, smem.piece[n].name));
            if (b)
                used[b - s->buffers.at] = true;
            const bool kept = s->feed == FEED_BULK; // warps are in different waves at once
            if (!b || b->space != SPACE_SHARED || b->bytes < smem.piece[n].bytes || b->first_wave != (kept ? 0 : i) ||
                b->last_wave != (kept ? s->waves.n - 1 : i))
                rule_fail(p, s, d, 10, "kernel %s needs %d bytes of shared memory in wave %d for %s.%s", k->name,
                          smem.piece[n].bytes, i, s->waves.at[i].what, smem.piece[n].name);
        }
        check_matrices(p, s, k, d);
    }
    if (s->feed == FEED_BULK && d->list.n == before)
        rule_ring(p, s, used, d);
    for (int i = 0; i < s->buffers.n && d->list.n == before; ++i)
        if (s->buffers.at[i].space == SPACE_SHARED && !used[i])
            rule_fail(p, s, d, 10, "shared buffer %s: no kernel has such a piece", s->buffers.at[i].name);
}

static void check_task(const Plan *p, const Schedule *s, int index, Diags *d)
{
    const Task *t = &s->tasks.at[index];
    const Op *op = &p->graph->ops.at[t->op];
    const Kernel *k = plan_kernel(s, t->op);
    const bool packets = s->sync == SYNC_PACKETS, all = op->kind == OP_SELECT;
    const int parts = op->kind == OP_ATTEND ? s->parts : op->kind == OP_FFN ? s->waves.at[t->wave].tasks : all ? s->workers : 1;
    if (t->parts != parts)
        rule_fail(p, s, d, 10, "%s has %d parts: must be %d", rule_task(p, s, index), t->parts, parts);
    if (t->rows % k->tiling.granule && !(packets && t->row + t->rows == rule_rows(p, s, op)))
        rule_fail(p, s, d, 10, "%s is not a multiple of the granule %d", rule_task(p, s, index), k->tiling.granule);
    if (op->kind == OP_REDUCE && k->tiling.splits > 1 && t->rows > k->tiling.lanes)
        rule_fail(p, s, d, 10, "%s has more rows than the %d threads side by side", rule_task(p, s, index), k->tiling.lanes);
    if (op->kind == OP_FFN && t->part != t->worker)
        rule_fail(p, s, d, 10, "%s: a feed-forward part is its worker's number", rule_task(p, s, index));
    if (all && t->worker != t->part)
        rule_fail(p, s, d, 10, "%s: every worker takes part in a choice", rule_task(p, s, index));
    if (!packets && op->kind == OP_EMBED && t->worker != 0)
        rule_fail(p, s, d, 10, "%s: worker 0 does this", rule_task(p, s, index));
}

void rule_tasks(const Plan *p, const Schedule *s, Diags *d)
{
    for (int i = 0; i < s->tasks.n; ++i)
        check_task(p, s, i, d);
}

void rule_fingerprints(const Plan *p, Diags *d)
{
    if (p->model_fingerprint != plan_model_fingerprint(p))
        rule_fail(p, NULL, d, 11, "the model's facts have fingerprint %016llx: the plan was made for %016llx",
                  (unsigned long long)plan_model_fingerprint(p), (unsigned long long)p->model_fingerprint);
    if (p->target_fingerprint != plan_target_fingerprint(p))
        rule_fail(p, NULL, d, 11, "the target's facts have fingerprint %016llx: the plan was made for %016llx",
                  (unsigned long long)plan_target_fingerprint(p), (unsigned long long)p->target_fingerprint);
}
