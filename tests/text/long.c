// long.c: words of a megabyte, which an algorithm of quadratic cost would not end in the time of a test: long FOLDER..
#include "view.h"

enum { BYTES = 1 << 20 };

// The ids of `text` repeated up to BYTES spell it.
static void check_repeated(const TokenizerView *v, const char *text)
{
    const size_t part = strlen(text);
    uint8_t *word = malloc(BYTES);
    uint32_t *ids = malloc(tokenizer_room(v, BYTES) * sizeof *ids);
    if (!word || !ids)
        exit(1);
    for (size_t i = 0; i < BYTES; ++i)
        word[i] = (uint8_t)text[i % part];
    size_t lost;
    const int64_t n = tokenizer_encode(v, word, BYTES, false, ids, &lost);
    ASSERT(n >= 0 && n <= BYTES + 1);
    Arena *a = arena_new();
    Str back = str_new(a);
    for (int64_t i = 0; i < n; ++i) {
        size_t have;
        const uint8_t *token = tokenizer_bytes(v, ids[i], &have);
        str_add_bytes(&back, token, have);
    }
    if (!lost && keeps_text(v, word, BYTES) && !is_same_text(v, back.text, back.bytes, (const char *)word, BYTES))
        ASSERT_STR(text, "what its ids decode to");
    arena_free(a);
    free(word);
    free(ids);
}

int main(int argc, char **argv)
{
    static const char *const texts[] = { "a",
                                         "the",
                                         "etaoinshrdlu",
                                         " ",
                                         "\n",
                                         "=",
                                         "<",
                                         "<|",
                                         "1",
                                         "a ",
                                         "\xe4\xb8\xad",
                                         "e\xcc\x81",
                                         "\xcc\x81\xcc\xa3",
                                         "\xff" };
    Arena *a = arena_new();
    for (int i = 1; i < argc; ++i) {
        const TokenizerView v = view_of(a, argv[i]);
        for (size_t k = 0; k < sizeof texts / sizeof *texts; ++k)
            check_repeated(&v, texts[k]);
    }
    arena_free(a);
    return test_failed;
}
