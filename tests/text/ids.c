// ids.c: the ids of texts, for compare.py and real.py: ids FOLDER|FILE.gguf ROWS [no-bos] [special] < texts.
// stdin: texts, each as 4 bytes of length (little-endian) and its bytes. stdout: a line of ids a text.
// Also checks, unless `special`, that decoding gives every text back from which no byte was left out.
#include "view.h"

#include "../../compiler/base/file.h"

static void check_decoding(Arena *a, const TokenizerView *v, const uint8_t *text, size_t bytes, const uint32_t *ids,
                           int64_t n)
{
    Str back = str_new(a);
    for (int64_t i = n && ids[0] == (uint32_t)v->head->bos; i < n; ++i) {
        size_t have;
        const uint8_t *token = tokenizer_bytes(v, ids[i], &have);
        str_add_bytes(&back, token, have);
    }
    if (!is_same_text(v, back.text, back.bytes, (const char *)text, bytes)) {
        fprintf(stderr, "decoding gives \"%s\", not the text \"%.*s\"\n", back.text, (int)bytes, (const char *)text);
        exit(1);
    }
}

// Added tokens part a text into sections, each of which gets a blank in front; with a normalizer Prepend they take one with them.
static bool blanks_differ(const TokenizerView *v, const uint32_t *ids, int64_t n)
{
    bool added = false;
    for (int64_t i = 0; i < n; ++i)
        added |= tokenizer_type(v, ids[i]) == TOKEN_ADDED;
    return added && v->head->prefix & PREFIX_EVERY;
}

static int encode_all(const TokenizerView *v, bool bos, bool special)
{
    Arena *a = arena_new();
    for (uint32_t bytes; fread(&bytes, sizeof bytes, 1, stdin) == 1;) {
        uint8_t *text = malloc((size_t)bytes + 1);
        uint32_t *ids = malloc(tokenizer_room(v, bytes) * sizeof *ids);
        if (!text || !ids || fread(text, 1, bytes, stdin) != bytes)
            return 1;
        size_t lost;
        const TokenizerText t = { .text = text, .bytes = bytes, .bos = bos, .special = special };
        const int64_t n = tokenizer_encode_text(v, &t, ids, &lost);
        if (n < 0)
            return 1;
        if (!lost && !special && keeps_text(v, text, bytes) && !blanks_differ(v, ids, n))
            check_decoding(a, v, text, bytes, ids, n);
        for (int64_t i = 0; i < n; ++i)
            printf(i ? " %u" : "%u", ids[i]);
        printf("\n");
        free(text);
        free(ids);
    }
    arena_free(a);
    return 0;
}

static bool has_word(char **words, int n, const char *word)
{
    for (int i = 0; i < n; ++i)
        if (strcmp(words[i], word) == 0)
            return true;
    return false;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: ids FOLDER|FILE.gguf ROWS [no-bos] [special] < texts\n");
        return 2;
    }
    Arena *a = arena_new();
    const Model m = { .source = file_is_dir(argv[1]) ? MODEL_FOLDER : MODEL_GGUF,
                      .path = argv[1],
                      .vocab = atoi(argv[2]) };
    const Tokenizer *t = tokenizer_load(a, &m);
    if (!t->tables) {
        printf("none: %s\n", t->why_not);
        return 0;
    }
    TokenizerView v;
    if (!tokenizer_open(&v, t->tables, t->bytes)) {
        fprintf(stderr, "tokenizer_open refuses the tables\n");
        return 1;
    }
    const int status = encode_all(&v, !has_word(argv + 3, argc - 3, "no-bos"), has_word(argv + 3, argc - 3, "special"));
    arena_free(a);
    return status;
}
