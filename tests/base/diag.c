// diag.c: the form of messages: place, source line, underline, hint, number, exit code; warnings, notes, many at once.
#include "capture.h"

#include "../../compiler/base/cleanup.h"
#include "../../compiler/base/diag.h"
#include "../../compiler/base/file.h"
#include "../../compiler/base/str.h"

typedef struct Case {
    Loc at;
    const char *variable, *value; // of the environment
    void (*say)(Loc at);
    int code;
    const char *want;
} Case;

static void say_error(Loc at)
{
    error_at(at, ERR_ROPE_TYPE, "unknown %s", "thing");
}

static void say_warning(Loc at)
{
    warning_at(at, "default", "taken as %d", 5);
}

static void say_note(Loc at)
{
    (void)at;
    note("by the way: \033[31m%s", "red");
}

static void say_many(Loc at)
{
    Diags d = { .arena = arena_new() };
    for (int i = 0; i < 23; ++i)
        diag_add(&d, at, i ? ERR_PLAN_RULE : ERR_CONFIG_VALUE, "fault %d", i);
    diag_exit_if_any(&d);
}

static void say_none(Loc at)
{
    (void)at;
    Diags d = { .arena = NULL };
    diag_exit_if_any(&d);
}

static void run(void *what)
{
    const Case *c = what;
    if (c->variable)
        setenv(c->variable, c->value, 1);
    c->say(c->at);
}

#define AT(l, c, w, h)                                                                                                 \
    {                                                                                                                  \
        .file = "diag.txt", .line = (l), .col = (c), .width = (w), .hint = (h)                                         \
    }

static const Case cases[] = {
    { AT(2, 8, 5, NULL), NULL, NULL, say_error, 3,
      "diag.txt:2:8: error: unknown thing [E0412]\n    2 |  \"key\": value,\n      |        ^~~~~\n" },
    { AT(2, 8, 5, "supported: a b"), NULL, NULL, say_error, 3,
      "diag.txt:2:8: error: unknown thing [E0412]\n    2 |  \"key\": value,\n      |        ^~~~~ supported: a b\n" },
    { AT(3, 1, 900, NULL), NULL, NULL, say_error, 3, // no wider than its line
      "diag.txt:3:1: error: unknown thing [E0412]\n    3 | end\n      | ^~~\n" },
    { AT(99, 1, 1, NULL), NULL, NULL, say_error, 3, "diag.txt:99:1: error: unknown thing [E0412]\n" },
    { { .file = "nowhere", .line = 1, .col = 1 },
      NULL,
      NULL,
      say_error,
      3,
      "nowhere:1:1: error: unknown thing [E0412]\n" },
    { { .file = "a.gguf", .offset = 0x1f0 }, NULL, NULL, say_error, 3, "a.gguf@0x1f0: error: unknown thing [E0412]\n" },
    { { .file = "a.gguf", .hint = "do this" },
      NULL,
      NULL,
      say_error,
      3,
      "a.gguf: error: unknown thing [E0412]\nnote: do this\n" },
    { { .file = "a\033[2J" }, NULL, NULL, say_error, 3, "a\\x1b[2J: error: unknown thing [E0412]\n" },
    // Names and values of hostile inputs stay on their line and drive no terminal.
    { { .file = "a\nb\tc" }, NULL, NULL, say_error, 3, "a\\x0ab\\x09c: error: unknown thing [E0412]\n" },
    { { .file = "caf\xc3\xa9 \xff\xc2\x9b\xed\xa0\x80" },
      NULL,
      NULL,
      say_error,
      3,
      "caf\xc3\xa9 \\xff\\xc2\\x9b\\xed\\xa0\\x80: error: unknown thing [E0412]\n" },
    { { .file = "a.gguf", .hint = "\033[2Jx" },
      NULL,
      NULL,
      say_error,
      3,
      "a.gguf: error: unknown thing [E0412]\nnote: \\x1b[2Jx\n" },
    { AT(3, 1, 3, "\033x"), NULL, NULL, say_error, 3,
      "diag.txt:3:1: error: unknown thing [E0412]\n    3 | end\n      | ^~~ \\x1bx\n" },
    { AT(5, 1, 1, NULL), NULL, NULL, say_error, 3,
      "diag.txt:5:1: error: unknown thing [E0412]\n    5 | ? \xc3\xa9\n      | ^\n" },
    { { .file = "" }, NULL, NULL, say_error, 3, "\"\": error: unknown thing [E0412]\n" },
    { { .file = "\xff\n\"" }, "LLMC_ARG_DIAGNOSTICS_FORMAT", "json", say_error, 3,
      "{\"file\":\"\\ufffd\\u000a\\\"\",\"line\":0,\"column\":0,\"offset\":0,\"severity\":\"error\",\"code\":\"E0412\","
      "\"message\":\"unknown thing\"}\n" },
    { { .file = NULL }, NULL, NULL, say_error, 3, "llmc: error: unknown thing [E0412]\n" },
    { { .file = NULL },
      "LLMC_ARG_COLOR",
      "always",
      say_error,
      3,
      "llmc: \033[1;31merror:\033[0m unknown thing [E0412]\n" },
    { AT(2, 8, 5, "say \"a\""), "LLMC_ARG_DIAGNOSTICS_FORMAT", "json", say_error, 3,
      "{\"file\":\"diag.txt\",\"line\":2,\"column\":8,\"offset\":0,\"severity\":\"error\",\"code\":\"E0412\","
      "\"message\":\"unknown thing\",\"note\":\"say \\\"a\\\"\"}\n" },
    { { .file = "a", .below = "one\ntwo\n" }, "LLMC_ARG_DIAGNOSTICS_FORMAT", "json", say_error, 3,
      "{\"file\":\"a\",\"line\":0,\"column\":0,\"offset\":0,\"severity\":\"error\",\"code\":\"E0412\","
      "\"message\":\"unknown thing\",\"below\":\"one\\u000atwo\\u000a\"}\n" },
    { { .file = NULL }, NULL, NULL, say_warning, 0, "llmc: warning: taken as 5 [-Wdefault]\n" },
    { { .file = NULL }, "LLMC_ARG_NO_WARN", ",tied,default,", say_warning, 0, "" },
    { { .file = NULL },
      "LLMC_ARG_NO_WARN",
      ",tied,defaults,",
      say_warning,
      0,
      "llmc: warning: taken as 5 [-Wdefault]\n" },
    { { .file = NULL }, "LLMC_ARG_WERROR", "1", say_warning, 3, "llmc: error: taken as 5 [-Wdefault]\n" },
    { { .file = NULL },
      "LLMC_ARG_DIAGNOSTICS_FORMAT",
      "json",
      say_note,
      0,
      "{\"file\":\"\",\"line\":0,\"column\":0,\"offset\":0,\"severity\":\"note\",\"code\":\"\",\"message\":"
      "\"by the way: \\u001b[31mred\"}\n" },
    { { .file = NULL }, NULL, NULL, say_note, 0, "note: by the way: \\x1b[31mred\n" },
    { { .file = NULL }, "LLMC_ARG_QUIET", "1", say_note, 0, "" },
    { { .file = NULL },
      "LLMC_ARG_MAX_ERRORS",
      "2",
      say_many,
      3,
      "llmc: error: fault 0 [E0401]\nllmc: error: fault 1 [E0700]\nllmc: 21 errors more\n" },
    { { .file = NULL }, NULL, NULL, say_none, 0, "" },
};

