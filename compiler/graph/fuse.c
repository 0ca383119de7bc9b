// fuse.c: fold small ops into their neighbours, so that a layer becomes five ops and as many waves.
//
//   norm -> its readers            q, k, v of one input -> one stacked gemv
//   rope, store -> attend          gemv, add -> gemv + plus
//   gate, up, glu, down, add -> ffn (partial sums) + reduce, or gated + gemv + plus
//
// Every fold is a function over the whole graph; ops it empties get kind OP_KINDS and are swept at the end.
#include "graph.h"

static int writer_of(const Graph *g, int tensor)
{
    for (int i = 0; i < g->ops.n; ++i)
        for (int k = 0; k < OP_OUT && g->ops.at[i].kind != OP_KINDS; ++k)
            if (g->ops.at[i].out[k] == tensor)
                return i;
    return -1;
}

// The next op from `from` on that reads the tensor; -1: none.
static int reader_of(const Graph *g, int tensor, int from)
{
    for (int i = from; i < g->ops.n; ++i)
        for (int k = 0; k < OP_IN && g->ops.at[i].kind != OP_KINDS; ++k)
            if (g->ops.at[i].in[k] == tensor)
                return i;
    return -1;
}

static bool read_once(const Graph *g, int tensor)
{
    const int first = reader_of(g, tensor, 0);
    return first >= 0 && reader_of(g, tensor, first + 1) < 0;
}

static void drop(Graph *g, int op)
{
    g->ops.at[op].kind = OP_KINDS;
}

static Op *op_at(Graph *g, int i)
{
    return &g->ops.at[i];
}

// The only reader of what op i writes, when it is of this kind; -1 otherwise.
static int only_reader(const Graph *g, int i, OpKind kind)
{
    const int y = g->ops.at[i].out[0];
    if (!read_once(g, y))
        return -1;
    const int r = reader_of(g, y, 0);
    return g->ops.at[r].kind == kind ? r : -1;
}

static void fold_norms(Graph *g)
{
    for (int i = 0; i < g->ops.n; ++i) {
        if (op_at(g, i)->kind != OP_NORM)
            continue;
        const Op norm = *op_at(g, i);
        bool all = true;
        for (int r = -1; (r = reader_of(g, norm.out[0], r + 1)) >= 0;)
            all = all && op_at(g, r)->kind == OP_GEMV && graph_operand(op_at(g, r), "gain") < 0;
        for (int r = -1; all && (r = reader_of(g, norm.out[0], r + 1)) >= 0;) {
            graph_in(op_at(g, r), "x", norm.in[0]);
            graph_in(op_at(g, r), "gain", norm.in[1]);
        }
        if (all)
            drop(g, i);
    }
}

// Joins rope and store into the attention that reads their results; q, k, v keep their own tensors.
static void fold_attention(Graph *g)
{
    for (int i = 0; i < g->ops.n; ++i) {
        if (op_at(g, i)->kind != OP_ATTEND)
            continue;
        const int cache = graph_operand(op_at(g, i), "cache"), q = graph_operand(op_at(g, i), "q");
        const int store = writer_of(g, cache), rope_q = writer_of(g, q);
        if (store < 0 || rope_q < 0 || op_at(g, rope_q)->kind != OP_ROPE)
            continue;
        const int k = graph_operand(op_at(g, store), "k"), v = graph_operand(op_at(g, store), "v");
        const int rope_k = writer_of(g, k);
        if (rope_k < 0 || op_at(g, rope_k)->kind != OP_ROPE || !read_once(g, q) || !read_once(g, k))
            continue;
        Op *attend = op_at(g, i);
        graph_in(attend, "q", op_at(g, rope_q)->in[0]);
        graph_in(attend, "k", op_at(g, rope_k)->in[0]);
        graph_in(attend, "v", v);
        graph_in(attend, "angles", graph_operand(op_at(g, rope_q), "angles"));
        graph_out(attend, "kept", cache);
        // What leaves is one row a query head: the weighted values and the two numbers that merge parts, maximum and sum.
        Tensor *y = &g->tensors.at[attend->out[0]];
        y->role = "attended";
        y->rows = g->model->heads;
        y->cols = g->model->head_dim + 2;
        drop(g, store);
        drop(g, rope_q);
        drop(g, rope_k);
    }
}

// Three gemvs of one input whose results one attention reads become one, whose result is the rows of all three.
static void stack_qkv(Graph *g)
{
    for (int i = 0; i < g->ops.n; ++i) {
        Op *attend = op_at(g, i);
        if (attend->kind != OP_ATTEND || graph_operand(attend, "k") < 0)
            continue;
        const int q = writer_of(g, graph_operand(attend, "q")), k = writer_of(g, graph_operand(attend, "k"));
        const int v = writer_of(g, graph_operand(attend, "v"));
        Op *stack = op_at(g, q);
        if (stack->in[0] != op_at(g, k)->in[0] || stack->in[0] != op_at(g, v)->in[0])
            continue;
        Tensor *y = &g->tensors.at[stack->out[0]];
        y->rows += g->tensors.at[op_at(g, k)->out[0]].rows + g->tensors.at[op_at(g, v)->out[0]].rows;
        y->name = str_format(g->arena, "l%d.qkv", stack->layer);
        y->role = "qkv";
        stack->what = "qkv";
        graph_in(stack, "w2", graph_operand(op_at(g, k), "w"));
        graph_in(stack, "w3", graph_operand(op_at(g, v), "w"));
        graph_in(attend, "q", stack->out[0]);
        graph_in(attend, "k", stack->out[0]);
        graph_in(attend, "v", stack->out[0]);
        drop(g, k);
        drop(g, v);
    }
}

