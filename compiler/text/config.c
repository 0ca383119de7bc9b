// config.c: what tokenizer_config.json and special_tokens_map.json say of a tokenizer.
#include "vocab.h"

#include <string.h>

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

// Tokens that special_tokens_map.json makes special are so in tokenizer.json already, or the two read a text
// differently.
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
// added_tokens_decoder, as older versions wrote it, and is not read where it has. add_bos_token replaces what
// tokenizer.json says; readers that look at tokenizer.json alone disagree then, so the user hears of it.
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
    const Json prefix = json_get(config, "add_prefix_space");
    if (prefix.node && json_bool(prefix) != (v->prefix != PREFIX_NONE))
        error_at(json_loc(prefix), ERR_PRE_TOKENIZER,
                 "add_prefix_space is %s, but the tokenizer itself puts %s in front of a text",
                 json_bool(prefix) ? "true" : "false", v->prefix ? "a blank" : "nothing");
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
