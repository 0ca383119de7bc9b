// gguf_values.c: gguf_values.c FILE: typed access to the keys of the GGUF that values.script writes.
#include "../test.h"

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
    arena_free(a);
    return test_failed;
}
