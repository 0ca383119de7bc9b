// tiny.h: the model that make.c writes: its sizes, its tensors, its values.
#pragma once
#include "../../compiler/format/format.h"
#include "../../runtime/hash.h"

#include <stdio.h>
#include <string.h>

enum {
    TINY_LAYERS = 2,
    TINY_HIDDEN = 32,
    TINY_HEADS = 4,
    TINY_KV_HEADS = 2,
    TINY_HEAD_DIM = 8,
    TINY_FFN = 64,
    TINY_VOCAB = 40,
    TINY_LAYER_TENSORS = 9,
    TINY_TENSORS = 3 + TINY_LAYERS * TINY_LAYER_TENSORS,
};

typedef struct TinyTensor {
    char name[64], gguf[64];
    int rows, cols; // rows 1: a vector
    int heads;      // whose rows GGUF keeps in pairs, else 0
} TinyTensor;

// Tensor i of TINY_TENSORS: embedding, layers, final norm, head.
static inline TinyTensor tiny_tensor(int i)
{
    enum { Q = TINY_HEADS * TINY_HEAD_DIM, KV = TINY_KV_HEADS * TINY_HEAD_DIM };
    static const TinyTensor outer[] = { { "model.embed_tokens.weight", "token_embd.weight", TINY_VOCAB, TINY_HIDDEN,
                                          0 },
                                        { "model.norm.weight", "output_norm.weight", 1, TINY_HIDDEN, 0 },
                                        { "lm_head.weight", "output.weight", TINY_VOCAB, TINY_HIDDEN, 0 } };
    static const TinyTensor layer[] = {
        { "input_layernorm", "attn_norm", 1, TINY_HIDDEN, 0 },
        { "self_attn.q_proj", "attn_q", Q, TINY_HIDDEN, TINY_HEADS },
        { "self_attn.k_proj", "attn_k", KV, TINY_HIDDEN, TINY_KV_HEADS },
        { "self_attn.v_proj", "attn_v", KV, TINY_HIDDEN, 0 },
        { "self_attn.o_proj", "attn_output", TINY_HIDDEN, Q, 0 },
        { "post_attention_layernorm", "ffn_norm", 1, TINY_HIDDEN, 0 },
        { "mlp.gate_proj", "ffn_gate", TINY_FFN, TINY_HIDDEN, 0 },
        { "mlp.up_proj", "ffn_up", TINY_FFN, TINY_HIDDEN, 0 },
        { "mlp.down_proj", "ffn_down", TINY_HIDDEN, TINY_FFN, 0 },
    };
    if (i == 0 || i > TINY_LAYERS * TINY_LAYER_TENSORS)
        return outer[i ? i - TINY_LAYERS * TINY_LAYER_TENSORS : 0];
    TinyTensor t = layer[(i - 1) % TINY_LAYER_TENSORS];
    const int number = (i - 1) / TINY_LAYER_TENSORS;
    char name[32], gguf[16];
    strcpy(name, t.name);
    strcpy(gguf, t.gguf);
    snprintf(t.name, sizeof t.name, "model.layers.%d.%s.weight", number, name);
    snprintf(t.gguf, sizeof t.gguf, "blk.%d.%s.weight", number, gguf);
    return t;
}

// A value in [-1, 1) for each place of each tensor, by its Hugging Face name.
static inline float tiny_value(const char *name, int row, int col)
{
    return hash_unit(hash_key(7, name), (uint32_t)row, (uint32_t)col);
}

// The row that GGUF puts at place `row`, as converters to GGUF do it: each head's rows, seen as [2][half], are
// transposed.
static inline int tiny_source_row(const TinyTensor *t, int row)
{
    if (!t->heads)
        return row;
    const int head_rows = t->rows / t->heads, half = head_rows / 2;
    const int within = row % head_rows;
    return row - within + within % 2 * half + within / 2;
}
