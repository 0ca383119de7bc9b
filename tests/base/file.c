// file.c: files are read whole, listed in order, written whole or not at all.
#include "capture.h"

#include "../../compiler/base/file.h"
#include "../../compiler/base/str.h"

#include <sys/stat.h>

static const char *const folder = "file.test";

static void reads_what_was_written(Arena *a)
{
    const char *path = str_join(a, folder, "text");
    file_write_text(a, path, "hello\n", 6);
    const Bytes read = file_read(a, path), mapped = file_map(a, path);
    ASSERT(read.bytes == 6 && memcmp(read.at, "hello\n", 7) == 0);
    ASSERT(mapped.bytes == 6 && memcmp(mapped.at, "hello\n", 6) == 0);
    file_write_text(a, path, "", 0);
    ASSERT(file_read(a, path).bytes == 0 && file_map(a, path).bytes == 0);
    ASSERT(file_exists(path) && !file_is_dir(path) && file_is_dir(folder));
    ASSERT(file_free_bytes(a, path) != 0);
}

static void an_unchanged_output_is_not_touched(Arena *a)
{
    const char *path = str_join(a, folder, "same");
    struct stat before, same, changed;
    file_write_text(a, path, "same", 4);
    ASSERT(stat(path, &before) == 0);
    file_write_text(a, path, "same", 4);
    ASSERT(stat(path, &same) == 0 && same.st_ino == before.st_ino);
    file_write_text(a, path, "sane", 4);
    ASSERT(stat(path, &changed) == 0 && memcmp(file_read(a, path).at, "sane", 4) == 0);
}

static void lists_in_order(Arena *a)
{
    int n;
    file_write_text(a, str_join(a, folder, "b"), "", 0);
    file_write_text(a, str_join(a, folder, "B"), "", 0);
    file_write_text(a, str_join(a, folder, "a10"), "", 0);
    const char *const *names = file_list(a, folder, &n);
    ASSERT_INT(5, n);
    ASSERT(str_equal(names[0], "B") && str_equal(names[1], "a10") && str_equal(names[2], "b"));
}

static void commits_with_the_mode(Arena *a)
{
    const char *path = str_join(a, folder, "program");
    OutFile *out = file_create(a, path);
    ASSERT(!file_exists(path));
    fputs("x", out->stream);
    out->executable = true;
    file_commit(out);
    struct stat st;
    ASSERT(stat(path, &st) == 0 && (st.st_mode & 0111) == 0111);
}

static void read_missing(void *what)
{
    file_read(arena_new(), what);
}

static void write_into_nothing(void *what)
{
    file_write_text(arena_new(), what, "x", 1);
}

static void says_what_cannot_be_done(void)
{
    Captured got = capture(read_missing, "file.test/none");
    ASSERT_STR("file.test/none: error: cannot open: No such file or directory [E0300]\n", got.text);
    ASSERT_INT(3, got.code);
    got = capture(read_missing, "file.test");
    ASSERT_STR("file.test: error: is a folder, a file was expected [E0300]\n", got.text);
    got = capture(write_into_nothing, "file.test/none/x");
    ASSERT_STR("file.test/none/x: error: cannot write: No such file or directory [E0900]\n", got.text);
    ASSERT_INT(9, got.code);
    got = capture(write_into_nothing, "file.test");
    ASSERT_STR("file.test: error: is a folder: it is not replaced by a file [E0900]\n", got.text);
}

int main(void)
{
    Arena *a = arena_new();
    int n;
    file_make_dir(folder);
    file_make_dir(folder); // again: no error
    reads_what_was_written(a);
    an_unchanged_output_is_not_touched(a);
    lists_in_order(a);
    commits_with_the_mode(a);
    says_what_cannot_be_done();
    const char *const *names = file_list(a, folder, &n);
    for (int i = 0; i < n; ++i)
        remove(str_join(a, folder, names[i]));
    rmdir(folder);
    arena_free(a);
    return test_failed;
}
