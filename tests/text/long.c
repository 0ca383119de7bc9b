// long.c: words of a megabyte, which an algorithm of quadratic cost would not end in the time of a test: long FOLDER.
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
    const int64_t n = tokenizer_encode(v, word, BYTES, false, ids, NULL);
    size_t at = 0;
    for (int64_t i = 0; i < n; ++i) {
        size_t have;
        const uint8_t *token = tokenizer_bytes(v, ids[i], &have);
        if (have > BYTES - at || memcmp(token, word + at, have) != 0)
            break;
        at += have;
    }
    ASSERT_INT(BYTES, at);
    ASSERT(n <= BYTES);
    free(word);
    free(ids);
}

int main(int argc, char **argv)
{
    Arena *a = arena_new();
    if (argc != 2)
        return 2;
    const TokenizerView v = view_of(a, argv[1]);
    check_repeated(&v, "a");
    check_repeated(&v, "the");
    check_repeated(&v, "etaoinshrdlu");
    check_repeated(&v, " ");
    check_repeated(&v, "\n");
    check_repeated(&v, "=");
    check_repeated(&v, "<");
    check_repeated(&v, "\xe4\xb8\xad");
    arena_free(a);
    return test_failed;
}
