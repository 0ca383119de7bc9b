// cpu.c: compile the text with the machine's C++ compiler and the shim of runtime/simt into one shared object.
#include "run.h"
#include "tool.h"

#include "../base/embedded.h"

#include <stdlib.h>

enum { SHIM_SOURCES = 16 };

// $CXX, which may carry arguments ("ccache g++"), else the first of g++ and clang++: the words that start the command.
static const char *const *find_compiler(Arena *a)
{
    VEC(const char *) words = { 0 };
    const char *cxx = getenv("CXX");
    for (const char *at = cxx ? cxx : ""; *(at += strspn(at, " \t")); at += strcspn(at, " \t"))
        vec_push(a, &words, str_copy(a, at, strcspn(at, " \t")));
    if (words.n && !run_find(a, words.at[0]))
        error_at(NOWHERE, ERR_TOOL_MISSING, "CXX names %s: there is no such program", words.at[0]);
    if (!words.n && run_find(a, "g++"))
        vec_push(a, &words, "g++");
    else if (!words.n && run_find(a, "clang++"))
        vec_push(a, &words, "clang++");
    if (!words.n)
        error_at(NOWHERE, ERR_TOOL_MISSING,
                 "no C++ compiler: neither g++ nor clang++ is in PATH, and CXX names none; "
                 "Debian and Ubuntu: apt install g++");
    vec_push(a, &words, NULL);
    return words.at;
}

// "g++ 12.2.0". g++ answers -dumpversion with its first number alone, clang++ does not know -dumpfullversion.
static const char *ask_version(Arena *a, const char *const *compiler)
{
    const char *const questions[] = { "-dumpfullversion", "-dumpversion" };
    int words = 0;
    while (compiler[words])
        ++words;
    const char **argv = arena_alloc(a, sizeof *argv * (size_t)(words + 2));
    memcpy(argv, compiler, sizeof *argv * (size_t)words);
    const char *name = str_basename(compiler[words > 1 && compiler[1][0] != '-' ? 1 : 0]);
    for (int i = 0; i < ARRAY_LEN(questions); ++i) {
        argv[words] = questions[i];
        const RunResult said = run_tool(a, argv, NULL);
        if (str_starts(said.text, "cannot run "))
            error_at(NOWHERE, ERR_TOOL_FAILED, "%.*s", (int)strcspn(said.text, "\n"), said.text);
        if (said.status == 0)
            return str_format(a, "%s %.*s", name, (int)strcspn(said.text, " \r\n"), said.text);
    }
    error_at(NOWHERE, ERR_TOOL_FAILED, "%s does not say its version", compiler[0]);
}

// A text without #line gets them here, so that messages and the shim's reports name template lines. The text proper
// stays what it is: a line marker is no code.
static const char *with_markers(Arena *a, const Source *s)
{
    if (strstr(s->text, "\n#line ") || !s->from_file)
        return s->text;
    Str out = str_new(a);
    const char *at = s->text;
    for (int i = 0; i < s->lines && *at; ++i) {
        const size_t bytes = strcspn(at, "\n") + 1;
        const bool known = s->from_file[i], goes_on = i && known && s->from_file[i - 1] &&
                                                      str_equal(s->from_file[i], s->from_file[i - 1]) &&
                                                      s->from_line[i] == s->from_line[i - 1] + 1;
        if (known && !goes_on)
            str_add(&out, "#line %d \"%s\"\n", s->from_line[i], s->from_file[i]);
        else if (!known && i && s->from_file[i - 1])
            str_add(&out, "#line %d \"decode.cu\"\n", i + 1);
        str_add_bytes(&out, at, at[bytes - 1] ? bytes : bytes - 1);
        at += at[bytes - 1] ? bytes : bytes - 1;
    }
    str_add(&out, "%s", at);
    return out.text;
}

