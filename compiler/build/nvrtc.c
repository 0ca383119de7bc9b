// nvrtc.c: compile the text with NVRTC, loaded at run time: one library and no toolkit.
// The entry points are declared here, from NVRTC's documentation, so that llmc builds without CUDA.
#include "run.h"
#include "tool.h"

#include "../base/file.h"

#include <dlfcn.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct Program Program; // nvrtcProgram points to one

typedef struct Nvrtc {
    const char *path;
    void *library;
    int (*version)(int *major, int *minor);
    int (*create)(Program **, const char *text, const char *name, int n, const char *const *texts,
                  const char *const *names);
    int (*compile)(Program *, int n, const char *const *options);
    int (*log_bytes)(Program *, size_t *);
    int (*log)(Program *, char *);
    int (*cubin_bytes)(Program *, size_t *);
    int (*cubin)(Program *, char *);
    int (*destroy)(Program **);
    int (*archs_n)(int *);
    int (*archs)(int *);
    const char *(*error_text)(int);
} Nvrtc;

static bool find_entry(void *library, const char *name, void *entry)
{
    void *found = dlsym(library, name);
    memcpy(entry, &found, sizeof found); // ISO C has no cast from an object pointer to a function pointer
    return found != NULL;
}

// Fills *n from the library at `path` (or of that name, for the loader). The library stays loaded until the process
// ends: unloading it takes libstdc++ along, whose memory pool then looks like a leak.
static bool open_library(Nvrtc *n, const char *path)
{
    void *l = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    *n = (Nvrtc){ .path = path, .library = l };
    return l && find_entry(l, "nvrtcVersion", &n->version) && find_entry(l, "nvrtcCreateProgram", &n->create) &&
           find_entry(l, "nvrtcCompileProgram", &n->compile) &&
           find_entry(l, "nvrtcGetProgramLogSize", &n->log_bytes) && find_entry(l, "nvrtcGetProgramLog", &n->log) &&
           find_entry(l, "nvrtcGetCUBINSize", &n->cubin_bytes) && find_entry(l, "nvrtcGetCUBIN", &n->cubin) &&
           find_entry(l, "nvrtcDestroyProgram", &n->destroy) &&
           find_entry(l, "nvrtcGetNumSupportedArchs", &n->archs_n) &&
           find_entry(l, "nvrtcGetSupportedArchs", &n->archs) && find_entry(l, "nvrtcGetErrorString", &n->error_text);
}

