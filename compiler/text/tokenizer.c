// tokenizer.c: find the tokenizer of a model and make its tables.
#include "tokenizer.h"

#include "vocab.h"

#include "../base/disguise.h"
#include "../base/file.h"

static Json read_json(Arena *a, const char *path)
{
    const Bytes b = file_read(a, path);
    disguise_refuse(path, b, "a JSON file");
    return json_parse(a, path, (const char *)b.at, b.bytes, -1);
}

static Vocab *read_folder(Arena *a, const Model *m, const char **why_not)
{
    const char *json = file_in_folder(a, m->path, "tokenizer.json");
    const char *config = file_in_folder(a, m->path, "tokenizer_config.json");
    const char *map = file_in_folder(a, m->path, "special_tokens_map.json");
    if (!json) {
        if (file_exists(str_join(a, m->path, "tokenizer.model")))
            *why_not = "SentencePiece is not in this version";
        else if (file_exists(str_join(a, m->path, "vocab.json")))
            *why_not = "the folder has vocab.json but no tokenizer.json, which says how text is split";
        return NULL;
    }
    Vocab *v = vocab_read_json(a, m, read_json(a, json), why_not);
    if (v)
        vocab_read_config(v, config ? read_json(a, config) : (Json){ 0 }, map ? read_json(a, map) : (Json){ 0 });
    return v;
}

Tokenizer *tokenizer_load(Arena *a, const Model *m)
{
    Tokenizer *t = arena_alloc(a, sizeof *t);
    const char *why_not = NULL;
    Vocab *v = m->source == MODEL_FOLDER ? read_folder(a, m, &why_not)
               : m->source == MODEL_GGUF ? vocab_read_gguf(a, m, &why_not)
                                         : NULL;
    if (v)
        vocab_write_tables(v, t);
    else if (why_not)
        note("%s: %s: ids work (--ids-in), -p will exit 3", str_basename(m->path), why_not);
    if (!v)
        t->why_not = why_not                     ? why_not
                     : m->source == MODEL_CONFIG ? "a config.json alone has no tokenizer"
                                                 : "the folder has no tokenizer.json";
    return t;
}
