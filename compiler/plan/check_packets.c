// check_packets.c: rules 12 to 15, and what rules 3, 7 and 10 want of the split style: packets, polls, ring slots, K/V order.
#include "rules.h"
#include "../kernels/split.h"

// ---- what every kernel of the style relies on -----------------------------------------------------------------------

// Pieces of shared memory that all waves use: there, large enough, kept, and where the first schedule has them, because the
// text that uses them is written once. Marks them in used[].
void rule_ring(const Plan *p, const Schedule *s, bool *used, Diags *d)
{
    Smem shared = { 0 };
    ring_pieces(p, s, &shared);
    for (int i = 0; i < shared.n; ++i) {
        const Buffer *b = plan_buffer(s, shared.piece[i].name), *first = plan_buffer(&p->schedules.at[0], shared.piece[i].name);
        if (b)
            used[b - s->buffers.at] = true;
        if (!b || b->space != SPACE_SHARED || b->bytes < shared.piece[i].bytes || b->first_wave > 0 || b->last_wave < s->waves.n - 1)
            rule_fail(p, s, d, 14, "%d bytes of shared memory for %s must be kept through all waves", shared.piece[i].bytes,
                      shared.piece[i].name);
        else if (!first || b->at != first->at || b->bytes != first->bytes)
            rule_fail(p, s, d, 14, "shared buffer %s must be there, at the same place in every schedule", b->name);
    }
    if (s->stages != p->schedules.at[0].stages)
        rule_fail(p, s, d, 14, "a ring of %d slots: the first schedule has %d", s->stages, p->schedules.at[0].stages);
}

// Bytes of a stack of matrices in fragments; -1: the geometry is impossible.
int64_t rule_fragments(const Matrix *m)
{
    const int64_t bytes = ((int64_t)m->stack_rows + 7) / 8 * 8 * m->cols * m->format->block_bytes;
    const int64_t last = m->stack_row + ((int64_t)m->rows - 1) * m->weave + m->thread;
    const bool sound = m->unit_rows == 8 && m->unit_cols == 32 && m->cols % 32 == 0 && m->slices == 1 && m->slice_cols == m->cols &&
                       m->layout_version == 1 && !m->scale_bytes && m->deal >= 1 && m->weave >= 1 && m->weave <= 2 &&
                       m->thread < m->weave && last < m->stack_rows && m->slice_first[0] == 0 && m->slice_first[1] == m->cols;
    return sound && m->stride == bytes && m->bytes == bytes ? bytes : -1;
}

static void check_member(const Plan *p, const Schedule *s, const Op *op, const char *slot, const Matrix *first, int row, int thread,
                         int weave, Diags *d)
{
    const Matrix *m = plan_matrix(p, graph_operand(op, slot));
    if (!m || !first || m->layout != LAYOUT_FRAGMENTS)
        return; // another rule names it
    if (m->base != first->base || m->layer_stride != first->layer_stride || m->stack_rows != split_rows(op, p->graph) ||
        m->stack_row != row || m->thread != thread || m->weave != weave || m->deal != s->workers)
        rule_fail(p, s, d, 7, "%s: %s is no part of the stack that %d workers read as one", op->what,
                  p->graph->tensors.at[m->tensor].name, s->workers);
}

