// attend.c: what the planner must know of templates/attend.cu.
#include "shape.h"

#include <math.h>

static int group_of(const Graph *g)
{
    return g->model->heads / g->model->kv_heads;
}

// Lanes that share one position: eight dimensions each, a power of two.
static int lanes_of(const Graph *g)
{
    int lanes = 1;
    while (lanes * 8 < g->model->head_dim)
        lanes *= 2;
    return lanes;
}

// Warps that work for one group of `heads` query heads.
static int warps_a_group(const Choice *c, const Tiling *t, const Graph *g)
{
    const int warps = c->warps / (group_of(g) / t->heads);
    return warps > 1 ? warps : 1;
}

static bool fits(const Op *op, const Graph *g, const Target *t, const Choice *c, const char **why_not)
{
    (void)t, (void)op;
    if (!shape_plain_barrier(c, why_not))
        return false;
    if (graph_operand(op, "k") < 0)
        *why_not = "it turns queries and keys itself";
    else if (lanes_of(g) > 32 || g->model->head_dim % 2)
        *why_not = str_format(g->arena, "head_dim is %d, it takes even ones up to 256", g->model->head_dim);
    else if ((int64_t)c->ctx * lanes_of(g) * 8 * kv_bytes(c->kv) > INT32_MAX)
        *why_not = "the context of one head must stay under 2 GiB";
    else
        return true;
    return false;
}

// Query heads a lane: eight sums each; chunk: positions whose K and V wait in registers.
static Tiling tile(const Op *op, const Graph *g, const Target *t, const Choice *c)
{
    (void)op, (void)t;
    const bool roomy = c->regs >= 128;
    Tiling tiling = { .granule = 1, .heads = 1, .lanes = lanes_of(g) };
    for (int heads = 2; heads <= (roomy ? 2 : 1); ++heads)
        if (group_of(g) % heads == 0)
            tiling.heads = heads;
    tiling.chunk = roomy && c->kv != KV_F32 ? 4 : 2;
    tiling.streams = warps_a_group(c, &tiling, g) * (32 / tiling.lanes);
    tiling.tile = tiling.streams * tiling.chunk;
    return tiling;
}

static bool valid(const Op *op, const Graph *g, const Choice *c, const Tiling *t, const char **why_not)
{
    (void)op;
    *why_not = "heads divide the group, lanes cover the head, chunk is 1 to 8, tile = streams x chunk of the worker's warps";
    return t->granule == 1 && t->heads >= 1 && t->heads <= 4 && group_of(g) % t->heads == 0 && t->lanes == lanes_of(g) &&
           t->chunk >= 1 && t->chunk <= 8 && t->streams == warps_a_group(c, t, g) * (32 / t->lanes) &&
           t->tile == t->streams * t->chunk;
}

// K and V of one head's part of the context, at the schedule's longest.
static int64_t bytes(const Op *op, const Graph *g, const Choice *c, int rows)
{
    (void)op;
    return (int64_t)rows * 2 * g->model->head_dim * kv_bytes(c->kv) * ((c->ctx + c->parts - 1) / c->parts);
}

static int slots_of(const Graph *g, const Choice *c, const Tiling *t)
{
    return group_of(g) / t->heads * warps_a_group(c, t, g);
}

static void smem(const Op *op, const Graph *g, const Choice *c, const Tiling *t, Smem *s)
{
    (void)op;
    smem_add(s, "turned", group_of(g) * t->lanes * 8 * 4);
    smem_add(s, "merge", slots_of(g, c, t) * t->heads * (t->lanes * 8 + 2) * 4);
}

static void params(const Op *op, const Graph *g, const Choice *c, const Tiling *t, Params *p)
{
    (void)op;
    const Model *m = g->model;
    param_int(p, "kv_heads", m->kv_heads);
    param_int(p, "group", group_of(g));
    param_int(p, "head_dim", m->head_dim);
    param_int(p, "parts", c->parts);
    param_int(p, "tile", t->tile);
    param_int(p, "heads", t->heads);
    param_int(p, "lanes", t->lanes);
    param_int(p, "chunk", t->chunk);
    param_int(p, "streams", t->streams);
    param_int(p, "slots", slots_of(g, c, t));
    param_int(p, "warps_a_group", warps_a_group(c, t, g));
    param_int(p, "words", shape_words(m->head_dim));
    param_int(p, "warps", c->warps);
    param_int(p, "threads", c->warps * 32);
    param_string(p, "kv", kv_name(c->kv));
    param_float(p, "query_scale", 1.4426950408889634 / sqrt((double)m->head_dim)); // log2(e) / sqrt(d): scores are powers of 2
}

static Layout layout(const Op *op, const Graph *g, const char *slot)
{
    (void)op, (void)g, (void)slot;
    return LAYOUT_ROWS;
}

const KernelKind kernel_attend = { "attend", { "attend.cu" }, OP_ATTEND, fits, tile, valid, bytes, smem, params, layout };
