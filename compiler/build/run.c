// run.c: start a tool, collect its output, and own the folder of its files.
#include "run.h"

#include "../base/cleanup.h"
#include "../base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    KEPT_BYTES = 8 << 20, // a log beyond this is cut: no one reads it, and a tool gone wild must not fill the memory
    STATUS_NOT_STARTED = 127,
};

const char *run_find(Arena *a, const char *name)
{
    if (strchr(name, '/'))
        return access(name, X_OK) == 0 && !file_is_dir(name) ? name : NULL;
    const char *path = getenv("PATH");
    for (const char *at = path ? path : "/usr/local/bin:/usr/bin:/bin"; *at;) {
        const size_t bytes = strcspn(at, ":");
        const char *dir = bytes ? str_copy(a, at, bytes) : ".";
        const char *file = str_join(a, dir, name);
        if (access(file, X_OK) == 0 && !file_is_dir(file))
            return file;
        at += bytes + (at[bytes] == ':');
    }
    return NULL;
}

// As a shell would take it back: words with other than plain letters stand in single quotes.
static void print_command(Arena *a, const char *const *argv)
{
    const char *plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+./,:@%";
    Str line = str_new(a);
    for (int i = 0; argv[i]; ++i) {
        const char *word = argv[i];
        if (i)
            str_add(&line, " ");
        if (*word && word[strspn(word, plain)] == 0) {
            str_add(&line, "%s", word);
            continue;
        }
        str_add(&line, "'");
        for (const char *s = word; *s; ++s) {
            if (*s == '\'')
                str_add(&line, "'\\'");
            str_add(&line, "%c", *s);
        }
        str_add(&line, "'");
    }
    fprintf(stderr, "%s\n", line.text);
}

// This process's environment with messages in English, which the maps of build_map_log can read.
static char **english(Arena *a)
{
    int n = 0, kept = 0;
    while (environ[n])
        ++n;
    char **env = arena_alloc(a, sizeof *env * (size_t)(n + 2));
    for (int i = 0; i < n; ++i)
        if (!str_starts(environ[i], "LC_ALL=") && !str_starts(environ[i], "LANGUAGE="))
            env[kept++] = environ[i];
    env[kept] = (char *)str_format(a, "LC_ALL=C");
    return env;
}

// 0, or the errno of what failed.
static int start(Arena *a, const char *const *argv, int output, pid_t *child)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t usual;
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    int error = posix_spawn_file_actions_init(&files);
    if (error)
        return error;
    error = posix_spawnattr_init(&attributes);
    if (!error) {
        posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
        posix_spawn_file_actions_adddup2(&files, output, STDERR_FILENO);
        posix_spawnattr_setsigdefault(&attributes, &usual);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
        error = posix_spawnp(child, argv[0], &files, &attributes, (char *const *)argv, english(a));
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&files);
    return error;
}

static void collect(int input, Str *said)
{
    char part[65536];
    ssize_t got;
    while ((got = read(input, part, sizeof part)) != 0) {
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            break;
        if (said->bytes < KEPT_BYTES)
            str_add_bytes(said, part, (size_t)got);
    }
}

static int wait_for(pid_t child)
{
    int state;
    while (waitpid(child, &state, 0) < 0)
        if (errno != EINTR)
            return STATUS_NOT_STARTED;
    return WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
}

RunResult run_tool(Arena *a, const char *const *argv, const BuildOptions *o)
{
    if (o && (o->verbose || o->dry_run))
        print_command(a, argv);
    if (o && o->dry_run)
        return (RunResult){ 0, "", 0 };
    Str said = str_new(a);
    int ends[2];
    pid_t child;
    int status = STATUS_NOT_STARTED, error = pipe2(ends, O_CLOEXEC) == 0 ? 0 : errno;
    if (!error) {
        error = start(a, argv, ends[1], &child);
        close(ends[1]);
        if (!error) {
            collect(ends[0], &said);
            status = wait_for(child);
        }
        close(ends[0]);
    }
    if (error)
        str_add(&said, "cannot run %s: %s\n", argv[0], strerror(error));
    return (RunResult){ status, said.text, said.bytes };
}

// ---- the folder ---------------------------------------------------------------------------------------------------

struct RunFolder {
    Arena *arena;
    const char *path;
    bool temporary;
    VEC(const char *) files;
};

static void remove_folder(void *what)
{
    RunFolder *f = what;
    for (int i = 0; i < f->files.n; ++i) {
        unlink(f->files.at[i]);
        cleanup_forget(f->files.at[i]);
    }
    rmdir(f->path);
    cleanup_forget(f->path);
}

RunFolder *run_folder(Arena *a, const BuildOptions *o)
{
    RunFolder *f = arena_alloc(a, sizeof *f);
    f->arena = a;
    if (o && o->save_temps) {
        f->path = o->save_temps;
        if (!o->dry_run)
            file_make_dir(f->path);
        return f;
    }
    const char *parent = getenv("TMPDIR");
    const char *folder = parent && *parent ? parent : "/tmp";
    char *path = (char *)str_format(a, "%s/llmc-XXXXXX", folder);
    f->path = path;
    if (o && o->dry_run)
        return f;
    if (!mkdtemp(path))
        error_at(loc_hint(loc_file(folder), "$TMPDIR names another place"), ERR_WRITE,
                 "cannot make a temporary folder in it: %s", strerror(errno));
    f->temporary = true;
    cleanup_add(f->path);
    arena_defer(a, remove_folder, f);
    return f;
}

const char *run_file(RunFolder *f, const char *name)
{
    const char *path = str_join(f->arena, f->path, name);
    if (!f->temporary)
        return path;
    // The list is worked off in order: a folder behind its files.
    cleanup_forget(f->path);
    cleanup_add(path);
    cleanup_add(f->path);
    vec_push(f->arena, &f->files, path);
    return path;
}