// Matrices that an op reads as one are a stack, dealt to the workers as its tasks are.
void rule_stack(const Plan *p, const Schedule *s, const Wave *w, Diags *d)
{
    static const char *const slots[] = { "w", "w2", "w3" };
    const Op *op = &p->graph->ops.at[w->op];
    if (op->kind == OP_GATED) {
        const Matrix *gate = plan_matrix(p, graph_operand(op, "gate"));
        check_member(p, s, op, "gate", gate, 0, 0, 2, d);
        check_member(p, s, op, "up", gate, 0, 1, 2, d);
    }
    for (int k = 0, row = 0; k < ARRAY_LEN(slots) && op->kind == OP_GEMV; ++k) {
        const int tensor = graph_operand(op, slots[k]);
        if (tensor < 0)
            continue;
        check_member(p, s, op, slots[k], plan_matrix(p, graph_operand(op, "w")), row, 0, 1, d);
        row += p->graph->tensors.at[tensor].rows;
    }
    if (op->kind == OP_ATTEND || op->kind == OP_SELECT)
        return;
    const int granule = plan_kernel(s, w->op)->tiling.granule, rows = rule_rows(p, s, op), units = (rows + granule - 1) / granule;
    for (int i = 0; i < w->tasks; ++i) {
        const Task *t = &s->tasks.at[w->first_task + i];
        const int first = deal_first(units, s->workers, t->worker) * granule;
        const int last = first + deal_units(units, s->workers, t->worker) * granule;
        if (t->row != first || t->row + t->rows != (last < rows ? last : rows))
            rule_fail(p, s, d, 7, "%s: units of %d rows are dealt to %d workers in turn, this one has rows %d to %d",
                      rule_task(p, s, w->first_task + i), granule, s->workers, first, (last < rows ? last : rows) - 1);
    }
}

// ---- 12: packets -----------------------------------------------------------------------------------------------------

// What workers know of each other: known[a * workers + b] is the last unrolled wave, counted from 1, that a knows b to have left.
typedef struct Known {
    int workers, *now, *sent; // sent: what each knew when it sent its last packets
} Known;

// Does worker r of `to` wait for a packet of task t of the wave before?
static bool waits_for(const Plan *p, const Wave *to, const Task *reader, const Task *writer)
{
    const Op *op = &p->graph->ops.at[to->op];
    if (op->kind != OP_ATTEND)
        return true;
    const Model *m = p->model;
    const int group = m->heads / m->kv_heads, dim = m->head_dim;
    const int firsts[] = { reader->row * group * dim, (m->heads + reader->row) * dim, (m->heads + m->kv_heads + reader->row) * dim };
    const int counts[] = { group * dim, dim, dim };
    for (int i = 0; i < 3; ++i)
        if (writer->row < firsts[i] + counts[i] && firsts[i] < writer->row + writer->rows)
            return true;
    return false;
}

// One unrolled wave, number `at` from 1 on: readers learn what the writers of the wave before knew when they sent.
static void pass_wave(const Plan *p, const Schedule *s, Known *k, const Wave *before, const Wave *w, int at)
{
    const int n = k->workers;
    for (int i = 0; before && i < w->tasks; ++i) {
        const Task *reader = &s->tasks.at[w->first_task + i];
        int *mine = k->now + (size_t)reader->worker * (size_t)n;
        for (int j = 0; j < before->tasks; ++j) {
            const Task *writer = &s->tasks.at[before->first_task + j];
            if (!waits_for(p, w, reader, writer))
                continue;
            const int *theirs = k->sent + (size_t)writer->worker * (size_t)n;
            for (int x = 0; x < n; ++x)
                mine[x] = theirs[x] > mine[x] ? theirs[x] : mine[x];
        }
    }
    for (int i = 0; i < w->tasks; ++i) {
        const int worker = s->tasks.at[w->first_task + i].worker;
        k->now[(size_t)worker * (size_t)n + (size_t)worker] = at;
        memcpy(k->sent + (size_t)worker * (size_t)n, k->now + (size_t)worker * (size_t)n, (size_t)n * sizeof *k->sent);
    }
}

// What an op sends to other workers; NULL: nothing.
static const Tensor *sent_by(const Plan *p, const Op *op)
{
    for (int i = OP_OUT - 1; i >= 0; --i) // of the head's two the candidates
        if (op->out[i] >= 0 && p->graph->tensors.at[op->out[i]].kind == TENSOR_ACT && op->kind != OP_SELECT)
            return &p->graph->tensors.at[op->out[i]];
    return NULL;
}

