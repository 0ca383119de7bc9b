// gguf_model.c: the llama.* keys of a GGUF file -> Model.
#include "parts.h"

// Keys under llama.* that are read below.
static const char *const read_keys[] = {
    "llama.block_count",
    "llama.context_length",
    "llama.embedding_length",
    "llama.feed_forward_length",
    "llama.vocab_size",
    "llama.attention.head_count",
    "llama.attention.head_count_kv",
    "llama.attention.key_length",
    "llama.attention.value_length",
    "llama.attention.layer_norm_rms_epsilon",
    "llama.rope.dimension_count",
    "llama.rope.freq_base",
    "llama.rope.scaling.type",
    "llama.rope.scaling.factor",
    "llama.rope.scale_linear",
};

// Keys under llama.* that change nothing here: where the rows came from (both ways lie alike), how the training went.
static const char *const idle_keys[] = {
    "llama.tensor_data_layout",
    "llama.rope.scaling.original_context_length",
    "llama.rope.scaling.finetuned",
};

// Keys under llama.* that are possible with one value only.
static const struct {
    const char *key;
    double only;
} only_keys[] = {
    { "llama.expert_count", 0 },     { "llama.expert_used_count", 0 },     { "llama.attention.sliding_window", 0 },
    { "llama.attention.causal", 1 }, { "llama.use_parallel_residual", 0 }, { "llama.rope.scaling.attn_factor", 1 },
    { "llama.logit_scale", 1 },      { "llama.residual_scale", 1 },        { "llama.embedding_scale", 1 },
};

static bool is_in(const char *key, const char *const *list, int n)
{
    for (int i = 0; i < n; ++i)
        if (str_equal(list[i], key))
            return true;
    return false;
}

static bool is_only(const Gguf *g, const char *key)
{
    for (int i = 0; i < ARRAY_LEN(only_keys); ++i) {
        if (!str_equal(only_keys[i].key, key))
            continue;
        const double v =
            gguf_entry(g, key)->type == GGUF_BOOL ? gguf_bool_or(g, key, false) : gguf_double(g, key, -1e300, 1e300);
        if (v != only_keys[i].only)
            error_at(gguf_loc(g, key), ERR_GGUF_KEY, "%s is %g: only %g is supported", key, v, only_keys[i].only);
        return true;
    }
    return false;
}

// general.*, tokenizer.* and what tools add under names of their own do not change the mathematics of llama.
static void refuse_unknown(const Gguf *g)
{
    for (int i = 0; i < g->n_entries; ++i) {
        const char *key = g->entries[i].key;
        if (!str_starts(key, "llama.") || is_in(key, read_keys, ARRAY_LEN(read_keys)) ||
            is_in(key, idle_keys, ARRAY_LEN(idle_keys)) || is_only(g, key))
            continue;
        const char *nearest = str_nearest(key, read_keys, ARRAY_LEN(read_keys));
        Loc at = gguf_loc(g, key);
        if (nearest)
            at = loc_hint(at, str_format(g->arena, "did you mean %s?", nearest));
        error_at(at, ERR_CONFIG_KEY, "unknown key \"%s\"", key);
    }
}

static void want_llama(const Gguf *g)
{
    const char *arch = gguf_str_or(g, "general.architecture", NULL), *type = gguf_str_or(g, "general.type", "model");
    if (!arch)
        error_at(loc_file(g->path), ERR_GGUF_KEY, "general.architecture is missing");
    if (!str_equal(type, "model"))
        error_at(gguf_loc(g, "general.type"), ERR_GGUF_KEY, "general.type is \"%s\": a whole model was expected", type);
    if (!str_equal(arch, "llama"))
        error_at(loc_hint(gguf_loc(g, "general.architecture"), "supported: llama"), ERR_CONFIG_ARCH,
                 "general.architecture is \"%s\": not supported", arch);
    // The layouts of Q4_0 and Q8_0 changed with version 2.
    const int64_t version = gguf_int_or(g, "general.quantization_version", 0, 1 << 20, 2);
    if (version != 2)
        error_at(gguf_loc(g, "general.quantization_version"), ERR_GGUF_KEY,
                 "general.quantization_version is %lld: only 2 is supported", (long long)version);
}

