// gguf_weights.c: the tensors of a GGUF file under their Hugging Face names.
#include "parts.h"

#include <ctype.h>
#include <stdlib.h>

static const struct {
    const char *gguf, *hf;
} outer_names[] = {
    { "token_embd.weight", "model.embed_tokens.weight" },
    { "output_norm.weight", "model.norm.weight" },
    { "output.weight", "lm_head.weight" },
};

static const struct {
    const char *gguf, *hf;
} layer_names[] = {
    { "attn_norm.weight", "input_layernorm.weight" },    { "attn_q.weight", "self_attn.q_proj.weight" },
    { "attn_k.weight", "self_attn.k_proj.weight" },      { "attn_v.weight", "self_attn.v_proj.weight" },
    { "attn_output.weight", "self_attn.o_proj.weight" }, { "ffn_norm.weight", "post_attention_layernorm.weight" },
    { "ffn_gate.weight", "mlp.gate_proj.weight" },       { "ffn_up.weight", "mlp.up_proj.weight" },
    { "ffn_down.weight", "mlp.down_proj.weight" },
};

// A name that is in neither table stays as it is: weights_check then refuses it by the name that the file uses.
static const char *hf_name(Arena *a, const char *name)
{
    for (int i = 0; i < ARRAY_LEN(outer_names); ++i)
        if (str_equal(outer_names[i].gguf, name))
            return outer_names[i].hf;
    char *end = NULL;
    if (!str_starts(name, "blk.") || !isdigit((unsigned char)name[4]) || (name[4] == '0' && name[5] != '.'))
        return name;
    const long layer = strtol(name + 4, &end, 10);
    for (int i = 0; *end == '.' && layer < LAYERS_MOST && i < ARRAY_LEN(layer_names); ++i)
        if (str_equal(layer_names[i].gguf, end + 1))
            return str_format(a, "model.layers.%ld.%s", layer, layer_names[i].hf);
    return name;
}

// Sets in how many heads the rows of q or k lie in pairs.
static void set_heads(WeightTensor *w, int heads)
{
    if (w->rows % (2 * heads))
        error_at(w->at, ERR_TENSOR_SHAPE, "%s has %d rows: must be %d heads of an even size", w->name, w->rows, heads);
    w->interleaved_heads = heads;
}

void gguf_weights(Arena *a, const Gguf *g, const Model *m, bool own, WeightTensors *out)
{
    gguf_want_formats(g);
    if (!own)
        model_want_same(a, gguf_model(a, g), m);
    for (int i = 0; i < g->n_tensors; ++i) {
        const GgufTensor *t = &g->tensors[i];
        if (str_equal(t->name, "rope_freqs.weight")) // part of the model's rope
            continue;
        WeightTensor w = {
            .name = hf_name(a, t->name), .format = format_of_gguf(t->type), .data = t->data, .at = t->at
        };
        w.rank = t->rank;
        w.cols = (int)t->dims[0];
        w.rows = t->rank <= 2 ? (int)t->dims[1] : 0;
        if (str_ends(w.name, "self_attn.q_proj.weight"))
            set_heads(&w, m->heads);
        if (str_ends(w.name, "self_attn.k_proj.weight"))
            set_heads(&w, m->kv_heads);
        vec_push(a, out, w);
    }
}
