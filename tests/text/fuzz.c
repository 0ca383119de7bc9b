// fuzz.c: random texts, damaged tables, damaged files: no crash, no wrong id, no lost byte: fuzz FOLDER ROUNDS [SEED].
#include "gguf_file.h"
#include "view.h"

#include "../said.h"

enum { TEXT_BYTES = 600 };

typedef struct Random {
    uint64_t state;
} Random;

static uint32_t random_below(Random *r, uint32_t n)
{
    r->state = r->state * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)((r->state >> 33) % n);
}

// Bytes of any kind, bytes from a few, or well-formed text with damage.
static size_t random_text(Random *r, uint8_t *text)
{
    static const char *const pieces[] = { "the",     " ",  "\n",       "'s", "1", "\xe4\xb8\xad", "\xf0\x9f\x98\x80",
                                          "<think>", "::", "\xc2\xa0", "=" };
    const uint32_t kind = random_below(r, 3);
    size_t bytes = random_below(r, TEXT_BYTES - 8), at = 0;
    while (at < bytes) {
        const char *piece = pieces[random_below(r, sizeof pieces / sizeof *pieces)];
        if (kind == 0 || (kind == 1 && random_below(r, 20) == 0))
            text[at++] = (uint8_t)random_below(r, 256);
        else
            for (; *piece; ++piece)
                text[at++] = (uint8_t)*piece;
    }
    return at;
}

// The same bytes in random pieces and at once give the same text.
static void check_stream(Arena *a, Random *r, const uint8_t *text, size_t bytes)
{
    Str once = str_new(a), pieces = str_new(a);
    TokenizerStream whole = { .sink = sink_to_str, .context = &once },
                    parts = { .sink = sink_to_str, .context = &pieces };
    tokenizer_stream_add(&whole, text, bytes);
    tokenizer_stream_end(&whole);
    for (size_t at = 0; at < bytes;) {
        const size_t left = bytes - at, step = 1 + random_below(r, 5);
        tokenizer_stream_add(&parts, text + at, step < left ? step : left);
        at += step < left ? step : left;
    }
    tokenizer_stream_end(&parts);
    ASSERT(once.bytes == pieces.bytes && memcmp(once.text, pieces.text, once.bytes) == 0);
}

static void check_text(const TokenizerView *v, const uint8_t *text, size_t bytes, bool sound)
{
    uint32_t *ids = malloc(tokenizer_room(v, bytes) * sizeof *ids);
    uint8_t *exact = malloc(bytes + !bytes); // of no byte more, so that reading over the end is seen
    if (!ids || !exact)
        exit(1);
    memcpy(exact, text, bytes);
    size_t lost, at = 0;
    const int64_t n = tokenizer_encode(v, exact, bytes, false, ids, &lost);
    ASSERT(n >= 0 && n < (int64_t)tokenizer_room(v, bytes));
    char back[4 * TEXT_BYTES];
    for (int64_t i = 0; i < n; ++i) {
        size_t have;
        const uint8_t *token = tokenizer_bytes(v, ids[i], &have);
        ASSERT(ids[i] < v->head->vocab);
        if (have <= sizeof back - at)
            memcpy(back + at, token, have);
        at += have;
    }
    if (sound && !lost && keeps_text(v, text, bytes))
        ASSERT(at < sizeof back && is_same_text(v, back, at, (const char *)text, bytes));
    free(ids);
    free(exact);
}

static void fuzz_texts(const TokenizerView *v, Random *r, int rounds)
{
    Arena *a = arena_new();
    uint8_t text[TEXT_BYTES];
    for (int i = 0; i < rounds; ++i) {
        const size_t bytes = random_text(r, text);
        check_text(v, text, bytes, true);
        check_stream(a, r, text, bytes);
    }
    arena_free(a);
}

