// license.c: the licence files of a model, to be carried along in its program.
#include "package_write.h"

#include "../base/diag.h"
#include "../model/gguf.h"

#include <string.h>
#include <strings.h>

// One text under its name.
static void add(Str *out, const char *name, const char *text, size_t bytes)
{
    str_add(out, "%s==== %s ====\n", out->bytes ? "\n" : "", name);
    str_add_bytes(out, text, bytes);
    if (bytes && text[bytes - 1] != '\n')
        str_add(out, "\n");
}

static void add_file(Arena *a, Str *out, const char *path)
{
    const Bytes text = file_read(a, path);
    if (memchr(text.at, 0, text.bytes))
        note("%s is no text: it is not carried along", path);
    else
        add(out, str_basename(path), (const char *)text.at, text.bytes);
}

static bool is_license(const char *name)
{
    static const char *const starts[] = { "LICENSE", "LICENCE", "COPYING", "NOTICE", "USE_POLICY" };
    for (int i = 0; i < ARRAY_LEN(starts); ++i)
        if (strncasecmp(name, starts[i], strlen(starts[i])) == 0)
            return true;
    return false;
}

static void add_folder(Arena *a, Str *out, const char *folder)
{
    int n;
    const char *const *names = file_list(a, folder, &n);
    for (int i = 0; i < n; ++i)
        if (is_license(names[i]) && file_is_regular(str_join(a, folder, names[i])))
            add_file(a, out, str_join(a, folder, names[i]));
}

// general.license is a name ("apache-2.0"), general.license.name and .link say more; all that begin so are taken.
static void add_gguf(Arena *a, Str *out, const char *path)
{
    const Gguf *g = gguf_open(a, path);
    Str all = str_new(a);
    for (int i = 0; i < g->n_entries; ++i)
        if (str_starts(g->entries[i].key, "general.license") && g->entries[i].type == GGUF_STRING)
            str_add(&all, "%s: %s\n", g->entries[i].key, gguf_str_or(g, g->entries[i].key, ""));
    if (all.bytes)
        add(out, str_basename(path), all.text, all.bytes);
}

const char *package_license(Arena *a, const Model *m, const char *file)
{
    Str out = str_new(a);
    if (file)
        add_file(a, &out, file);
    if (m && m->source == MODEL_FOLDER)
        add_folder(a, &out, m->path);
    else if (m && m->source == MODEL_GGUF)
        add_gguf(a, &out, m->path);
    return out.bytes ? out.text : NULL;
}
