// check.c: graph_check finds every fault of small wrong graphs, and names tensor and op.
#include "../test.h"

#include "../../compiler/graph/graph.h"

enum { HIDDEN = 16, HEADS = 2, HEAD_DIM = 8, FFN = 24 };

static Graph *graph_new(Arena *a)
{
    static Model m = { .name = "small", .arch = "llama", .layers = 2, .hidden = HIDDEN, .heads = HEADS, .kv_heads = HEADS,
                       .head_dim = HEAD_DIM, .ffn = FFN, .vocab = 32, .max_tokens = 64, .format = &format_bf16 };
    Graph *g = arena_alloc(a, sizeof *g);
    *g = (Graph){ .arena = a, .model = &m };
    return g;
}

static int in(Graph *g, const char *name, int rows)
{
    return graph_tensor(g, TENSOR_IN, name, name, rows, 1, -1);
}

static int act(Graph *g, const char *name, int rows)
{
    return graph_tensor(g, TENSOR_ACT, name, name, rows, 1, 0);
}

static int out(Graph *g, const char *name, int rows)
{
    return graph_tensor(g, TENSOR_OUT, name, name, rows, 1, -1);
}

static int matrix(Graph *g, const char *name, int rows, int cols)
{
    return graph_weight(g, name, name, rows, cols, 0);
}

static Op *gemv(Graph *g, const char *what, int x, int w, int y)
{
    Op *op = graph_op(g, OP_GEMV, 0, what);
    graph_in(op, "x", x);
    graph_in(op, "w", w);
    graph_out(op, "y", y);
    return op;
}

static void format_of(Graph *g, int tensor, const Format *format)
{
    g->tensors.at[tensor].format = format;
}

// The graph must have exactly this fault; NULL: none.
static void expect(Graph *g, ErrorId id, const char *want)
{
    Diags d = { .arena = g->arena };
    graph_check(g, &d);
    ASSERT_INT(want ? 1 : 0, d.list.n);
    if (want && d.list.n) {
        ASSERT_STR(want, d.list.at[0].text);
        ASSERT_INT(id, d.list.at[0].id);
    }
    for (int i = want ? 1 : 0; i < d.list.n; ++i)
        printf("one more: %s\n", d.list.at[i].text);
}

static void check_gemv(Arena *a)
{
    Graph *g = graph_new(a);
    gemv(g, "o", in(g, "x", HIDDEN), matrix(g, "W", 8, HIDDEN), out(g, "y", 8));
    expect(g, 0, NULL);

    g = graph_new(a);
    gemv(g, "o", in(g, "x", HIDDEN), matrix(g, "W", 8, HIDDEN + 8), out(g, "y", 8));
    expect(g, ERR_INTERNAL, "graph: op o of layer 0: columns of a matrix are not the length of its input");

    g = graph_new(a);
    gemv(g, "o", in(g, "x", HIDDEN), matrix(g, "W", 8, HIDDEN), out(g, "y", 9));
    expect(g, ERR_INTERNAL, "graph: op o of layer 0: rows of the matrices are not the length of the result");

    g = graph_new(a);
    Op *op = gemv(g, "o", -1, matrix(g, "W", 8, HIDDEN), out(g, "y", 8));
    expect(g, ERR_INTERNAL, "graph: op o of layer 0: operand \"x\" is absent");
    graph_in(op, "x", in(g, "x", HIDDEN));
    expect(g, 0, NULL);
}

static Graph *stacked(Arena *a, int y_rows, int *second)
{
    Graph *g = graph_new(a);
    const int x = in(g, "x", HIDDEN), w = matrix(g, "Wq", 8, HIDDEN), w2 = matrix(g, "Wk", 4, HIDDEN);
    const int w3 = matrix(g, "Wv", 4, HIDDEN);
    Op *op = gemv(g, "qkv", x, w, out(g, "y", y_rows));
    graph_in(op, "w2", w2);
    graph_in(op, "w3", w3);
    *second = w2;
    return g;
}

static void check_stack(Arena *a)
{
    int second;
    expect(stacked(a, 16, &second), 0, NULL);
    expect(stacked(a, 12, &second), ERR_INTERNAL,
           "graph: op qkv of layer 0: rows of the matrices are not the length of the result");
    Graph *g = stacked(a, 16, &second);
    format_of(g, second, &format_f16);
    expect(g, ERR_TENSOR_TYPE, "Wq is BF16 and Wk is F16: matrices read together need one format");
}

// Attention leaves one row a head: head_dim values and two numbers that merge its parts.
static void check_merged(Arena *a)
{
    for (int wrong = 0; wrong < 2; ++wrong) {
        Graph *g = graph_new(a);
        const int x = graph_tensor(g, TENSOR_IN, "a", "attended", HEADS, HEAD_DIM + 2, 0);
        gemv(g, "wo", x, matrix(g, "Wo", HIDDEN, HEADS * (HEAD_DIM + 2 * wrong)), out(g, "y", HIDDEN));
        expect(g, ERR_INTERNAL, wrong ? "graph: op wo of layer 0: columns of a matrix are not the length of its input" : NULL);
    }
}

