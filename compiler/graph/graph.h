// graph.h: Graph: the operations of one token over named tensors.
#pragma once
#include "../base/diag.h"
#include "../base/vec.h"
#include "../format/format.h"
#include "../model/model.h"
#include "../model/weights.h"
#include "ops.h"


typedef enum TensorKind { TENSOR_WEIGHT, TENSOR_ACT, TENSOR_CACHE, TENSOR_IN, TENSOR_OUT } TensorKind;

typedef struct Tensor {
    const char *name;     // weights: Hugging Face name; others "l3.qkv"
    const char *role;     // the same for every layer: "q_proj", "qkv"; tensors of one role share one buffer
    const Format *format; // of weights; NULL for float32 activations
    int rows, cols;       // y of a GEMV has rows and cols 1
    TensorKind kind;
    int layer;            // -1: outside the layers
} Tensor;

typedef struct Op {
    OpKind kind;
    int layer;        // -1: outside the layers
    int in[OP_IN];    // tensor indices by slot, -1: absent
    int out[OP_OUT];
    const char *what; // the function's name in the rendered text: "qkv"
} Op;

typedef VEC(Tensor) Tensors;
typedef VEC(Op) Ops;

typedef struct Graph {
    Arena *arena;
    const Model *model;
    Tensors tensors;
    Ops ops; // in an order in which every operand is written before it is read
} Graph;

// The ops of one token by the recipe of m->arch. Error: CONFIG_ARCH.
Graph *graph_build(Arena *a, const Model *m);

// Folds norms, rope, cache stores, residual adds and activations into their neighbours; stacks q, k, v. In place. What fused ops
// mean is in ops.h. `joined`: the feed-forward becomes one op that leaves a partial sum for each part of its rows, and their
// sum; otherwise gate and up become one op, and down stays a product.
void graph_fuse(Graph *g, bool joined);

// Was it fused for packets (gate and up as one op), not for barriers?
bool graph_is_split(const Graph *g);

// Shapes agree, every tensor has one writer, nothing is written and never read.
void graph_check(const Graph *g, Diags *d);

// One op a line: `l0.qkv = gemv(x=..., w=...)`, tensors with shapes after it.
void graph_print(const Graph *g, Str *out);

// The op in words: "qkv = [q_proj; k_proj; v_proj] norm(x)".
const char *graph_describe(const Graph *g, const Op *op);

// Building blocks for the recipes in <arch>.c. A slot is named as in ops.h.
int graph_tensor(Graph *g, TensorKind kind, const char *name, const char *role, int rows, int cols, int layer);
int graph_weight(Graph *g, const char *name, const char *role, int rows, int cols, int layer);
Op *graph_op(Graph *g, OpKind kind, int layer, const char *what);
void graph_in(Op *op, const char *slot, int tensor);
void graph_out(Op *op, const char *slot, int tensor);

// The tensor in a slot; -1: absent.
int graph_operand(const Op *op, const char *slot);

// The recipes.
void graph_llama(Graph *g);
