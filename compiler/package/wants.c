// wants.c: what a program needs of a checkpoint: its tensors, and the ids that begin and end a text.
#include "package_write.h"

#include "../base/vec.h"

int package_wants(Arena *a, const Graph *g, const WeightWant **wants)
{
    VEC(WeightWant) list = { 0 };
    for (int i = 0; i < g->tensors.n; ++i) {
        const Tensor *t = &g->tensors.at[i];
        if (t->kind != TENSOR_WEIGHT)
            continue;
        const WeightWant want = { t->name, t->rows, t->cols };
        vec_push(a, &list, want);
    }
    *wants = list.at;
    return list.n;
}

static void add_end(uint32_t *ends, int *n, uint32_t id)
{
    for (int i = 0; i < *n; ++i)
        if (ends[i] == id)
            return;
    if (*n < REQUEST_EOS)
        ends[(*n)++] = id;
}

void package_set_ends(Arena *a, PackageInput *in, const Model *m)
{
    const PkgTokenizer *t = in->tokenizer ? in->tokenizer->tables : NULL;
    uint32_t *ends = arena_alloc(a, REQUEST_EOS * sizeof *ends);
    int n = 0;
    for (int i = 0; i < m->n_eos; ++i)
        add_end(ends, &n, (uint32_t)m->eos[i]);
    for (uint32_t i = 0; t && i < t->eos_count; ++i)
        add_end(ends, &n, t->eos[i]);
    in->eos = ends;
    in->eos_count = n;
    in->bos = t ? t->bos : m->bos;
}