// Does an op wait for packets of this role? What it adds to lies in its own shared memory.
static bool waits_on(const Plan *p, const Op *op, const char *role)
{
    for (int slot = 0; slot < OP_IN; ++slot)
        if (op->in[slot] >= 0 && slot != op_slot(op->kind, "plus") && str_equal(p->graph->tensors.at[op->in[slot]].role, role))
            return true;
    return false;
}

// The rolled waves of two layers and two tokens, as they follow each other; -1: none.
static int unroll(const Schedule *s, int at)
{
    const Repeat *r = &s->repeats.at[0];
    const int layers = r->layers < 2 ? 1 : 2, token = s->waves.n + (layers - 1) * r->waves;
    if (at < 0 || at >= 2 * token)
        return -1;
    at %= token;
    return at < r->first_wave + r->waves ? at : at - (layers - 1) * r->waves;
}

// Packets of two roles never share a place, not even at different times: what a reader finds there would tell it nothing.
static void check_places(const Plan *p, const Schedule *s, Diags *d)
{
    for (int a = 0; a < s->waves.n; ++a)
        for (int b = 0; b < a; ++b) {
            const Tensor *t = sent_by(p, &p->graph->ops.at[s->waves.at[a].op]), *u = sent_by(p, &p->graph->ops.at[s->waves.at[b].op]);
            const Buffer *x = t ? plan_buffer(s, t->role) : NULL, *y = u ? plan_buffer(s, u->role) : NULL;
            if (x && y && x != y && x->at < y->at + y->bytes && y->at < x->at + x->bytes)
                rule_fail(p, s, d, 12, "packets of %s and of %s share a place", y->name, x->name);
        }
}

// Before a worker writes a buffer again, everybody has read what lay there, whatever the timing. A head's workers read each
// other's parts, too, before they send what the readers of `attended` wait for: who knows these to be done knows those to be.
void rule_packets(const Plan *p, const Schedule *s, Diags *d)
{
    const int n = s->workers;
    check_places(p, s, d);
    Known k = { n, arena_alloc(d->arena, (size_t)n * (size_t)n * sizeof(int)), arena_alloc(d->arena, (size_t)n * (size_t)n * sizeof(int)) };
    for (int at = 0; unroll(s, at) >= 0; ++at) {
        const Wave *w = &s->waves.at[unroll(s, at)], *before = at ? &s->waves.at[unroll(s, at - 1)] : NULL;
        const Op *op = &p->graph->ops.at[w->op];
        pass_wave(p, s, &k, before, w, at + 1);
        const Tensor *y = sent_by(p, op);
        int last = 0; // wave that read this role last, from 1
        for (int i = 0; y && i < at; ++i)
            last = waits_on(p, &p->graph->ops.at[s->waves.at[unroll(s, i)].op], y->role) ? i + 1 : last;
        const Wave *readers = last ? &s->waves.at[unroll(s, last - 1)] : NULL;
        for (int i = 0; readers && i < w->tasks; ++i)
            for (int j = 0; j < readers->tasks; ++j) {
                const int writer = s->tasks.at[w->first_task + i].worker, reader = s->tasks.at[readers->first_task + j].worker;
                if (k.now[(size_t)writer * (size_t)n + (size_t)reader] >= last)
                    continue;
                rule_fail(p, s, d, 12, "%s writes buffer %s again while worker %d may still read it in %s", rule_task(p, s, w->first_task + i),
                          y->role, reader, readers->what);
                return;
            }
    }
}

// ---- 13: polls -------------------------------------------------------------------------------------------------------

