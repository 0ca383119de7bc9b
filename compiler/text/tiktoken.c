// tiktoken.c: a list of tokens in base64 with their ranks, as tiktoken has them. How text is split and what the special
// tokens are stands in no file: it follows from the number of tokens (llama-models and dashscope have both in their
// code).
#include "base64.h"
#include "presets.h"
#include "vocab.h"

#include "../base/str.h"

#include <stdlib.h>
#include <string.h>

// Special tokens in order of their ids: a name, or one with a number, `count` times.
typedef struct Names {
    const char *format;
    int first, count; // count 0: as it is
} Names;

static const Names llama3_names[] = {
    { "<|begin_of_text|>", 0, 0 },
    { "<|end_of_text|>", 0, 0 },
    { "<|reserved_special_token_%d|>", 0, 2 },
    { "<|finetune_right_pad_id|>", 0, 0 },
    { "<|step_id|>", 0, 0 },
    { "<|start_header_id|>", 0, 0 },
    { "<|end_header_id|>", 0, 0 },
    { "<|eom_id|>", 0, 0 },
    { "<|eot_id|>", 0, 0 },
    { "<|python_tag|>", 0, 0 },
    { "<|image|>", 0, 0 },
    { "<|reserved_special_token_%d|>", 2, 244 },
    { NULL, 0, 0 },
};
static const Names llama4_names[] = {
    { "<|begin_of_text|>", 0, 0 },
    { "<|end_of_text|>", 0, 0 },
    { "<|fim_prefix|>", 0, 0 },
    { "<|fim_middle|>", 0, 0 },
    { "<|fim_suffix|>", 0, 0 },
    { "<|header_start|>", 0, 0 },
    { "<|header_end|>", 0, 0 },
    { "<|eom|>", 0, 0 },
    { "<|eot|>", 0, 0 },
    { "<|step|>", 0, 0 },
    { "<|text_post_train_reserved_special_token_%d|>", 0, 6 },
    { "<|python_start|>", 0, 0 },
    { "<|python_end|>", 0, 0 },
    { "<|finetune_right_pad|>", 0, 0 },
    { "<|text_post_train_reserved_special_token_%d|>", 8, 61 },
    { "<|image_start|>", 0, 0 },
    { "<|image_end|>", 0, 0 },
    { "<|vision_reserved_special_token_%d|>", 0, 2 },
    { "<|tile_x_separator|>", 0, 0 },
    { "<|tile_y_separator|>", 0, 0 },
    { "<|vision_reserved_special_token_%d|>", 2, 4 },
    { "<|image|>", 0, 0 },
    { "<|vision_reserved_special_token_%d|>", 6, 1 },
    { "<|patch|>", 0, 0 },
    { "<|vision_reserved_special_token_%d|>", 7, 1041 },
    { "<|reasoning_reserved_special_token_%d|>", 0, 8 },
    { "<|reasoning_thinking_start|>", 0, 0 },
    { "<|reasoning_thinking_end|>", 0, 0 },
    { "<|reserved_special_token_%d|>", 0, 904 },
    { NULL, 0, 0 },
};
static const Names qwen_names[] = {
    { "<|endoftext|>", 0, 0 },  { "<|im_start|>", 0, 0 }, { "<|im_end|>", 0, 0 },
    { "<|extra_%d|>", 0, 205 }, { NULL, 0, 0 },
};

typedef struct Kind {
    int tokens;
    const char *rule;
    const Names *names;
    bool compose;
    const char *bos, *eos[3];
} Kind;

static const Kind kinds[] = {
    { 128000,
      rule_llama3,
      llama3_names,
      false,
      "<|begin_of_text|>",
      { "<|end_of_text|>", "<|eot_id|>", "<|eom_id|>" } },
    { 200000, rule_gpt4o, llama4_names, false, "<|begin_of_text|>", { "<|end_of_text|>", "<|eot|>", "<|eom|>" } },
    { 151643, rule_qwen2, qwen_names, true, NULL, { "<|endoftext|>", "<|im_end|>" } },
};

bool vocab_is_tiktoken(Bytes file)
{
    const char *text = (const char *)file.at, *space = memchr(text, ' ', file.bytes < 400 ? file.bytes : 400);
    uint8_t bytes[400];
    return space && space > text && base64_decode(text, (size_t)(space - text), bytes) > 0;
}

