// huggingface.c: tokens, merges and scores of tokenizer.json.
#include "vocab.h"

#include "../base/str.h"

#include <stdlib.h>
#include <string.h>

// NULL: a kind that is supported. Else what the tokenizer is, and that it is not.
static const char *why_not(Arena *a, Json model, bool *unigram)
{
    const Json type = json_get(model, "type");
    const char *name = type.node || !json_is_array(json_get(model, "merges")) ? want_str(model, "type") : "BPE";
    *unigram = str_equal(name, "Unigram");
    return *unigram || str_equal(name, "BPE")
               ? NULL
               : str_format(a, "a tokenizer of type \"%s\" is not in this version", name);
}

static void want_empty(Json model, const char *key)
{
    const Json v = json_get(model, key);
    if (v.node && *json_string(v))
        error_at(json_loc(v), ERR_TOKENIZER, "%s is \"%s\": not supported", key, json_string(v));
}

static void read_settings(Vocab *v, Json model)
{
    static const char *const keys[] = { "type",     "dropout",       "unk_token",     "continuing_subword_prefix",
                                        "fuse_unk", "byte_fallback", "ignore_merges", "end_of_word_suffix",
                                        "vocab",    "merges" };
    vocab_check_keys(model, "the tokenizer's model", keys, ARRAY_LEN(keys));
    want_empty(model, "continuing_subword_prefix");
    want_empty(model, "end_of_word_suffix");
    if (json_double_or(model, "dropout", 0, 1, 0) > 0)
        error_at(json_loc(json_get(model, "dropout")), ERR_TOKENIZER, "dropout is over 0: ids would be random");
    v->byte_fallback = json_bool_or(model, "byte_fallback", false);
    if (v->byte_fallback && v->letters == LETTERS_BYTE_LEVEL)
        error_at(json_loc(json_get(model, "byte_fallback")), ERR_TOKENIZER,
                 "byte_fallback is true: not supported with a byte-level BPE");
    v->symbols = v->letters == LETTERS_BYTE_LEVEL ? PKG_SYMBOLS_BYTES : PKG_SYMBOLS_CODES;
    v->fuse_unknown = json_bool_or(model, "fuse_unk", false);
    v->whole_words = json_bool_or(model, "ignore_merges", false);
}

static void read_unknown(Vocab *v, Json model)
{
    const char *unknown = json_str_or(model, "unk_token", NULL);
    v->unknown = unknown ? vocab_find(v, unknown, strlen(unknown)) : -1;
}

// A token of the model's own; `at`: where it stands.
static void add_token(Vocab *v, Json at, int64_t id, const char *text)
{
    if (id >= v->rows)
        error_at(json_loc(at), ERR_TOKENIZER, "token \"%.60s\" has id %lld: the model has %d rows", text, (long long)id,
                 v->rows);
    VocabToken token = { .text = text, .bytes = strlen(text), .type = TOKEN_NORMAL, .in_model = true };
    token.is_byte = v->byte_fallback && vocab_is_byte(text, token.bytes, &token.byte);
    const char *wrong = vocab_add(v, (int)id, token);
    if (wrong)
        error_at(json_loc(at), ERR_TOKENIZER, "%s", wrong);
}

static void read_vocab(Vocab *v, Json vocab)
{
    for (Json t = json_first(vocab); t.node; t = json_next(t))
        add_token(v, t, json_int(t, 0, INT32_MAX), json_key(t));
}

static void read_merges(Vocab *v, Json merges)
{
    for (Json m = json_first(merges); m.node; m = json_next(m)) {
        const char *wrong;
        if (json_is_array(m) && json_count(m) == 2) {
            const char *left = json_string(json_first(m)), *right = json_string(json_next(json_first(m)));
            wrong = vocab_add_merge(v, left, strlen(left), right, strlen(right));
        } else {
            const char *text = json_string(m);
            if (str_starts(text, "#version")) // a header line of merges.txt; Hugging Face skips it as well
                continue;
            wrong = vocab_add_merge_text(v, text, strlen(text));
        }
        if (wrong)
            error_at(json_loc(m), ERR_TOKENIZER, "%s", wrong);
    }
}

