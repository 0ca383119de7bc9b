// stop.c: stop strings end a text at the same place however it is cut, and what cannot begin one is not held back.
#include "../test.h"
#include "../../runtime/stop.h"

typedef struct Out {
    char text[1024];
    size_t bytes;
    int calls;
} Out;

static void take(void *context, const char *text, size_t bytes)
{
    Out *out = context;
    ASSERT(bytes > 0);
    ASSERT(((unsigned char)text[0] & 0xc0) != 0x80);
    memcpy(out->text + out->bytes, text, bytes);
    out->text[out->bytes += bytes] = 0;
    ++out->calls;
}

static size_t code_point(const char *text)
{
    size_t n = 1;
    while (((unsigned char)text[n] & 0xc0) == 0x80)
        ++n;
    return n;
}

// Every way to cut `text` between code points gives `want` and the stop string `found`.
static void cut(const char *const *stops, int n, const char *text, const char *want, int found)
{
    const StopStrings strings = { stops, n };
    size_t starts[16] = { 0 }, points = 0;
    for (const char *p = text; *p; p += code_point(p))
        starts[points++] = (size_t)(p - text);
    starts[points] = strlen(text);
    for (unsigned cuts = 0; cuts < 1u << (points - 1); ++cuts) {
        StopFilter f;
        Out out = { .bytes = 0 };
        ASSERT(stop_open(&f, &strings, take, &out));
        for (size_t i = 0, from = 0; i < points; ++i)
            if (i + 1 == points || cuts >> i & 1) {
                stop_add(&f, text + starts[from], starts[i + 1] - starts[from]);
                from = i + 1;
            }
        stop_end(&f);
        ASSERT_STR(want, out.text);
        ASSERT_INT(found, f.found);
        stop_close(&f);
    }
}

int main(void)
{
    static const char *const one[] = { "END" }, *const nested[] = { "abcd", "bc" }, *const same[] = { "d", "cd" };
    static const char *const again[] = { "aab" }, *const wide[] = { "\xe4\xb8\xad\xe6\x96\x87" };
    cut(one, 1, "textENDmore", "text", 0);
    cut(one, 1, "textENmore", "textENmore", -1);
    cut(one, 1, "textEN", "textEN", -1);
    cut(one, 1, "ENENDENDE", "EN", 0);
    cut(one, 1, "END", "", 0);
    cut(nested, 2, "xabcdy", "xa", 1); // bc ends first
    cut(nested, 2, "xabd", "xabd", -1);
    cut(same, 2, "abcde", "ab", 1); // of two that end together the longer one
    cut(again, 1, "aaaaab", "aaa", 0);
    cut(wide, 1, "x\xe4\xb8\xad\xe4\xb8\xad\xe6\x96\x87y", "x\xe4\xb8\xad", 0);
    cut(wide, 1, "\xe4\xb8\xad\xe6\x96\x88", "\xe4\xb8\xad\xe6\x96\x88", -1); // the last byte differs
    cut(NULL, 0, "textEND", "textEND", -1);

    // What cannot begin a stop string goes on at once; a long piece is cut between code points.
    const StopStrings strings = { one, 1 };
    StopFilter f;
    Out out = { .bytes = 0 };
    ASSERT(stop_open(&f, &strings, take, &out));
    stop_add(&f, "abE", 3);
    ASSERT_STR("ab", out.text);
    ASSERT_INT(1, out.calls);
    stop_add(&f, "x", 1);
    ASSERT_STR("abEx", out.text);
    ASSERT_INT(2, out.calls);
    stop_close(&f);
    char many[600];
    for (size_t i = 0; i < 200; ++i)
        memcpy(many + 3 * i, "\xe4\xb8\xad", 3);
    Out whole = { .bytes = 0 };
    ASSERT(stop_open(&f, &strings, take, &whole));
    stop_add(&f, many, sizeof many);
    ASSERT_INT(sizeof many, whole.bytes);
    ASSERT_INT(2, whole.calls);
    stop_close(&f);
    return test_failed;
}
