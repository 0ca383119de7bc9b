// nvcc.c: compile the text with the toolkit's nvcc.
// Two builds of one text give the same bytes: nvcc writes the path of its input only into the names of functions and
// variables with internal linkage, and rendered text has no `static` and no unnamed namespace outside functions.
#include "run.h"
#include "tool.h"

#include "../base/file.h"

#include <stdio.h>
#include <stdlib.h>

// PATH itself when it is a program, else the nvcc of a toolkit's folder or of its bin.
static const char *named_nvcc(Arena *a, const char *path)
{
    if (!file_is_dir(path))
        return run_find(a, path);
    const char *inside = run_find(a, str_join(a, path, "nvcc"));
    return inside ? inside : run_find(a, str_join(a, path, "bin/nvcc"));
}

const char *build_find_nvcc(Arena *a, const BuildOptions *o, const char **searched)
{
    if (o->nvcc && *o->nvcc) {
        *searched = o->nvcc;
        return named_nvcc(a, o->nvcc);
    }
    const char *const *folders = tool_folders(a, o, "bin");
    *searched = tool_places(a, "PATH", folders);
    const char *nvcc = run_find(a, "nvcc");
    for (int i = 0; !nvcc && folders[i]; ++i)
        nvcc = run_find(a, str_join(a, folders[i], "nvcc"));
    return nvcc;
}

static const char *want_nvcc(Arena *a, const BuildOptions *o)
{
    const char *searched, *nvcc = build_find_nvcc(a, o, &searched);
    if (nvcc)
        return nvcc;
    if (o->nvcc && *o->nvcc)
        error_at(NOWHERE, ERR_TOOL_MISSING, "--nvcc names %s: there is no nvcc", searched);
    error_at(NOWHERE, ERR_TOOL_MISSING,
             "no nvcc in %s; NVRTC needs no toolkit: `pip install nvidia-cuda-nvrtc`, then "
             "--nvrtc",
             searched);
}

// "Cuda compilation tools, release 13.0, V13.0.88": 1300, and "nvcc 13.0.88" in *tool.
static int ask_version(Arena *a, const char *nvcc, const char **tool)
{
    const char *argv[] = { nvcc, "--version", NULL };
    const RunResult said = run_tool(a, argv, NULL);
    const char *release = strstr(said.text, "release "), *full = strstr(said.text, ", V");
    int major = 0, minor = 0;
    if (said.status || !release || sscanf(release, "release %d.%d", &major, &minor) != 2)
        error_at(NOWHERE, ERR_TOOL_FAILED, "%s does not say its version (exit code %d): %.*s", nvcc, said.status,
                 (int)(strcspn(said.text, "\n") < 200 ? strcspn(said.text, "\n") : 200), said.text);
    if (full)
        *tool = str_format(a, "nvcc %.*s", (int)strspn(full + 3, "0123456789."), full + 3);
    else
        *tool = str_format(a, "nvcc %d.%d", major, minor);
    return major * 100 + minor;
}

// nvcc -cubin -arch=sm_86 --fmad=false -Xptxas -v [extra...] -o FOLDER/decode.cubin FOLDER/decode.cu
static const char *const *command(Arena *a, const char *nvcc, int sm, const BuildOptions *o, const char *from, const char *to)
{
    VEC(const char *) argv = { 0 };
    vec_push(a, &argv, nvcc);
    vec_push(a, &argv, "-cubin");
    vec_push(a, &argv, str_format(a, "-arch=sm_%d", sm));
    vec_push(a, &argv, "--fmad=false"); // the text says fmaf where it means it: the CPU then has the same bits
    vec_push(a, &argv, "-Xptxas");
    vec_push(a, &argv, "-v");
    if (o->save_temps) {
        vec_push(a, &argv, "--keep");
        vec_push(a, &argv, "--keep-dir");
        vec_push(a, &argv, o->save_temps);
    }
    for (int i = 0; i < o->n_extra; ++i)
        vec_push(a, &argv, o->extra[i]);
    vec_push(a, &argv, "-o");
    vec_push(a, &argv, to);
    vec_push(a, &argv, from);
    vec_push(a, &argv, NULL);
    return argv.at;
}

Artifact build_nvcc(Arena *a, const Source *s, const Target *t, const BuildOptions *o)
{
    const char *nvcc = want_nvcc(a, o), *tool = "nvcc";
    const int sm = tool_sm(t, o);
    int version = CUDA_VERSION_UNKNOWN;
    if (!o->dry_run) {
        version = ask_version(a, nvcc, &tool);
        const char *refusal = tool_arch_refusal(a, version, sm);
        if (refusal)
            error_at(NOWHERE, ERR_TOOL_ARCH, "%s (%s) %s", tool, nvcc, refusal);
    }
    RunFolder *folder = run_folder(a, o);
    const char *from = run_file(folder, "decode.cu"), *to = run_file(folder, "decode.cubin");
    if (!o->dry_run)
        file_write_text(a, from, s->text, s->bytes);
    const RunResult said = run_tool(a, command(a, nvcc, sm, o, from, to), o);
    if (o->dry_run)
        return (Artifact){ .tool = tool, .log = "" };
    if (o->save_temps)
        file_write_text(a, run_file(folder, "nvcc.log"), said.text, said.bytes);
    if (strstr(said.text, "Unsupported gpu architecture") ||
        strstr(said.text, "is not defined for option 'gpu-architecture'"))
        error_at(NOWHERE, ERR_TOOL_ARCH, "%s (%s) does not know sm_%d", tool, nvcc, sm);
    if (said.status || !file_exists(to))
        tool_failed(a, s, tool, said.text);
    const Bytes image = file_read(a, to);
    Artifact art = { .image = image.at, .bytes = image.bytes, .tool = tool, .log = said.text };
    build_parse_facts(a, said.text, &art);
    return art;
}