static void fuzz_tables(const TokenizerView *v, size_t bytes, Random *r, int rounds)
{
    int opened = 0;
    for (int i = 0; i < rounds; ++i) {
        const size_t cut = random_below(r, 4) ? 0 : random_below(r, (uint32_t)bytes);
        uint8_t *tables = malloc(bytes - cut), text[TEXT_BYTES];
        if (!tables)
            exit(1);
        memcpy(tables, v->head, bytes - cut);
        const uint32_t places[] = { sizeof *v->head, (uint32_t)(bytes - cut), 64 };
        for (uint32_t n = 1 + random_below(r, 8), within = places[random_below(r, 3)]; n && within; --n)
            if (within <= bytes - cut)
                tables[random_below(r, within)] ^= (uint8_t)(1u << random_below(r, 8));
        TokenizerView damaged;
        if (tokenizer_open(&damaged, tables, bytes - cut)) {
            ++opened;
            check_text(&damaged, text, random_text(r, text), false);
        }
        free(tables);
    }
    ASSERT(rounds < 100 || (opened > 0 && opened < rounds));
}

static void load(const void *model)
{
    Arena *a = arena_new();
    tokenizer_load(a, model);
    arena_free(a);
}

// Changes, drops and doubles bytes of a file: llmc takes it or refuses it with a message and exit code 3.
static void fuzz_file(const char *path, Bytes good, const Model *m, Random *r, int rounds)
{
    for (int i = 0; i < rounds; ++i) {
        Arena *a = arena_new();
        Str bad = str_new(a);
        size_t from = 0;
        for (uint32_t n = 1 + random_below(r, 3); n; --n) {
            const size_t to = from + random_below(r, (uint32_t)(good.bytes - from) + 1);
            str_add_bytes(&bad, good.at + from, to - from);
            from = to;
            const uint32_t kind = random_below(r, 4);
            if (kind == 0)
                str_add(&bad, "%c", 1 + (int)random_below(r, 255));
            else if (kind == 1 && from + 16 < good.bytes)
                from += random_below(r, 16);
            else if (kind == 2)
                from -= from > 40 ? random_below(r, 40) : 0;
            else if (from < good.bytes)
                str_add(&bad, "%c", good.at[from++] ^ (1 << random_below(r, 8)));
        }
        str_add_bytes(&bad, good.at + from, good.bytes - from);
        file_write_text(a, path, bad.text, bad.bytes);
        const Said s = said(load, m);
        if (s.code != 0 && s.code != 3)
            ASSERT_STR("exit 0 or 3", s.text);
        ASSERT(s.code == 0 || strstr(s.text, "error: "));
        arena_free(a);
    }
}

static void fuzz_files(Arena *a, const char *folder, Random *r, int rounds)
{
    char copy[] = "fuzz.XXXXXX";
    if (!mkdtemp(copy))
        exit(1);
    const bool json = file_exists(str_join(a, folder, "tokenizer.json"));
    const bool model = file_exists(str_join(a, folder, "tokenizer.model"));
    const char *name = json    ? "tokenizer.json"
                       : model ? "tokenizer.model"
                               : "tekken.json",
               *path = str_join(a, copy, name);
    const Model m = { .source = MODEL_FOLDER, .path = copy, .vocab = 600 };
    fuzz_file(path, file_read(a, str_join(a, folder, name)), &m, r, rounds);
    unlink(path);
    rmdir(copy);
    if (!json)
        return;
    Writer w = { str_new(a), 0 };
    add_key_text(&w, "model", "gpt2");
    add_key_text(&w, "pre", "smollm");
    add_vocabulary(&w, a, folder);
    path = write_gguf(a, &w);
    const Model of_gguf = { .source = MODEL_GGUF, .path = path, .vocab = 600 };
    fuzz_file(path, file_read(a, path), &of_gguf, r, rounds);
    unlink(path);
}

int main(int argc, char **argv)
{
    Arena *a = arena_new();
    if (argc < 3)
        return 2;
    const int rounds = atoi(argv[2]);
    Random r = { .state = argc > 3 ? strtoull(argv[3], NULL, 10) : 1 };
    const Model m = { .source = MODEL_FOLDER, .path = argv[1], .vocab = 600 };
    const TokenizerView v = view_of(a, argv[1]);
    fuzz_texts(&v, &r, rounds * 10);
    fuzz_tables(&v, tokenizer_load(a, &m)->bytes, &r, rounds * 10);
    fuzz_files(a, argv[1], &r, rounds);
    arena_free(a);
    return test_failed;
}
