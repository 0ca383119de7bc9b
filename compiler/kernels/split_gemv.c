// split_gemv.c: what the planner must know of templates/split_gemv.cu: products with one or several stacked matrices, and gate
// with up.
#include "split.h"

static const Tensor *first_matrix(const Op *op, const Graph *g)
{
    return shape_of(g, op, op->kind == OP_GATED ? "gate" : "w");
}

static bool has(const Op *op, const char *slot)
{
    return op_slot(op->kind, slot) >= 0 && graph_operand(op, slot) >= 0;
}

static bool fits(const Op *op, const Graph *g, const Target *t, const Choice *c, const char **why_not)
{
    const Tensor *w = first_matrix(op, g);
    const bool best = has(op, "best"), wide = split_chunks(w->cols) > 2;
    if (!shape_split(c, why_not))
        return false;
    if (t->sm < 90)
        *why_not = "it needs copies that the hardware makes by itself, sm_90 and later";
    else if (!w->format->dot8)
        *why_not = "it multiplies BF16 and F16";
    else if (w->cols % 32)
        *why_not = str_format(g->arena, "rows of %d columns are no whole blocks of 32", w->cols);
    else if (!best && split_rows(op, g) % SPLIT_ROWS)
        *why_not = str_format(g->arena, "%d rows are no whole units of 8", split_rows(op, g));
    else if (wide && (best || split_chunks(w->cols) > 8 || split_most(op, g, c) > SPLIT_HELD))
        *why_not = str_format(g->arena, "%d rows of %d columns a worker do not stay in registers", split_most(op, g, c) * SPLIT_ROWS, w->cols);
    else
        return true;
    return false;
}

// rows: units whose sums the block adds at once, a power of two: as many as are of use; the plan halves them where shared memory
// is short.
static Tiling tile(const Op *op, const Graph *g, const Target *t, const Choice *c)
{
    (void)t;
    const int most = split_most(op, g, c);
    int rows = 1;
    while (rows < most && rows < SPLIT_ROUND)
        rows *= 2;
    return (Tiling){ .granule = op->kind == OP_GATED ? SPLIT_ROWS / 2 : SPLIT_ROWS, .rows = rows };
}

static bool valid(const Op *op, const Graph *g, const Choice *c, const Tiling *t, const char **why_not)
{
    const bool held = split_chunks(first_matrix(op, g)->cols) > 2;
    *why_not = "the granule is a unit's rows; units added at once are a power of two up to 16, all of a worker's where their sums "
               "stay in registers";
    return t->granule == (op->kind == OP_GATED ? SPLIT_ROWS / 2 : SPLIT_ROWS) && t->rows >= 1 && t->rows <= SPLIT_ROUND &&
           (t->rows & (t->rows - 1)) == 0 && (!held || t->rows >= split_most(op, g, c));
}

static int64_t bytes(const Op *op, const Graph *g, const Choice *c, int rows)
{
    (void)c;
    return (int64_t)rows * (op->kind == OP_GATED ? 2 : 1) * first_matrix(op, g)->cols * 2;
}

static void smem(const Op *op, const Graph *g, const Choice *c, const Tiling *t, Smem *s)
{
    (void)t;
    if (!has(op, "best"))
        return;
    smem_add(s, "best_slot", SPLIT_WARPS * 8);
    smem_add(s, "allowed", split_most(op, g, c)); // a byte a unit
}

static void params(const Op *op, const Graph *g, const Choice *c, const Tiling *t, Params *p)
{
    (void)c;
    param_int(p, "total", op->kind == OP_GATED ? split_rows(op, g) : shape_of(g, op, "y")->rows);
    param_int(p, "cols", first_matrix(op, g)->cols);
    param_int(p, "round", t->rows);
    param_string(p, "input", has(op, "gain") ? "norm" : "plain");
    param_bool(p, "gated", op->kind == OP_GATED);
    param_bool(p, "best", has(op, "best"));
    param_bool(p, "has_plus", has(op, "plus"));
    param_float(p, "eps", g->model->norm_eps);
}

static Layout layout(const Op *op, const Graph *g, const char *slot)
{
    (void)op, (void)g, (void)slot;
    return LAYOUT_FRAGMENTS;
}

const KernelKind kernel_split_gemv = { "split_gemv", { "split_gemv.cu" }, OP_GEMV, fits, tile, valid, bytes, smem, params, layout };
const KernelKind kernel_split_gated = { "split_gated", { "split_gemv.cu" }, OP_GATED, fits, tile, valid, bytes, smem, params, layout };
