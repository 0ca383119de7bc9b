// rules.c: the parts of tokenizer.json around its model, recognised or refused.
#include "vocab.h"

#include <string.h>

enum { MAX_STEPS = 3 };

static const char gpt2_regex[] = "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";
static const char llama3_regex[] = "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}|"
                                   " ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";

static const char supported_rules[] = "supported: the rules of GPT-2, Llama 3 and SmolLM";

void vocab_check_keys(Json object, const char *what, const char *const *known, int n)
{
    for (Json v = json_first(object); v.node; v = json_next(v)) {
        int i = 0;
        while (i < n && !str_equal(json_key(v), known[i]))
            ++i;
        if (i == n)
            error_at(json_key_loc(v), ERR_TOKENIZER, "unknown key \"%s\" in %s", json_key(v), what);
    }
}

static bool type_is(Json v, const char *type)
{
    return json_is_object(v) && str_equal(want_str(v, "type"), type);
}

// The steps of a pre-tokenizer: itself, or those of a Sequence.
static int list_steps(Json pre, Json *steps)
{
    static const char *const keys[] = { "type", "pretokenizers" };
    if (!type_is(pre, "Sequence")) {
        steps[0] = pre;
        return 1;
    }
    vocab_check_keys(pre, "the pre-tokenizer", keys, ARRAY_LEN(keys));
    int n = 0;
    for (Json v = json_first(want_array(pre, "pretokenizers")); v.node; v = json_next(v)) {
        if (n == MAX_STEPS)
            error_at(loc_hint(json_loc(v), supported_rules), ERR_PRE_TOKENIZER,
                     "the pre-tokenizer has over %d steps: no known one has", MAX_STEPS);
        steps[n++] = v;
    }
    if (n == 0)
        error_at(loc_hint(json_loc(pre), supported_rules), ERR_PRE_TOKENIZER, "the pre-tokenizer has no steps");
    return n;
}

// Returns use_regex: whether GPT-2's rule splits the text.
static bool read_byte_level(Json step)
{
    static const char *const keys[] = { "type", "add_prefix_space", "trim_offsets", "use_regex" };
    if (!type_is(step, "ByteLevel"))
        error_at(loc_hint(json_loc(json_want(step, "type")), supported_rules), ERR_PRE_TOKENIZER,
                 "pre-tokenizer \"%s\": ByteLevel must be the last step", want_str(step, "type"));
    vocab_check_keys(step, "ByteLevel", keys, ARRAY_LEN(keys));
    if (want_bool(step, "add_prefix_space"))
        error_at(json_loc(json_get(step, "add_prefix_space")), ERR_PRE_TOKENIZER,
                 "add_prefix_space is true: only false is supported");
    return json_bool_or(step, "use_regex", true);
}

static void read_digits(Json step)
{
    static const char *const keys[] = { "type", "individual_digits" };
    vocab_check_keys(step, "Digits", keys, ARRAY_LEN(keys));
    if (!want_bool(step, "individual_digits"))
        error_at(json_loc(json_get(step, "individual_digits")), ERR_PRE_TOKENIZER,
                 "individual_digits is false: only true is supported");
}

static enum PkgPre read_split(Json step)
{
    static const char *const keys[] = { "type", "pattern", "behavior", "invert" };
    if (!type_is(step, "Split"))
        error_at(loc_hint(json_loc(json_want(step, "type")), supported_rules), ERR_PRE_TOKENIZER,
                 "unknown pre-tokenizer \"%s\" at this place", want_str(step, "type"));
    vocab_check_keys(step, "Split", keys, ARRAY_LEN(keys));
    if (!str_equal(want_str(step, "behavior"), "Isolated"))
        error_at(json_loc(json_get(step, "behavior")), ERR_PRE_TOKENIZER,
                 "behavior of Split is \"%s\": only \"Isolated\" is supported", want_str(step, "behavior"));
    if (want_bool(step, "invert"))
        error_at(json_loc(json_get(step, "invert")), ERR_PRE_TOKENIZER,
                 "invert of Split is true: only false is supported");
    const Json pattern = want_object(step, "pattern"), regex = json_want(pattern, "Regex");
    if (str_equal(json_string(regex), gpt2_regex))
        return PKG_PRE_GPT2;
    if (str_equal(json_string(regex), llama3_regex))
        return PKG_PRE_LLAMA3;
    error_at(loc_hint(json_loc(regex), supported_rules), ERR_PRE_TOKENIZER, "unknown pre-tokenizer regex \"%.300s\"",
             json_string(regex));
}