static const float *read_factors(const Gguf *g, int head_dim)
{
    const GgufTensor *t = gguf_find_tensor(g, "rope_freqs.weight");
    if (!t)
        return NULL;
    if (t->type != format_f32.gguf_type || t->rank != 1 || t->dims[0] != head_dim / 2)
        error_at(t->at, ERR_TENSOR_SHAPE, "rope_freqs.weight is %s [%lld]: must be F32 [%d], half of a head",
                 format_gguf_name(t->type), (long long)t->dims[0], head_dim / 2);
    float *factors = arena_alloc(g->arena, (size_t)t->bytes); // [head_dim / 2]
    memcpy(factors, t->data, (size_t)t->bytes);
    for (int i = 0; i < head_dim / 2; ++i)
        if (!(factors[i] >= 1e-6f && factors[i] <= 1e6f))
            error_at(loc_offset(g->path, g->data_at + t->offset + 4 * i), ERR_ROPE_VALUE,
                     "rope_freqs.weight[%d] is %g: must be from 1e-06 to 1e+06", i, (double)factors[i]);
    return factors;
}

// A factor without a type means linear, as for llama.cpp.
static Rope read_rope(const Gguf *g, int head_dim)
{
    const char *type = gguf_str_or(g, "llama.rope.scaling.type", "linear");
    const double older = gguf_double_or(g, "llama.rope.scale_linear", 0, 1e9, 0);
    double factor = gguf_double_or(g, "llama.rope.scaling.factor", 0, 1e9, older);
    if (!str_equal(type, "linear") && !str_equal(type, "none"))
        error_at(loc_hint(gguf_loc(g, "llama.rope.scaling.type"), "supported: none linear"), ERR_ROPE_TYPE,
                 "unknown llama.rope.scaling.type \"%s\"", type);
    if (str_equal(type, "none") || factor == 0)
        factor = 1;
    const char *key =
        gguf_has(g, "llama.rope.scaling.factor") ? "llama.rope.scaling.factor" : "llama.rope.scale_linear";
    if (factor < 1)
        error_at(gguf_loc(g, key), ERR_ROPE_VALUE, "%s is %g: must be at least 1", key, factor);
    Rope r = { .type = factor == 1 ? ROPE_DEFAULT : ROPE_LINEAR, .factors = read_factors(g, head_dim) };
    r.theta = gguf_double_or(g, "llama.rope.freq_base", 0, 1e15, 10000);
    if (r.theta <= 1)
        error_at(gguf_loc(g, "llama.rope.freq_base"), ERR_ROPE_VALUE, "llama.rope.freq_base is %g: must be over 1",
                 r.theta);
    if (r.type == ROPE_LINEAR)
        r.factor = factor;
    if (r.factors && r.type == ROPE_LINEAR)
        error_at(gguf_loc(g, key), ERR_ROPE_TWICE,
                 "%s is %g and rope_freqs.weight is there: only one of them is supported", key, factor);
    if (r.factors)
        r.type = ROPE_FACTORS;
    return r;
}

