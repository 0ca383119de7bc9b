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
