// bad.c: each bad/NAME.json is refused with exactly the text of bad/NAME.want, whose last line is the exit code.
// A second argument `bless` writes the .want files instead.
#include "../../compiler/base/file.h"
#include "../../compiler/target/target.h"
#include "../said.h"
#include "../test.h"

static void load(const void *path)
{
    Arena *a = arena_new();
    target_load(a, path);
    arena_free(a);
}

int main(int argc, char **argv)
{
    Arena *a = arena_new();
    int n = 0, cases = 0;
    if (argc < 2 || chdir(argv[1]) != 0)
        return 2;
    const char *const *names = file_list(a, ".", &n);
    for (int i = 0; i < n; ++i) {
        if (!str_ends(names[i], ".json"))
            continue;
        const Said s = said(load, names[i]);
        const char *want = str_format(a, "%.*s.want", (int)strlen(names[i]) - 5, names[i]);
        const char *got = str_format(a, "%sexit %d\n", s.text, s.code);
        if (argc > 2)
            file_write_text(a, want, got, strlen(got));
        else
            ASSERT_STR((const char *)file_read(a, want).at, got);
        ++cases;
    }
    ASSERT(cases >= 15);
    arena_free(a);
    return test_failed;
}
