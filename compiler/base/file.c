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

enum { TEXT_BYTES_MOST = 1 << 28 };

// Pipes have no size: read until the end, which some devices do not have.
static Bytes read_to_end(Arena *a, int fd, const char *path)
{
    Str s = str_new(a);
    char part[65536];
    ssize_t got;
    while ((got = read(fd, part, sizeof part)) > 0) {
        str_add_bytes(&s, part, (size_t)got);
        if (s.bytes > TEXT_BYTES_MOST)
            error_at(loc_file(path), ERR_READ, "gives more than %s bytes: a text was expected",
                     str_count(a, TEXT_BYTES_MOST));
    }
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
    if (S_ISREG(st.st_mode) && st.st_size > TEXT_BYTES_MOST)
        error_at(loc_file(path), ERR_FILE_KIND, "has %s bytes: a text of at most %s was expected",
                 str_count(a, st.st_size), str_count(a, TEXT_BYTES_MOST));
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

static void refuse_stream(const char *path)
{
    struct stat st;
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
        error_at(loc_file(path), ERR_FILE_KIND, "is a pipe or a device, a file was expected");
}

Bytes file_map(Arena *a, const char *path)
{
    struct stat st;
    refuse_stream(path); // opening a pipe would wait for its writer
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

const char *file_in_folder(Arena *a, const char *dir, const char *name)
{
    struct stat st;
    const char *path = str_join(a, dir, name);
    if (lstat(path, &st) != 0) {
        if (errno != ENOENT && errno != ENOTDIR)
            error_at(loc_file(path), ERR_FILE_MISSING, "cannot open: %s", strerror(errno));
        return NULL;
    }
    if (!file_exists(path))
        error_at(loc_file(path), ERR_FILE_KIND, "is a symbolic link that leads nowhere: %s", strerror(errno));
    refuse_stream(path);
    return path;
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

bool file_is_regular(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

bool file_same(const char *one, const char *other)
{
    struct stat a, b;
    return stat(one, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

const char *file_folder(Arena *a, const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? str_copy(a, path, (size_t)(slash - path) + (slash == path)) : ".";
}

// Devices, pipes and open descriptors are written to as they are: a new file in their place would take the device away
// (/dev/null).
static bool is_stream(const char *path)
{
    struct stat st;
    return str_starts(path, "/dev/fd/") || str_starts(path, "/proc/self/fd/") || str_equal(path, "/dev/stdout") ||
           str_equal(path, "/dev/stderr") || (stat(path, &st) == 0 && !S_ISREG(st.st_mode));
}

const char *file_behind_links(Arena *a, const char *path)
{
    struct stat st;
    if (lstat(path, &st) != 0 || !S_ISLNK(st.st_mode) || is_stream(path))
        return path;
    char *real = realpath(path, NULL);
    if (!real)
        error_at(loc_file(path), ERR_WRITE, "is a symbolic link that leads nowhere: %s", strerror(errno));
    const char *behind = str_copy(a, real, strlen(real));
    free(real);
    return behind;
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

bool file_make_dir(const char *path)
{
    if (mkdir(path, 0777) == 0)
        return true;
    const int error = errno;
    if (error == EEXIST && file_is_dir(path))
        return false;
    error_at(loc_file(path), ERR_WRITE, "cannot make folder: %s",
             error == EEXIST ? "a file of this name is there" : strerror(error));
}

static _Noreturn void refuse_to_write(Arena *a, const char *path, int error)
{
    const char *folder = file_folder(a, path);
    if (error == ENOENT && !file_exists(folder))
        error_at(loc_file(path), ERR_WRITE, "cannot write: there is no folder %s", folder);
    error_at(loc_file(path), ERR_WRITE, "cannot write: %s", strerror(error));
}

OutFile *file_create(Arena *a, const char *path)
{
    OutFile *out = arena_alloc(a, sizeof *out);
    if (file_is_dir(path))
        error_at(loc_file(path), ERR_WRITE, "is a folder: it is not replaced by a file");
    const bool stream = is_stream(path);
    out->path = file_behind_links(a, path);
    if (!stream) {
        out->temporary = str_format(a, "%s.tmp.%ld", out->path, (long)getpid());
        cleanup_add(out->temporary);
    }
    out->stream = fopen(stream ? path : out->temporary, "wb");
    if (!out->stream)
        refuse_to_write(a, path, errno);
    return out;
}

// The mode of the file that is replaced, else the usual one; executable by all who may read it.
static bool set_mode(const OutFile *out)
{
    struct stat st;
    if (stat(out->path, &st) != 0 && stat(out->temporary, &st) != 0)
        return false;
    const mode_t mode = st.st_mode & 0777;
    return chmod(out->temporary, out->executable ? mode | (mode & 0444) >> 2 : mode) == 0;
}

void file_finish(OutFile *out)
{
    if (!out->stream)
        return;
    const bool failed = fflush(out->stream) != 0 || ferror(out->stream);
    if (fclose(out->stream) != 0 || failed)
        error_at(loc_file(out->path), ERR_WRITE, "cannot write: %s", strerror(errno));
    out->stream = NULL;
    if (out->temporary && !set_mode(out))
        error_at(loc_file(out->path), ERR_WRITE, "cannot set its mode: %s", strerror(errno));
}

void file_commit(OutFile *out)
{
    file_finish(out);
    if (!out->temporary)
        return;
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

OutFile *file_prepare_text(Arena *a, const char *path, const char *text, size_t bytes)
{
    if (holds_exactly(path, text, bytes))
        return NULL;
    OutFile *out = file_create(a, path);
    fwrite(text, 1, bytes, out->stream);
    file_finish(out);
    return out;
}

void file_write_text(Arena *a, const char *path, const char *text, size_t bytes)
{
    if (str_equal(path, "-")) {
        if (fwrite(text, 1, bytes, stdout) != bytes || fflush(stdout) != 0)
            error_at(loc_file("stdout"), ERR_WRITE, "cannot write: %s", strerror(errno));
        return;
    }
    OutFile *out = file_prepare_text(a, path, text, bytes);
    if (out)
        file_commit(out);
}

int64_t file_free_bytes(Arena *a, const char *path)
{
    struct statvfs st;
    if (statvfs(file_folder(a, path), &st) != 0)
        return -1;
    return (int64_t)st.f_bavail * (int64_t)st.f_frsize;
}