static void check(const char *path, const char *wrong)
{
    if (wrong)
        error_at(loc_file(path), ERR_TOKENIZER, "%s", wrong);
}

// One line, "base64 rank"; the rank is the line's number from 0.
static void read_line(Vocab *v, const char *path, int id, const char *line, size_t n)
{
    const char *space = memchr(line, ' ', n);
    const size_t text = space ? (size_t)(space - line) : n;
    uint8_t *bytes = arena_alloc(v->arena, (text / 4 + 1) * 3);
    const int64_t got = base64_decode(line, text, bytes);
    char *end = NULL;
    const long rank = space ? strtol(space + 1, &end, 10) : -1;
    if (got <= 0 || rank != id || end != line + n)
        error_at((Loc){ .file = path, .line = id + 1, .col = 1, .width = 1 }, ERR_TOKENIZER,
                 "a token in base64, a space and its rank, %d, were expected", id);
    check(path, vocab_add(v, id, (VocabToken){ .text = (const char *)bytes, .bytes = (size_t)got, .in_model = true }));
}

static int count_lines(Bytes file)
{
    int n = 0;
    for (size_t i = 0; i < file.bytes; ++i)
        n += file.at[i] == '\n' || i + 1 == file.bytes;
    return n;
}

// The name with its number for "%d".
static const char *numbered(Arena *a, const char *format, int number)
{
    const char *hole = strstr(format, "%d");
    return str_format(a, "%.*s%d%s", (int)(hole - format), format, number, hole + 2);
}

static void add_special(Vocab *v, const char *path, int id, const char *text)
{
    if (id < v->rows)
        check(path, vocab_add(v, id, (VocabToken){ .text = text, .bytes = strlen(text), .type = TOKEN_SPECIAL }));
}

void vocab_add_ranked(Vocab *v, const char *path, const char *rule, size_t rule_bytes, int first)
{
    float *scores = arena_alloc(v->arena, (size_t)v->rows * sizeof *scores);
    for (int id = 0; id < v->n; ++id)
        scores[id] = -(float)(id - first);
    v->whole_words = true;
    check(path, vocab_add_step(v, PKG_ISOLATED, rule, rule_bytes, DIALECT_RUST));
    check(path, vocab_merge_by_scores(v, scores));
}

static int find(const Vocab *v, const char *name)
{
    return name ? vocab_find(v, name, strlen(name)) : -1;
}

Vocab *vocab_read_tiktoken(Arena *a, const Model *m, const char *path, Bytes file)
{
    const int n = count_lines(file);
    const Kind *kind = kinds;
    while (kind < kinds + ARRAY_LEN(kinds) && kind->tokens != n)
        ++kind;
    if (kind == kinds + ARRAY_LEN(kinds))
        error_at(loc_file(path), ERR_TOKENIZER,
                 "%d tokens: Llama 3 has 128000, Llama 4 200000 and Qwen 151643; how others split text is not known",
                 n);
    if (n > m->vocab)
        error_at(loc_file(path), ERR_TOKENIZER, "%d tokens: the model has %d rows", n, m->vocab);
    Vocab *v = vocab_new(a, path, m->vocab, m->vocab);
    size_t at = 0;
    for (int id = 0; id < n; ++id) {
        const char *line = (const char *)file.at + at, *end = memchr(line, '\n', file.bytes - at);
        const size_t bytes = end ? (size_t)(end - line) : file.bytes - at;
        read_line(v, path, id, line, bytes);
        at += bytes + 1;
    }
    int id = n;
    for (const Names *names = kind->names; names->format; ++names)
        for (int i = 0; i < (names->count ? names->count : 1); ++i)
            add_special(v, path, id++, names->count ? numbered(a, names->format, names->first + i) : names->format);
    v->form = kind->compose ? FORM_NFC : FORM_NONE;
    vocab_add_ranked(v, path, kind->rule, strlen(kind->rule), 0);
    v->bos = find(v, kind->bos);
    for (int i = 0; i < m->n_eos; ++i)
        vocab_add_eos(v, m->eos[i]);
    for (int i = 0; i < ARRAY_LEN(kind->eos); ++i)
        vocab_add_eos(v, find(v, kind->eos[i]));
    return v;
}