// A wave reads what the wave before sent, and nothing else that travels but attention's parts, which their workers send before they
// wait for them: so each wait is for an earlier wave, or for what no wait stands before, and tiles are fed in the order in which
// they are consumed. What a worker adds to must be its own rows.
void rule_polls(const Plan *p, const Schedule *s, Diags *d)
{
    for (int w = 0; w < s->waves.n; ++w) {
        const Op *op = &p->graph->ops.at[s->waves.at[w].op];
        const int before = w == s->repeats.at[0].first_wave ? s->repeats.at[0].first_wave + s->repeats.at[0].waves - 1 : w - 1;
        for (int slot = 0; slot < OP_IN; ++slot) {
            const Tensor *t = op->in[slot] < 0 ? NULL : &p->graph->tensors.at[op->in[slot]];
            if (!t || t->kind != TENSOR_ACT || slot == op_slot(op->kind, "plus"))
                continue;
            bool sent = false;
            for (int i = 0; i < OP_OUT; ++i) {
                const int out = p->graph->ops.at[s->waves.at[before].op].out[i];
                sent = sent || (out >= 0 && str_equal(p->graph->tensors.at[out].role, t->role));
            }
            if (!sent)
                rule_fail(p, s, d, 13, "%s waits for %s, which the wave before (%s) does not send", op->what, t->role,
                          s->waves.at[before].what);
        }
        const Wave *wave = &s->waves.at[w];
        const bool streams = op->kind == OP_GEMV || op->kind == OP_GATED || op->kind == OP_ATTEND;
        const int windows[] = { wave->window, wave->wide };
        for (int i = 0; i < ARRAY_LEN(windows); ++i)
            if (windows[i] % SPLIT_COPY_BYTES || (streams && windows[i] < SPLIT_COPY_BYTES) || windows[i] > s->stages * SPLIT_SLOT_BYTES)
                rule_fail(p, s, d, 13, "%s asks for %d bytes at once: must be copies of %d, at least one, and fit in the ring of %d",
                          op->what, windows[i], SPLIT_COPY_BYTES, s->stages * SPLIT_SLOT_BYTES);
    }
}

// ---- 14: ring slots --------------------------------------------------------------------------------------------------

void rule_slots(const Plan *p, const Schedule *s, Diags *d)
{
    if (s->warps != SPLIT_WARPS)
        rule_fail(p, s, d, 14, "%d warps give a slot back: a slot counts %d", s->warps, SPLIT_WARPS);
    if (s->stages < p->model->head_dim / 64 || s->stages > 16)
        rule_fail(p, s, d, 14, "a ring of %d slots: a K/V tile takes %d of them", s->stages, p->model->head_dim / 64);
}

// ---- 15: the K/V row a token writes ------------------------------------------------------------------------------------

// Slots of one token in a worker's stream, the head's left out, which not every token runs.
static int64_t slots_of(const Plan *p, const Schedule *s, int worker)
{
    int64_t slots = 0;
    for (int i = 0; i < s->tasks.n; ++i) {
        const Task *t = &s->tasks.at[i];
        const Op *op = &p->graph->ops.at[t->op];
        if (t->worker != worker || op->layer < 0 || (op->kind != OP_GEMV && op->kind != OP_GATED))
            continue;
        const Tensor *w = &p->graph->tensors.at[graph_operand(op, op->kind == OP_GATED ? "gate" : "w")];
        slots += (int64_t)t->rows / plan_kernel(s, t->op)->tiling.granule * split_chunks(w->cols);
    }
    return slots * p->model->layers;
}

// The worker that keeps a position's row is the one that reads it: tile t belongs to part t mod parts for both. Its copy of the
// next token cannot be issued before: the ring is shorter than what the worker streams in between.
void rule_rows_kept(const Plan *p, const Schedule *s, Diags *d)
{
    for (int i = 0; i < s->tasks.n; ++i) {
        const Task *t = &s->tasks.at[i];
        if (p->graph->ops.at[t->op].kind != OP_ATTEND)
            continue;
        const int owner = deal_attention(p->model->kv_heads, s->parts, s->workers, t->row, t->part);
        if (t->worker != owner)
            rule_fail(p, s, d, 15, "%s: head %d, part %d belongs to worker %d", rule_task(p, s, i), t->row, t->part, owner);
        else if (slots_of(p, s, t->worker) < s->stages)
            rule_fail(p, s, d, 15, "worker %d streams %lld slots a token: a ring of %d could hold a row of the next token before it is written",
                      t->worker, (long long)slots_of(p, s, t->worker), s->stages);
    }
}