static void read_heads(const Gguf *g, Model *m)
{
    const char *const heads = "llama.attention.head_count", *const kv = "llama.attention.head_count_kv";
    const char *const key = "llama.attention.key_length";
    m->heads = (int)gguf_int(g, heads, 1, HEADS_MOST);
    m->kv_heads = (int)gguf_int_or(g, kv, 1, HEADS_MOST, m->heads);
    if (m->heads % m->kv_heads)
        error_at(gguf_loc(g, kv), ERR_CONFIG_VALUE, "%s is %d: must divide %s (%d)", kv, m->kv_heads, heads, m->heads);
    if (!gguf_has(g, key) && m->hidden % m->heads)
        error_at(gguf_loc(g, heads), ERR_CONFIG_VALUE,
                 "%s is %d: must divide llama.embedding_length (%d) where %s is missing", heads, m->heads, m->hidden,
                 key);
    m->head_dim = (int)gguf_int_or(g, key, 1, HEAD_DIM_MOST, m->hidden / m->heads);
    if (m->head_dim % 2 || m->head_dim > HEAD_DIM_MOST)
        error_at(gguf_loc(g, gguf_has(g, key) ? key : heads), ERR_CONFIG_VALUE,
                 "heads have %d values: must be even and at most %d", m->head_dim, HEAD_DIM_MOST);
    static const char *const same[] = { "llama.attention.value_length", "llama.rope.dimension_count" };
    for (int i = 0; i < ARRAY_LEN(same); ++i) {
        const int64_t dim = gguf_int_or(g, same[i], 0, 1 << 20, m->head_dim);
        if (dim != m->head_dim)
            error_at(gguf_loc(g, same[i]), ERR_CONFIG_VALUE, "%s is %lld: must be the size of a head (%d)", same[i],
                     (long long)dim, m->head_dim);
    }
}

static void read_ends(const Gguf *g, Model *m)
{
    static const char *const keys[] = { "tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id",
                                        "tokenizer.ggml.eom_token_id" };
    m->bos = (int)gguf_int_or(g, "tokenizer.ggml.bos_token_id", 0, m->vocab - 1, -1);
    for (int i = 0; i < ARRAY_LEN(keys); ++i) {
        const int id = (int)gguf_int_or(g, keys[i], 0, m->vocab - 1, -1);
        bool known = id < 0;
        for (int k = 0; k < m->n_eos; ++k)
            known = known || m->eos[k] == id;
        if (!known)
            m->eos[m->n_eos++] = id;
    }
}

Model *gguf_model(Arena *a, const Gguf *g)
{
    want_llama(g);
    gguf_want_formats(g);
    refuse_unknown(g);
    Model *m = arena_alloc(a, sizeof *m);
    m->arch = "llama";
    m->layers = (int)gguf_int(g, "llama.block_count", 1, LAYERS_MOST);
    m->hidden = (int)gguf_int(g, "llama.embedding_length", HIDDEN_LEAST, HIDDEN_MOST);
    m->ffn = (int)gguf_int(g, "llama.feed_forward_length", 2, FFN_MOST);
    m->max_tokens = (int)gguf_int(g, "llama.context_length", 1, TOKENS_MOST);
    const GgufTensor *embedding = gguf_find_tensor(g, "token_embd.weight");
    if (!embedding)
        error_at(loc_file(g->path), ERR_TENSOR_MISSING, "token_embd.weight is missing");
    if (gguf_has(g, "llama.vocab_size"))
        m->vocab = (int)gguf_int(g, "llama.vocab_size", 2, VOCAB_MOST);
    else if (embedding->rank == 2 && embedding->dims[1] >= 2 && embedding->dims[1] <= VOCAB_MOST)
        m->vocab = (int)embedding->dims[1];
    else
        error_at(embedding->at, ERR_TENSOR_SHAPE,
                 "token_embd.weight has %lld rows: must be a matrix of 2 to %d rows", (long long)embedding->dims[1],
                 VOCAB_MOST);
    read_heads(g, m);
    m->norm_eps = gguf_double(g, "llama.attention.layer_norm_rms_epsilon", 1e-12, 0.1);
    m->rope = read_rope(g, m->head_dim);
    m->tied_embedding = !gguf_find_tensor(g, "output.weight");
    const GgufTensor *q = gguf_find_tensor(g, "blk.0.attn_q.weight");
    m->format = format_find(format_of_gguf((q ? q : embedding)->type)->stored);
    read_ends(g, m);
    m->source = MODEL_GGUF;
    m->at = loc_file(g->path);
    return m;
}
