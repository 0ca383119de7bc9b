// split.c: the split style: whether it is chosen, how many workers, into how many parts a context is cut, how deep the ring is.
#include "plan_json.h"

#include "../kernels/split.h"

enum { LEAST_SMEM = 160 << 10, LEAST_UNITS = 24 };

// Units of all matrices that a token reads, for each multiprocessor.
static int64_t units_a_worker(const Graph *g, int sms)
{
    int64_t units = 0;
    for (int i = 0; i < g->ops.n; ++i)
        if (g->ops.at[i].kind == OP_GEMV)
            units += g->tensors.at[graph_operand(&g->ops.at[i], "w")].rows / SPLIT_ROWS;
    return units / sms;
}

// Vectors are cut into blocks of 32 columns for matrix instructions, heads into pieces that a warp can hold.
static const char *unfit(const Graph *g, const Target *t, const PlanOptions *o)
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
    if (units_a_worker(g, t->sms) < LEAST_UNITS)
        return "a token is too small: a worker's share of it would fit in the ring";
    return NULL;
}

bool plan_splits(const Graph *g, const Target *t, const PlanOptions *o, const char **why_not)
{
    const bool asked = o->sync == SYNC_PACKETS || o->feed == FEED_BULK;
    const bool refused = (o->sync >= 0 && o->sync != SYNC_PACKETS) || (o->feed >= 0 && o->feed != FEED_BULK);
    *why_not = unfit(g, t, o);
    if (asked && refused)
        error_at(NOWHERE, ERR_OPTION_VALUE, "--sync packets and --feed bulk go together");
    if (asked && *why_not)
        error_at(g->model->at, ERR_PLAN_KERNEL, "packets and a ring cannot be planned for %s on %s: %s", g->model->name, t->name, *why_not);
    if (!*why_not && refused)
        *why_not = "the options ask for another schedule";
    return !*why_not;
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

// One schedule reaches as far as its parts are worth it: bytes of K and V that a layer reads, and K/V heads times parts. Few parts
// cost their readers little, many draw on more workers. H200, Llama 3.2 1B, where 2 KB a position are read: one part is best up to
// some 256 positions, 2 to 640, 8 to 6,144, 16 from there on.
static const struct {
    int64_t bytes;
    int tasks;
} reaches[] = { { 524288, 1 }, { 1310720, 16 }, { 12582912, 64 }, { INT64_MAX, 4096 } };

int plan_split_parts(const Plan *p, int workers, int reach)
{
    const int heads = p->model->kv_heads, most = workers / heads;
    int parts = 1;
    if (p->options.parts > most)
        error_at(NOWHERE, ERR_OPTION_VALUE, "--parts is %d: %d workers have room for %d of %d K/V heads", p->options.parts, workers, most, heads);
    if (p->options.parts)
        return p->options.parts;
    while (parts * 2 <= most && parts * 2 <= 32 && parts * 2 * heads <= reaches[reach].tasks)
        parts *= 2;
    return parts;
}

int plan_split_reach(const Plan *p, int reach)
{
    const int64_t positions = reaches[reach].bytes / (2ll * p->model->kv_heads * p->kv.row_bytes) / 128 * 128;
    return positions < p->ctx ? (int)positions : p->ctx;
}

int plan_threads(const Schedule *s)
{
    return s->feed == FEED_BULK ? SPLIT_THREADS : s->warps * 32;
}
