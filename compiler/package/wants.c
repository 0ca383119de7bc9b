// wants.c: what a program needs of a checkpoint: its tensors, and the ids that begin and end a text.
#include "package_write.h"

#include "../base/vec.h"

#include <string.h>

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

// The special token at the start of `behind`, the longest of several; -1: there is none.
static int64_t token_at_start(const PkgTokenizer *t, const char *behind)
{
    const char *base = (const char *)t;
    const uint32_t *at = (const uint32_t *)(base + t->token_at);
    const uint8_t *type = (const uint8_t *)(base + t->type_at);
    int64_t best = -1;
    for (uint32_t id = 0; id < t->vocab; ++id) {
        const uint32_t bytes = at[id + 1] - at[id];
        const int kind = type[id] & TOKEN_KIND;
        if ((kind == TOKEN_SPECIAL || kind == TOKEN_ADDED) && bytes &&
            strncmp(behind, base + t->text_at + at[id], bytes) == 0 && (best < 0 || bytes > at[best + 1] - at[best]))
            best = id;
    }
    return best;
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
    const char *behind = t && in->chat ? chat_turn_end(a, in->chat) : NULL;
    const int64_t turn_end = behind ? token_at_start(t, behind) : -1;
    if (turn_end >= 0)
        add_end(ends, &n, (uint32_t)turn_end);
    in->eos = ends;
    in->eos_count = n;
    in->bos = t ? t->bos : m->bos;
}
