// gguf_values.c: gguf_values.c FILE: typed access to the keys of the GGUF that values.script writes.
#include "../base/capture.h"

#include "../../compiler/model/gguf.h"

static void reads_scalars(const Gguf *g)
{
    ASSERT_INT(255, gguf_int(g, "a.u8", 0, 1000));
    ASSERT_INT(-128, gguf_int(g, "a.i8", -1000, 1000));
    ASSERT_INT(65535, gguf_int(g, "a.u16", 0, 100000));
    ASSERT_INT(-32768, gguf_int(g, "a.i16", -100000, 0));
    ASSERT_INT(4294967295, gguf_int(g, "a.u32", 0, 1ll << 40));
    ASSERT_INT(-2147483648ll, gguf_int(g, "a.i32", -(1ll << 40), 0));
    ASSERT_INT(INT64_MIN, gguf_int(g, "a.i64", INT64_MIN, 0));
    ASSERT_INT(1ll << 40, gguf_int(g, "a.u64", 0, INT64_MAX));
    ASSERT_INT(7, gguf_int_or(g, "absent", 0, 1, 7));
    ASSERT(gguf_double(g, "a.f32", 0, 1) == 0.5);
    ASSERT(gguf_double(g, "a.f64", 0, 1) == 0.1);
    ASSERT(gguf_double(g, "a.u8", 0, 1000) == 255.0);
    ASSERT(gguf_double_or(g, "absent", 0, 1, 2.5) == 2.5);
    ASSERT(gguf_bool_or(g, "a.bool", false));
    ASSERT(gguf_bool_or(g, "absent", true));
    ASSERT_STR("hello", gguf_str_or(g, "a.str", NULL));
    ASSERT(gguf_str_or(g, "absent", NULL) == NULL);
    ASSERT(gguf_has(g, "a.str") && !gguf_has(g, "a.st"));
    ASSERT(gguf_loc(g, "a.str").offset > 0 && gguf_loc(g, "absent").offset == 0);
}

static void reads_arrays(const Gguf *g)
{
    int n;
    const GgufText *texts = gguf_texts(g, "b.str", &n);
    ASSERT_INT(3, n);
    ASSERT(texts[0].bytes == 2 && memcmp(texts[0].at, "ab", 2) == 0);
    ASSERT(texts[2].bytes == 4 && memcmp(texts[2].at, "\xc4\xa0th", 4) == 0);
    const int64_t *ints = gguf_ints(g, "b.i32", &n);
    ASSERT_INT(3, n);
    ASSERT(ints[0] == 1 && ints[1] == -5 && ints[2] == 3);
    ints = gguf_ints(g, "b.bool", &n);
    ASSERT(n == 2 && ints[0] == 1 && ints[1] == 0);
    const float *floats = gguf_floats(g, "b.f32", &n);
    ASSERT(n == 2 && floats[0] == -10.5f && floats[1] == 0.0f);
    texts = gguf_texts(g, "b.none", &n);
    ASSERT(texts != NULL && n == 0);
    ASSERT(gguf_texts(g, "absent", &n) == NULL && n == 0);
    ASSERT(gguf_ints(g, "absent", &n) == NULL && gguf_floats(g, "absent", &n) == NULL);
}

// One access of the wrong kind, and what is said.
typedef struct Refusal {
    void (*ask)(const Gguf *g);
    const char *want;
    const Gguf *g;
} Refusal;

static void ask_text_for_int(const Gguf *g)
{
    gguf_int(g, "a.str", 0, 1);
}

static void ask_float_for_int(const Gguf *g)
{
    gguf_int(g, "a.f32", 0, 1);
}

static void ask_large_for_int(const Gguf *g)
{
    gguf_int(g, "a.u16", 0, 1000);
}

static void ask_int_for_bool(const Gguf *g)
{
    gguf_bool_or(g, "a.u8", false);
}

static void ask_ints_for_texts(const Gguf *g)
{
    int n;
    gguf_texts(g, "b.i32", &n);
}

static void ask_texts_for_ints(const Gguf *g)
{
    int n;
    gguf_ints(g, "b.str", &n);
}

static void ask_scalar_for_floats(const Gguf *g)
{
    int n;
    gguf_floats(g, "a.f32", &n);
}

static void ask_absent(const Gguf *g)
{
    gguf_double(g, "absent", 0, 1);
}

static void ask(void *what)
{
    const Refusal *r = what;
    r->ask(r->g);
}

static void refuses_other_kinds(const Gguf *g)
{
    static const Refusal refusals[] = {
        { ask_text_for_int, "a.str is of type string: must be a whole number [E0322]", NULL },
        { ask_float_for_int, "a.f32 is of type f32: must be a whole number [E0322]", NULL },
        { ask_large_for_int, "a.u16 is 65535: must be a whole number from 0 to 1,000 [E0322]", NULL },
        { ask_int_for_bool, "a.u8 is of type u8: must be a bool [E0322]", NULL },
        { ask_ints_for_texts, "b.i32 is an array of i32: must be an array of strings [E0322]", NULL },
        { ask_texts_for_ints, "b.str is an array of string: must be an array of whole numbers [E0322]", NULL },
        { ask_scalar_for_floats, "a.f32 is of type f32: must be an array of floats [E0322]", NULL },
        { ask_absent, "absent is missing [E0322]", NULL },
    };
    for (int i = 0; i < (int)(sizeof refusals / sizeof *refusals); ++i) {
        Refusal r = refusals[i];
        r.g = g;
        Captured got = capture(ask, &r);
        got.text[strcspn(got.text, "\n")] = 0;
        const char *message = strstr(got.text, "error: ");
        ASSERT_STR(refusals[i].want, message ? message + 7 : got.text);
        ASSERT_INT(3, got.code);
    }
}

int main(int argc, char **argv)
{
    Arena *a = arena_new();
    if (argc != 2)
        return 2;
    const Gguf *g = gguf_open(a, argv[1]);
    ASSERT_INT(3, g->version);
    ASSERT_INT(0, g->n_tensors);
    reads_scalars(g);
    reads_arrays(g);
    refuses_other_kinds(g);
    arena_free(a);
    return test_failed;
}
