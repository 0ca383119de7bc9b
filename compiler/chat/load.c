// load.c: finds the chat template of a model, and the text of its special tokens.
#include "chat.h"

#include "../base/embedded.h"
#include "../base/file.h"
#include "../model/gguf.h"
#include "../../runtime/template_code.h"

#include <string.h>

#define BUILTIN "compiler/chat/builtin/"

// The bare name of a built-in template's file.
static const char *builtin_name(Arena *a, const char *path)
{
    return str_copy(a, path + strlen(BUILTIN), strlen(path) - strlen(BUILTIN) - strlen(".jinja"));
}

const char *chat_builtin(Arena *a, int i)
{
    const char *path = embedded_name(BUILTIN, i);
    return path ? builtin_name(a, path) : NULL;
}

// ---- special tokens -----------------------------------------------------------------------------------------------

static void add_global(Arena *a, ChatGlobals *list, const char *name, const char *text)
{
    for (int i = 0; i < list->n; ++i)
        if (str_equal(list->at[i].name, name))
            return;
    const ChatGlobal new = { name, text };
    vec_push(a, list, new);
}

// A token is written as its text or as an object with that text.
static void add_json_tokens(Arena *a, ChatGlobals *list, Json config)
{
    static const char *const names[] = { "bos_token", "eos_token", "unk_token",  "sep_token",
                                         "pad_token", "cls_token", "mask_token" };
    for (int i = 0; i < ARRAY_LEN(names); ++i) {
        const Json token = json_get(config, names[i]);
        if (json_is(token))
            add_global(a, list, names[i], json_is_object(token) ? want_str(token, "content") : json_string(token));
    }
}

static void add_folder_tokens(Arena *a, ChatGlobals *list, const Model *m)
{
    static const char *const files[] = { "tokenizer_config.json", "special_tokens_map.json" };
    for (int i = 0; i < ARRAY_LEN(files); ++i) {
        const char *path = str_join(a, m->path, files[i]);
        if (file_exists(path))
            add_json_tokens(a, list, json_read(a, path));
    }
}

static void add_gguf_tokens(Arena *a, ChatGlobals *list, const Gguf *g)
{
    static const char *const names[][2] = { { "bos_token", "tokenizer.ggml.bos_token_id" },
                                            { "eos_token", "tokenizer.ggml.eos_token_id" },
                                            { "unk_token", "tokenizer.ggml.unknown_token_id" },
                                            { "pad_token", "tokenizer.ggml.padding_token_id" } };
    int n = 0;
    const GgufText *texts = gguf_texts(g, "tokenizer.ggml.tokens", &n);
    for (int i = 0; i < ARRAY_LEN(names); ++i) {
        const int64_t id = gguf_int_or(g, names[i][1], 0, UINT32_MAX, -1);
        if (id >= 0 && id < n)
            add_global(a, list, names[i][0], str_copy(a, texts[id].at, texts[id].bytes));
    }
}

// ---- the model's own template -------------------------------------------------------------------------------------

static ChatTemplate *none(Arena *a)
{
    return arena_alloc(a, sizeof(ChatTemplate));
}

static ChatTemplate *compile_file(Arena *a, const char *path, const char *from, const ChatGlobals *globals)
{
    const Bytes b = file_read(a, path);
    const ChatSource source = { path, NULL, from, (const char *)b.at, b.bytes };
    return chat_compile(a, &source, globals);
}

// One text, or a list of named ones, of which "default" is taken.
static ChatTemplate *compile_json(Arena *a, const char *path, Json template, const ChatGlobals *globals)
{
    if (json_is_array(template)) {
        Json found = { 0 };
        for (Json v = json_first(template); v.node; v = json_next(v))
            if (str_equal(want_str(v, "name"), "default"))
                found = json_want(v, "template");
        if (!found.node)
            error_at(json_loc(template), ERR_CHAT_TEMPLATE,
                     "chat_template is a list without a \"default\": save one of them as a file and give it with --chat-template");
        template = found;
    }
    const char *text = json_string(template);
    const ChatSource source = { path, "chat_template", "tokenizer_config.json", text, strlen(text) };
    return chat_compile(a, &source, globals);
}

static ChatTemplate *load_folder(Arena *a, const Model *m, const ChatGlobals *globals)
{
    const char *jinja = str_join(a, m->path, "chat_template.jinja"), *config = str_join(a, m->path, "tokenizer_config.json");
    if (file_exists(jinja))
        return compile_file(a, jinja, "chat_template.jinja", globals);
    const Json template = file_exists(config) ? json_get(json_read(a, config), "chat_template") : (Json){ 0 };
    return json_is(template) ? compile_json(a, config, template, globals) : none(a);
}

static ChatTemplate *load_gguf(Arena *a, const Gguf *g, const ChatGlobals *globals)
{
    const char *text = gguf_str_or(g, "tokenizer.chat_template", NULL);
    const ChatSource source = { g->path, "tokenizer.chat_template", "tokenizer.chat_template", text, text ? strlen(text) : 0 };
    return text ? chat_compile(a, &source, globals) : none(a);
}

#define OPTION "--chat-template "

static ChatTemplate *load_option(Arena *a, const char *option, const ChatGlobals *globals)
{
    const Bytes builtin = embedded_file(str_format(a, BUILTIN "%s.jinja", option));
    const char *from = str_format(a, OPTION "%s", str_basename(option));
    const ChatSource source = { OPTION, option, from, (const char *)builtin.at, builtin.bytes };
    if (builtin.at)
        return chat_compile(a, &source, globals);
    if (str_equal(option, "none"))
        return none(a);
    if (file_exists(option))
        return compile_file(a, option, from, globals);
    Str names = str_new(a);
    for (int i = 0; chat_builtin(a, i); ++i)
        str_add(&names, "%s%s", i ? " " : "", chat_builtin(a, i));
    error_at(NOWHERE, ERR_OPTION_VALUE, "--chat-template is \"%s\": must be a file, none, or one of %s", option, names.text);
}

static ChatGlobals model_tokens(Arena *a, const Model *m)
{
    ChatGlobals globals = { 0 };
    if (m && m->source == MODEL_FOLDER)
        add_folder_tokens(a, &globals, m);
    if (m && m->source == MODEL_GGUF)
        add_gguf_tokens(a, &globals, gguf_open(a, m->path));
    return globals;
}

ChatTemplate *chat_load(Arena *a, const Model *m, const char *option)
{
    const ChatGlobals globals = model_tokens(a, m);
    if (option)
        return load_option(a, option, &globals);
    if (m && m->source == MODEL_FOLDER)
        return load_folder(a, m, &globals);
    return m && m->source == MODEL_GGUF ? load_gguf(a, gguf_open(a, m->path), &globals) : none(a);
}

const ChatTemplate *chat_again(Arena *a, const Model *m, const char *option, const ChatTemplate *old)
{
    const PkgTemplate *head = old->tables;
    if (option || !head || old->bytes < sizeof *head || head->source_at > old->bytes ||
        head->source_bytes > old->bytes - head->source_at)
        return chat_load(a, m, option);
    const char *from = str_copy(a, (const char *)head + head->source_at, head->source_bytes);
    if (!str_starts(from, OPTION))
        return chat_load(a, m, NULL);
    const char *name = from + strlen(OPTION);
    return embedded_file(str_format(a, BUILTIN "%s.jinja", name)).at ? chat_load(a, m, name) : old;
}
