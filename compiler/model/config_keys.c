// config_keys.c: what each key of a config.json means here: read, of no effect, or possible with one value only.
#include "config_keys.h"

#include "parts.h"

typedef struct ConfigKey {
    const char *name;
    const char *only;   // the one value supported, as JSON; NULL: any
    const char *reason; // why the key may be skipped, or what its value decides; NULL: config.c or rope.c reads it
} ConfigKey;

static const ConfigKey keys[] = {
    { "architectures", NULL, NULL },
    { "model_type", NULL, NULL },
    { "hidden_size", NULL, NULL },
    { "intermediate_size", NULL, NULL },
    { "num_hidden_layers", NULL, NULL },
    { "num_attention_heads", NULL, NULL },
    { "num_key_value_heads", NULL, NULL },
    { "head_dim", NULL, NULL },
    { "vocab_size", NULL, NULL },
    { "max_position_embeddings", NULL, NULL },
    { "max_sequence_length", NULL, NULL },
    { "rms_norm_eps", NULL, NULL },
    { "rope_theta", NULL, NULL },
    { "rope_scaling", NULL, NULL },
    { "rope_parameters", NULL, NULL },
    { "tie_word_embeddings", NULL, NULL },
    { "torch_dtype", NULL, NULL },
    { "dtype", NULL, NULL },
    { "bos_token_id", NULL, NULL },
    { "eos_token_id", NULL, NULL },
    { "quantization_config", NULL, NULL },
    { "compression_config", NULL, NULL },

    { "hidden_act", "\"silu\"", "the activation of the feed-forward" },
    { "attention_bias", "false", "whether the attention has biases" },
    { "mlp_bias", "false", "whether the feed-forward has biases" },
    { "rope_interleaved", "false", "which values of a head turn together" },
    { "partial_rotary_factor", "1", "how much of a head turns" },
    { "pretraining_tp", "1", "the order of sums in the projections" },
    { "sliding_window", "null", "which positions are attended" },
    { "use_sliding_window", "false", "which positions are attended" },
    { "attention_chunk_size", "null", "which positions are attended" },
    { "layer_types", "[\"full_attention\"]", "which positions are attended" },
    { "num_local_experts", "null", "whether the feed-forward has experts" },
    { "num_experts", "null", "whether the feed-forward has experts" },
    { "pruned_heads", "{}", "which heads are left out" },
    { "is_encoder_decoder", "false", "the architecture" },
    { "add_cross_attention", "false", "the architecture" },
    { "cross_attention_hidden_size", "null", "the architecture" },
    { "tie_encoder_decoder", "false", "the architecture" },
    { "auto_map", "null", "whether the checkpoint runs code of its own" },

    { "_name_or_path", NULL, "where the checkpoint came from" },
    { "_model_name_or_path", NULL, "where the checkpoint came from" }, // transformers 5, of a GGUF file
    { "_commit_hash", NULL, "where the checkpoint came from" },
    { "transformers_version", NULL, "who wrote the file" },
    { "unsloth_version", NULL, "who wrote the file" },
    { "unsloth_fixed", NULL, "who wrote the file" },
    { "is_llama_config", NULL, "a mark of the converter" },
    { "is_decoder", NULL, "Llama is one" },
    { "initializer_range", NULL, "training" },
    { "attention_dropout", NULL, "training" },
    { "hidden_dropout", NULL, "training" },
    { "gradient_checkpointing", NULL, "training" },
    { "problem_type", NULL, "training" },
    { "finetuning_task", NULL, "training" },
    { "task_specific_params", NULL, "training" },
    { "id2label", NULL, "classification heads" },
    { "label2id", NULL, "classification heads" },
    { "use_cache", NULL, "how transformers runs it" },
    { "chunk_size_feed_forward", NULL, "how transformers runs it" },
    { "output_attentions", NULL, "how transformers runs it" },
    { "output_hidden_states", NULL, "how transformers runs it" },
    { "return_dict", NULL, "how transformers runs it" },
    { "torchscript", NULL, "how transformers runs it" },
    { "use_bfloat16", NULL, "how transformers runs it" },
    { "attn_implementation", NULL, "how transformers runs it" },
    { "_attn_implementation", NULL, "how transformers runs it" },
    { "_attn_implementation_autoset", NULL, "how transformers runs it" },
    { "max_window_layers", NULL, "no window without use_sliding_window" },
    { "transformers.js_config", NULL, "how transformers.js runs it" },
    { "tokenizer_class", NULL, "the tokenizer's own files say it" },
    { "prefix", NULL, "the tokenizer's own files say it" },
    { "pad_token_id", NULL, "one text at a time: nothing is padded" },
    { "unk_token_id", NULL, "byte-level BPE has no unknown token" },
    { "sep_token_id", NULL, "Llama has no such token" },
    { "cls_token_id", NULL, "Llama has no such token" },
    { "decoder_start_token_id", NULL, "Llama has no such token" },
    { "max_length", NULL, "sampling defaults of old files" },
    { "min_length", NULL, "sampling defaults of old files" },
    { "do_sample", NULL, "sampling defaults of old files" },
    { "num_beams", NULL, "sampling defaults of old files" },
    { "temperature", NULL, "sampling defaults of old files" },
    { "top_k", NULL, "sampling defaults of old files" },
    { "top_p", NULL, "sampling defaults of old files" },
    { "repetition_penalty", NULL, "sampling defaults of old files" },
};

