// ffn_lanes.c: what the planner must know of templates/ffn_lanes.cu.
#include "shape.h"

static bool fits(const Op *op, const Graph *g, const Target *t, const Choice *c, const char **why_not)
{
    (void)t;
    if (!shape_plain_barrier(c, why_not) || !shape_format(shape_of(g, op, "gate"), why_not))
        return false;
    if (graph_operand(op, "gain") < 0) {
        *why_not = "its input is a norm";
        return false;
    }
    return true;
}

static Tiling tile(const Op *op, const Graph *g, const Target *t, const Choice *c)
{
    (void)t;
    const Tensor *gate = shape_of(g, op, "gate");
    const int lane_words = shape_lane_words(gate->cols);
    const int rows_a_warp = gate->rows / (c->workers * c->warps);
    const int in_flight = c->regs >= 128 ? 8 : 4; // words a lane; gate and up count twice
    int rows = 1;
    while (rows < 4 && rows * 4 * lane_words <= in_flight && rows * 2 <= rows_a_warp)
        rows *= 2;
    const int unroll = in_flight / (rows * 2) < lane_words ? in_flight / (rows * 2) : lane_words;
    return (Tiling){ .granule = 1, .rows = rows, .unroll = unroll };
}

static bool valid(const Op *op, const Graph *g, const Choice *c, const Tiling *t, const char **why_not)
{
    (void)g, (void)c, (void)op;
    *why_not = "rows a warp are 1 to 4, unroll is 1 to 16, the granule is 1";
    return t->rows >= 1 && t->rows <= 4 && t->unroll >= 1 && t->unroll <= 16 && t->granule == 1;
}

// Rows of gate and up and the columns of down that belong to them, without padding.
static int64_t bytes(const Op *op, const Graph *g, const Choice *c, int rows)
{
    (void)c;
    const Tensor *gate = shape_of(g, op, "gate"), *down = shape_of(g, op, "down");
    return (int64_t)rows * (2 * shape_words(gate->cols) * 16 + (int64_t)down->rows * 2);
}

// c->matrix: down, whose slices are the tasks'.
static void smem(const Op *op, const Graph *g, const Choice *c, const Tiling *t, Smem *s)
{
    (void)t;
    smem_add(s, "xs", shape_words(shape_of(g, op, "gate")->cols) * 32);
    smem_add(s, "sums", c->warps * 4);
    smem_add(s, "h", c->matrix->slice_cols * 4);
}

static void params(const Op *op, const Graph *g, const Choice *c, const Tiling *t, Params *p)
{
    const Tensor *gate = shape_of(g, op, "gate"), *down = shape_of(g, op, "down");
    param_int(p, "ffn", gate->rows);
    param_int(p, "hidden", down->rows);
    param_int(p, "cols", gate->cols);
    param_int(p, "words", shape_words(gate->cols));
    param_int(p, "rows", t->rows);
    param_int(p, "unroll", t->unroll);
    param_int(p, "warps", c->warps);
    param_int(p, "threads", c->warps * 32);
    param_int(p, "slice_words", c->matrix->slice_cols / 8);
    param_int(p, "blocks", (down->rows + 31) / 32);
    param_int(p, "down_unroll", c->regs >= 128 ? 8 : 4);
    param_int(p, "y_stride", (down->rows + 31) / 32 * 32);
    param_float(p, "eps", g->model->norm_eps);
}

static Layout layout(const Op *op, const Graph *g, const char *slot)
{
    (void)op, (void)g;
    return str_equal(slot, "down") ? LAYOUT_LANES : LAYOUT_ROWS;
}

const KernelKind kernel_ffn_lanes = { "ffn_lanes", { "ffn_lanes.cu" }, OP_FFN, fits, tile, valid, bytes, smem, params, layout };
