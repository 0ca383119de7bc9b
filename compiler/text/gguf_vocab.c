// gguf_vocab.c: the tokenizer in the metadata of a GGUF file.
#include "presets.h"
#include "vocab.h"

#include "../model/gguf.h"

#include <string.h>

#define PREFIX "tokenizer.ggml."

static const Preset *want_pre(const Gguf *g)
{
    const char *name = gguf_str_or(g, PREFIX "pre", NULL);
    const Loc at = gguf_loc(g, name ? PREFIX "pre" : PREFIX "model");
    if (!name)
        error_at(at, ERR_PRE_TOKENIZER, PREFIX "pre is missing: how text is split is not known");
    const Preset *preset = preset_find(name);
    const char *why = preset ? NULL : preset_why_not(name);
    if (why)
        error_at(at, ERR_PRE_TOKENIZER, "pre-tokenizer \"%s\" is not supported: %s", name, why);
    if (!preset)
        error_at(at, ERR_PRE_TOKENIZER, "unknown pre-tokenizer \"%s\" in " PREFIX "pre", name);
    return preset;
}

// Keys that say nothing about the ids of a text, or are read below. All that end in _token_id are known as well.
static void check_keys(const Gguf *g)
{
    static const char *const known[] = { "model",
                                         "pre",
                                         "tokens",
                                         "token_type",
                                         "scores",
                                         "merges",
                                         "add_bos_token",
                                         "add_eos_token",
                                         "add_sep_token",
                                         "add_space_prefix",
                                         "token_type_count",
                                         "remove_extra_whitespaces",
                                         "precompiled_charsmap" };
    for (int i = 0; i < g->n_entries; ++i) {
        const char *key = g->entries[i].key;
        if (!str_starts(key, PREFIX) || str_ends(key, "_token_id"))
            continue;
        int k = 0;
        while (k < ARRAY_LEN(known) && !str_equal(key + strlen(PREFIX), known[k]))
            ++k;
        if (k == ARRAY_LEN(known))
            error_at(gguf_loc(g, key), ERR_TOKENIZER, "unknown key \"%s\": it may change the ids of a text", key);
    }
}

static void want_false(const Gguf *g, const char *key, const char *why)
{
    if (gguf_bool_or(g, key, false))
        error_at(gguf_loc(g, key), ERR_TOKENIZER, "%s is true: %s", key, why);
}

static void read_tokens(Vocab *v, const Gguf *g, const GgufText *texts, int n)
{
    int types = 0;
    const int64_t *type = gguf_ints(g, PREFIX "token_type", &types);
    if (types != n)
        error_at(gguf_loc(g, PREFIX "token_type"), ERR_TOKENIZER, PREFIX "token_type has %d entries, tokens has %d",
                 types, n);
    for (int id = 0; id < n; ++id) {
        const char *wrong = vocab_add_piece(v, id, type[id], texts[id].at, texts[id].bytes);
        if (wrong)
            error_at(gguf_loc(g, PREFIX "tokens"), ERR_TOKENIZER, "%s", wrong);
    }
    if (!v->n)
        error_at(gguf_loc(g, PREFIX "tokens"), ERR_TOKENIZER, "the vocabulary is empty");
}

static void read_eos(Vocab *v, const Gguf *g)
{
    static const char *const ends[] = { PREFIX "eos_token_id", PREFIX "eot_token_id", PREFIX "eom_token_id" };
    for (int i = 0; i < ARRAY_LEN(ends); ++i)
        vocab_add_eos(v, gguf_int_or(g, ends[i], 0, UINT32_MAX, -1));
}

static void read_bos(Vocab *v, const Gguf *g, bool otherwise)
{
    if (!gguf_bool_or(g, PREFIX "add_bos_token", otherwise))
        return;
    if (!gguf_has(g, PREFIX "bos_token_id"))
        error_at(gguf_loc(g, PREFIX "add_bos_token"), ERR_TOKENIZER,
                 "BOS is to be added, but " PREFIX "bos_token_id is missing");
    v->bos = (int)gguf_int(g, PREFIX "bos_token_id", 0, v->n - 1);
}

static void read_merges(Vocab *v, const Gguf *g)
{
    int merges = 0;
    const GgufText *merge = gguf_texts(g, PREFIX "merges", &merges);
    if (!merge)
        error_at(gguf_loc(g, PREFIX "model"), ERR_TOKENIZER, "%s is missing", PREFIX "merges");
    vocab_expect_merges(v, merges);
    for (int i = 0; i < merges; ++i) {
        const char *wrong = vocab_add_merge_text(v, merge[i].at, merge[i].bytes);
        if (wrong)
            error_at(gguf_loc(g, PREFIX "merges"), ERR_TOKENIZER, "%s", wrong);
    }
}

// GPT-2's kind: byte-level BPE, split by the rule that `pre` names.
static void read_byte_level(Vocab *v, const Gguf *g, const GgufText *texts, int n)
{
    const Preset *pre = want_pre(g);
    want_false(g, PREFIX "add_space_prefix", "not supported with a byte-level BPE");
    want_false(g, PREFIX "remove_extra_whitespaces", "not supported with a byte-level BPE");
    v->letters = LETTERS_BYTE_LEVEL;
    preset_apply(pre, v);
    read_tokens(v, g, texts, n);
    read_merges(v, g);
    read_bos(v, g, pre->bos);
}

