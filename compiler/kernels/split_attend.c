// split_attend.c: what the planner must know of templates/split_attend.cu.
#include "split.h"

#include <math.h>

static int group_of(const Graph *g)
{
    return g->model->heads / g->model->kv_heads;
}

static bool fits(const Op *op, const Graph *g, const Target *t, const Choice *c, const char **why_not)
{
    const Model *m = g->model;
    (void)t;
    if (!shape_split(c, why_not))
        return false;
    if (graph_operand(op, "k") < 0)
        *why_not = "it turns queries and keys itself";
    else if (m->head_dim != 64 && m->head_dim != 128)
        *why_not = str_format(g->arena, "head_dim is %d, it takes 64 and 128", m->head_dim);
    else if (group_of(g) > 8)
        *why_not = str_format(g->arena, "%d query heads share a K/V head, it takes up to 8", group_of(g));
    else if (c->kv == KV_F32)
        *why_not = "it takes K/V of 16 bits";
    else if (c->parts > 32 || (c->parts & (c->parts - 1)))
        *why_not = str_format(g->arena, "a context in %d parts: it takes powers of two up to 32", c->parts);
    else if (m->kv_heads * c->parts > c->workers)
        *why_not = str_format(g->arena, "%d heads in %d parts are more than one a worker", m->kv_heads, c->parts);
    else
        return true;
    return false;
}

// What the reference needs to walk through tiles of the same size in an order of its own.
static Tiling tile(const Op *op, const Graph *g, const Target *t, const Choice *c)
{
    (void)op, (void)t, (void)c;
    return (Tiling){ .granule = 1, .heads = 1, .lanes = g->model->head_dim / 8, .chunk = 4, .streams = SPLIT_TILE / 4, .tile = SPLIT_TILE };
}

static bool valid(const Op *op, const Graph *g, const Choice *c, const Tiling *t, const char **why_not)
{
    const Tiling own = tile(op, g, NULL, c);
    *why_not = "its tiling is fixed: tiles of 128 positions";
    return t->granule == own.granule && t->heads == own.heads && t->lanes == own.lanes && t->chunk == own.chunk &&
           t->streams == own.streams && t->tile == own.tile;
}

// K and V of one head's part of the context, at the schedule's longest.
static int64_t bytes(const Op *op, const Graph *g, const Choice *c, int rows)
{
    (void)op;
    return (int64_t)rows * 2 * g->model->head_dim * kv_bytes(c->kv) * ((c->ctx + c->parts - 1) / c->parts);
}

static void smem(const Op *op, const Graph *g, const Choice *c, const Tiling *t, Smem *s)
{
    const int group = group_of(g), dim = g->model->head_dim;
    (void)op, (void)c, (void)t;
    smem_add(s, "turned", (group + 2) * dim * 4);
    smem_add(s, "merge", (SPLIT_WARPS * group * (dim + 4) + group) * 4);
}

static void params(const Op *op, const Graph *g, const Choice *c, const Tiling *t, Params *p)
{
    const Model *m = g->model;
    (void)op, (void)t;
    param_int(p, "first_worker", deal_attention(m->kv_heads, c->parts, c->workers, 0, 0));
    param_int(p, "kv_heads", m->kv_heads);
    param_int(p, "group", group_of(g));
    param_int(p, "head_dim", m->head_dim);
    param_int(p, "parts", c->parts);
    param_string(p, "kv", kv_name(c->kv));
    param_float(p, "query_scale", 1.4426950408889634 / sqrt((double)m->head_dim)); // log2(e) / sqrt(d): scores are powers of 2
}

static Layout layout(const Op *op, const Graph *g, const char *slot)
{
    (void)op, (void)g, (void)slot;
    return LAYOUT_ROWS;
}

const KernelKind kernel_split_attend = { "split_attend", { "split_attend.cu" }, OP_ATTEND, fits, tile, valid, bytes, smem, params, layout };
