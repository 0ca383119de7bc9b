// embed.c: what the planner must know of templates/embed.cu.
#include "shape.h"

static bool fits(const Op *op, const Graph *g, const Target *t, const Choice *c, const char **why_not)
{
    (void)t;
    return shape_plain_barrier(c, why_not) && shape_format(shape_of(g, op, "table"), why_not);
}

// One task: a row is a few kilobytes.
static Tiling tile(const Op *op, const Graph *g, const Target *t, const Choice *c)
{
    (void)t, (void)c;
    return (Tiling){ .granule = shape_of(g, op, "y")->rows };
}

static bool valid(const Op *op, const Graph *g, const Choice *c, const Tiling *t, const char **why_not)
{
    (void)c;
    *why_not = "one task makes the whole row";
    return t->granule == shape_of(g, op, "y")->rows;
}

static int64_t bytes(const Op *op, const Graph *g, const Choice *c, int rows)
{
    (void)c, (void)rows;
    return (int64_t)shape_words(shape_of(g, op, "table")->cols) * 16;
}

static void smem(const Op *op, const Graph *g, const Choice *c, const Tiling *t, Smem *s)
{
    (void)op, (void)g, (void)c, (void)t, (void)s;
}

static void params(const Op *op, const Graph *g, const Choice *c, const Tiling *t, Params *p)
{
    (void)op, (void)g, (void)t;
    param_int(p, "threads", c->warps * 32);
}

static Layout layout(const Op *op, const Graph *g, const char *slot)
{
    (void)op, (void)g, (void)slot;
    return LAYOUT_ROWS;
}

const KernelKind kernel_embed = { "embed", { "embed.cu" }, OP_EMBED, fits, tile, valid, bytes, smem, params, layout };
