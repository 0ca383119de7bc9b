// parts.h: what the readers of this folder give each other; private to compiler/model/.
#pragma once
#include "gguf.h"
#include "model.h"
#include "weights.h"

#include "../base/vec.h"

typedef VEC(WeightTensor) WeightTensors;

// Bounds of what any source may say of a model.
enum {
    LAYERS_MOST = 512,
    HIDDEN_LEAST = 8,
    HIDDEN_MOST = 65536,
    HEADS_MOST = 1024,
    HEAD_DIM_MOST = 512,
    FFN_MOST = 1 << 20,
    VOCAB_MOST = 1 << 22,
    TOKENS_MOST = 1 << 30,
};

// The model of a config.json, without name or weights. Errors: CONFIG_*, ROPE_*, JSON_*.
Model *config_model(Arena *a, const char *path);

// Adds the ids that end a text by generation_config.json, and its bos where config.json gives none.
void config_add_generation(Arena *a, Model *m, const char *path);

// Adds an error for each member of `object` that is in no list, with the nearest known name. `what`: which object; "":
// the config itself. Error: CONFIG_KEY.
void config_refuse_unknown(Json object, const char *what, const char *const *known, int n, Diags *d);

// What rope_theta, rope_scaling and rope_parameters of a config say. Errors: ROPE_*, CONFIG_KEY.
Rope rope_of_config(Arena *a, Json config);

// The model of a GGUF file, without name or weights. Errors: GGUF_KEY, ROPE_TYPE, CONFIG_*.
Model *gguf_model(Arena *a, const Gguf *g);

// Adds the tensors of a GGUF under their Hugging Face names. own: `m` was read from it; else it must describe the same
// model. Errors: TENSOR_TYPE, TENSOR_SHAPE, as gguf_model and model_want_same.
void gguf_weights(Arena *a, const Gguf *g, const Model *m, bool own, WeightTensors *out);

// Refuses weights that describe themselves (`own`) as of another model than `m`: with another epsilon or rope they would
// run and be wrong. Error: CONFIG_VALUE.
void model_want_same(Arena *a, const Model *own, const Model *m);

// One class for all layers.
void model_set_classes(Arena *a, Model *m);

// Adds the tensors of one file, or of an index and the shards beside it.
// Errors: SAFETENSORS, SHARD_*, TENSOR_TYPE, FILE_*, JSON_*.
void safetensors_file(Arena *a, const char *path, WeightTensors *out);
void safetensors_index(Arena *a, const char *path, WeightTensors *out);

// The checkpoint in a folder: its index, else its model.safetensors; a note names each other .safetensors there.
// false: there are no weights. Errors: FILE_KIND where there are weights of a kind that is not read.
bool safetensors_folder(Arena *a, const char *dir, WeightTensors *out);

// A model's own weights. NULL: the folder has none, which a note says. Sets m->tied_embedding where the files decide.
const Weights *weights_of_folder(Arena *a, Model *m, const char *dir);
const Weights *weights_of_gguf(Arena *a, Model *m, const Gguf *g);
