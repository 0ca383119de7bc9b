// ids.c: the ids of texts, for compare.py and errors.sh: ids FOLDER|FILE.gguf ROWS < texts.
// stdin: texts, each as 4 bytes of length (little-endian) and its bytes. stdout: a line of ids a text.
// Also checks that decoding gives every text back from which no byte was left out.
#include "../../compiler/text/tokenizer.h"
#include "../../runtime/tokenizer.h"

#include "../../compiler/base/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check_decoding(const TokenizerView *v, const uint8_t *text, uint32_t bytes, const uint32_t *ids, int64_t n)
{
    size_t at = 0;
    for (int64_t i = v->head->bos >= 0; i < n; ++i) {
        size_t have;
        const uint8_t *token = tokenizer_bytes(v, ids[i], &have);
        if (have > bytes - at || memcmp(text + at, token, have) != 0)
            break;
        at += have;
    }
    if (at != bytes) {
        fprintf(stderr, "decoding does not give the text back from byte %zu of %u on\n", at, bytes);
        exit(1);
    }
}

static int encode_all(const TokenizerView *v)
{
    for (uint32_t bytes; fread(&bytes, sizeof bytes, 1, stdin) == 1;) {
        uint8_t *text = malloc((size_t)bytes + 1);
        uint32_t *ids = malloc(tokenizer_room(v, bytes) * sizeof *ids);
        if (!text || !ids || fread(text, 1, bytes, stdin) != bytes)
            return 1;
        size_t lost;
        const int64_t n = tokenizer_encode(v, text, bytes, true, ids, &lost);
        if (n < 0)
            return 1;
        if (!lost)
            check_decoding(v, text, bytes, ids, n);
        for (int64_t i = 0; i < n; ++i)
            printf(i ? " %u" : "%u", ids[i]);
        printf("\n");
        free(text);
        free(ids);
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: ids FOLDER|FILE.gguf ROWS < texts\n");
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
    const int status = encode_all(&v);
    arena_free(a);
    return status;
}
