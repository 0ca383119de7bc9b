// fuse.c: fuse MODELS: in every model of the folder, fusion keeps the weights, the inputs and the outputs, and leaves sound
// graphs of five ops a layer.
#include "../test.h"

#include "../../compiler/base/file.h"
#include "../../compiler/graph/graph.h"

static bool is_kept(const Tensor *t)
{
    return t->kind != TENSOR_ACT;
}

static const Tensor *find(const Graph *g, const char *name)
{
    for (int i = 0; i < g->tensors.n; ++i)
        if (str_equal(g->tensors.at[i].name, name))
            return &g->tensors.at[i];
    return NULL;
}

static void check_sound(const Graph *g)
{
    Diags d = { .arena = g->arena };
    graph_check(g, &d);
    for (int i = 0; i < d.list.n; ++i)
        printf("%s: %s\n", g->model->name, d.list.at[i].text);
    ASSERT_INT(0, d.list.n);
}

static void check_model(Arena *a, const char *path)
{
    Model *m = model_load(a, path);
    Graph *whole = graph_build(a, m), *fused = graph_build(a, m);
    graph_fuse(fused, true);
    check_sound(whole);
    check_sound(fused);
    ASSERT_INT(3 + 16 * m->layers + 1, whole->ops.n);
    ASSERT_INT(3 + 5 * m->layers, fused->ops.n);
    int kept = 0, left = 0;
    for (int i = 0; i < whole->tensors.n; ++i) {
        const Tensor *t = &whole->tensors.at[i], *same = find(fused, t->name);
        if (!is_kept(t))
            continue;
        ++kept;
        ASSERT(same && same->rows == t->rows && same->cols == t->cols && same->kind == t->kind && same->format == t->format);
    }
    for (int i = 0; i < fused->tensors.n; ++i)
        left += is_kept(&fused->tensors.at[i]);
    ASSERT_INT(kept, left);
    int read = 0;
    for (int i = 0; i < fused->ops.n; ++i)
        for (int k = 0; k < OP_IN; ++k)
            read += fused->ops.at[i].in[k] >= 0 && fused->tensors.at[fused->ops.at[i].in[k]].kind == TENSOR_WEIGHT;
    ASSERT_INT(2 + 9 * m->layers + 1, read); // embedding, head, final norm; a layer's seven matrices and two norms
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    Arena *a = arena_new();
    int n = 0, models = 0;
    const char *const *names = file_list(a, argv[1], &n);
    for (int i = 0; i < n; ++i)
        if (str_ends(names[i], ".json")) {
            check_model(a, str_join(a, argv[1], names[i]));
            ++models;
        }
    ASSERT(models > 5);
    arena_free(a);
    return test_failed;
}
