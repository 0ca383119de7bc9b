// select.c: what the planner must know of templates/select.cu.
#include "shape.h"

static bool fits(const Op *op, const Graph *g, const Target *t, const Choice *c, const char **why_not)
{
    (void)op, (void)g, (void)t;
    return shape_plain_barrier(c, why_not);
}

static Tiling tile(const Op *op, const Graph *g, const Target *t, const Choice *c)
{
    (void)op, (void)g, (void)t, (void)c;
    return (Tiling){ .granule = 1 };
}

static bool valid(const Op *op, const Graph *g, const Choice *c, const Tiling *t, const char **why_not)
{
    (void)op, (void)g, (void)c;
    *why_not = "the granule is 1";
    return t->granule == 1;
}

static int64_t bytes(const Op *op, const Graph *g, const Choice *c, int rows)
{
    (void)op, (void)g, (void)c, (void)rows;
    return 0;
}

static void smem(const Op *op, const Graph *g, const Choice *c, const Tiling *t, Smem *s)
{
    (void)op, (void)g, (void)c, (void)t;
    smem_add(s, "scratch", DRAW_SCRATCH_BYTES);
}

static void params(const Op *op, const Graph *g, const Choice *c, const Tiling *t, Params *p)
{
    (void)t;
    param_int(p, "threads", c->warps * 32);
    param_int(p, "total", shape_of(g, op, "logits")->rows);
}

static Layout layout(const Op *op, const Graph *g, const char *slot)
{
    (void)op, (void)g, (void)slot;
    return LAYOUT_ROWS;
}

const KernelKind kernel_select = { "select", { "select.cu" }, OP_SELECT, fits, tile, valid, bytes, smem, params, layout };
