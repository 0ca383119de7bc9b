// config.c: config.json of a Hugging Face model -> Model.
#include "parts.h"

#include "../base/disguise.h"
#include "../base/file.h"
#include "config_keys.h"

// The quantised checkpoint's own words name the one to use, where they do.
static void refuse_quantised(Arena *a, Json config)
{
    Json q = json_get(config, "quantization_config");
    if (!q.node)
        q = json_get(config, "compression_config");
    if (!q.node)
        return;
    const Json method = json_get(q, "quant_method"), bits = json_get(q, "bits"),
               base = json_get(config, "_name_or_path");
    Loc at = json_key_loc(q);
    if (json_is_string(base) && *json_string(base) && *json_string(base) != '/' && *json_string(base) != '.')
        at = loc_hint(at, str_format(a, "the unquantised checkpoint may be %s", json_string(base)));
    error_at(at, ERR_CONFIG_QUANTISED, "the weights are quantised by method \"%s\"%s, which is not read here",
             json_is_string(method) ? json_string(method) : "not named",
             json_is_number(bits) ? str_format(a, " (%.0f bits)", json_double(bits, -1e308, 1e308)) : "");
}

static void want_llama(Json config)
{
    const Json type = json_get(config, "model_type"), archs = json_get(config, "architectures");
    if (type.node && !str_equal(json_string(type), "llama"))
        error_at(loc_hint(json_loc(type), "supported: llama"), ERR_CONFIG_ARCH, "model_type is \"%s\": not supported",
                 json_string(type));
    for (Json v = json_first(archs); v.node; v = json_next(v))
        if (!str_equal(json_string(v), "LlamaForCausalLM"))
            error_at(loc_hint(json_loc(v), "supported: LlamaForCausalLM"), ERR_CONFIG_ARCH,
                     "architecture \"%s\" is not supported", json_string(v));
    if (!type.node && json_count(archs) == 0)
        error_at(json_loc(config), ERR_CONFIG_ARCH, "neither model_type nor architectures says what this model is");
}

static const Format *format_of_dtype(Json config)
{
    Json v = json_get(config, "dtype");
    if (!v.node)
        v = json_get(config, "torch_dtype");
    if (!v.node)
        return &format_bf16;
    const char *dtype = json_string(v);
    if (str_starts(dtype, "torch."))
        dtype += 6;
    if (str_equal(dtype, "float16"))
        return &format_f16;
    if (!str_equal(dtype, "bfloat16") && !str_equal(dtype, "float32"))
        error_at(loc_hint(json_loc(v), "supported: bfloat16 float16 float32"), ERR_CONFIG_VALUE,
                 "%s is \"%s\": not a number format of weights here", json_key(v), dtype);
    return &format_bf16;
}

static void add_eos(Model *m, Json id)
{
    const int eos = (int)json_int(id, 0, m->vocab - 1);
    for (int i = 0; i < m->n_eos; ++i)
        if (m->eos[i] == eos)
            return;
    if (m->n_eos == MODEL_EOS)
        error_at(json_loc(id), ERR_CONFIG_VALUE, "more than %d ids end a text", MODEL_EOS);
    m->eos[m->n_eos++] = eos;
}

static void read_ends(Model *m, Json object)
{
    const Json eos = json_get(object, "eos_token_id");
    if (json_is_array(eos))
        for (Json v = json_first(eos); v.node; v = json_next(v))
            add_eos(m, v);
    else if (eos.node)
        add_eos(m, eos);
    if (m->bos < 0)
        m->bos = (int)json_int_or(object, "bos_token_id", 0, m->vocab - 1, -1);
}

