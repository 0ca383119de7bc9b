// model.h: Model: the facts of one model, read from config.json, a Hugging Face folder or a GGUF file.
#pragma once
#include "../base/diag.h"
#include "../base/json.h"
#include "../base/str.h"
#include "../format/format.h"

#include <stdbool.h>

typedef struct Weights Weights; // weights.h

typedef enum RopeType { ROPE_DEFAULT, ROPE_LINEAR, ROPE_LLAMA3, ROPE_FACTORS } RopeType;

typedef struct Rope {
    RopeType type;
    double theta;                                     // base of the frequencies
    double factor, low_freq_factor, high_freq_factor; // linear: factor; llama3: all
    int original_max_tokens;                          // llama3
    const float *factors;                             // ROPE_FACTORS: [head_dim / 2] divisors; GGUF's rope_freqs.weight
} Rope;

typedef enum ModelSource { MODEL_CONFIG, MODEL_FOLDER, MODEL_GGUF } ModelSource;

enum { MODEL_EOS = 16 };

// Layers of one class have the same ops and shapes and share code. Llama has one class.
typedef struct LayerClass {
    const char *name;
} LayerClass;

typedef struct Model {
    const char *name;           // "llama-3.2-1b": from the file or folder; the program's default name
    const char *arch;           // "llama"
    int layers, hidden, heads, kv_heads, head_dim, ffn, vocab, max_tokens;
    double norm_eps;
    Rope rope;
    bool tied_embedding;
    bool qkv_bias, qk_norm;     // always false in this version's architectures
    const Format *format;       // of the matrices where no weights are at hand: BF16 or F16
    const LayerClass *classes;  // [n_classes]
    int n_classes;
    int *class_of_layer;        // [layers]
    int bos, eos[MODEL_EOS], n_eos; // from config and generation_config, or GGUF; bos -1: none
    ModelSource source;
    const char *path;           // as given: config.json, folder or .gguf
    const Weights *weights;     // NULL: config.json alone
    Loc at;
} Model;

// Reads a config.json, a folder or a .gguf file; decides by content. Checks ranges, refuses unknown keys.
// Errors: CONFIG_*, ROPE_*, GGUF*, SAFETENSORS, SHARD_*, FILE_*, JSON_*.
Model *model_load(Arena *a, const char *path);

// The facts of a model as the "model" object of plan.json, on one line; and back. Name and path are not among them.
void model_write_json(const Model *m, Str *out);
Model *model_read_json(Arena *a, Json section);

// What keeps weights of `m` out of something made for `made`: "layers is 2, this one's is 3"; NULL: nothing. Names, the ids
// that begin and end a text, and what float32 does not tell apart are no difference.
const char *model_difference(Arena *a, const Model *m, const Model *made);

// Human text, one fact a line (--emit=config).
void model_print(const Model *m, Str *out);

// Angle per position of each rope pair, in radians: [head_dim / 2].
// default: theta^(-2i/head_dim); linear: divided by factor; llama3: as transformers' modeling_rope_utils, in double.
double *model_rope_frequencies(Arena *a, const Model *m);