void config_refuse_unknown(Json object, const char *what, const char *const *known, int n, Diags *d)
{
    for (Json v = json_first(object); v.node; v = json_next(v)) {
        bool found = false;
        for (int i = 0; i < n && !found; ++i)
            found = str_equal(json_key(v), known[i]);
        if (found)
            continue;
        const char *nearest = str_nearest(json_key(v), known, n);
        Loc at = json_key_loc(v);
        if (nearest)
            at = loc_hint(at, str_format(d->arena, "did you mean %s?", nearest));
        diag_add(d, at, ERR_CONFIG_KEY, "unknown key \"%s\"%s%s", json_key(v), *what ? " in " : "", what);
    }
}

static const char *value_text(Json v, Arena *a)
{
    if (json_is_string(v))
        return json_quote(a, json_string(v));
    if (json_is_number(v))
        return str_format(a, "%.10g", json_double(v, -1e308, 1e308));
    if (json_is_bool(v))
        return json_bool(v) ? "true" : "false";
    return json_is_object(v) ? "an object" : "an array";
}

static bool is_all(Json array, const char *want)
{
    for (Json v = json_first(array); v.node; v = json_next(v))
        if (!json_is_string(v) || !str_equal(json_string(v), want))
            return false;
    return json_is_array(array);
}

// A key that is null counts as absent, so its value is one of those supported.
static bool is_only(Json v, const char *only, Arena *a)
{
    if (only[0] == '[')
        return is_all(v, "full_attention");
    if (only[0] == '{')
        return (json_is_object(v) || json_is_array(v)) && json_count(v) == 0;
    return !json_is_object(v) && !json_is_array(v) && str_equal(value_text(v, a), only);
}

void config_check_keys(Json config, Diags *d)
{
    const char *names[ARRAY_LEN(keys)];
    for (int i = 0; i < ARRAY_LEN(keys); ++i)
        names[i] = keys[i].name;
    config_refuse_unknown(config, "", names, ARRAY_LEN(keys), d);
    const Json window = json_get(config, "use_sliding_window");
    const bool no_window = json_is_bool(window) && !json_bool(window); // the width of a window that is not used
    for (int i = 0; i < ARRAY_LEN(keys); ++i) {
        const Json v = json_get(config, keys[i].name);
        if (no_window && str_equal(keys[i].name, "sliding_window"))
            continue;
        if (v.node && keys[i].only && !is_only(v, keys[i].only, d->arena))
            diag_add(d, json_loc(v), ERR_CONFIG_VALUE, "%s is %s: only %s is supported (it decides %s)", keys[i].name,
                     value_text(v, d->arena), keys[i].only, keys[i].reason);
    }
}