// gate, up -> glu -> down becomes one op that leaves a partial sum for each part of the rows, and the sum of them.
static void join_ffn(Graph *g)
{
    for (int i = 0; i < g->ops.n; ++i) {
        if (op_at(g, i)->kind != OP_GLU)
            continue;
        const Op glu = *op_at(g, i);
        const int gate = writer_of(g, glu.in[0]), up = writer_of(g, glu.in[1]), down = only_reader(g, i, OP_GEMV);
        const int add = down < 0 ? -1 : only_reader(g, down, OP_ADD);
        if (gate < 0 || up < 0 || add < 0 || op_at(g, gate)->in[0] != op_at(g, up)->in[0])
            continue;
        const int hidden = g->tensors.at[op_at(g, down)->out[0]].rows;
        const int parts = graph_tensor(g, TENSOR_ACT, str_format(g->arena, "l%d.partial", glu.layer), "partial", hidden, 1,
                                       glu.layer);
        Op *ffn = op_at(g, i);
        ffn->kind = OP_FFN;
        ffn->what = "ffn";
        for (int k = 0; k < OP_IN; ++k)
            ffn->in[k] = -1;
        graph_in(ffn, "x", graph_operand(op_at(g, gate), "x"));
        graph_in(ffn, "gain", graph_operand(op_at(g, gate), "gain"));
        graph_in(ffn, "gate", graph_operand(op_at(g, gate), "w"));
        graph_in(ffn, "up", graph_operand(op_at(g, up), "w"));
        graph_in(ffn, "down", graph_operand(op_at(g, down), "w"));
        ffn->out[0] = parts;
        Op *reduce = op_at(g, add);
        const int plus = reduce->in[0];
        reduce->kind = OP_REDUCE;
        graph_in(reduce, "parts", parts);
        graph_in(reduce, "plus", plus);
        drop(g, gate);
        drop(g, up);
        drop(g, down);
    }
}

// gate, up -> glu becomes one op.
static void join_gate(Graph *g)
{
    for (int i = 0; i < g->ops.n; ++i) {
        Op *op = op_at(g, i);
        if (op->kind != OP_GLU)
            continue;
        const int gate = writer_of(g, op->in[0]), up = writer_of(g, op->in[1]);
        if (gate < 0 || up < 0 || graph_operand(op_at(g, gate), "gain") < 0 || op_at(g, gate)->in[0] != op_at(g, up)->in[0])
            continue;
        const Op one = *op_at(g, gate), two = *op_at(g, up);
        const int down = only_reader(g, i, OP_GEMV), add = down < 0 ? -1 : only_reader(g, down, OP_ADD);
        if (add >= 0)
            op_at(g, add)->what = "down"; // whose name the sum of both will have
        op->kind = OP_GATED;
        op->what = "gated";
        for (int k = 0; k < OP_IN; ++k)
            op->in[k] = -1;
        graph_in(op, "x", graph_operand(&one, "x"));
        graph_in(op, "gain", graph_operand(&one, "gain"));
        graph_in(op, "gate", graph_operand(&one, "w"));
        graph_in(op, "up", graph_operand(&two, "w"));
        drop(g, gate);
        drop(g, up);
    }
}

static void fold_adds(Graph *g)
{
    for (int i = 0; i < g->ops.n; ++i) {
        if (op_at(g, i)->kind != OP_ADD)
            continue;
        const Op add = *op_at(g, i);
        const int gemv = writer_of(g, add.in[1]);
        if (gemv < 0 || op_at(g, gemv)->kind != OP_GEMV || !read_once(g, add.in[1]))
            continue;
        graph_in(op_at(g, gemv), "plus", add.in[0]);
        op_at(g, gemv)->out[0] = add.out[0];
        op_at(g, gemv)->what = add.what;
        drop(g, i);
    }
}

// Removes dropped ops and the tensors that only they touched, and numbers the rest anew.
static void sweep(Graph *g)
{
    int *number = arena_alloc(g->arena, (size_t)(g->tensors.n + 1) * sizeof *number);
    int ops = 0, tensors = 0;
    for (int i = 0; i < g->ops.n; ++i)
        if (g->ops.at[i].kind != OP_KINDS)
            g->ops.at[ops++] = g->ops.at[i];
    g->ops.n = ops;
    for (int t = 0; t < g->tensors.n; ++t) {
        const bool used = writer_of(g, t) >= 0 || reader_of(g, t, 0) >= 0;
        number[t] = used ? tensors : -1;
        if (used)
            g->tensors.at[tensors++] = g->tensors.at[t];
    }
    g->tensors.n = tensors;
    for (int i = 0; i < ops; ++i) {
        Op *op = op_at(g, i);
        for (int k = 0; k < OP_IN; ++k)
            op->in[k] = op->in[k] < 0 ? -1 : number[op->in[k]];
        for (int k = 0; k < OP_OUT; ++k)
            op->out[k] = op->out[k] < 0 ? -1 : number[op->out[k]];
    }
}

void graph_fuse(Graph *g, bool joined)
{
    fold_norms(g);
    fold_attention(g);
    stack_qkv(g);
    if (joined)
        join_ffn(g);
    else
        join_gate(g);
    fold_adds(g);
    sweep(g);
}

bool graph_is_split(const Graph *g)
{
    for (int i = 0; i < g->ops.n; ++i)
        if (g->ops.at[i].kind == OP_GATED)
            return true;
    return false;
}
