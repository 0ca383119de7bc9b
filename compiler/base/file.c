// file.c: whole files in, whole files out.
#include "file.h"

#include "cleanup.h"
#include "diag.h"
#include "str.h"
#include "vec.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

static int open_for_reading(const char *path, struct stat *st)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, st) != 0)
        error_at(loc_file(path), ERR_FILE_MISSING, "cannot open: %s", strerror(errno));
    if (S_ISDIR(st->st_mode))
        error_at(loc_file(path), ERR_FILE_MISSING, "is a folder, a file was expected");
    return fd;
}

// Pipes have no size: read until the end.
static Bytes read_to_end(Arena *a, int fd, const char *path)
{
    Str s = str_new(a);
    char part[65536];
    ssize_t got;
    while ((got = read(fd, part, sizeof part)) > 0)
        str_add_bytes(&s, part, (size_t)got);
    if (got < 0)
        error_at(loc_file(path), ERR_READ, "cannot read: %s", strerror(errno));
    return (Bytes){ (const uint8_t *)s.text, s.bytes };
}

Bytes file_read(Arena *a, const char *path)
{
    if (str_equal(path, "-"))
        return read_to_end(a, STDIN_FILENO, "stdin");
    struct stat st;
    const int fd = open_for_reading(path, &st);
    Bytes b;
    if (S_ISREG(st.st_mode)) {
        uint8_t *at = arena_alloc(a, (size_t)st.st_size + 1);
        size_t have = 0;
        ssize_t got = 1;
        while (have < (size_t)st.st_size && (got = read(fd, at + have, (size_t)st.st_size - have)) > 0)
            have += (size_t)got;
        if (got < 0)
            error_at(loc_file(path), ERR_READ, "cannot read: %s", strerror(errno));
        b = (Bytes){ at, have };
    } else {
        b = read_to_end(a, fd, path);
    }
    close(fd);
    return b;
}

typedef struct Mapping {
    void *at;
    size_t bytes;
} Mapping;

static void unmap(void *what)
{
    const Mapping *m = what;
    munmap(m->at, m->bytes);
}

Bytes file_map(Arena *a, const char *path)
{
    struct stat st;
    const int fd = open_for_reading(path, &st);
    Mapping *m = arena_alloc(a, sizeof *m);
    m->bytes = (size_t)st.st_size;
    if (m->bytes == 0) {
        close(fd);
        return (Bytes){ (const uint8_t *)"", 0 };
    }
    m->at = mmap(NULL, m->bytes, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (m->at == MAP_FAILED)
        error_at(loc_file(path), ERR_READ, "cannot map: %s", strerror(errno));
    arena_defer(a, unmap, m);
    return (Bytes){ m->at, m->bytes };
}

bool file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}

bool file_is_dir(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char *const *file_list(Arena *a, const char *dir, int *n)
{
    DIR *d = opendir(dir);
    if (!d)
        error_at(loc_file(dir), ERR_FILE_MISSING, "cannot open folder: %s", strerror(errno));
    VEC(const char *) names = { 0 };
    for (struct dirent *e; (e = readdir(d));)
        if (!str_equal(e->d_name, ".") && !str_equal(e->d_name, ".."))
            vec_push(a, &names, str_copy(a, e->d_name, strlen(e->d_name)));
    closedir(d);
    if (names.n)
        qsort(names.at, (size_t)names.n, sizeof *names.at, by_name);
    *n = names.n;
    return names.at;
}

void file_make_dir(const char *path)
{
    if (mkdir(path, 0777) != 0 && !(errno == EEXIST && file_is_dir(path)))
        error_at(loc_file(path), ERR_WRITE, "cannot make folder: %s", strerror(errno));
}

OutFile *file_create(Arena *a, const char *path)
{
    OutFile *out = arena_alloc(a, sizeof *out);
    out->path = path;
    if (file_is_dir(path))
        error_at(loc_file(path), ERR_WRITE, "is a folder: it is not replaced by a file");
    out->temporary = str_format(a, "%s.tmp.%ld", path, (long)getpid());
    cleanup_add(out->temporary);
    out->stream = fopen(out->temporary, "wb");
    if (!out->stream)
        error_at(loc_file(path), ERR_WRITE, "cannot write: %s", strerror(errno));
    return out;
}

void file_commit(OutFile *out)
{
    const bool failed = fflush(out->stream) != 0 || ferror(out->stream);
    if (fclose(out->stream) != 0 || failed)
        error_at(loc_file(out->path), ERR_WRITE, "cannot write: %s", strerror(errno));
    if (out->executable && chmod(out->temporary, 0755) != 0)
        error_at(loc_file(out->path), ERR_WRITE, "cannot make executable: %s", strerror(errno));
    if (rename(out->temporary, out->path) != 0)
        error_at(loc_file(out->path), ERR_WRITE, "cannot rename into place: %s", strerror(errno));
    cleanup_forget(out->temporary);
}

static bool holds_exactly(const char *path, const char *text, size_t bytes)
{
    struct stat st;
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) || (size_t)st.st_size != bytes)
        return false;
    FILE *f = fopen(path, "rb");
    if (!f)
        return false;
    size_t at = 0;
    int c;
    while ((c = fgetc(f)) != EOF && at < bytes && (unsigned char)text[at] == c)
        ++at;
    fclose(f);
    return at == bytes;
}

void file_write_text(Arena *a, const char *path, const char *text, size_t bytes)
{
    if (str_equal(path, "-")) {
        if (fwrite(text, 1, bytes, stdout) != bytes || fflush(stdout) != 0)
            error_at(loc_file("stdout"), ERR_WRITE, "cannot write: %s", strerror(errno));
        return;
    }
    if (holds_exactly(path, text, bytes))
        return;
    OutFile *out = file_create(a, path);
    fwrite(text, 1, bytes, out->stream);
    file_commit(out);
}

int64_t file_free_bytes(Arena *a, const char *path)
{
    struct statvfs st;
    const char *slash = strrchr(path, '/');
    const char *dir = slash ? str_copy(a, path, (size_t)(slash - path) + 1) : ".";
    if (statvfs(dir, &st) != 0)
        return -1;
    return (int64_t)st.f_bavail * (int64_t)st.f_frsize;
}