// GPT-2: ByteLevel. SmolLM: Digits, ByteLevel. Llama 3: Split, ByteLevel without its regex. Split may also be
// GPT-2's.
static enum PkgPre read_pre(Json root)
{
    Json steps[MAX_STEPS];
    const Json pre = json_get(root, "pre_tokenizer");
    if (!json_is_object(pre))
        error_at(loc_hint(json_loc(root), supported_rules), ERR_PRE_TOKENIZER,
                 "the tokenizer has no pre_tokenizer: a byte-level BPE needs ByteLevel");
    const int n = list_steps(pre, steps);
    const bool digits = n > 1 && type_is(steps[0], "Digits");
    if (digits)
        read_digits(steps[0]);
    const int between = n - 1 - digits;
    const bool byte_level_splits = read_byte_level(steps[n - 1]);
    enum PkgPre rule = PKG_PRE_GPT2;
    if (between > 0)
        rule = read_split(steps[digits]);
    if (between > 1 || (between == 1) == byte_level_splits)
        error_at(loc_hint(json_loc(pre), supported_rules), ERR_PRE_TOKENIZER,
                 "unknown pre-tokenizer: exactly one of Split and ByteLevel's own regex must split the text");
    if (digits && rule != PKG_PRE_GPT2)
        error_at(loc_hint(json_loc(pre), supported_rules), ERR_PRE_TOKENIZER,
                 "unknown pre-tokenizer: Digits is known with GPT-2's rule only");
    return digits ? PKG_PRE_SMOLLM : rule;
}

static int template_token(Vocab *v, Json processor, Json piece)
{
    const Json name = json_want(piece, "id");
    const Json entry = json_get(want_object(processor, "special_tokens"), json_string(name));
    if (!json_is_object(entry))
        error_at(json_loc(name), ERR_TOKENIZER, "\"%s\" is not in special_tokens", json_string(name));
    const Json ids = want_array(entry, "ids");
    if (json_count(ids) != 1)
        error_at(json_loc(ids), ERR_TOKENIZER, "\"%s\" is of %d ids: one is supported", json_string(name),
                 json_count(ids));
    return (int)json_int(json_first(ids), 0, v->rows - 1);
}

// single: [SpecialToken] Sequence A. What stands in front of the text is BOS; nothing may stand behind it.
static void read_template(Vocab *v, Json processor)
{
    static const char *const keys[] = { "type", "single", "pair", "special_tokens" };
    vocab_check_keys(processor, "TemplateProcessing", keys, ARRAY_LEN(keys));
    bool text = false;
    for (Json piece = json_first(want_array(processor, "single")); piece.node; piece = json_next(piece)) {
        const Json special = json_get(piece, "SpecialToken");
        if (!json_is_object(special)) {
            const Json sequence = want_object(piece, "Sequence");
            if (text || !str_equal(want_str(sequence, "id"), "A"))
                error_at(json_loc(sequence), ERR_TOKENIZER, "the template must have the sequence \"A\" exactly once");
            text = true;
            continue;
        }
        if (text)
            error_at(json_loc(json_want(special, "id")), ERR_TOKENIZER,
                     "the template puts \"%s\" behind the text: a prompt that ends so cannot be continued",
                     want_str(special, "id"));
        if (v->bos >= 0)
            error_at(json_loc(json_want(special, "id")), ERR_TOKENIZER,
                     "a second token, \"%s\", is put in front of the text: one is supported", want_str(special, "id"));
        v->bos = template_token(v, processor, special);
    }
    if (!text)
        error_at(json_loc(json_get(processor, "single")), ERR_TOKENIZER,
                 "the template must have the sequence \"A\" exactly once");
}

static void read_post(Vocab *v, Json post)
{
    static const char *const keys[] = { "type", "processors" };
    if (type_is(post, "ByteLevel")) // changes offsets only
        return;
    if (type_is(post, "TemplateProcessing")) {
        read_template(v, post);
        return;
    }
    if (!type_is(post, "Sequence"))
        error_at(loc_hint(json_loc(json_want(post, "type")), "supported: ByteLevel TemplateProcessing Sequence"),
                 ERR_TOKENIZER, "unknown post_processor \"%s\"", want_str(post, "type"));
    vocab_check_keys(post, "the post_processor", keys, ARRAY_LEN(keys));
    for (Json step = json_first(want_array(post, "processors")); step.node; step = json_next(step))
        read_post(v, step);
}