static Graph *feed_forward(Arena *a, int up_rows, int down_cols, const Format *down)
{
    Graph *g = graph_new(a);
    const int x = in(g, "x", HIDDEN), gain = graph_weight(g, "gain", "gain", 1, HIDDEN, 0);
    const int gate = matrix(g, "Wgate", FFN, HIDDEN), up = matrix(g, "Wup", up_rows, HIDDEN);
    const int w = matrix(g, "Wdown", HIDDEN, down_cols), y = out(g, "y", HIDDEN);
    format_of(g, w, down);
    Op *op = graph_op(g, OP_FFN, 0, "ffn");
    graph_in(op, "x", x);
    graph_in(op, "gain", gain);
    graph_in(op, "gate", gate);
    graph_in(op, "up", up);
    graph_in(op, "down", w);
    graph_out(op, "y", y);
    return g;
}

static void check_feed_forward(Arena *a)
{
    expect(feed_forward(a, FFN, FFN, &format_bf16), 0, NULL);
    expect(feed_forward(a, FFN - 8, FFN, &format_bf16), ERR_INTERNAL,
           "graph: op ffn of layer 0: gate, up and down do not fit together");
    expect(feed_forward(a, FFN, FFN + 8, &format_bf16), ERR_INTERNAL,
           "graph: op ffn of layer 0: gate, up and down do not fit together");
    expect(feed_forward(a, FFN, FFN, &format_f16), ERR_TENSOR_TYPE,
           "Wgate, Wup and Wdown have different formats: matrices read together need one");
}

static Op *add_op(Graph *g, const char *what, int x, int y, int to)
{
    Op *op = graph_op(g, OP_ADD, 0, what);
    graph_in(op, "a", x);
    graph_in(op, "b", y);
    graph_out(op, "y", to);
    return op;
}

static void check_order_and_writers(Arena *a)
{
    Graph *g = graph_new(a);
    const int x = in(g, "x", 8), y = act(g, "y", 8), z = out(g, "z", 8);
    add_op(g, "last", x, y, z);
    add_op(g, "first", x, x, y);
    expect(g, ERR_INTERNAL, "graph: op last of layer 0: reads y before it is written");

    g = graph_new(a);
    const int x2 = in(g, "x", 8), z2 = out(g, "z", 8);
    add_op(g, "one", x2, x2, z2);
    add_op(g, "two", x2, x2, z2);
    expect(g, ERR_INTERNAL, "graph: op two of layer 0: writes z a second time");

    g = graph_new(a);
    add_op(g, "one", in(g, "x", 8), in(g, "w", 8), act(g, "lost", 8));
    expect(g, ERR_INTERNAL, "graph: nothing reads lost");

    g = graph_new(a);
    const int x3 = in(g, "x", 8);
    matrix(g, "stray", 8, 8);
    add_op(g, "one", x3, x3, out(g, "z", 8));
    expect(g, ERR_INTERNAL, "graph: nothing reads stray");
}

static void check_classes(Arena *a)
{
    Graph *g = graph_new(a);
    const int x = in(g, "x", HIDDEN);
    const int first = graph_weight(g, "layers.0.W", "o_proj", HIDDEN, HIDDEN, 0);
    const int second = graph_weight(g, "layers.1.W", "o_proj", HIDDEN, HIDDEN, 1);
    gemv(g, "o", x, first, out(g, "y0", HIDDEN));
    gemv(g, "o", x, second, out(g, "y1", HIDDEN))->layer = 1;
    expect(g, 0, NULL);
    format_of(g, second, &format_f16);
    expect(g, ERR_TENSOR_TYPE, "layers.0.W is BF16 and layers.1.W is F16: layers that share code need one format");
}

// All faults of one graph come at once; absent operands stop the rest, which reads them.
static void check_collects(Arena *a)
{
    Diags d = { .arena = a };
    Graph *g = graph_new(a);
    const int x = in(g, "x", HIDDEN), y = out(g, "y", 8);
    gemv(g, "one", x, matrix(g, "A", 7, HIDDEN), y);
    gemv(g, "two", x, matrix(g, "B", 8, HIDDEN + 1), y);
    graph_check(g, &d);
    ASSERT_INT(3, d.list.n);
    graph_op(g, OP_GEMV, 1, "bare");
    d.list.n = 0;
    graph_check(g, &d);
    ASSERT_INT(3, d.list.n); // x, w, y
    ASSERT_STR("graph: op bare of layer 1: operand \"y\" is absent", d.list.at[2].text);
}

int main(void)
{
    Arena *a = arena_new();
    check_gemv(a);
    check_stack(a);
    check_merged(a);
    check_feed_forward(a);
    check_order_and_writers(a);
    check_classes(a);
    check_collects(a);
    arena_free(a);
    return test_failed;
}
