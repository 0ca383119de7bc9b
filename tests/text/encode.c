// encode.c: the order of merges, what is left out, BOS, and which tables are refused: encode FOLDER (order).
#include "view.h"

typedef struct Case {
    const char *text, *ids;
    int lost;
    bool bos;
} Case;

static const Case cases[] = {
    { "", "", 0, false },
    { "", " 10", 0, true },
    { "aaaa", " 9 9", 0, false },
    { "aaa", " 9 0", 0, false },  // of equal merges the leftmost
    { "abcd", " 0 7", 0, false }, // b c, then bc d, before a bc: a pair that has changed loses its old rank
    { "abc", " 10 8", 0, true },
    { "abxc", " 8", 1, false }, // x has no token
    { "bxc", " 4", 1, false },  // and what stood around it are neighbours
    { "xyz", "", 3, false },
    { "<s>", " 11 12 13", 0, false }, // text
    { "<s>a", " 10 11 12 13 0", 0, true },
};

static void check_case(Arena *a, const TokenizerView *v, const Case *c)
{
    uint32_t ids[32];
    size_t lost;
    const int64_t n = tokenizer_encode(v, c->text, strlen(c->text), c->bos, ids, &lost);
    Str got = str_new(a);
    for (int64_t i = 0; i < n; ++i)
        str_add(&got, " %u", ids[i]);
    ASSERT_STR(c->ids, got.text);
    ASSERT_INT(c->lost, (long long)lost);
}

// Special tokens in the text: all of them, none in what is literal, BOS once.
static void check_special(Arena *a, const TokenizerView *v, const char *want, const char *text, bool bos,
                          const TokenizerRange *literal, size_t literals)
{
    uint32_t ids[32];
    const TokenizerText t = {
        .text = text, .bytes = strlen(text), .bos = bos, .special = true, .literal = literal, .literals = literals
    };
    const int64_t n = tokenizer_encode_text(v, &t, ids, NULL);
    Str got = str_new(a);
    for (int64_t i = 0; i < n; ++i)
        str_add(&got, " %u", ids[i]);
    ASSERT_STR(want, got.text);
}

static void check_specials(Arena *a, const TokenizerView *v)
{
    const TokenizerRange second = { 4, 7 }, part = { 5, 6 }, all = { 0, 8 }, none = { 3, 4 };
    const TokenizerRange both[] = { { 0, 3 }, { 4, 7 } };
    check_special(a, v, " 10 0 10 0", "<s>a<s>a", false, NULL, 0);
    check_special(a, v, " 10 0 10 0", "<s>a<s>a", true, NULL, 0); // the text begins with BOS
    check_special(a, v, " 10 10 0", "<s><s>a", true, NULL, 0);
    check_special(a, v, " 10 0 10", "a<s>", true, NULL, 0);
    check_special(a, v, " 10 0 11 12 13 0", "<s>a<s>a", true, &second, 1);
    check_special(a, v, " 10 0 11 12 13 0", "<s>a<s>a", false, &part, 1);
    check_special(a, v, " 11 12 13 0 11 12 13 0", "<s>a<s>a", false, &all, 1);
    check_special(a, v, " 10 11 12 13 0 11 12 13 0", "<s>a<s>a", true, both, 2); // BOS that a user writes is text
    check_special(a, v, " 10 0 10 0", "<s>a<s>a", false, &none, 1);
}

// Copies the tables with one word changed.
static bool opens_with(Arena *a, const PkgTokenizer *good, size_t bytes, size_t at, uint32_t value)
{
    TokenizerView v;
    uint8_t *tables = arena_alloc(a, bytes);
    memcpy(tables, good, bytes);
    memcpy(tables + at, &value, sizeof value);
    return tokenizer_open(&v, tables, bytes);
}

static void check_damage(Arena *a, const PkgTokenizer *t, size_t bytes)
{
    const size_t head[] = {
        offsetof(PkgTokenizer, steps),
        offsetof(PkgTokenizer, vocab),
        offsetof(PkgTokenizer, bos),
        offsetof(PkgTokenizer, symbols),
        offsetof(PkgTokenizer, prefix),
        offsetof(PkgTokenizer, unknown),
        offsetof(PkgTokenizer, eos_count),
        offsetof(PkgTokenizer, byte_id),
        offsetof(PkgTokenizer, text_at),
        offsetof(PkgTokenizer, text_bytes),
        offsetof(PkgTokenizer, token_at),
        offsetof(PkgTokenizer, type_at),
        offsetof(PkgTokenizer, merge_slots),
        offsetof(PkgTokenizer, merge_at),
        offsetof(PkgTokenizer, word_at),
        offsetof(PkgTokenizer, classes),
        offsetof(PkgTokenizer, page_of_at),
        offsetof(PkgTokenizer, pages),
        offsetof(PkgTokenizer, pages_at),
        offsetof(PkgTokenizer, states),
        offsetof(PkgTokenizer, moves_at),
        offsetof(PkgTokenizer, added_at),
        offsetof(PkgTokenizer, added_cells),
        offsetof(PkgTokenizer, step) + offsetof(PkgStep, behaviour),
        offsetof(PkgTokenizer, step) + offsetof(PkgStep, state),
    };
    TokenizerView v;
    ASSERT(opens_with(a, t, bytes, offsetof(PkgTokenizer, byte_id), UINT32_MAX));
    for (size_t i = 0; i < sizeof head / sizeof *head; ++i)
        ASSERT(!opens_with(a, t, bytes, head[i], 0x7ffffff0));
    ASSERT(!opens_with(a, t, bytes, offsetof(PkgTokenizer, pages), 0));
    ASSERT(!opens_with(a, t, bytes, offsetof(PkgTokenizer, classes), 0));
    ASSERT(!opens_with(a, t, bytes, offsetof(PkgTokenizer, token_at), t->token_at + 1));
    ASSERT(!opens_with(a, t, bytes, t->token_at + 4 * 3, 0)); // a token that ends before it begins
    ASSERT(!opens_with(a, t, bytes, t->token_at, 1));
    ASSERT(!opens_with(a, t, bytes, t->token_at + 4 * t->vocab, t->text_bytes + 1));
    ASSERT(!opens_with(a, t, bytes, t->page_of_at, 0xffff));
    ASSERT(!opens_with(a, t, bytes, t->pages_at, 0xff));
    ASSERT(!opens_with(a, t, bytes, t->moves_at, 0xffff));
    ASSERT(!tokenizer_open(&v, t, bytes - 1));
    ASSERT(!tokenizer_open(&v, t, sizeof *t - 1));
    ASSERT(!tokenizer_open(&v, NULL, 0));
}

int main(int argc, char **argv)
{
    Arena *a = arena_new();
    if (argc != 2)
        return 2;
    const TokenizerView v = view_of(a, argv[1]);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        check_case(a, &v, &cases[i]);
    check_specials(a, &v);
    size_t bytes;
    tokenizer_bytes(&v, 14, &bytes);
    ASSERT_INT(0, (long long)bytes); // no such id
    ASSERT_INT(TOKEN_UNUSED, tokenizer_type(&v, 14));
    ASSERT_INT(TOKEN_SPECIAL, tokenizer_type(&v, 10));
    ASSERT_INT(TOKEN_NORMAL, tokenizer_type(&v, 9));
    const Model m = { .source = MODEL_FOLDER, .path = argv[1], .vocab = 600 };
    check_damage(a, v.head, tokenizer_load(a, &m)->bytes);
    arena_free(a);
    return test_failed;
}
