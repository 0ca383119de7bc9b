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

static Json read_if_there(Arena *a, const char *folder, const char *name)
{
    const char *path = file_in_folder(a, folder, name);
    return path ? read_json(a, path) : (Json){ 0 };
}

static Vocab *read_model_file(Arena *a, const Model *m, const char *path, Json config, const char **why_not)
{
    const Bytes file = file_read(a, path);
    disguise_refuse(path, file, "a tokenizer model");
    Vocab *v =
        vocab_is_tiktoken(file) ? vocab_read_tiktoken(a, m, path, file) : vocab_read_model(a, m, path, file, why_not);
    if (v)
        vocab_read_added(v, config, read_if_there(a, m->path, "added_tokens.json"));
    return v;
}

static Vocab *read_folder(Arena *a, const Model *m, const char **why_not)
{
    const char *json = file_in_folder(a, m->path, "tokenizer.json");
    const char *model = file_in_folder(a, m->path, "tokenizer.model");
    const char *tekken = file_in_folder(a, m->path, "tekken.json");
    model = model ? model : file_in_folder(a, m->path, "qwen.tiktoken");
    const Json config = read_if_there(a, m->path, "tokenizer_config.json");
    const Json map = read_if_there(a, m->path, "special_tokens_map.json");
    Vocab *v = NULL;
    if (json)
        v = vocab_read_json(a, m, read_json(a, json), why_not);
    else if (model)
        v = read_model_file(a, m, model, config, why_not);
    else if (tekken)
        v = vocab_read_tekken(a, m, tekken, file_read(a, tekken));
    else if (file_exists(str_join(a, m->path, "vocab.json")))
        *why_not = "the folder has vocab.json but no tokenizer.json, which says how text is split";
    if (v)
        vocab_read_config(v, config, map);
    return v;
}

Tokenizer *tokenizer_load(Arena *a, const Model *m)
{
    Tokenizer *t = arena_alloc(a, sizeof *t);
    const char *why_not = NULL;
    Vocab *v = m->source == MODEL_FOLDER ? read_folder(a, m, &why_not)
               : m->source == MODEL_GGUF ? vocab_read_gguf(a, m, &why_not)
                                         : NULL;
    if (v) {
        vocab_split_at_blanks(v);
        vocab_write_tables(v, t);
    } else if (why_not)
        note("%s: %s: ids work (--ids-in), -p will exit 3", str_basename(m->path), why_not);
    if (!v)
        t->why_not = why_not                     ? why_not
                     : m->source == MODEL_CONFIG ? "a config.json alone has no tokenizer"
                                                 : "the folder has no tokenizer.json";
    return t;
}
