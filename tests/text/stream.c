// stream.c: bytes in, whole code points out, nothing lost at the end.
#include "view.h"

// Feeds `bytes` in pieces of `step` bytes; "|" marks each call of the sink.
static void sink_with_marks(void *context, const char *text, size_t bytes)
{
    str_add(context, "|");
    str_add_bytes(context, text, bytes);
}

static const char *streamed(Arena *a, const char *bytes, size_t step)
{
    Str out = str_new(a);
    TokenizerStream s = { .sink = sink_with_marks, .context = &out };
    const size_t n = strlen(bytes);
    for (size_t i = 0; i < n; i += step)
        tokenizer_stream_add(&s, bytes + i, n - i < step ? n - i : step);
    tokenizer_stream_end(&s);
    return out.text;
}

#define BAD "\xef\xbf\xbd" // U+FFFD

int main(void)
{
    Arena *a = arena_new();
    ASSERT_STR("|abc", streamed(a, "abc", 3));
    ASSERT_STR("|a|b|c", streamed(a, "abc", 1));
    ASSERT_STR("|\xe4\xb8\xad|x", streamed(a, "\xe4\xb8\xadx", 1));
    ASSERT_STR("|a|\xf0\x9f\x98\x80", streamed(a, "a\xf0\x9f\x98\x80", 2));
    // Replacement: one U+FFFD a maximal part that begins a code point, as Python's bytes.decode("utf-8", "replace").
    ASSERT_STR("|" BAD, streamed(a, "\xff", 1));
    ASSERT_STR("|" BAD "z", streamed(a, "\xe4\xb8z", 3));
    ASSERT_STR("|" BAD "z", streamed(a, "\xe4\xb8z", 1));
    ASSERT_STR("|" BAD BAD "|" BAD, streamed(a, "\xed\xa0\x80", 1));     // a surrogate
    ASSERT_STR("|" BAD BAD, streamed(a, "\xc0\xaf", 2));                 // overlong
    ASSERT_STR("|" BAD BAD BAD BAD, streamed(a, "\xf4\x90\x80\x80", 4)); // beyond U+10FFFF
    ASSERT_STR("|" BAD "\xc3\xa9", streamed(a, "\xf0\x9f\xc3\xa9", 4));
    // What is held back at the end is not lost.
    ASSERT_STR("|x|" BAD, streamed(a, "x\xf0\x9f\x98", 1));
    ASSERT_STR("|" BAD, streamed(a, "\xc3", 1));
    // More than one batch of text.
    Str bytes = str_new(a), want = str_new(a);
    str_add(&want, "|");
    for (int i = 0; i < 1000; ++i) {
        str_add(&bytes, "\xffé");
        str_add(&want, BAD "é");
    }
    const char *got = streamed(a, bytes.text, bytes.bytes);
    Str joined = str_new(a);
    str_add(&joined, "|");
    for (; *got; ++got)
        if (*got != '|')
            str_add_bytes(&joined, got, 1);
    ASSERT_STR(want.text, joined.text);
    arena_free(a);
    return test_failed;
}
