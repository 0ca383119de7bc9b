// same.c: weights that come with a description of their own, against the model they are given for.
#include "parts.h"

#include <math.h>

static void want_equal(const Model *own, const char *what, int here, int there)
{
    if (here != there)
        error_at(own->at, ERR_CONFIG_VALUE, "these weights are of a model with %s %d: the model given has %d", what,
                 here, there);
}

void model_want_same(Arena *a, const Model *own, const Model *m)
{
    want_equal(own, "layers", own->layers, m->layers);
    want_equal(own, "hidden", own->hidden, m->hidden);
    want_equal(own, "heads", own->heads, m->heads);
    want_equal(own, "kv_heads", own->kv_heads, m->kv_heads);
    want_equal(own, "head_dim", own->head_dim, m->head_dim);
    want_equal(own, "ffn", own->ffn, m->ffn);
    want_equal(own, "vocab", own->vocab, m->vocab);
    if ((float)own->norm_eps != (float)m->norm_eps)
        error_at(own->at, ERR_CONFIG_VALUE, "these weights are of a model with norm_eps %g: the model given has %g",
                 own->norm_eps, m->norm_eps);
    const double *here = model_rope_frequencies(a, own), *there = model_rope_frequencies(a, m);
    for (int i = 0; i < m->head_dim / 2; ++i)
        if (fabs(here[i] - there[i]) > 1e-5 * there[i]) // a GGUF holds theta and factors as float32
            error_at(own->at, ERR_CONFIG_VALUE,
                     "these weights are of a model whose rope turns pair %d by %.9g a position: the model given turns "
                     "it by %.9g",
                     i, here[i], there[i]);
}
