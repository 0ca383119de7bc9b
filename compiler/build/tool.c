// tool.c: architectures and CUDA versions, places to look, and how a failed compilation is told.
#include "tool.h"

#include <stdio.h>
#include <stdlib.h>

// The first CUDA version that compiles for an architecture, and the last (0: the newest still does). From the release
// notes of the CUDA toolkit.
static const struct {
    int sm, first, last;
} archs[] = {
    { 70, 900, 1209 }, { 72, 902, 1209 }, { 75, 1000, 0 },  { 80, 1100, 0 },  { 86, 1101, 0 },
    { 87, 1104, 0 },   { 88, 1300, 0 },   { 89, 1108, 0 },  { 90, 1108, 0 },  { 100, 1208, 0 },
    { 103, 1209, 0 },  { 110, 1300, 0 },  { 120, 1208, 0 }, { 121, 1209, 0 },
};

int tool_sm(const Target *t, const BuildOptions *o)
{
    return o->sm ? o->sm : t->sm;
}

const char *tool_arch_refusal(Arena *a, int version, int sm)
{
    for (int i = 0; i < ARRAY_LEN(archs); ++i) {
        const int first = archs[i].first, last = archs[i].last;
        if (archs[i].sm == sm && version < first)
            return str_format(a, "does not know sm_%d: CUDA %d.%d or newer has it", sm, first / 100, first % 100);
        if (archs[i].sm == sm && last && version > last)
            return str_format(a, "no longer knows sm_%d: CUDA %d.%d is the last that has it", sm, last / 100,
                              last % 100);
    }
    return NULL;
}

const char *const *tool_folders(Arena *a, const BuildOptions *o, const char *below)
{
    const char *roots[] = { getenv("CUDA_HOME"), getenv("CUDA_PATH"), o->toolkit ? o->toolkit : "/usr/local/cuda" };
    const char **folders = arena_alloc(a, sizeof *folders * (ARRAY_LEN(roots) + 1));
    int n = 0;
    for (int i = 0; i < ARRAY_LEN(roots); ++i) {
        const char *folder = roots[i] && *roots[i] ? str_join(a, roots[i], below) : NULL;
        for (int k = 0; k < n && folder; ++k)
            if (str_equal(folders[k], folder))
                folder = NULL;
        if (folder)
            folders[n++] = folder;
    }
    return folders;
}

const char *tool_places(Arena *a, const char *first, const char *const *folders)
{
    Str places = str_new(a);
    str_add(&places, "%s", first);
    for (int i = 0; folders[i]; ++i)
        str_add(&places, ", %s", folders[i]);
    return places.text;
}

// Causes that lie outside the text, by what nvcc says of them.
static void advise(const char *log)
{
    if (strstr(log, "unsupported GNU version") || strstr(log, "unsupported clang version"))
        note("this nvcc does not accept the host compiler: give it another one with -Xnvcc -ccbin=g++-12, or use "
             "--nvrtc, "
             "which needs none");
    else if (strstr(log, "Failed to preprocess host compiler") || strstr(log, "gcc: not found") ||
             strstr(log, "cannot run gcc"))
        note("nvcc needs a host compiler (g++): install one, or use --nvrtc, which needs none");
    else if (strstr(log, "No space left on device"))
        note("TMPDIR can name another folder for temporary files");
}

void tool_failed(Arena *a, const Source *s, const char *tool, const char *log)
{
    const char *mapped = build_map_log(a, s, log);
    const size_t bytes = strlen(mapped);
    fputs(mapped, stderr);
    if (bytes && mapped[bytes - 1] != '\n')
        fputc('\n', stderr);
    advise(log);
    error_at(NOWHERE, ERR_TOOL_FAILED, "%s cannot compile the rendered text", tool);
}