// Writes the shim's files; adds the sources to the command and returns the header that stands in front of the text.
static const char *write_shim(Arena *a, RunFolder *folder, bool dry_run, const char **sources, int *n_sources)
{
    const char *header = NULL, *name;
    for (int i = 0; (name = embedded_name("runtime/simt/", i)); ++i) {
        const Bytes file = embedded_file(name);
        const char *path = run_file(folder, str_basename(name));
        if (!dry_run)
            file_write_text(a, path, (const char *)file.at, file.bytes);
        if (str_ends(name, "/simt.h"))
            header = path;
        else if (str_ends(name, ".cpp") && *n_sources < SHIM_SOURCES)
            sources[(*n_sources)++] = path;
    }
    return header;
}

static const char *const flags[] = {
    "-std=c++17", "-O2",
    // g++ packs the two halves of a word into vectors and takes them out again: 190 ms instead of 137 for
    // 113 M multiply-adds (g++ 12, AMD EPYC, one core).
    "-fno-tree-vectorize",
#if defined(__x86_64__)
    "-mavx2", "-mfma", "-mf16c",
#endif
    "-ffp-contract=off", // fmaf stands where it is meant: the bits are the GPU's
    "-fno-math-errno",
    "-fno-strict-aliasing", // as CUDA compilers take it
    "-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics", "-fvisibility=hidden", "-fPIC", "-shared",
    "-Wno-unknown-pragmas", // unroll, to g++
    "-Wl,-z,defs",
    "-nodefaultlibs", // nothing of libstdc++, which a machine that runs the program may lack
};
static const char *const libraries[] = { "-lm", "-lc", "-lgcc" };

// g++ FLAGS -include FOLDER/simt.h -o FOLDER/decode.so -x c++ FOLDER/decode.cu FOLDER/*.cpp -lm -lc -lgcc
static const char *const *command(Arena *a, const char *const *compiler, const char *header, const char *from,
                                  const char *to, const char *const *sources, int n_sources)
{
    const char *const middle[] = { "-include", header, "-o", to, "-x", "c++", from };
    VEC(const char *) argv = { 0 };
    for (int i = 0; compiler[i]; ++i)
        vec_push(a, &argv, compiler[i]);
    for (int i = 0; i < ARRAY_LEN(flags); ++i)
        vec_push(a, &argv, flags[i]);
    for (int i = 0; i < ARRAY_LEN(middle); ++i)
        vec_push(a, &argv, middle[i]);
    for (int i = 0; i < n_sources; ++i)
        vec_push(a, &argv, sources[i]);
    for (int i = 0; i < ARRAY_LEN(libraries); ++i)
        vec_push(a, &argv, libraries[i]);
    vec_push(a, &argv, NULL);
    return argv.at;
}

Artifact build_cpu(Arena *a, const Source *s, const Target *t, const BuildOptions *o)
{
    (void)t;
    const char *const *compiler = find_compiler(a);
    const char *tool = o->dry_run ? compiler[0] : ask_version(a, compiler);
    RunFolder *folder = run_folder(a, o);
    const char *from = run_file(folder, "decode.cu"), *to = run_file(folder, "decode.so"), *sources[SHIM_SOURCES];
    int n_sources = 0;
    const char *header = write_shim(a, folder, o->dry_run, sources, &n_sources), *text = with_markers(a, s);
    if (!o->dry_run)
        file_write_text(a, from, text, strlen(text));
    const RunResult said = run_tool(a, command(a, compiler, header, from, to, sources, n_sources), o);
    if (o->dry_run)
        return (Artifact){ .tool = tool, .log = "" };
    if (o->save_temps)
        file_write_text(a, run_file(folder, "cxx.log"), said.text, said.bytes);
    if (said.status || !file_exists(to))
        tool_failed(a, s, tool, said.text);
    const Bytes image = file_read(a, to);
    return (Artifact){ .image = image.at, .bytes = image.bytes, .tool = tool, .log = said.text };
}
