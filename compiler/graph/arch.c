// arch.c: the list of architectures.
#include "graph.h"

typedef struct Arch {
    const char *name;
    void (*recipe)(Graph *g);
} Arch;

static const Arch archs[] = {
    { "llama", graph_llama },
};

Graph *graph_build(Arena *a, const Model *m)
{
    Graph *g = arena_alloc(a, sizeof *g);
    g->arena = a;
    g->model = m;
    for (int i = 0; i < ARRAY_LEN(archs); ++i)
        if (str_equal(archs[i].name, m->arch)) {
            archs[i].recipe(g);
            return g;
        }
    error_at(m->at, ERR_CONFIG_ARCH, "architecture \"%s\" has no recipe: llama is supported", m->arch);
}
