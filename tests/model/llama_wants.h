// llama_wants.h: the tensors of a Llama model, for weights_check, without a graph.
#pragma once
#include "../../compiler/base/str.h"
#include "../../compiler/base/vec.h"
#include "../../compiler/model/weights.h"

typedef VEC(WeightWant) Wants;

static void want(Arena *a, Wants *out, const char *name, int rows, int cols)
{
    const WeightWant w = { name, rows, cols };
    vec_push(a, out, w);
}

static void want_layer(Arena *a, Wants *out, const Model *m, int layer)
{
    const char *p = str_format(a, "model.layers.%d", layer);
    const int q = m->heads * m->head_dim, kv = m->kv_heads * m->head_dim;
    want(a, out, str_format(a, "%s.input_layernorm.weight", p), 1, m->hidden);
    want(a, out, str_format(a, "%s.self_attn.q_proj.weight", p), q, m->hidden);
    want(a, out, str_format(a, "%s.self_attn.k_proj.weight", p), kv, m->hidden);
    want(a, out, str_format(a, "%s.self_attn.v_proj.weight", p), kv, m->hidden);
    want(a, out, str_format(a, "%s.self_attn.o_proj.weight", p), m->hidden, q);
    want(a, out, str_format(a, "%s.post_attention_layernorm.weight", p), 1, m->hidden);
    want(a, out, str_format(a, "%s.mlp.gate_proj.weight", p), m->ffn, m->hidden);
    want(a, out, str_format(a, "%s.mlp.up_proj.weight", p), m->ffn, m->hidden);
    want(a, out, str_format(a, "%s.mlp.down_proj.weight", p), m->hidden, m->ffn);
}

static Wants llama_wants(Arena *a, const Model *m)
{
    Wants out = { 0 };
    want(a, &out, "model.embed_tokens.weight", m->vocab, m->hidden);
    for (int i = 0; i < m->layers; ++i)
        want_layer(a, &out, m, i);
    want(a, &out, "model.norm.weight", 1, m->hidden);
    if (!m->tied_embedding)
        want(a, &out, "lm_head.weight", m->vocab, m->hidden);
    return out;
}
