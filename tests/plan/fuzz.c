// fuzz.c: fuzz PLAN ROUNDS SEED: changes PLAN (a plan.json); reading it may refuse, proving it may reject, but neither may
// crash, and what is accepted must render.
//
// Each round runs in a process of its own. It may end with 0 (accepted and rendered), 3 (refused) or 7 (a rule); a crash, a
// sanitizer, a hang or another code fails the test. Built with ASan and UBSan always.
#include "../test.h"

#include "../../compiler/base/file.h"
#include "../../compiler/render/render.h"
#include "../../runtime/hash.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 20 };

typedef struct Random {
    uint64_t state;
} Random;

static uint64_t next(Random *r, uint64_t below)
{
    r->state = hash_mix(r->state + 0x9e3779b97f4a7c15ull);
    return r->state % below;
}

// A word of JSON: number, string, bracket; from `at` on.
static size_t word_bytes(const char *at)
{
    if (*at == '"')
        return 1 + strcspn(at + 1, "\"\n") + 1;
    const size_t bytes = strspn(at, "-+.0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_");
    return bytes ? bytes : *at != 0;
}

// The start of a random word; a number where `number` is asked for.
static size_t pick_word(Random *r, const char *text, size_t n, bool number)
{
    for (int tries = 0; tries < 1000; ++tries) {
        size_t at = next(r, n);
        const size_t line = at;
        while (at > 0 && text[at - 1] != '\n' && line - at < 400)
            --at;
        while (at < n && at + word_bytes(text + at) + strspn(text + at + word_bytes(text + at), " ") <= line)
            at += word_bytes(text + at) + strspn(text + at + word_bytes(text + at), " ");
        if (at < n && (!number || strchr("0123456789-", text[at])))
            return at;
    }
    return 0;
}

static const char *replaced(Arena *a, const char *text, size_t at, size_t bytes, const char *with, size_t with_bytes)
{
    Str s = str_new(a);
    str_add_bytes(&s, text, at);
    str_add_bytes(&s, with, with_bytes);
    str_add(&s, "%s", text + at + bytes);
    return s.text;
}

static const char *change_number(Arena *a, Random *r, const char *text)
{
    static const char *const hostile[] = {
        "0", "-1", "1", "2", "2147483647", "2147483648", "-2147483648", "4294967296", "1073741824", "16777216", "9007199254740992",
        "4503599627370496", "1e308", "1e999", "-0", "0.5", "3.0", "65536", "4096", "1e9", "18446744073709551616", "null", "[]",
        "\"x\"", "{}", "true", "nan", "-", "00", "0x10",
    };
    const size_t at = pick_word(r, text, strlen(text), true), bytes = word_bytes(text + at);
    const char *with = hostile[next(r, ARRAY_LEN(hostile))];
    const uint64_t old = (uint64_t)atoll(text + at);
    if (next(r, 3) == 0)
        with = str_format(a, "%lld", (long long)(old + next(r, 33) - 16));
    if (next(r, 6) == 0)
        with = str_format(a, "%lld", (long long)(old * 2));
    return replaced(a, text, at, bytes, with, strlen(with));
}

static const char *swap_words(Arena *a, Random *r, const char *text)
{
    const bool numbers = next(r, 2);
    size_t x = pick_word(r, text, strlen(text), numbers), y = pick_word(r, text, strlen(text), numbers);
    if (x > y) {
        const size_t t = x;
        x = y;
        y = t;
    }
    const size_t x_bytes = word_bytes(text + x), y_bytes = word_bytes(text + y);
    if (x + x_bytes > y)
        return text;
    const char *once = replaced(a, text, y, y_bytes, text + x, x_bytes);
    return replaced(a, once, x, x_bytes, text + y, y_bytes);
}

// Removes, doubles or moves a line.
static const char *change_lines(Arena *a, Random *r, const char *text)
{
    const size_t n = strlen(text);
    size_t x = next(r, n), y = next(r, n);
    while (x > 0 && text[x - 1] != '\n')
        --x;
    while (y > 0 && text[y - 1] != '\n')
        --y;
    const size_t x_bytes = strcspn(text + x, "\n") + (text[x + strcspn(text + x, "\n")] == '\n');
    const int how = (int)next(r, 3);
    const char *out = how ? replaced(a, text, y, 0, text + x, x_bytes) : text;
    if (how < 2)
        out = replaced(a, out, how == 1 && y <= x ? x + x_bytes : x, x_bytes, "", 0);
    return out;
}

static const char *change_bytes(Arena *a, Random *r, const char *text)
{
    static const char likely[] = "\"{}[],:0919-e.\\\x01\xff";
    const size_t n = strlen(text), at = next(r, n);
    char c = next(r, 2) ? likely[next(r, sizeof likely - 1)] : (char)(text[at] ^ (1 << next(r, 8)));
    return replaced(a, text, at, 1, &c, c != 0);
}

static const char *change(Arena *a, Random *r, const char *text)
{
    const int changes = 1 + (int)next(r, 3);
    for (int i = 0; i < changes && *text; ++i)
        switch (next(r, 10)) {
        case 0:
            text = change_bytes(a, r, text);
            break;
        case 1:
            text = str_copy(a, text, next(r, strlen(text)));
            break;
        case 2:
            text = change_lines(a, r, text);
            break;
        case 3:
        case 4:
            text = swap_words(a, r, text);
            break;
        default:
            text = change_number(a, r, text);
        }
    return text;
}

// In a child: reads, proves, renders and does not come back.
static _Noreturn void read_all(const char *text)
{
    const int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, STDERR_FILENO);
    alarm(SECONDS);
    Arena *a = arena_new();
    Diags d = { .arena = a };
    Str again = str_new(a), table = str_new(a);
    const Plan *p = plan_read_json(a, "plan.json", text, strlen(text));
    plan_check(p, &d);
    diag_exit_if_any(&d);
    const Source s = render_decode(a, p, (RenderOptions){ .line = false });
    plan_write_table(p, &table);
    plan_write_json(p, &again);
    const Plan *q = plan_read_json(a, "plan.json", again.text, again.bytes);
    Str third = str_new(a);
    plan_write_json(q, &third);
    _exit(s.lines > 0 && strcmp(again.text, third.text) == 0 ? 0 : 1);
}

static void keep(const char *text)
{
    FILE *f = fopen("fuzz.failed.json", "wb");
    ASSERT(f && fputs(text, f) >= 0 && fclose(f) == 0);
    printf("the plan is kept as fuzz.failed.json\n");
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    Random r = { strtoull(argv[3], NULL, 10) };
    int counts[256] = { 0 };
    Arena *whole = arena_new();
    const Bytes file = file_read(whole, argv[1]);
    const char *base = str_copy(whole, (const char *)file.at, file.bytes);
    fflush(stdout);
    for (int round = 0; round < atoi(argv[2]); ++round) {
        Arena *a = arena_new();
        const char *text = change(a, &r, base);
        const pid_t child = fork();
        if (child == 0)
            read_all(text);
        int status = 0;
        waitpid(child, &status, 0);
        const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 255;
        ++counts[code];
        if (code != 0 && code != 3 && code != 7) {
            printf("round %d of seed %s: status 0x%x\n", round, argv[3], (unsigned)status);
            test_failed = 1;
            keep(text);
        }
        arena_free(a);
        if (test_failed)
            break;
    }
    printf("%d refused, %d break a rule, %d accepted and rendered\n", counts[3], counts[7], counts[0]);
    ASSERT(counts[0] > 0 && counts[3] > 0 && counts[7] > 0);
    arena_free(whole);
    return test_failed;
}
