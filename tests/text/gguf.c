// gguf.c: the vocabulary of a folder written as GGUF gives the same tables; what GGUF files get wrong is refused by
// name: gguf FOLDER RULE, where RULE is GGUF's name of the folder's rule.
#include "gguf_file.h"
#include "view.h"

#include "../said.h"

static void check_same_tables(Arena *a, const char *folder, const char *rule)
{
    Writer w = { str_new(a), 0 };
    add_key_text(&w, "model", "gpt2");
    add_key_text(&w, "pre", rule);
    add_vocabulary(&w, a, folder);
    add_key(&w, "eos_token_id", U32);
    add(&w.keys, 0, 4);
    add_key(&w, "bos_token_id", U32);
    add(&w.keys, 1, 4);
    const char *path = write_gguf(a, &w);
    const Model of_gguf = { .source = MODEL_GGUF, .path = path, .vocab = 600 };
    const Model of_folder = { .source = MODEL_FOLDER, .path = folder, .vocab = 600, .n_eos = 1 };
    const Tokenizer *got = tokenizer_load(a, &of_gguf), *want = tokenizer_load(a, &of_folder);
    ASSERT_INT((long long)want->bytes, (long long)got->bytes);
    PkgTokenizer *head = (PkgTokenizer *)got->tables;
    const PkgTokenizer *wanted = want->tables;
    head->unknown =
        wanted->unknown; // GGUF does not say what stands for a byte without a token: llama.cpp leaves it out
    head->fuse_unknown = wanted->fuse_unknown;
    ASSERT(got->bytes == want->bytes && memcmp(got->tables, want->tables, got->bytes) == 0);
    unlink(path);
}

static void load(const void *path)
{
    Arena *a = arena_new();
    const Model m = { .source = MODEL_GGUF, .path = path, .vocab = 4 };
    const Tokenizer *t = tokenizer_load(a, &m);
    fprintf(stderr, t->tables ? "tables\n" : "%s\n", t->why_not);
    arena_free(a);
}

// A file of the tokens a, b and ab: their types, a merge, one flag.
typedef struct Case {
    const char *model, *pre, *types, *merge, *flag;
    int code;
    const char *says;
} Case;

static const Case cases[] = {
    { "gpt2", "gpt-2", "\1\1\1", "a b", NULL, 0, "tables\n" },
    { "gpt2", "llama3", "\1\1\1", "a b", "add_bos_token=0", 0, "tables\n" },
    { "gpt2", "smollm", "\1\1\5", NULL, "add_space_prefix=0", 0, "tables\n" },
    { "llama", NULL, "\1\1\1", "a b", NULL, 3, "tokenizer.ggml.scores has 0 entries, tokens has 3 [E0420]" },
    { "bert", NULL, "\1\1\1", "a b", NULL, 0, "a tokenizer of kind \"bert\" is not in this version\n" },
    { NULL, NULL, "\1\1\1", "a b", NULL, 0, "the GGUF file has no tokenizer\n" },
    { "gpt2", NULL, "\1\1\1", "a b", NULL, 3, "tokenizer.ggml.pre is missing: how text is split is not known [E0422]" },
    { "gpt2", "qwen2", "\1\1\1", "a b", NULL, 0, "tables\n" },
    { "gpt2", "qwen", "\1\1\1", "a b", NULL, 3, "unknown pre-tokenizer \"qwen\" in tokenizer.ggml.pre [E0422]\n" },
    { "gpt2", "default", "\1\1\1", "a b", NULL, 3, "pre-tokenizer \"default\" is not supported: it stands for any rule" },
    { "gpt2", "superbpe", "\1\1\1", "a b", NULL, 3, "it groups digits from the right" },
    { "gpt2", "llama-bpe", "\1\1\1", "a b", NULL, 3,
      "BOS is to be added, but tokenizer.ggml.bos_token_id is missing [E0420]" },
    { "gpt2", "gpt-2", "\1\1\1", "a b", "add_eos_token=1", 3,
      "tokenizer.ggml.add_eos_token is true: a prompt that ends so cannot be continued [E0420]" },
    { "gpt2", "gpt-2", "\1\1\1", "a b", "add_space_prefix=1", 3, "add_space_prefix is true: not supported" },
    { "gpt2", "gpt-2", "\1\1\1", "a b", "normalise=0", 3,
      "unknown key \"tokenizer.ggml.normalise\": it may change the ids of a text [E0420]" },
    { "gpt2", "gpt-2", "\1\1\6", "a b", NULL, 3, "token 2 has type 6: 1 to 5 are known in a byte-level BPE [E0420]" },
    { "gpt2", "gpt-2", "\5\5\5", NULL, NULL, 3, "the vocabulary is empty [E0420]" },
    { "gpt2", "gpt-2", "\1\1", "a b", NULL, 3, "tokenizer.ggml.token_type has 2 entries, tokens has 3 [E0420]" },
    { "gpt2", "gpt-2", "\1\1\1", "a c", NULL, 3,
      "merge 0 is of \"a\" and \"c\": \"c\" is not in the vocabulary [E0420]" },
    { "gpt2", "gpt-2", "\1\1\1", "ab", NULL, 3,
      "merge 0 is \"ab\": two texts with one space between were expected [E0420]" },
    { "gpt2", "gpt-2", "\1\1\1", "", NULL, 3, "merge 0 is \"\": two texts" },
};

static const char *write_case(Arena *a, const Case *c)
{
    static const char *const tokens[] = { "a", "b", "ab" };
    Writer w = { str_new(a), 0 };
    if (c->model)
        add_key_text(&w, "model", c->model);
    if (c->pre)
        add_key_text(&w, "pre", c->pre);
    add_array(&w, "tokens", STRING, 3);
    for (int i = 0; i < 3; ++i)
        add_text(&w.keys, tokens[i]);
    add_array(&w, "token_type", I32, strlen(c->types));
    for (const char *t = c->types; *t; ++t)
        add(&w.keys, (uint64_t)*t, 4);
    add_array(&w, "merges", STRING, c->merge != NULL);
    if (c->merge)
        add_text(&w.keys, c->merge);
    if (c->flag) {
        const char *equals = strchr(c->flag, '=');
        add_key(&w, str_copy(a, c->flag, (size_t)(equals - c->flag)), BOOL);
        add(&w.keys, equals[1] == '1', 1);
    }
    return write_gguf(a, &w);
}

int main(int argc, char **argv)
{
    Arena *a = arena_new();
    if (argc < 3)
        return 2;
    for (int i = 1; i + 1 < argc; i += 2)
        check_same_tables(a, argv[i], argv[i + 1]);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const char *path = write_case(a, &cases[i]);
        const Said s = said(load, path);
        ASSERT_INT(cases[i].code, s.code);
        if (!strstr(s.text, cases[i].says))
            ASSERT_STR(cases[i].says, s.text);
        unlink(path);
    }
    arena_free(a);
    return test_failed;
}
