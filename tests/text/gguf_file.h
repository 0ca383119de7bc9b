// gguf_file.h: small GGUF files with a vocabulary and no tensors.
#pragma once
#include "../../compiler/base/file.h"
#include "../../compiler/base/json.h"
#include "../../compiler/base/str.h"

#include <string.h>
#include <unistd.h>

enum { U32 = 4, I32 = 5, BOOL = 7, STRING = 8, ARRAY = 9 };

typedef struct Writer {
    Str keys;
    uint64_t n;
} Writer;

static inline void add(Str *out, uint64_t value, size_t bytes)
{
    str_add_bytes(out, &value, bytes);
}

static inline void add_text(Str *out, const char *text)
{
    add(out, strlen(text), 8);
    str_add(out, "%s", text);
}

static inline void add_key(Writer *w, const char *key, uint32_t type)
{
    add_text(&w->keys, str_format(w->keys.arena, "tokenizer.ggml.%s", key));
    add(&w->keys, type, 4);
    ++w->n;
}

static inline void add_key_text(Writer *w, const char *key, const char *text)
{
    add_key(w, key, STRING);
    add_text(&w->keys, text);
}

static inline void add_array(Writer *w, const char *key, uint32_t type, uint64_t n)
{
    add_key(w, key, ARRAY);
    add(&w->keys, type, 4);
    add(&w->keys, n, 8);
}

// Returns the path, which is the same each time.
static inline const char *write_gguf(Arena *a, const Writer *w)
{
    Str out = str_new(a);
    str_add(&out, "GGUF");
    add(&out, 3, 4);
    add(&out, 0, 8); // tensors
    add(&out, w->n, 8);
    str_add_bytes(&out, w->keys.text, w->keys.bytes);
    const char *path = str_format(a, "text_%ld.gguf", (long)getpid());
    file_write_text(a, path, out.text, out.bytes);
    return path;
}

// Tokens, types and merges of a folder's tokenizer.json. GGUF has no place for merges as pairs.
static inline void add_vocabulary(Writer *w, Arena *a, const char *folder)
{
    const Json root = json_read(a, str_join(a, folder, "tokenizer.json")), model = json_get(root, "model");
    const char *token[600] = { 0 };
    int type[600], n = 0;
    for (Json t = json_first(json_get(model, "vocab")); t.node; t = json_next(t), ++n) {
        token[json_int(t, 0, 599)] = json_key(t);
        type[json_int(t, 0, 599)] = 1;
    }
    for (Json t = json_first(json_get(root, "added_tokens")); t.node; t = json_next(t)) {
        const int64_t id = want_int(t, "id", 0, 599);
        n += token[id] == NULL;
        token[id] = want_str(t, "content");
        type[id] = want_bool(t, "special") ? 3 : 4;
    }
    add_array(w, "tokens", STRING, (uint64_t)n);
    for (int i = 0; i < n; ++i)
        add_text(&w->keys, token[i]);
    add_array(w, "token_type", I32, (uint64_t)n);
    for (int i = 0; i < n; ++i)
        add(&w->keys, (uint64_t)type[i], 4);
    add_array(w, "merges", STRING, (uint64_t)json_count(json_get(model, "merges")));
    for (Json m = json_first(json_get(model, "merges")); m.node; m = json_next(m)) {
        const Json left = json_first(m);
        add_text(&w->keys,
                 left.node ? str_format(a, "%s %s", json_string(left), json_string(json_next(left))) : json_string(m));
    }
}
