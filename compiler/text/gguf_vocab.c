// gguf_vocab.c: the byte-level BPE in the metadata of a GGUF file.
#include "vocab.h"

#include "../model/gguf.h"

#include <string.h>

#define PREFIX "tokenizer.ggml."

// GGUF's token types.
enum { TYPE_NORMAL = 1, TYPE_UNKNOWN, TYPE_CONTROL, TYPE_USER, TYPE_UNUSED, TYPE_BYTE };

typedef struct GgufPre {
    const char *name;
    enum PkgPre pre;
    bool whole_words, bos; // as llama.cpp has them for this rule; bos: unless add_bos_token says otherwise
} GgufPre;

static const GgufPre pres[] = {
    { "llama-bpe", PKG_PRE_LLAMA3, true, true }, { "llama3", PKG_PRE_LLAMA3, true, true },
    { "llama-v3", PKG_PRE_LLAMA3, true, true },  { "smollm", PKG_PRE_SMOLLM, false, false },
    { "gpt-2", PKG_PRE_GPT2, false, false },
};

static const GgufPre *want_pre(const Gguf *g)
{
    const char *name = gguf_str_or(g, PREFIX "pre", NULL);
    const Loc at = loc_hint(gguf_loc(g, name ? PREFIX "pre" : PREFIX "model"),
                            "supported: llama-bpe llama3 llama-v3 smollm gpt-2");
    if (!name)
        error_at(at, ERR_PRE_TOKENIZER, PREFIX "pre is missing: how text is split is not known");
    for (int i = 0; i < ARRAY_LEN(pres); ++i)
        if (str_equal(name, pres[i].name))
            return &pres[i];
    error_at(at, ERR_PRE_TOKENIZER, "unknown pre-tokenizer \"%s\" in " PREFIX "pre", name);
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
                                         "remove_extra_whitespaces" };
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
        VocabToken token = { .text = texts[id].at, .bytes = texts[id].bytes };
        switch (type[id]) {
        case TYPE_NORMAL:
            token.type = TOKEN_NORMAL;
            break;
        case TYPE_UNKNOWN:
        case TYPE_CONTROL:
            token.type = TOKEN_SPECIAL;
            break;
        case TYPE_USER:
            token.type = TOKEN_ADDED;
            break;
        case TYPE_UNUSED:
            continue;
        default:
            error_at(gguf_loc(g, PREFIX "token_type"), ERR_TOKENIZER,
                     "token %d has type %lld: 1 to 5 are known in a byte-level BPE", id, (long long)type[id]);
        }
        if (token.type != TOKEN_NORMAL && vocab_reads_two_ways(v->arena, token.text, token.bytes))
            error_at(gguf_loc(g, PREFIX "tokens"), ERR_TOKENIZER,
                     "token %d is special, but in byte-level letters it stands for another text: not supported", id);
        token.in_model = true; // GGUF does not say which tokens were added
        const char *wrong = vocab_add(v, id, token);
        if (wrong)
            error_at(gguf_loc(g, PREFIX "tokens"), ERR_TOKENIZER, "%s", wrong);
    }
}

static void read_ends(Vocab *v, const Gguf *g, bool bos)
{
    static const char *const ends[] = { PREFIX "eos_token_id", PREFIX "eot_token_id", PREFIX "eom_token_id" };
    for (int i = 0; i < ARRAY_LEN(ends); ++i)
        vocab_add_eos(v, gguf_int_or(g, ends[i], 0, UINT32_MAX, -1));
    if (!gguf_bool_or(g, PREFIX "add_bos_token", bos))
        return;
    if (!gguf_has(g, PREFIX "bos_token_id"))
        error_at(gguf_loc(g, PREFIX "add_bos_token"), ERR_TOKENIZER,
                 "BOS is to be added, but " PREFIX "bos_token_id is missing");
    v->bos = (int)gguf_int(g, PREFIX "bos_token_id", 0, v->n - 1);
}

// NULL: a byte-level BPE.
static const char *why_not_bpe(Arena *a, const Gguf *g)
{
    const char *kind = gguf_str_or(g, PREFIX "model", NULL);
    if (!kind || str_equal(kind, "none") || str_equal(kind, "no_vocab"))
        return "the GGUF file has no tokenizer";
    if (str_equal(kind, "llama"))
        return "SentencePiece is not in this version";
    return str_equal(kind, "gpt2") ? NULL : str_format(a, "a tokenizer of kind \"%s\" is not in this version", kind);
}

Vocab *vocab_read_gguf(Arena *a, const Model *m, const char **why_not)
{
    const Gguf *g = gguf_open(a, m->path);
    *why_not = why_not_bpe(a, g);
    if (*why_not)
        return NULL;
    check_keys(g);
    const GgufPre *pre = want_pre(g);
    want_false(g, PREFIX "add_eos_token", "a prompt that ends so cannot be continued");
    want_false(g, PREFIX "add_sep_token", "not supported with a byte-level BPE");
    want_false(g, PREFIX "add_space_prefix", "not supported with a byte-level BPE");
    want_false(g, PREFIX "remove_extra_whitespaces", "not supported with a byte-level BPE");
    int tokens = 0, merges = 0;
    const GgufText *texts = gguf_texts(g, PREFIX "tokens", &tokens);
    const GgufText *merge = gguf_texts(g, PREFIX "merges", &merges);
    if (!tokens || !merge)
        error_at(gguf_loc(g, PREFIX "model"), ERR_TOKENIZER, "%s is missing",
                 tokens ? PREFIX "merges" : PREFIX "tokens");
    if (tokens > m->vocab)
        error_at(gguf_loc(g, PREFIX "tokens"), ERR_TOKENIZER, "%d tokens: the model has %d rows", tokens, m->vocab);
    Vocab *v = vocab_new(a, m->vocab, tokens, merges);
    v->pre = pre->pre;
    v->whole_words = pre->whole_words;
    read_tokens(v, g, texts, tokens);
    if (!v->n)
        error_at(gguf_loc(g, PREFIX "tokens"), ERR_TOKENIZER, "the vocabulary is empty");
    for (int i = 0; i < merges; ++i) {
        const char *wrong = vocab_add_merge_text(v, merge[i].at, merge[i].bytes);
        if (wrong)
            error_at(gguf_loc(g, PREFIX "merges"), ERR_TOKENIZER, "%s", wrong);
    }
    for (int i = 0; i < m->n_eos; ++i)
        vocab_add_eos(v, m->eos[i]);
    read_ends(v, g, pre->bos);
    return v;
}