void vocab_add_added(Vocab *v, Json token, int64_t id)
{
    static const char *const keys[] = { "id", "content", "single_word", "lstrip", "rstrip", "normalized", "special" };
    vocab_check_keys(token, "an added token", keys, ARRAY_LEN(keys));
    const char *text = want_str(token, "content");
    const size_t bytes = strlen(text);
    const bool special = json_bool_or(token, "special", false);
    const bool single = json_bool_or(token, "single_word", false);
    const int marks = (single ? TOKEN_SINGLE : 0) | (json_bool_or(token, "lstrip", false) ? TOKEN_STRIPS_LEFT : 0) |
                      (json_bool_or(token, "rstrip", false) ? TOKEN_STRIPS_RIGHT : 0);
    if (!bytes)
        error_at(json_loc(json_get(token, "content")), ERR_TOKENIZER, "an added token is empty");
    if (id >= v->rows && special) // neither a text nor the model can produce it
        return;
    if (id >= v->rows)
        error_at(json_loc(token), ERR_TOKENIZER, "added token \"%.60s\" has id %lld: the model has %d rows", text,
                 (long long)id, v->rows);
    const VocabToken added = { .text = text,
                               .bytes = bytes,
                               .type = (uint8_t)((special ? TOKEN_SPECIAL : TOKEN_ADDED) | marks),
                               .normalized = json_bool_or(token, "normalized", !special) };
    const int known = vocab_find(v, text, bytes);
    v->single_words |= single;
    if (known == id) {
        if (v->letters == LETTERS_BYTE_LEVEL && vocab_reads_two_ways(v->arena, text, bytes))
            error_at(json_loc(json_get(token, "content")), ERR_TOKENIZER,
                     "added token \"%.60s\" is also a byte-level token, which stands for another text: not supported",
                     text);
        v->tokens[known].type = added.type;
        v->tokens[known].normalized = added.normalized;
        return;
    }
    const char *wrong = vocab_add(v, (int)id, added);
    if (wrong)
        error_at(json_loc(token), ERR_TOKENIZER, "%s", wrong);
}

static void read_bpe(Vocab *v, Json model)
{
    const Json merges = want_array(model, "merges");
    read_settings(v, model);
    vocab_expect_merges(v, json_count(merges));
    read_vocab(v, want_object(model, "vocab"));
    read_merges(v, merges);
}

// Pieces and their scores, in order of their ids.
static void read_unigram(Vocab *v, Json model)
{
    static const char *const keys[] = { "type", "unk_id", "vocab", "byte_fallback" };
    const Json list = want_array(model, "vocab");
    vocab_check_keys(model, "the tokenizer's model", keys, ARRAY_LEN(keys));
    if (v->letters == LETTERS_BYTE_LEVEL)
        error_at(json_loc(json_want(model, "type")), ERR_TOKENIZER, "a byte-level unigram is not supported");
    double *scores = arena_alloc(v->arena, ((size_t)v->rows + 1) * sizeof *scores), low = 0;
    int id = 0;
    v->byte_fallback = json_bool_or(model, "byte_fallback", false);
    for (Json t = json_first(list); t.node; t = json_next(t), ++id) {
        if (!json_is_array(t) || json_count(t) != 2)
            error_at(json_loc(t), ERR_TOKENIZER, "a piece and its score were expected");
        add_token(v, t, id, json_string(json_first(t)));
        scores[id] = json_double(json_next(json_first(t)), -1e9, 1e9);
        low = id == 0 || scores[id] < low ? scores[id] : low;
    }
    v->model = PKG_UNIGRAM;
    v->symbols = PKG_SYMBOLS_CODES;
    v->scores = scores;
    v->unknown_score = low - 10; // what both SentencePiece and Hugging Face take
    v->fuse_unknown = true;
    v->unknown = (int)json_int_or(model, "unk_id", 0, v->n - 1, -1);
}

Vocab *vocab_read_json(Arena *a, const Model *m, Json root, const char **why)
{
    const Json model = want_object(root, "model"), added = json_get(root, "added_tokens");
    bool unigram;
    *why = why_not(a, model, &unigram);
    if (*why)
        return NULL;
    if (added.node && !json_is_array(added))
        error_at(json_loc(added), ERR_TOKENIZER, "added_tokens must be an array");
    Vocab *v = vocab_new(a, json_loc(root).file, m->vocab, json_count(json_want(model, "vocab")) + json_count(added));
    vocab_read_rules(v, root);
    if (unigram)
        read_unigram(v, model);
    else
        read_bpe(v, model);
    for (Json token = json_first(added); token.node; token = json_next(token))
        vocab_add_added(v, token, want_int(token, "id", 0, INT32_MAX));
    if (!unigram)
        read_unknown(v, model);
    if (!v->n)
        error_at(json_loc(json_want(model, "vocab")), ERR_TOKENIZER, "the vocabulary is empty");
    for (int i = 0; i < m->n_eos; ++i)
        vocab_add_eos(v, m->eos[i]);
    return v;
}

void vocab_read_added(Vocab *v, Json config, Json added)
{
    const Json list = json_get(config, "added_tokens_decoder");
    for (Json token = json_first(list); token.node; token = json_next(token)) {
        const char *key = json_key(token);
        char *end;
        const long id = strtol(key, &end, 10);
        if (*end || end == key || id < 0 || id > INT32_MAX)
            error_at(json_key_loc(token), ERR_TOKENIZER, "\"%.60s\" is no id", key);
        vocab_add_added(v, token, id);
    }
    for (Json id = json_first(added); id.node; id = json_next(id))
        if (vocab_find(v, json_key(id), strlen(json_key(id))) != json_int(id, 0, INT32_MAX))
            error_at(
                json_key_loc(id), ERR_TOKENIZER,
                "token \"%.60s\" is not in added_tokens_decoder of tokenizer_config.json, which says how it is found",
                json_key(id));
}