// NVRTC loads its builtins by bare name, and then finds those that are loaded: pip's folders are in no loader's path.
static void load_builtins(Arena *a, const Nvrtc *n)
{
    Dl_info info;
    int major = 0, minor = 0;
    n->version(&major, &minor);
    if (!dladdr((void *)n->error_text, &info) || !info.dli_fname)
        return;
    const size_t folder = (size_t)(str_basename(info.dli_fname) - info.dli_fname);
    const char *builtins = str_format(a, "%.*slibnvrtc-builtins.so.%d.%d", (int)folder, info.dli_fname, major, minor);
    if (file_exists(builtins))
        dlopen(builtins, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
}

static const char *const library_names[] = { "libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so" };

static bool open_in(Arena *a, Nvrtc *n, const char *folder)
{
    for (int i = 0; i < ARRAY_LEN(library_names); ++i) {
        const char *path = str_join(a, folder, library_names[i]);
        if (file_exists(path) && open_library(n, path))
            return true;
    }
    return false;
}

// The library that `path` names, or that lies in the folder it names or below: a toolkit, or Python's site-packages.
static bool open_named(Arena *a, Nvrtc *n, const char *path)
{
    static const char *const below[] = { ".", "lib64", "lib", "nvidia/cu13/lib", "nvidia/cuda_nvrtc/lib" };
    if (!file_is_dir(path))
        return open_library(n, path);
    for (int i = 0; i < ARRAY_LEN(below); ++i)
        if (open_in(a, n, i ? str_join(a, path, below[i]) : path))
            return true;
    return false;
}

// pip's packages nvidia-cuda-nvrtc (13) and nvidia-cuda-nvrtc-cu12 in one Python's folder.
static bool open_pip(Arena *a, Nvrtc *n, const char *root)
{
    static const char *const packages[] = { "site-packages/nvidia/cu13", "site-packages/nvidia/cuda_nvrtc",
                                            "dist-packages/nvidia/cu13", "dist-packages/nvidia/cuda_nvrtc" };
    bool found = false;
    for (int i = 0; i < ARRAY_LEN(packages) && !found; ++i) {
        glob_t matches;
        if (glob(str_format(a, "%s/lib/python3*/%s/lib", root, packages[i]), 0, NULL, &matches) != 0)
            continue;
        for (size_t k = 0; k < matches.gl_pathc && !found; ++k)
            found = open_in(a, n, str_copy(a, matches.gl_pathv[k], strlen(matches.gl_pathv[k])));
        globfree(&matches);
    }
    return found;
}

static bool search(Arena *a, Nvrtc *n, const BuildOptions *o, const char **searched)
{
    const char *home = getenv("HOME"), *venv = getenv("VIRTUAL_ENV"), *conda = getenv("CONDA_PREFIX");
    const char *local = home && *home ? str_join(a, home, ".local") : NULL;
    const char *const roots[] = { venv, conda, local, "/usr/local" };
    const char *const *folders = tool_folders(a, o, "lib64");
    Str places = str_new(a);
    str_add(&places, "%s; pip's nvidia folders in", tool_places(a, "the loader's path", folders));
    for (int i = 0, first = 1; i < ARRAY_LEN(roots); ++i)
        if (roots[i] && *roots[i]) {
            str_add(&places, "%s %s", first ? "" : ",", roots[i]);
            first = 0;
        }
    *searched = places.text;
    for (int i = 0; i < ARRAY_LEN(library_names); ++i)
        if (open_library(n, library_names[i]))
            return true;
    for (int i = 0; folders[i]; ++i)
        if (open_in(a, n, folders[i]))
            return true;
    for (int i = 0; i < ARRAY_LEN(roots); ++i)
        if (roots[i] && *roots[i] && open_pip(a, n, roots[i]))
            return true;
    return false;
}

static bool open_nvrtc(Arena *a, Nvrtc *n, const BuildOptions *o, const char **searched)
{
    bool found;
    if (o->nvrtc && *o->nvrtc) {
        *searched = o->nvrtc;
        found = open_named(a, n, o->nvrtc);
    } else {
        found = search(a, n, o, searched);
    }
    if (found)
        load_builtins(a, n);
    return found;
}

const char *build_find_nvrtc(Arena *a, const BuildOptions *o, const char **searched)
{
    Nvrtc n;
    return open_nvrtc(a, &n, o, searched) ? n.path : NULL;
}

static void want_nvrtc(Arena *a, Nvrtc *n, const BuildOptions *o)
{
    const char *searched;
    if (open_nvrtc(a, n, o, &searched))
        return;
    if (o->nvrtc && *o->nvrtc && !file_exists(o->nvrtc))
        error_at(NOWHERE, ERR_TOOL_MISSING, "--nvrtc names %s: there is no such file", searched);
    if (o->nvrtc && *o->nvrtc)
        error_at(NOWHERE, ERR_TOOL_MISSING, "--nvrtc names %s: %s", searched,
                 file_is_dir(searched) ? "no libnvrtc.so.13 or .12 lies there" : "it cannot be loaded as NVRTC");
    error_at(NOWHERE, ERR_TOOL_MISSING, "no libnvrtc.so.13 or .12 in %s; `pip install nvidia-cuda-nvrtc` is enough",
             searched);
}

static void check_arch(Arena *a, const Nvrtc *n, const char *tool, int sm)
{
    int archs_n = 0, major = 0, minor = 0;
    if (n->archs_n(&archs_n) || archs_n < 1 || archs_n > 1000)
        return; // the compilation will tell
    int *archs = arena_alloc(a, sizeof *archs * (size_t)archs_n);
    n->archs(archs);
    for (int i = 0; i < archs_n; ++i)
        if (archs[i] == sm)
            return;
    n->version(&major, &minor);
    const char *refusal = tool_arch_refusal(a, major * 100 + minor, sm);
    error_at(NOWHERE, ERR_TOOL_ARCH, "%s (%s) %s", tool, n->path,
             refusal ? refusal : str_format(a, "does not know sm_%d", sm));
}

static const char *const *command(Arena *a, int sm, const BuildOptions *o, int *n)
{
    const char **options = arena_alloc(a, sizeof *options * (size_t)(3 + o->n_extra));
    *n = 0;
    options[(*n)++] = str_format(a, "-arch=sm_%d", sm);
    options[(*n)++] = "--fmad=false";
    options[(*n)++] = "--ptxas-options=-v";
    for (int i = 0; i < o->n_extra; ++i)
        options[(*n)++] = o->extra[i];
    return options;
}

static const char *read_log(Arena *a, const Nvrtc *n, Program *program, int status)
{
    size_t bytes = 0;
    if (n->log_bytes(program, &bytes) == 0 && bytes > 1) {
        char *log = arena_alloc(a, bytes + 1);
        if (n->log(program, log) == 0)
            return log;
    }
    return status ? str_format(a, "nvrtc: error: %s\n", n->error_text(status)) : "";
}

static void print_command(const Nvrtc *n, const char *tool, const char *const *options, int options_n)
{
    fprintf(stderr, "%s (%s)", tool, n->path);
    for (int i = 0; i < options_n; ++i)
        fprintf(stderr, " %s", options[i]);
    fprintf(stderr, " decode.cu\n");
}

static void keep_files(Arena *a, const Source *s, const Artifact *art, const BuildOptions *o)
{
    RunFolder *folder = run_folder(a, o);
    file_write_text(a, run_file(folder, "decode.cu"), s->text, s->bytes);
    file_write_text(a, run_file(folder, "nvrtc.log"), art->log, strlen(art->log));
    if (art->image)
        file_write_text(a, run_file(folder, "decode.cubin"), art->image, art->bytes);
}

Artifact build_nvrtc(Arena *a, const Source *s, const Target *t, const BuildOptions *o)
{
    Nvrtc n;
    Program *program = NULL;
    int major = 0, minor = 0, options_n;
    want_nvrtc(a, &n, o);
    n.version(&major, &minor);
    const char *tool = str_format(a, "nvrtc %d.%d", major, minor);
    check_arch(a, &n, tool, tool_sm(t, o));
    const char *const *options = command(a, tool_sm(t, o), o, &options_n);
    if (o->verbose || o->dry_run)
        print_command(&n, tool, options, options_n);
    if (o->dry_run)
        return (Artifact){ .tool = tool, .log = "" };
    int status = n.create(&program, s->text, "decode.cu", 0, NULL, NULL);
    if (status)
        error_at(NOWHERE, ERR_TOOL_FAILED, "%s takes no program: %s", tool, n.error_text(status));
    status = n.compile(program, options_n, options);
    Artifact art = { .tool = tool, .log = read_log(a, &n, program, status) };
    if (!status && n.cubin_bytes(program, &art.bytes) == 0 && art.bytes) {
        char *image = arena_alloc(a, art.bytes);
        if (n.cubin(program, image) == 0)
            art.image = image;
    }
    n.destroy(&program);
    if (o->save_temps)
        keep_files(a, s, &art, o);
    if (!art.image)
        tool_failed(a, s, tool, art.log);
    build_parse_facts(a, art.log, &art);
    return art;
}
