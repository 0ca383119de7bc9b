// split_ends.c: what the planner must know of templates/split_embed.cu and split_select.cu: a token's first wave and its last.
#include "split.h"

static bool embed_fits(const Op *op, const Graph *g, const Target *t, const Choice *c, const char **why_not)
{
    (void)t;
    if (!shape_split(c, why_not))
        return false;
    if (!shape_of(g, op, "table")->format->dot8)
        *why_not = "it reads BF16 and F16";
    else if (split_rows(op, g) % SPLIT_ROWS || split_most(op, g, c) * SPLIT_ROWS > SPLIT_WARPS * 32)
        *why_not = str_format(g->arena, "%d rows are no whole units of 8, or more than 256 a worker", split_rows(op, g));
    else
        return true;
    return false;
}

// The rows that a worker adds to later are its own from here on.
static Tiling embed_tile(const Op *op, const Graph *g, const Target *t, const Choice *c)
{
    (void)op, (void)g, (void)t, (void)c;
    return (Tiling){ .granule = SPLIT_ROWS };
}

static bool embed_valid(const Op *op, const Graph *g, const Choice *c, const Tiling *t, const char **why_not)
{
    (void)op, (void)g, (void)c;
    *why_not = "the granule is a unit's 8 rows";
    return t->granule == SPLIT_ROWS;
}

static int64_t embed_bytes(const Op *op, const Graph *g, const Choice *c, int rows)
{
    (void)op, (void)g, (void)c;
    return (int64_t)rows * 2;
}

static void no_smem(const Op *op, const Graph *g, const Choice *c, const Tiling *t, Smem *s)
{
    (void)op, (void)g, (void)c, (void)t, (void)s;
}

static void embed_params(const Op *op, const Graph *g, const Choice *c, const Tiling *t, Params *p)
{
    (void)c, (void)t;
    param_int(p, "hidden", shape_of(g, op, "y")->rows);
}

// A tied embedding is the head's matrix.
static Layout embed_layout(const Op *op, const Graph *g, const char *slot)
{
    (void)op, (void)slot;
    return g->model->tied_embedding ? LAYOUT_FRAGMENTS : LAYOUT_ROWS;
}

static bool select_fits(const Op *op, const Graph *g, const Target *t, const Choice *c, const char **why_not)
{
    (void)op, (void)t;
    if (c->workers > DRAW_MOST_WORKERS)
        *why_not = str_format(g->arena, "%d workers: a draw has places for %d", c->workers, DRAW_MOST_WORKERS);
    return c->workers <= DRAW_MOST_WORKERS && shape_split(c, why_not);
}

static Tiling select_tile(const Op *op, const Graph *g, const Target *t, const Choice *c)
{
    (void)op, (void)g, (void)t, (void)c;
    return (Tiling){ .granule = 1 };
}

static bool select_valid(const Op *op, const Graph *g, const Choice *c, const Tiling *t, const char **why_not)
{
    (void)op, (void)g, (void)c;
    *why_not = "the granule is 1";
    return t->granule == 1;
}

static int64_t select_bytes(const Op *op, const Graph *g, const Choice *c, int rows)
{
    (void)op, (void)g, (void)c, (void)rows;
    return 0;
}

// What it draws with lies where its input waits in other waves.
_Static_assert(DRAW_SCRATCH_BYTES <= SPLIT_WARPS * SPLIT_STAGE_BYTES, "scratch of a draw");
static void select_params(const Op *op, const Graph *g, const Choice *c, const Tiling *t, Params *p)
{
    (void)c, (void)t;
    param_int(p, "total", shape_of(g, op, "logits")->rows);
}

static Layout select_layout(const Op *op, const Graph *g, const char *slot)
{
    (void)op, (void)g, (void)slot;
    return LAYOUT_ROWS;
}

const KernelKind kernel_split_embed = { "split_embed", { "split_embed.cu" }, OP_EMBED, embed_fits, embed_tile, embed_valid,
                                        embed_bytes, no_smem, embed_params, embed_layout };
const KernelKind kernel_split_select = { "split_select", { "split_select.cu" }, OP_SELECT, select_fits, select_tile, select_valid,
                                         select_bytes, no_smem, select_params, select_layout };
