// load.c: each NAME.json of a folder, as the tokenizer.json of a model of 16 rows (with NAME.config as its
// tokenizer_config.json and NAME.map as its special_tokens_map.json), is refused or accepted with exactly the text of
// NAME.want. A second argument `bless` writes the .want files instead.
#include "../../compiler/base/file.h"
#include "../../compiler/text/tokenizer.h"
#include "../../runtime/tokenizer.h"
#include "../said.h"
#include "../test.h"

static void load(const void *folder)
{
    Arena *a = arena_new();
    const Model m = { .source = MODEL_FOLDER, .path = folder, .vocab = 16, .eos = { 3 }, .n_eos = 1 };
    const Tokenizer *t = tokenizer_load(a, &m);
    TokenizerView v;
    if (t->tables && !tokenizer_open(&v, t->tables, t->bytes)) {
        fprintf(stderr, "tokenizer_open refuses the tables\n");
    } else if (t->tables) {
        fprintf(stderr, "tables: %u steps, %u ids, bos %d, eos", v.head->steps, v.head->vocab, v.head->bos);
        for (uint32_t i = 0; i < v.head->eos_count; ++i)
            fprintf(stderr, " %u", v.head->eos[i]);
        fprintf(stderr, "\n");
    } else {
        fprintf(stderr, "no tables: %s\n", t->why_not);
    }
    arena_free(a);
}

static void place(Arena *a, const char *from, const char *to)
{
    unlink(to);
    if (!file_exists(from))
        return;
    const Bytes b = file_read(a, from);
    file_write_text(a, to, (const char *)b.at, b.bytes);
}

// A folder without tokenizer.json, and a config.json alone: no tables, and why.
static void check_nothing(Arena *a, const char *folder)
{
    Model m = { .source = MODEL_FOLDER, .path = folder, .vocab = 16 };
    const char *vocab = str_join(a, folder, "vocab.json");
    ASSERT_STR("the folder has no tokenizer.json", tokenizer_load(a, &m)->why_not);
    file_write_text(a, vocab, "{}", 2);
    ASSERT_STR("the folder has vocab.json but no tokenizer.json, which says how text is split",
               tokenizer_load(a, &m)->why_not);
    unlink(vocab);
    m.source = MODEL_CONFIG;
    ASSERT_STR("a config.json alone has no tokenizer", tokenizer_load(a, &m)->why_not);
}

int main(int argc, char **argv)
{
    Arena *a = arena_new();
    char folder[] = "model.XXXXXX";
    int n = 0, cases = 0;
    if (argc < 2 || !mkdtemp(folder))
        return 2;
    const char *const *names = file_list(a, argv[1], &n);
    const char *json = str_join(a, folder, "tokenizer.json"), *config = str_join(a, folder, "tokenizer_config.json");
    const char *tekken = str_join(a, folder, "tekken.json");
    const char *model = str_join(a, folder, "tokenizer.model"), *map = str_join(a, folder, "special_tokens_map.json");
    for (int i = 0; i < n; ++i) {
        if (!str_ends(names[i], ".json") && !str_ends(names[i], ".model") && !str_ends(names[i], ".tekken"))
            continue;
        const int dot = (int)(strrchr(names[i], '.') - names[i]);
        const char *stem = str_join(a, argv[1], str_format(a, "%.*s", dot, names[i]));
        place(a, str_format(a, "%s.json", stem), json);
        place(a, str_format(a, "%s.config", stem), config);
        place(a, str_format(a, "%s.map", stem), map);
        place(a, str_format(a, "%s.model", stem), model);
        place(a, str_format(a, "%s.tekken", stem), tekken);
        const Said s = said(load, folder);
        Str got = str_new(a);
        for (const char *at = s.text; *at; ++at) // the folder's name differs from run to run
            if (strncmp(at, folder, strlen(folder)) == 0) {
                str_add(&got, "model");
                at += strlen(folder) - 1;
            } else {
                str_add_bytes(&got, at, 1);
            }
        str_add(&got, "exit %d\n", s.code);
        const char *want = str_format(a, "%s.want", stem);
        if (argc > 2)
            file_write_text(a, want, got.text, got.bytes);
        else
            ASSERT_STR((const char *)file_read(a, want).at, got.text);
        ++cases;
    }
    unlink(json);
    unlink(config);
    unlink(map);
    unlink(model);
    unlink(tekken);
    check_nothing(a, folder);
    rmdir(folder);
    ASSERT(cases >= 10);
    arena_free(a);
    return test_failed;
}
