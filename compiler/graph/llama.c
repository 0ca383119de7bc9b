// llama.c: Llama: names of its tensors, its ops for one token.
//
//   x = embedding[id]
//   layer: q, k, v = Wq n, Wk n, Wv n   with n = norm(x);  q, k turned by position;  k, v kept in the cache
//          y = x + Wo attention(q, cache)
//          x = y + Wdown (silu(Wgate m) * Wup m)   with m = norm(y)
//   next = argmax(Whead norm(x))
#include "graph.h"

typedef struct Shape {
    int hidden, q_rows, kv_rows, ffn, vocab;
} Shape;

static const char *layer_name(Graph *g, int layer, const char *rest)
{
    return str_format(g->arena, "model.layers.%d.%s", layer, rest);
}

static int layer_act(Graph *g, int layer, const char *role, int rows)
{
    return graph_tensor(g, TENSOR_ACT, str_format(g->arena, "l%d.%s", layer, role), role, rows, 1, layer);
}

static int norm(Graph *g, int layer, const char *what, int x, const char *gain_name, int hidden)
{
    const int gain = graph_weight(g, gain_name, what, 1, hidden, layer);
    const int y = layer < 0 ? graph_tensor(g, TENSOR_ACT, what, what, hidden, 1, -1) : layer_act(g, layer, what, hidden);
    Op *op = graph_op(g, OP_NORM, layer, what);
    graph_in(op, "x", x);
    graph_in(op, "gain", gain);
    graph_out(op, "y", y);
    return y;
}

// y = W x with the layer's matrix `name` ("self_attn.q_proj"); its role and the result's are made of `what`.
static int gemv(Graph *g, int layer, const char *what, int x, const char *name, int rows, int cols)
{
    const char *dot = strrchr(name, '.');
    const int w = graph_weight(g, layer_name(g, layer, str_format(g->arena, "%s.weight", name)), dot ? dot + 1 : name, rows,
                               cols, layer);
    const int y = layer_act(g, layer, what, rows);
    Op *op = graph_op(g, OP_GEMV, layer, what);
    graph_in(op, "x", x);
    graph_in(op, "w", w);
    graph_out(op, "y", y);
    return y;
}

static int two(Graph *g, OpKind kind, int layer, const char *what, const char *role, int a, int b, int rows)
{
    const int y = layer_act(g, layer, role, rows);
    Op *op = graph_op(g, kind, layer, what);
    graph_in(op, "a", a);
    graph_in(op, "b", b);
    graph_out(op, "y", y);
    return y;
}

static int rope(Graph *g, int layer, const char *what, int x, int angles, int rows)
{
    const int y = layer_act(g, layer, what, rows);
    Op *op = graph_op(g, OP_ROPE, layer, what);
    graph_in(op, "x", x);
    graph_in(op, "angles", angles);
    graph_out(op, "y", y);
    return y;
}

static int attention(Graph *g, int layer, int n, int angles, Shape s)
{
    const int q = gemv(g, layer, "q", n, "self_attn.q_proj", s.q_rows, s.hidden);
    const int k = gemv(g, layer, "k", n, "self_attn.k_proj", s.kv_rows, s.hidden);
    const int v = gemv(g, layer, "v", n, "self_attn.v_proj", s.kv_rows, s.hidden);
    const int turned_q = rope(g, layer, "rope_q", q, angles, s.q_rows);
    const int turned_k = rope(g, layer, "rope_k", k, angles, s.kv_rows);
    const int cache = graph_tensor(g, TENSOR_CACHE, str_format(g->arena, "l%d.cache", layer), "cache",
                                   g->model->max_tokens, 2 * s.kv_rows, layer);
    Op *store = graph_op(g, OP_STORE, layer, "store");
    graph_in(store, "k", turned_k);
    graph_in(store, "v", v);
    graph_out(store, "kept", cache);
    const int a = layer_act(g, layer, "attended", s.q_rows);
    Op *op = graph_op(g, OP_ATTEND, layer, "attend");
    graph_in(op, "q", turned_q);
    graph_in(op, "cache", cache);
    graph_out(op, "y", a);
    return a;
}

static int layer_ops(Graph *g, int layer, int x, int angles, Shape s)
{
    const int n = norm(g, layer, "input_norm", x, layer_name(g, layer, "input_layernorm.weight"), s.hidden);
    const int a = attention(g, layer, n, angles, s);
    const int o = gemv(g, layer, "o", a, "self_attn.o_proj", s.hidden, s.q_rows);
    const int y = two(g, OP_ADD, layer, "wo", "y", x, o, s.hidden);
    const int m = norm(g, layer, "ffn_norm", y, layer_name(g, layer, "post_attention_layernorm.weight"), s.hidden);
    const int gate = gemv(g, layer, "gate", m, "mlp.gate_proj", s.ffn, s.hidden);
    const int up = gemv(g, layer, "up", m, "mlp.up_proj", s.ffn, s.hidden);
    const int h = two(g, OP_GLU, layer, "glu", "h", gate, up, s.ffn);
    const int d = gemv(g, layer, "down", h, "mlp.down_proj", s.hidden, s.ffn);
    return two(g, OP_ADD, layer, "reduce", "x", y, d, s.hidden);
}

void graph_llama(Graph *g)
{
    const Model *m = g->model;
    const Shape s = { m->hidden, m->heads * m->head_dim, m->kv_heads * m->head_dim, m->ffn, m->vocab };
    const int id = graph_tensor(g, TENSOR_IN, "id", "id", 1, 1, -1);
    const int angles = graph_tensor(g, TENSOR_IN, "angles", "angles", m->max_tokens, m->head_dim, -1);
    const int table = graph_weight(g, "model.embed_tokens.weight", "embed_tokens", s.vocab, s.hidden, -1);
    int x = graph_tensor(g, TENSOR_ACT, "x", "x", s.hidden, 1, -1);
    Op *embed = graph_op(g, OP_EMBED, -1, "embed");
    graph_in(embed, "id", id);
    graph_in(embed, "table", table);
    graph_out(embed, "y", x);
    for (int layer = 0; layer < m->layers; ++layer)
        x = layer_ops(g, layer, x, angles, s);
    const int n = norm(g, -1, "final_norm", x, "model.norm.weight", s.hidden);
    const int head = m->tied_embedding ? table : graph_weight(g, "lm_head.weight", "lm_head", s.vocab, s.hidden, -1);
    const int logits = graph_tensor(g, TENSOR_OUT, "logits", "logits", s.vocab, 1, -1);
    const int best = graph_tensor(g, TENSOR_ACT, "best", "best", 1, 2, -1);
    Op *op = graph_op(g, OP_GEMV, -1, "head");
    graph_in(op, "x", n);
    graph_in(op, "w", head);
    graph_out(op, "y", logits);
    graph_out(op, "best", best);
    const int next = graph_tensor(g, TENSOR_OUT, "next", "next", 1, 1, -1);
    Op *select = graph_op(g, OP_SELECT, -1, "select");
    graph_in(select, "best", best);
    graph_in(select, "logits", logits);
    graph_out(select, "next", next);
}
