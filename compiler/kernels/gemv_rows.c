// gemv_rows.c: what the planner must know of templates/gemv_rows.cu.
#include "shape.h"

static const char *const slots[] = { "w", "w2", "w3" };

static bool merges(const Op *op, const Graph *g)
{
    return shape_of(g, op, "x")->cols > 1; // attention's parts
}

static bool fits(const Op *op, const Graph *g, const Target *t, const Choice *c, const char **why_not)
{
    (void)t;
    if (!shape_plain_barrier(c, why_not) || !shape_format(shape_of(g, op, "w"), why_not))
        return false;
    if (graph_operand(op, "gain") < 0 && !merges(op, g)) {
        *why_not = "its input is a norm or attention's parts";
        return false;
    }
    return true;
}

// Rows a warp: as many as keep eight words in flight a lane, when every warp still has a row to do.
static Tiling tile(const Op *op, const Graph *g, const Target *t, const Choice *c)
{
    (void)t;
    const int lane_words = shape_lane_words(shape_of(g, op, "w")->cols);
    const int rows_a_warp = shape_of(g, op, "y")->rows / (c->workers * c->warps);
    const int in_flight = c->regs >= 128 ? 8 : 4;
    int rows = 1;
    while (rows < 4 && rows * 2 * lane_words <= in_flight && rows * 2 <= rows_a_warp)
        rows *= 2;
    const int unroll = in_flight / rows < lane_words ? in_flight / rows : lane_words;
    return (Tiling){ .granule = 1, .rows = rows, .unroll = unroll };
}

static bool valid(const Op *op, const Graph *g, const Choice *c, const Tiling *t, const char **why_not)
{
    (void)g, (void)c, (void)op;
    *why_not = "rows a warp are 1 to 4, unroll is 1 to 16, the granule is 1";
    return t->rows >= 1 && t->rows <= 4 && t->unroll >= 1 && t->unroll <= 16 && t->granule == 1;
}

static int64_t bytes(const Op *op, const Graph *g, const Choice *c, int rows)
{
    (void)c;
    return (int64_t)rows * shape_words(shape_of(g, op, "w")->cols) * 16;
}

static void smem(const Op *op, const Graph *g, const Choice *c, const Tiling *t, Smem *s)
{
    (void)t;
    smem_add(s, "xs", shape_words(shape_of(g, op, "w")->cols) * 32);
    if (merges(op, g))
        smem_add(s, "shares", c->parts * g->model->heads * 4);
    else
        smem_add(s, "sums", c->warps * 4);
    if (graph_operand(op, "best") >= 0)
        smem_add(s, "best_slot", c->warps * 8);
}

static void params(const Op *op, const Graph *g, const Choice *c, const Tiling *t, Params *p)
{
    const Tensor *w = shape_of(g, op, "w");
    int total = 0;
    for (int i = 0; i < ARRAY_LEN(slots); ++i)
        total += shape_of(g, op, slots[i]) ? shape_of(g, op, slots[i])->rows : 0;
    param_int(p, "total", total);
    param_int(p, "cols", w->cols);
    param_int(p, "words", shape_words(w->cols));
    param_int(p, "rows", t->rows);
    param_int(p, "unroll", t->unroll);
    param_int(p, "warps", c->warps);
    param_int(p, "threads", c->warps * 32);
    param_string(p, "stage", merges(op, g) ? "merge" : "norm");
    param_bool(p, "best", graph_operand(op, "best") >= 0);
    param_bool(p, "has_plus", graph_operand(op, "plus") >= 0);
    param_float(p, "eps", g->model->norm_eps);
    if (!merges(op, g))
        return;
    param_int(p, "heads", g->model->heads);
    param_int(p, "head_dim", g->model->head_dim);
    param_int(p, "parts", c->parts);
}

static Layout layout(const Op *op, const Graph *g, const char *slot)
{
    (void)op, (void)g, (void)slot;
    return LAYOUT_ROWS;
}

const KernelKind kernel_gemv_rows = { "gemv_rows", { "gemv_rows.cu" }, OP_GEMV, fits, tile, valid, bytes, smem, params, layout };
