// load.c: what a path names: a config.json, a Hugging Face folder or a GGUF file; the model's name.
#include "parts.h"

#include "../base/file.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

enum { NAME_BYTES = 63 }; // what PkgPlan of runtime/package.h holds

// Lower case; what may not stand in a plain file name becomes '-', and none stands at the beginning: no option, no hidden
// file.
static const char *plain_name(Arena *a, const char *name, size_t bytes)
{
    char *plain = arena_alloc(a, NAME_BYTES + 1);
    int n = 0;
    for (size_t i = 0; i < bytes && n < NAME_BYTES; ++i) {
        const unsigned char c = (unsigned char)name[i];
        const bool good = isascii(c) && (isalnum(c) || c == '.' || c == '_' || c == '-');
        if (n || (good && c != '.' && c != '-'))
            plain[n++] = (char)(good ? tolower(c) : '-');
    }
    return n ? plain : "model";
}

// A folder's own name; in the hub's cache, .../models--ORG--NAME/snapshots/REVISION, that is NAME.
static const char *folder_name(Arena *a, const char *dir)
{
    char *full = realpath(dir, NULL);
    const char *path = full ? full : dir;
    const char *repository = strstr(path, "/models--"),
               *snapshots = repository ? strstr(repository, "/snapshots/") : NULL;
    const char *name = str_basename(path);
    size_t bytes = strlen(name);
    if (snapshots) {
        const char *org = strstr(repository + 9, "--");
        name = org && org < snapshots ? org + 2 : repository + 9;
        bytes = (size_t)(snapshots - name);
    }
    const char *plain = plain_name(a, name, bytes);
    free(full);
    return plain;
}

static const char *parent_of(Arena *a, const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? str_copy(a, path, (size_t)(slash - path) + 1) : ".";
}

static const char *file_name(Arena *a, const char *path, const char *suffix)
{
    const char *name = str_basename(path);
    if (str_equal(name, "config.json"))
        return folder_name(a, parent_of(a, path));
    return plain_name(a, name, strlen(name) - (str_ends(name, suffix) ? strlen(suffix) : 0));
}

static _Noreturn void refuse_folder(Arena *a, const char *dir)
{
    int n;
    const char *const *names = file_list(a, dir, &n);
    if (file_exists(str_join(a, dir, "adapter_config.json")))
        error_at(NOWHERE, ERR_CONFIG_MISSING,
                 "no config.json in %s; this looks like a LoRA adapter (adapter_config.json present)", dir);
    for (int i = 0; i < n; ++i)
        if (str_ends(names[i], ".gguf"))
            error_at(NOWHERE, ERR_CONFIG_MISSING, "no config.json in %s; give its GGUF file itself: %s", dir,
                     str_join(a, dir, names[i]));
    error_at(NOWHERE, ERR_CONFIG_MISSING, "no config.json in %s", dir);
}

static Model *load_folder(Arena *a, const char *dir)
{
    const char *config = file_in_folder(a, dir, "config.json");
    const char *generation = file_in_folder(a, dir, "generation_config.json");
    if (!config)
        refuse_folder(a, dir);
    Model *m = config_model(a, config);
    if (generation)
        config_add_generation(a, m, generation);
    m->source = MODEL_FOLDER;
    m->name = folder_name(a, dir);
    m->weights = weights_of_folder(a, m, dir);
    return m;
}

static Model *load_gguf(Arena *a, const char *path)
{
    const Gguf *g = gguf_open(a, path);
    Model *m = gguf_model(a, g);
    m->name = file_name(a, path, ".gguf");
    m->weights = weights_of_gguf(a, m, g);
    return m;
}

static Model *load_config(Arena *a, const char *path)
{
    if (str_ends(path, ".safetensors"))
        error_at(loc_file(path), ERR_CONFIG_MISSING,
                 "weights alone are no model: give the folder that holds them and config.json");
    Model *m = config_model(a, path);
    m->source = MODEL_CONFIG;
    m->name = file_name(a, path, ".json");
    return m;
}

// Files of the GGML family start with "GGUF" or with "gg.." stored as a little-endian word.
static bool looks_like_gguf(const char *path)
{
    char magic[4] = { 0 };
    FILE *f = file_is_regular(path) ? fopen(path, "rb") : NULL; // what is read of a pipe is gone
    if (f) {
        if (fread(magic, 1, 4, f) != 4)
            magic[0] = 0;
        fclose(f);
    }
    return str_ends(path, ".gguf") || memcmp(magic, "GGUF", 4) == 0 || memcmp(magic + 2, "gg", 2) == 0;
}

Model *model_load(Arena *a, const char *path)
{
    Model *m;
    if (file_is_dir(path))
        m = load_folder(a, path);
    else if (looks_like_gguf(path))
        m = load_gguf(a, path);
    else
        m = load_config(a, path);
    m->path = path;
    model_set_classes(a, m);
    return m;
}
