// diagmap.c: messages of nvcc, NVRTC, g++ and clang++ name template lines.
#include "../../compiler/base/file.h"
#include "../test.h"
#include "text.h"

// Each logs/NAME.log must become logs/NAME.want; `bless` writes the latter.
static void check_log(Arena *a, const Source *s, const char *path, bool bless)
{
    const char *want = str_format(a, "%.*s.want", (int)strlen(path) - 4, path);
    const char *got = build_map_log(a, s, (const char *)file_read(a, path).at);
    if (bless)
        file_write_text(a, want, got, strlen(got));
    else
        ASSERT_STR((const char *)file_read(a, want).at, got);
}

static void expect(Arena *a, const Source *s, const char *want, const char *log)
{
    ASSERT_STR(want, build_map_log(a, s, log));
}

int main(int argc, char **argv)
{
    Arena *a = arena_new();
    const Source s = text_of(a, "1\n2\n3\n4\n5\n6\n");
    if (argc < 2)
        return 2;
    int n;
    const char *const *names = file_list(a, argv[1], &n);
    for (int i = 0; i < n; ++i)
        if (str_ends(names[i], "_errors.log"))
            check_log(a, &s, str_join(a, argv[1], names[i]), argc > 2);

    expect(a, &s, "templates/gemv_rows.cu:104: error: x", "decode.cu(4): error: x");
    expect(a, &s, "templates/gemv_rows.cu:104: error: x", "/tmp/llmc-1/../decode.cu:4:17: error: x");
    expect(a, &s, "templates/gemv_rows.cu:104: error: x", "decode.cu:4: error: x");
    expect(a, &s,
           "In file included from templates/decode.cu:101:\ntemplates/decode.cu:102, from templates/decode.cu:103:",
           "In file included from /tmp/decode.cu:1:\ndecode.cu:2:3, from decode.cu:3:");
    // Not lines of the text: beyond it, no number, another file; and no place is left out or read twice.
    expect(a, &s, "decode.cu(7): error", "decode.cu(7): error");
    expect(a, &s, "decode.cu(0): error", "decode.cu(0): error");
    expect(a, &s, "decode.cu(99999999999999999999): error", "decode.cu(99999999999999999999): error");
    expect(a, &s, "decode.cu(4 error", "decode.cu(4 error");
    expect(a, &s, "decode.cu: In function", "decode.cu: In function");
    expect(a, &s, "my_decode.cu(4): error", "my_decode.cu(4): error");
    expect(a, &s, "in \"decode.cu\". decode.cu", "in \"decode.cu\". decode.cu");
    expect(a, &s, "", "");
    // A line without a template stays as it is.
    Source bare = s;
    const char *none[6] = { NULL };
    bare.from_file = none;
    expect(a, &bare, "decode.cu(4): error", "decode.cu(4): error");
    arena_free(a);
    return test_failed;
}