static void messages_have_their_form(void)
{
    for (int i = 0; i < ARRAY_LEN(cases); ++i) {
        Case c = cases[i];
        const Captured got = capture(run, &c);
        ASSERT_STR(c.want, got.text);
        ASSERT_INT(c.code, got.code);
    }
}

static void the_first_twenty_are_shown(void)
{
    Case c = { .say = say_many };
    const Captured got = capture(run, &c);
    ASSERT(strstr(got.text, "fault 19 ") && !strstr(got.text, "fault 20 ") &&
           strstr(got.text, "llmc: 3 errors more\n"));
    Case json = { .variable = "LLMC_ARG_DIAGNOSTICS_FORMAT", .value = "json", .say = say_many };
    ASSERT(strstr(capture(run, &json).text, "\"message\":\"3 errors more\"}\n"));
}

static void long_lines_are_cut_around_the_column(void)
{
    Case c = { .at = AT(4, 500, 3, NULL), .say = say_error };
    const Captured got = capture(run, &c);
    const char *line = strchr(got.text, '\n') + 1, *underline = strchr(line, '\n') + 1;
    ASSERT(strchr(line, '\n') - line < 200);
    const long col = strchr(underline, '^') - underline;
    ASSERT(strncmp(line + col, "HER", 3) == 0);
}

static void leave_unfinished(Loc at)
{
    OutFile *out = file_create(arena_new(), "unfinished.out");
    fputs("half", out->stream);
    say_error(at);
}

static void an_error_removes_unfinished_outputs(void)
{
    Case c = { .say = leave_unfinished };
    ASSERT_INT(3, capture(run, &c).code);
    int n, left = 0;
    Arena *a = arena_new();
    const char *const *names = file_list(a, ".", &n);
    for (int i = 0; i < n; ++i)
        left += str_starts(names[i], "unfinished.out");
    ASSERT_INT(0, left);
    arena_free(a);
}

static void the_table_is_in_order(void)
{
#define ERROR_NUMBER(name, number, exit_code, title, advice) number,
    static const int numbers[] = { ERROR_TABLE(ERROR_NUMBER) };
#undef ERROR_NUMBER
    for (int i = 0; i < ARRAY_LEN(numbers); ++i) {
        ASSERT(i == 0 || numbers[i] > numbers[i - 1]);
        ASSERT(error_exit_code(numbers[i]) >= 1 && error_exit_code(numbers[i]) <= 9);
        ASSERT(*error_title(numbers[i]) && *error_advice(numbers[i]));
    }
    ASSERT(error_title(9999) == NULL);
}

int main(void)
{
    FILE *f = fopen("diag.txt", "w");
    ASSERT(f != NULL);
    if (!f)
        return 1;
    fprintf(f, "{\n\t\"key\": value,\nend\n%*sHERE%*s\n\xff \xc3\xa9\n", 499, "", 300, "");
    fclose(f);
    static const char *const variables[] = { "LLMC_ARG_COLOR", "LLMC_ARG_WERROR",     "LLMC_ARG_NO_WARN",
                                             "LLMC_ARG_QUIET", "LLMC_ARG_MAX_ERRORS", "LLMC_ARG_DIAGNOSTICS_FORMAT" };
    for (int i = 0; i < ARRAY_LEN(variables); ++i)
        unsetenv(variables[i]);
    messages_have_their_form();
    the_first_twenty_are_shown();
    long_lines_are_cut_around_the_column();
    an_error_removes_unfinished_outputs();
    the_table_is_in_order();
    remove("diag.txt");
    return test_failed;
}
