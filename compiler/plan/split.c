// split.c: the split style: whether it is chosen, how many workers, into how many parts a context is cut, how deep the ring is.
#include "plan_json.h"

#include "../kernels/split.h"

enum { LEAST_SMEM = 160 << 10, LEAST_UNITS = 24 };

// Units of all matrices that a token reads, for each worker.
static int64_t units_a_worker(const Graph *g, int workers)
{
    int64_t units = 0;
    for (int i = 0; i < g->ops.n; ++i)
        if (g->ops.at[i].kind == OP_GEMV)
            units += g->tensors.at[graph_operand(&g->ops.at[i], "w")].rows / SPLIT_ROWS;
    return units / workers;
}

// Slots that each worker at least streams of a token's layers: a ring must be shorter (rule 15).
static int64_t slots_of_layers(const Graph *g, int workers)
{
    int64_t slots = 0;
    for (int i = 0; i < g->ops.n; ++i) {
        const Op *op = &g->ops.at[i];
        if (op->layer >= 0 && (op->kind == OP_GEMV || op->kind == OP_GATED))
            slots += (int64_t)(split_units(op, g) / workers) * split_chunks(split_cols(op, g));
    }
    return slots * g->model->layers;
}

// What a kernel of the style lacks, with as many workers as are asked for or there are, and one part.
static const char *kernels_unfit(const Graph *unfused, const Target *t, const PlanOptions *o)
{
    Graph *g = graph_build(unfused->arena, unfused->model);
    const Choice c = { .ctx = 1, .positions = 1, .workers = o->workers ? o->workers : t->sms, .warps = SPLIT_WARPS,
                       .parts = 1, .kv = o->kv, .sync = SYNC_PACKETS, .feed = FEED_BULK };
    const char *why_not;
    graph_fuse(g, false);
    for (int i = 0; i < g->ops.n; ++i)
        if (plan_is_planned(&g->ops.at[i]) && !kernel_fitting(&g->ops.at[i], g, t, &c, &why_not))
            return str_format(g->arena, "no kernel of it can do %s: %s", g->ops.at[i].what, why_not);
    const int workers = o->workers ? o->workers : plan_split_workers(plan_new(g->arena, g, t, o));
    return slots_of_layers(g, workers) < SPLIT_STAGES ? "too few layers: a worker's share of them would fit in the ring" : NULL;
}

// Vectors are cut into blocks of 32 columns for matrix instructions, heads into pieces that a warp can hold.
const char *plan_split_unfit(const Graph *g, const Target *t, const PlanOptions *o)
{
    const Model *m = g->model;
    const Format *first = g->tensors.at[graph_operand(&g->ops.at[0], "table")].format;
    if (t->kind != TARGET_CUDA || t->sm < 90)
        return "it needs copies that the hardware makes by itself, sm_90 and later";
    if (t->smem_block_bytes < LEAST_SMEM)
        return str_format(g->arena, "a ring wants %d bytes of shared memory, a block of %s has %d", LEAST_SMEM, t->name, t->smem_block_bytes);
    if (o->threads)
        return "a worker has 288 threads, --threads asks for others";
    if (o->kv == KV_F32)
        return "it takes K/V of 16 bits";
    for (int i = 0; i < g->tensors.n; ++i)
        if (g->tensors.at[i].kind == TENSOR_WEIGHT && g->tensors.at[i].rows > 1 && g->tensors.at[i].format != first)
            return str_format(g->arena, "it multiplies matrices of one format, %s is %s", g->tensors.at[i].name,
                              g->tensors.at[i].format->name);
    if (m->hidden % 32 || m->ffn % 32)
        return str_format(g->arena, "hidden %d and feed-forward %d are no multiples of 32", m->hidden, m->ffn);
    if (m->head_dim != 64 && m->head_dim != 128)
        return str_format(g->arena, "head_dim is %d, it takes 64 and 128", m->head_dim);
    if (m->heads / m->kv_heads > 8)
        return str_format(g->arena, "%d query heads share a K/V head, it takes up to 8", m->heads / m->kv_heads);
    if (split_chunks(m->hidden) > 2)
        return str_format(g->arena, "hidden %d is over %d", m->hidden, 2 * SPLIT_CHUNK);
    if (units_a_worker(g, o->workers ? o->workers : t->sms) < LEAST_UNITS)
        return "a token is too small: a worker's share of it would fit in the ring";
    return kernels_unfit(g, t, o);
}

// Bytes a token streams if every wave takes as long as its busiest worker, times a penalty for fewer workers than saturate the
// memory (H200: 96 of 132 multiprocessors draw 97%).
static double cost_of(const Plan *p, int workers)
{
    const Graph *g = p->graph;
    const Choice c = { .workers = workers };
    double bytes = 0;
    for (int i = 0; i < g->ops.n; ++i) {
        const Op *op = &g->ops.at[i];
        if (op->kind == OP_GEMV || op->kind == OP_GATED)
            bytes += (double)split_most(op, g, &c) * workers * SPLIT_ROWS * 2 *
                     g->tensors.at[graph_operand(op, op->kind == OP_GATED ? "gate" : "w")].cols;
    }
    const double share = (double)workers / p->target->sms;
    return bytes * (share < 0.95 ? 1.0 + 0.12 * (0.95 - share) : 1.0);
}

int plan_split_workers(const Plan *p)
{
    int best = p->target->sms;
    for (int workers = best; workers >= p->target->sms * 3 / 4 && workers >= p->model->kv_heads; --workers)
        if (cost_of(p, workers) < cost_of(p, best))
            best = workers;
    return best;
}

int plan_split_most(const Plan *p, int workers)
{
    const int most = workers / p->model->kv_heads;
    if (p->options.parts > most)
        error_at(NOWHERE, ERR_OPTION_VALUE, "--parts is %d: %d workers have room for %d of %d K/V heads", p->options.parts, workers, most,
                 p->model->kv_heads);
    return most < 32 ? most : 32;
}

int plan_threads(const Schedule *s)
{
    return s->feed == FEED_BULK ? SPLIT_THREADS : s->warps * 32;
}
