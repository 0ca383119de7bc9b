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

static void the_mode_of_a_replaced_file_stays(Arena *a)
{
    const char *path = str_join(a, folder, "private");
    struct stat st;
    file_write_text(a, path, "old", 3);
    ASSERT(chmod(path, 0600) == 0);
    file_write_text(a, path, "new", 3);
    ASSERT(stat(path, &st) == 0 && (st.st_mode & 0777) == 0600);
    OutFile *out = file_create(a, path);
    out->executable = true;
    file_commit(out);
    ASSERT(stat(path, &st) == 0 && (st.st_mode & 0777) == 0700);
}

static void links_stay_and_lead_to_the_output(Arena *a)
{
    const char *path = str_join(a, folder, "real"), *link = str_join(a, folder, "link");
    struct stat st;
    file_write_text(a, path, "old", 3);
    ASSERT(symlink("real", link) == 0);
    file_write_text(a, link, "new", 3);
    ASSERT(lstat(link, &st) == 0 && S_ISLNK(st.st_mode));
    ASSERT(memcmp(file_read(a, path).at, "new", 4) == 0);
    ASSERT(str_ends(file_behind_links(a, link), "file.test/real") && str_equal(file_behind_links(a, path), path));
    ASSERT(file_same(link, path) && !file_same(link, folder) && !file_same(link, "nowhere"));
    ASSERT(file_is_regular(link) && !file_is_regular(folder));
    ASSERT_STR("file.test", file_folder(a, path));
    ASSERT_STR("/", file_folder(a, "/x"));
    ASSERT_STR(".", file_folder(a, "x"));
}

// What stands at the path is written to, never replaced: as root, /dev/null would become a file.
static void pipes_are_written_to(Arena *a)
{
    const char *pipe_path = str_join(a, folder, "pipe");
    struct stat after;
    ASSERT(mkfifo(pipe_path, 0600) == 0);
    FILE *reader = fopen(pipe_path, "r+");
    char got[8] = { 0 };
    file_write_text(a, pipe_path, "through\n", 8);
    ASSERT(reader && fgets(got, sizeof got, reader) && str_equal(got, "through"));
    ASSERT(stat(pipe_path, &after) == 0 && S_ISFIFO(after.st_mode));
    if (reader)
        fclose(reader);
}

static void map_a_pipe(void *what)
{
    file_map(arena_new(), what);
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
    ASSERT_STR("file.test/none/x: error: cannot write: there is no folder file.test/none [E0900]\n", got.text);
    ASSERT_INT(9, got.code);
    got = capture(write_into_nothing, "file.test/same/x");
    ASSERT_STR("file.test/same/x: error: cannot write: Not a directory [E0900]\n", got.text);
    got = capture(write_into_nothing, "file.test");
    ASSERT_STR("file.test: error: is a folder: it is not replaced by a file [E0900]\n", got.text);
    ASSERT(symlink("nowhere", "file.test/lost") == 0);
    got = capture(write_into_nothing, "file.test/lost");
    ASSERT_STR("file.test/lost: error: is a symbolic link that leads nowhere: No such file or directory [E0900]\n",
               got.text);
    got = capture(map_a_pipe, "file.test/pipe"); // and does not wait for a writer
    ASSERT_STR("file.test/pipe: error: is a pipe or a device, a file was expected [E0301]\n", got.text);
    got = capture(read_missing, "/dev/zero");
    ASSERT_STR("/dev/zero: error: gives more than 268,435,456 bytes: a text was expected [E0901]\n", got.text);
    ASSERT_INT(9, got.code);
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
    the_mode_of_a_replaced_file_stays(a);
    links_stay_and_lead_to_the_output(a);
    pipes_are_written_to(a);
    says_what_cannot_be_done();
    const char *const *names = file_list(a, folder, &n);
    for (int i = 0; i < n; ++i)
        remove(str_join(a, folder, names[i]));
    rmdir(folder);
    arena_free(a);
    return test_failed;
}