// SentencePiece's way of writing: blanks, code points, bytes for what has no token.
static void set_sentencepiece(Vocab *v, const Gguf *g, bool prefix, int n)
{
    v->letters = LETTERS_BLANKS;
    v->symbols = PKG_SYMBOLS_CODES;
    v->prefix = gguf_bool_or(g, PREFIX "add_space_prefix", prefix) ? PREFIX_EVERY : PREFIX_NONE;
    v->squeeze = gguf_bool_or(g, PREFIX "remove_extra_whitespaces", false);
    v->fuse_unknown = true;
    v->unknown = (int)gguf_int_or(g, PREFIX "unknown_token_id", 0, n - 1, -1);
}

static const float *want_scores(const Gguf *g, int n)
{
    int scores = 0;
    const float *score = gguf_floats(g, PREFIX "scores", &scores);
    if (scores != n)
        error_at(gguf_loc(g, score ? PREFIX "scores" : PREFIX "model"), ERR_TOKENIZER,
                 PREFIX "scores has %d entries, tokens has %d", scores, n);
    return score;
}

// Llama's kind: SentencePiece's BPE, whose merges come from scores.
static void read_sentencepiece(Vocab *v, const Gguf *g, const GgufText *texts, int n)
{
    const float *score = want_scores(g, n);
    set_sentencepiece(v, g, true, n);
    read_tokens(v, g, texts, n);
    const char *wrong = vocab_merge_by_scores(v, score);
    if (wrong)
        error_at(gguf_loc(g, PREFIX "tokens"), ERR_TOKENIZER, "%s", wrong);
    read_bos(v, g, true);
}

// T5's kind: SentencePiece's unigram.
static void read_unigram(Vocab *v, const Gguf *g, const GgufText *texts, int n)
{
    int bytes = 0, types = 0;
    const float *score = want_scores(g, n);
    const int64_t *map = gguf_ints(g, PREFIX "precompiled_charsmap", &bytes);
    const int64_t *type = gguf_ints(g, PREFIX "token_type", &types);
    uint8_t *table = arena_alloc(v->arena, (size_t)bytes + 1);
    bool *users = arena_alloc(v->arena, (size_t)n * sizeof *users);
    for (int i = 0; i < bytes; ++i)
        table[i] = (uint8_t)map[i];
    for (int id = 0; id < n && id < types; ++id)
        users[id] = type[id] == PIECE_USER;
    v->model = PKG_UNIGRAM;
    set_sentencepiece(v, g, true, n);
    read_tokens(v, g, texts, n);
    const char *wrong = charsmap_read(v->arena, table, (size_t)bytes, &v->map);
    if (wrong)
        error_at(gguf_loc(g, PREFIX "precompiled_charsmap"), ERR_TOKENIZER, "%s", wrong);
    vocab_use_scores(v, score, users);
    read_bos(v, g, false);
}

// Gemma 4's kind: written as SentencePiece's, but with a list of merges.
static void read_gemma(Vocab *v, const Gguf *g, const GgufText *texts, int n)
{
    set_sentencepiece(v, g, false, n);
    read_tokens(v, g, texts, n);
    read_merges(v, g);
    read_bos(v, g, true);
}

typedef struct GgufKind {
    const char *name;
    void (*read)(Vocab *v, const Gguf *g, const GgufText *texts, int n);
} GgufKind;

static const GgufKind kinds[] = {
    { "gpt2", read_byte_level }, { "llama", read_sentencepiece }, { "gemma4", read_gemma }, { "t5", read_unigram }
};

Vocab *vocab_read_gguf(Arena *a, const Model *m, const char **why_not)
{
    const Gguf *g = gguf_open(a, m->path);
    const char *name = gguf_str_or(g, PREFIX "model", NULL);
    *why_not = "the GGUF file has no tokenizer";
    if (!name || str_equal(name, "none") || str_equal(name, "no_vocab"))
        return NULL;
    int kind = 0, tokens = 0;
    while (kind < ARRAY_LEN(kinds) && !str_equal(name, kinds[kind].name))
        ++kind;
    *why_not = str_format(a, "a tokenizer of kind \"%s\" is not in this version", name);
    if (kind == ARRAY_LEN(kinds))
        return NULL;
    *why_not = NULL;
    check_keys(g);
    want_false(g, PREFIX "add_eos_token", "a prompt that ends so cannot be continued");
    want_false(g, PREFIX "add_sep_token", "not supported");
    const GgufText *texts = gguf_texts(g, PREFIX "tokens", &tokens);
    if (!tokens)
        error_at(gguf_loc(g, PREFIX "model"), ERR_TOKENIZER, PREFIX "tokens is missing");
    if (tokens > m->vocab)
        error_at(gguf_loc(g, PREFIX "tokens"), ERR_TOKENIZER, "%d tokens: the model has %d rows", tokens, m->vocab);
    Vocab *v = vocab_new(a, m->path, m->vocab, tokens);
    kinds[kind].read(v, g, texts, tokens);
    for (int i = 0; i < m->n_eos; ++i)
        vocab_add_eos(v, m->eos[i]);
    read_eos(v, g);
    return v;
}
