// check.c: shapes agree, every tensor has one writer, nothing is written and never read.
#include "graph.h"

static const Tensor *operand(const Graph *g, const Op *op, const char *slot)
{
    const int t = graph_operand(op, slot);
    return t < 0 ? NULL : &g->tensors.at[t];
}

static void add(Diags *d, const Graph *g, const Op *op, const char *what)
{
    diag_add(d, g->model->at, ERR_INTERNAL, "graph: op %s of layer %d: %s", op->what, op->layer, what);
}

// Rows of all stacked matrices are y's rows; their columns are x's length.
static void check_gemv(const Graph *g, const Op *op, Diags *d)
{
    static const char *const slots[] = { "w", "w2", "w3" };
    const Tensor *x = operand(g, op, "x"), *y = operand(g, op, "y"), *first = operand(g, op, "w");
    const bool merged = str_equal(x->role, "attended") && x->cols > 1;
    const int length = merged ? x->rows * (x->cols - 2) : x->rows;
    int rows = 0;
    for (int i = 0; i < ARRAY_LEN(slots); ++i) {
        const Tensor *w = operand(g, op, slots[i]);
        if (!w)
            continue;
        rows += w->rows;
        if (w->cols != length)
            add(d, g, op, "columns of a matrix are not the length of its input");
        if (w->format != first->format)
            diag_add(d, g->model->at, ERR_TENSOR_TYPE, "%s is %s and %s is %s: matrices read together need one format",
                     first->name, first->format->name, w->name, w->format->name);
    }
    if (rows != y->rows)
        add(d, g, op, "rows of the matrices are not the length of the result");
}

static void check_ffn(const Graph *g, const Op *op, Diags *d)
{
    const Tensor *gate = operand(g, op, "gate"), *up = operand(g, op, "up"), *down = operand(g, op, "down");
    if (gate->rows != up->rows || gate->cols != up->cols || down->cols != gate->rows)
        add(d, g, op, "gate, up and down do not fit together");
    if (gate->format != up->format || gate->format != down->format)
        diag_add(d, g->model->at, ERR_TENSOR_TYPE, "%s, %s and %s have different formats: matrices read together need one",
                 gate->name, up->name, down->name);
}

static void check_operands(const Graph *g, const Op *op, Diags *d)
{
    const OpInfo info = op_info(op->kind);
    for (int i = 0; i < OP_IN + OP_OUT; ++i) {
        const int t = i < OP_IN ? op->in[i] : op->out[i - OP_IN];
        if (info.access[i] != ACCESS_NONE && !info.optional[i] && t < 0)
            add(d, g, op, str_format(d->arena, "operand \"%s\" is absent", info.slot[i]));
    }
}

static void check_uses(const Graph *g, Diags *d)
{
    int *writers = arena_alloc(d->arena, (size_t)(g->tensors.n + 1) * sizeof *writers);
    int *readers = arena_alloc(d->arena, (size_t)(g->tensors.n + 1) * sizeof *readers);
    for (int i = 0; i < g->ops.n; ++i) {
        const Op *op = &g->ops.at[i];
        for (int k = 0; k < OP_IN; ++k) {
            if (op->in[k] < 0)
                continue;
            const Tensor *t = &g->tensors.at[op->in[k]];
            readers[op->in[k]]++;
            if (t->kind == TENSOR_ACT && !writers[op->in[k]])
                add(d, g, op, str_format(d->arena, "reads %s before it is written", t->name));
        }
        for (int k = 0; k < OP_OUT; ++k)
            if (op->out[k] >= 0 && writers[op->out[k]]++)
                add(d, g, op, str_format(d->arena, "writes %s a second time", g->tensors.at[op->out[k]].name));
    }
    for (int t = 0; t < g->tensors.n; ++t)
        if (!readers[t] && g->tensors.at[t].kind != TENSOR_OUT)
            diag_add(d, g->model->at, ERR_INTERNAL, "graph: nothing reads %s", g->tensors.at[t].name);
}

// Layers of one class share code: a weight of one role has one format in all of them.
static void check_classes(const Graph *g, Diags *d)
{
    for (int i = 0; i < g->tensors.n; ++i) {
        const Tensor *t = &g->tensors.at[i];
        if (t->kind != TENSOR_WEIGHT || t->layer <= 0)
            continue;
        for (int k = 0; k < i; ++k) {
            const Tensor *first = &g->tensors.at[k];
            const bool alike = first->kind == TENSOR_WEIGHT && first->layer == 0 && str_equal(first->role, t->role);
            if (alike && first->format != t->format)
                diag_add(d, g->model->at, ERR_TENSOR_TYPE, "%s is %s and %s is %s: layers that share code need one format",
                         first->name, first->format->name, t->name, t->format->name);
        }
    }
}

void graph_check(const Graph *g, Diags *d)
{
    const int before = d->list.n;
    for (int i = 0; i < g->ops.n; ++i)
        check_operands(g, &g->ops.at[i], d);
    if (d->list.n > before)
        return; // the rest reads operands
    for (int i = 0; i < g->ops.n; ++i) {
        if (g->ops.at[i].kind == OP_GEMV)
            check_gemv(g, &g->ops.at[i], d);
        if (g->ops.at[i].kind == OP_FFN)
            check_ffn(g, &g->ops.at[i], d);
    }
    check_uses(g, d);
    check_classes(g, d);
}
