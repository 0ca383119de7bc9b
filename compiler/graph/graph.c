// graph.c: constructors of a graph: tensors, ops, operands by slot name.
#include "graph.h"

#include <stdlib.h>

int graph_tensor(Graph *g, TensorKind kind, const char *name, const char *role, int rows, int cols, int layer)
{
    const Tensor t = { .name = name, .role = role, .rows = rows, .cols = cols, .kind = kind, .layer = layer };
    vec_push(g->arena, &g->tensors, t);
    return g->tensors.n - 1;
}

int graph_weight(Graph *g, const char *name, const char *role, int rows, int cols, int layer)
{
    const int t = graph_tensor(g, TENSOR_WEIGHT, name, role, rows, cols, layer);
    g->tensors.at[t].format = rows == 1 ? &format_f32 : weights_stored(g->model, name);
    return t;
}

Op *graph_op(Graph *g, OpKind kind, int layer, const char *what)
{
    Op op = { .kind = kind, .layer = layer, .what = what };
    for (int i = 0; i < OP_IN; ++i)
        op.in[i] = -1;
    for (int i = 0; i < OP_OUT; ++i)
        op.out[i] = -1;
    vec_push(g->arena, &g->ops, op);
    return &g->ops.at[g->ops.n - 1];
}

// A slot that the op does not have is a mistake in a recipe.
static int must_slot(const Op *op, const char *slot)
{
    const int i = op_slot(op->kind, slot);
    if (i < 0)
        error_at(NOWHERE, ERR_INTERNAL, "op %s has no operand \"%s\"", op_info(op->kind).name, slot);
    return i;
}

void graph_in(Op *op, const char *slot, int tensor)
{
    op->in[must_slot(op, slot)] = tensor;
}

void graph_out(Op *op, const char *slot, int tensor)
{
    op->out[must_slot(op, slot) - OP_IN] = tensor;
}

int graph_operand(const Op *op, const char *slot)
{
    const int i = must_slot(op, slot);
    return i < OP_IN ? op->in[i] : op->out[i - OP_IN];
}
