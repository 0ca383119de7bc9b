// rules.c: the parts of tokenizer.json around its model, recognised or refused.
#include "rules.h"

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

bool type_is(Json v, const char *type)
{
    return json_is_object(v) && str_equal(want_str(v, "type"), type);
}

Parts parts_of(Arena *a, Json whole, const char *list)
{
    Parts parts = { 0 };
    if (!whole.node)
        return parts;
    if (!type_is(whole, "Sequence")) {
        vec_push(a, &parts, whole);
        return parts;
    }
    const char *const keys[] = { "type", list };
    vocab_check_keys(whole, "a Sequence", keys, ARRAY_LEN(keys));
    for (Json v = json_first(want_array(whole, list)); v.node; v = json_next(v)) {
        const Parts inside = parts_of(a, v, list);
        for (int i = 0; i < inside.n; ++i)
            vec_push(a, &parts, inside.at[i]);
    }
    return parts;
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
    rules_read_normalizer(v, json_get(root, "normalizer"));
    rules_read_pre(v, json_get(root, "pre_tokenizer"));
    rules_check_decoder(v, want_object(root, "decoder"));
    const Json processor = json_get(root, "post_processor");
    if (processor.node)
        read_post(v, processor);
}