static int read_max_tokens(Json config)
{
    const Json older = json_get(config, "max_sequence_length");
    if (!json_get(config, "max_position_embeddings").node && older.node)
        return (int)json_int(older, 1, TOKENS_MOST);
    const int tokens = (int)want_int(config, "max_position_embeddings", 1, TOKENS_MOST);
    if (older.node && json_int(older, 1, TOKENS_MOST) != tokens)
        error_at(json_loc(older), ERR_CONFIG_VALUE,
                 "max_sequence_length is %lld, max_position_embeddings is %d: must be equal",
                 (long long)json_int(older, 1, TOKENS_MOST), tokens);
    return tokens;
}

static double read_eps(Json config)
{
    const Json eps = json_get(config, "rms_norm_eps");
    if (!eps.node) {
        warning_at(json_loc(config), "default",
                   "rms_norm_eps is missing: 1e-06, the default of transformers' LlamaConfig, is used");
        return 1e-6;
    }
    return json_double(eps, 1e-12, 0.1);
}

static void read_heads(Model *m, Json config)
{
    const Json kv = json_get(config, "num_key_value_heads"), dim = json_get(config, "head_dim");
    m->heads = (int)want_int(config, "num_attention_heads", 1, HEADS_MOST);
    m->kv_heads = kv.node ? (int)json_int(kv, 1, HEADS_MOST) : m->heads;
    if (m->heads % m->kv_heads != 0)
        error_at(json_loc(kv), ERR_CONFIG_VALUE, "num_key_value_heads is %d: must divide num_attention_heads (%d)",
                 m->kv_heads, m->heads);
    if (!dim.node && m->hidden % m->heads != 0)
        error_at(json_loc(json_get(config, "num_attention_heads")), ERR_CONFIG_VALUE,
                 "num_attention_heads is %d: must divide hidden_size (%d) where head_dim is not given", m->heads,
                 m->hidden);
    m->head_dim = dim.node ? (int)json_int(dim, 2, HEAD_DIM_MOST) : m->hidden / m->heads;
    if (m->head_dim % 2 != 0 || m->head_dim > HEAD_DIM_MOST)
        error_at(dim.node ? json_loc(dim) : json_loc(json_get(config, "num_attention_heads")), ERR_CONFIG_VALUE,
                 "head_dim is %d%s: must be even and at most %d", m->head_dim,
                 dim.node ? "" : " (hidden_size / num_attention_heads)", HEAD_DIM_MOST);
}

Model *config_model(Arena *a, const char *path)
{
    const Bytes b = file_read(a, path);
    disguise_refuse(path, b, "a config.json");
    const Json config = json_parse(a, path, (const char *)b.at, b.bytes, -1);
    if (!json_is_object(config))
        error_at(json_loc(config), ERR_JSON_KEY, "a config.json must be an object");
    disguise_refuse_json(config, "a config.json");
    refuse_quantised(a, config);
    want_llama(config);
    Diags d = { .arena = a };
    config_check_keys(config, &d);
    diag_exit_if_any(&d);

    Model *m = arena_alloc(a, sizeof *m);
    m->arch = "llama";
    m->layers = (int)want_int(config, "num_hidden_layers", 1, LAYERS_MOST);
    m->hidden = (int)want_int(config, "hidden_size", HIDDEN_LEAST, HIDDEN_MOST);
    m->ffn = (int)want_int(config, "intermediate_size", 2, FFN_MOST);
    m->vocab = (int)want_int(config, "vocab_size", 2, VOCAB_MOST);
    m->max_tokens = read_max_tokens(config);
    read_heads(m, config);
    m->norm_eps = read_eps(config);
    m->rope = rope_of_config(a, config);
    m->tied_embedding = json_bool_or(config, "tie_word_embeddings", false);
    m->format = format_of_dtype(config);
    m->bos = -1;
    read_ends(m, config);
    m->at = loc_file(path);
    return m;
}

void config_add_generation(Arena *a, Model *m, const char *path)
{
    const Bytes b = file_read(a, path);
    disguise_refuse(path, b, "a generation_config.json");
    read_ends(m, json_parse(a, path, (const char *)b.at, b.bytes, -1));
}