void vocab_read_rules(Vocab *v, Json root)
{
    static const char *const keys[] = { "version",       "truncation",     "padding", "added_tokens", "normalizer",
                                        "pre_tokenizer", "post_processor", "decoder", "model" };
    vocab_check_keys(root, "tokenizer.json", keys, ARRAY_LEN(keys)); // truncation, padding: settings of a caller
    const Json normalizer = json_get(root, "normalizer");
    if (normalizer.node)
        error_at(json_loc(json_want(normalizer, "type")), ERR_TOKENIZER, "normalizer \"%s\": only null is supported",
                 want_str(normalizer, "type"));
    const Json decoder = want_object(root, "decoder");
    if (!type_is(decoder, "ByteLevel"))
        error_at(json_loc(json_want(decoder, "type")), ERR_TOKENIZER,
                 "decoder \"%s\": only ByteLevel is supported with a byte-level BPE", want_str(decoder, "type"));
    v->pre = read_pre(root);
    const Json post = json_get(root, "post_processor");
    if (post.node)
        read_post(v, post);
}

// The text of a token that is given as text or as an object with "content"; node NULL: none is given.
static Json token_text(Json token)
{
    return json_is_object(token) ? json_want(token, "content") : token;
}

// A token named in tokenizer_config.json, or before it in special_tokens_map.json: its id; -1: none is named.
static int named_token(const Vocab *v, Json config, Json map, const char *key)
{
    const Json named = token_text(json_get(map, key).node ? json_get(map, key) : json_get(config, key));
    if (!named.node)
        return -1;
    const int id = vocab_find(v, json_string(named), strlen(json_string(named)));
    if (id < 0)
        error_at(json_loc(named), ERR_TOKENIZER, "%s is \"%s\", which is not a token of tokenizer.json", key,
                 json_string(named));
    return id;
}

// Tokens that special_tokens_map.json makes special are so in tokenizer.json already, or the two read a text differently.
static void want_special(const Vocab *v, Json list)
{
    for (Json token = json_first(list); token.node; token = json_next(token)) {
        const Json text = token_text(token);
        const int id = vocab_find(v, json_string(text), strlen(json_string(text)));
        if (id >= 0 && (v->tokens[id].type & TOKEN_KIND) != TOKEN_SPECIAL)
            error_at(json_loc(text), ERR_TOKENIZER, "\"%.60s\" is a special token here and none in tokenizer.json",
                     json_string(text));
    }
}

static void want_object_of(Json v, const char *file)
{
    if (v.doc && !json_is_object(v))
        error_at(json_loc(v), ERR_TOKENIZER, "%s must hold an object", file);
}

// As transformers 5 reads a folder: special_tokens_map.json goes before tokenizer_config.json where that has no
// added_tokens_decoder, as older versions wrote it, and is not read where it has. add_bos_token replaces what tokenizer.json
// says; readers that look at tokenizer.json alone disagree then, so the user hears of it.
void vocab_read_config(Vocab *v, Json config, Json map)
{
    want_object_of(config, "tokenizer_config.json");
    want_object_of(map, "special_tokens_map.json");
    if (json_get(config, "added_tokens_decoder").node)
        map = (Json){ 0 };
    want_special(v, json_get(map, "additional_special_tokens"));
    want_special(v, json_get(map, "extra_special_tokens"));
    const int bos = named_token(v, config, map, "bos_token");
    vocab_add_eos(v, named_token(v, config, map, "eos_token"));
    if (json_bool_or(config, "add_prefix_space", false))
        error_at(json_loc(json_get(config, "add_prefix_space")), ERR_PRE_TOKENIZER,
                 "add_prefix_space is true: only false is supported");
    if (json_bool_or(config, "add_eos_token", false))
        error_at(json_loc(json_get(config, "add_eos_token")), ERR_TOKENIZER,
                 "add_eos_token is true: a prompt that ends so cannot be continued");
    const Json add_bos = json_get(config, "add_bos_token");
    if (!add_bos.node)
        return;
    const int wanted = json_bool(add_bos) ? bos : -1;
    if (wanted != v->bos)
        warning_at(json_loc(add_bos), "tokenizer-bos",
                   "add_bos_token is %s, tokenizer.json %s: tokenizer_config.json counts",
                   json_bool(add_bos) ? "true" : "false", v->bos < 0 ? "adds none" : "adds one");
    v->bos = wanted;
}
