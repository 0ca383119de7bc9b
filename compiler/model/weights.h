// weights.h: Weights: tensors by Hugging Face name, from safetensors, GGUF or a hash, whatever the file looks like.
#pragma once
#include "../base/diag.h"
#include "../format/format.h"
#include "model.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct WeightTensor {
    const char *name;      // Hugging Face name: "model.layers.0.self_attn.q_proj.weight"
    const Format *format;  // as in the file
    int rank;              // dimensions in the file
    int rows, cols;        // a vector has rows 1; 0 where rank is neither 1 nor 2
    const uint8_t *data;   // mapped; NULL for random weights
    int interleaved_heads; // > 0: rows of so many heads lie in GGUF's order (pairs 2i, 2i+1); weights_row undoes it
    Loc at;
} WeightTensor;

// What a model needs: name and shape. Collected from the graph.
typedef struct WeightWant {
    const char *name;
    int rows, cols;
} WeightWant;

// Opens the weights of a model: spec NULL: the model's own (NULL when it is a config.json alone); "none": NULL;
// "random:SEED": by hash, any shape; else a path: folder, .safetensors, index.json or .gguf. Errors as model_load.
const Weights *weights_open(Arena *a, const Model *m, const char *spec);

// The tensor, or NULL. Random weights have every tensor the model wants once weights_check has run.
const WeightTensor *weights_find(const Weights *w, const char *name);

// Row `row` as float32 in Hugging Face's order: out[cols].
void weights_row(const Weights *w, const WeightTensor *t, int row, float *out);

// Every want is there with its shape, every tensor there is wanted or known to be irrelevant (rotary inv_freq buffers).
// Errors collected: TENSOR_MISSING, TENSOR_SHAPE, TENSOR_UNKNOWN.
void weights_check(Arena *a, const Weights *w, const WeightWant *wants, int n, Diags *d);

// The format a matrix of this name is packed in: F16 stays F16, all others BF16; without weights, m->format.
const Format *weights_stored(const Model *m, const char *name);

// "random:SEED" was given: *seed.
bool weights_random(const Weights *w, uint64_t *seed);

// Total bytes of tensor data, for space checks and progress.
int64_t weights_bytes(const Weights *w);
