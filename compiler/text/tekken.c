// tekken.c: tekken.json, as mistral-common has it: ranks in base64 and a regular expression; special tokens come first.
#include "base64.h"
#include "vocab.h"

#include "../base/str.h"

#include <string.h>

// Those of versions up to v7, whose files do not name them.
static const char *const old_special[] = { "<unk>",
                                           "<s>",
                                           "</s>",
                                           "[INST]",
                                           "[/INST]",
                                           "[AVAILABLE_TOOLS]",
                                           "[/AVAILABLE_TOOLS]",
                                           "[TOOL_RESULTS]",
                                           "[/TOOL_RESULTS]",
                                           "[TOOL_CALLS]",
                                           "[IMG]",
                                           "<pad>",
                                           "[IMG_BREAK]",
                                           "[IMG_END]",
                                           "[PREFIX]",
                                           "[MIDDLE]",
                                           "[SUFFIX]",
                                           "[SYSTEM_PROMPT]",
                                           "[/SYSTEM_PROMPT]",
                                           "[TOOL_CONTENT]" };

static void check(Json at, const char *wrong)
{
    if (wrong)
        error_at(json_loc(at), ERR_TOKENIZER, "%s", wrong);
}

static void add_special(Vocab *v, Json at, int id, const char *text)
{
    if (id < v->rows)
        check(at, vocab_add(v, id, (VocabToken){ .text = text, .bytes = strlen(text), .type = TOKEN_SPECIAL }));
}

static void read_special(Vocab *v, Json root, int n)
{
    static const char *const keys[] = { "rank", "token_str", "is_control" };
    const Json list = json_get(root, "special_tokens");
    const char **names = arena_alloc(v->arena, (size_t)n * sizeof *names);
    for (Json t = json_first(list); t.node; t = json_next(t)) {
        vocab_check_keys(t, "a special token", keys, ARRAY_LEN(keys));
        names[want_int(t, "rank", 0, n - 1)] = want_str(t, "token_str");
    }
    const char *version = want_str(want_object(root, "config"), "version");
    static const char *const old[] = { "v1", "v2", "v3", "v7" };
    bool known = list.node;
    for (int i = 0; i < ARRAY_LEN(old) && !known; ++i)
        known = str_equal(version, old[i]);
    if (!known)
        error_at(json_loc(root), ERR_TOKENIZER, "version \"%s\" must have special_tokens", version);
    for (int id = 0; id < n; ++id) {
        const char *name = list.node ? names[id] : id < ARRAY_LEN(old_special) ? old_special[id] : NULL;
        add_special(v, root, id, name ? name : str_format(v->arena, "<SPECIAL_%d>", id));
    }
}

static void read_token(Vocab *v, Json t, int rank, int first)
{
    const Json text = json_want(t, "token_bytes");
    const char *base64 = json_string(text);
    const size_t n = strlen(base64);
    uint8_t *bytes = arena_alloc(v->arena, (n / 4 + 1) * 3);
    const int64_t got = base64_decode(base64, n, bytes);
    if (want_int(t, "rank", 0, INT32_MAX) != rank)
        error_at(json_loc(json_get(t, "rank")), ERR_TOKENIZER, "rank %d was expected: they ascend by one", rank);
    if (got <= 0)
        error_at(json_loc(text), ERR_TOKENIZER, "token_bytes is no base64");
    check(t, vocab_add(v, first + rank,
                       (VocabToken){ .text = (const char *)bytes, .bytes = (size_t)got, .in_model = true }));
}

// The texts beside the base64 are for people; one is a zero character, which JSON documents here must not have.
static Json parse(Arena *a, const char *path, Bytes file)
{
    char *text = (char *)str_copy(a, (const char *)file.at, file.bytes);
    for (size_t i = 0; i + 6 <= file.bytes; ++i) {
        if (text[i] != '\\')
            continue;
        if (memcmp(text + i, "\\u0000", 6) == 0)
            text[i + 5] = '1';
        ++i; // what it escapes
    }
    return json_parse(a, path, text, file.bytes, -1);
}

Vocab *vocab_read_tekken(Arena *a, const Model *m, const char *path, Bytes file)
{
    const Json root = parse(a, path, file);
    static const char *const keys[] = { "config",     "vocab", "special_tokens",        "image",
                                        "multimodal", "audio", "model_settings_builder" };
    vocab_check_keys(root, "tekken.json", keys, ARRAY_LEN(keys));
    const Json config = want_object(root, "config"), list = want_array(root, "vocab");
    const int special = (int)want_int(config, "default_num_special_tokens", 0, m->vocab - 1);
    const int vocab = (int)want_int(config, "default_vocab_size", special + 256, INT32_MAX);
    if (vocab > m->vocab)
        error_at(json_loc(json_get(config, "default_vocab_size")), ERR_TOKENIZER, "%d tokens: the model has %d rows",
                 vocab, m->vocab);
    if (json_count(list) < vocab - special)
        error_at(json_loc(list), ERR_TOKENIZER, "%d tokens: default_vocab_size needs %d", json_count(list),
                 vocab - special);
    Vocab *v = vocab_new(a, path, m->vocab, vocab);
    read_special(v, root, special);
    Json t = json_first(list);
    for (int rank = 0; rank < vocab - special; ++rank, t = json_next(t))
        read_token(v, t, rank, special);
    const char *pattern = want_str(config, "pattern");
    vocab_add_ranked(v, path, pattern, strlen(pattern), special);
    v->bos = vocab_find(v, "<s>", 3);
    for (int i = 0; i < m->n_eos; ++i)
        vocab_add_eos(v, m->eos[i]);
    vocab_add_eos(v, vocab_find(v, "</s>", 4));
    return v;
}
