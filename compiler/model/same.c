// same.c: weights that come with a description of their own, against the model they are given for.
#include "parts.h"

#include <math.h>

static void want_equal(const Model *own, const char *what, int here, int there)
{
    if (here != there)
        error_at(own->at, ERR_CONFIG_VALUE, "these weights are of a model with %s %d: the model given has %d", what,
                 here, there);
}

// The first rope pair that turns by another angle, or -1. A GGUF holds theta and factors as float32.
static int first_turned(Arena *a, const Model *one, const Model *other)
{
    const double *here = model_rope_frequencies(a, one), *there = model_rope_frequencies(a, other);
    for (int i = 0; i < other->head_dim / 2; ++i)
        if (fabs(here[i] - there[i]) > 1e-5 * there[i])
            return i;
    return -1;
}

const char *model_difference(Arena *a, const Model *m, const Model *made)
{
    const struct {
        const char *name;
        int here, there;
    } facts[] = { { "layers", m->layers, made->layers },       { "hidden", m->hidden, made->hidden },
                  { "heads", m->heads, made->heads },          { "kv_heads", m->kv_heads, made->kv_heads },
                  { "head_dim", m->head_dim, made->head_dim }, { "ffn", m->ffn, made->ffn },
                  { "vocab", m->vocab, made->vocab } };
    if (!str_equal(m->arch, made->arch))
        return str_format(a, "arch is %s, this one's is %s", made->arch, m->arch);
    for (int i = 0; i < ARRAY_LEN(facts); ++i)
        if (facts[i].here != facts[i].there)
            return str_format(a, "%s is %d, this one's is %d", facts[i].name, facts[i].there, facts[i].here);
    if ((float)m->norm_eps != (float)made->norm_eps)
        return str_format(a, "norm_eps is %g, this one's is %g", made->norm_eps, m->norm_eps);
    if (m->tied_embedding != made->tied_embedding)
        return made->tied_embedding ? "head is the embedding, this one has a head of its own"
                                    : "head is a matrix of its own, this one's is the embedding";
    if (m->format != made->format)
        return str_format(a, "format is %s, this one's is %s", made->format->name, m->format->name);
    const int pair = first_turned(a, m, made);
    if (pair >= 0)
        return str_format(a, "rope turns pair %d by %.9g a position, this one's by %.9g", pair,
                          model_rope_frequencies(a, made)[pair], model_rope_frequencies(a, m)[pair]);
    return NULL;
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
    const int pair = first_turned(a, own, m);
    if (pair >= 0)
        error_at(own->at, ERR_CONFIG_VALUE,
                 "these weights are of a model whose rope turns pair %d by %.9g a position: the model given turns "
                 "it by %.9g",
                 pair, model_rope_frequencies(a, own)[pair], model_rope_frequencies(a, m)[pair]);
}
