// print.c: the text form of a graph: one op a line, then the tensors.
#include "graph.h"

static void print_op(const Graph *g, const Op *op, Str *out)
{
    const OpInfo info = op_info(op->kind);
    bool first = true;
    for (int i = 0; i < OP_OUT; ++i)
        if (op->out[i] >= 0) {
            str_add(out, "%s%s", first ? "" : ", ", g->tensors.at[op->out[i]].name);
            first = false;
        }
    str_add(out, " = %s(", info.name);
    first = true;
    for (int i = 0; i < OP_IN; ++i)
        if (op->in[i] >= 0) {
            str_add(out, "%s%s=%s", first ? "" : ", ", info.slot[i], g->tensors.at[op->in[i]].name);
            first = false;
        }
    str_add(out, ")    # %s\n", op->what);
}

static const char *role_of(const Graph *g, int tensor)
{
    return g->tensors.at[tensor].role;
}

// y = plus + [w; w2; w3] norm(x): the operands that are there, by role.
static const char *describe_gemv(const Graph *g, const Op *op)
{
    static const char *const slots[] = { "w", "w2", "w3" };
    Str s = str_new(g->arena);
    const int plus = graph_operand(op, "plus"), stacked = graph_operand(op, "w2");
    str_add(&s, "%s = ", role_of(g, op->out[0]));
    if (plus >= 0)
        str_add(&s, "%s + ", role_of(g, plus));
    str_add(&s, stacked >= 0 ? "[" : "");
    for (int i = 0; i < ARRAY_LEN(slots); ++i)
        if (graph_operand(op, slots[i]) >= 0)
            str_add(&s, "%s%s", i ? "; " : "", role_of(g, graph_operand(op, slots[i])));
    str_add(&s, stacked >= 0 ? "] " : " ");
    str_add(&s, graph_operand(op, "gain") >= 0 ? "norm(%s)" : "%s", role_of(g, graph_operand(op, "x")));
    return s.text;
}

const char *graph_describe(const Graph *g, const Op *op)
{
    return op->kind == OP_GEMV ? describe_gemv(g, op) : op_info(op->kind).meaning;
}

void graph_print(const Graph *g, Str *out)
{
    static const char *const kinds[] = { "weight", "act", "cache", "in", "out" };
    str_add(out, "graph of %s: %d ops, %d tensors\n", g->model->name, g->ops.n, g->tensors.n);
    for (int i = 0; i < g->ops.n; ++i)
        print_op(g, &g->ops.at[i], out);
    for (int i = 0; i < g->tensors.n; ++i) {
        const Tensor *t = &g->tensors.at[i];
        str_add(out, "%-6s %s [%d x %d]%s%s\n", kinds[t->kind], t->name, t->rows, t->cols, t->format ? " " : "",
                t->format ? t->format->name : "");
    }
}
