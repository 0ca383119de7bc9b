// reduce.c: what the planner must know of templates/reduce.cu.
#include "shape.h"

static bool fits(const Op *op, const Graph *g, const Target *t, const Choice *c, const char **why_not)
{
    (void)op, (void)g, (void)t;
    return shape_plain_barrier(c, why_not);
}

// Threads stand side by side on the worker's rows, rounded up to a warp; the rest of the block shares the parts.
static int lanes_of(const Op *op, const Graph *g, const Choice *c)
{
    const int rows = (shape_of(g, op, "y")->rows + c->workers - 1) / c->workers;
    return (rows + 31) / 32 * 32;
}

static Tiling tile(const Op *op, const Graph *g, const Target *t, const Choice *c)
{
    (void)t;
    const int lanes = lanes_of(op, g, c), splits = c->warps * 32 / lanes;
    return (Tiling){ .granule = 1, .lanes = lanes, .splits = splits < 2 ? 1 : splits < c->workers ? splits : c->workers };
}

static bool valid(const Op *op, const Graph *g, const Choice *c, const Tiling *t, const char **why_not)
{
    (void)op, (void)g;
    *why_not = "splits x lanes fit in the block, lanes are a multiple of 32";
    return t->granule == 1 && t->splits >= 1 && t->lanes >= 32 && t->lanes % 32 == 0 &&
           (t->splits == 1 || t->splits * t->lanes <= c->warps * 32);
}

static int64_t bytes(const Op *op, const Graph *g, const Choice *c, int rows)
{
    (void)op, (void)g, (void)c, (void)rows;
    return 0; // partial sums stay in L2
}

static void smem(const Op *op, const Graph *g, const Choice *c, const Tiling *t, Smem *s)
{
    (void)op, (void)g, (void)c;
    if (t->splits > 1)
        smem_add(s, "sums", t->lanes * t->splits * 4);
}

static void params(const Op *op, const Graph *g, const Choice *c, const Tiling *t, Params *p)
{
    param_int(p, "lanes", t->lanes);
    param_int(p, "splits", t->splits);
    param_int(p, "threads", c->warps * 32);
    param_int(p, "parts_stride", (shape_of(g, op, "y")->rows + 31) / 32 * 32);
    if (t->splits == 1)
        param_int(p, "sums_at", 0);
}

static Layout layout(const Op *op, const Graph *g, const char *slot)
{
    (void)op, (void)g, (void)slot;
    return LAYOUT_ROWS;
}

const KernelKind kernel_reduce = { "reduce", { "reduce.cu" }, OP_REDUCE, fits, tile, valid, bytes, smem, params, layout };
