// str.c: strings, growable arrays and the arena under them.
#include "../test.h"

#include "../../compiler/base/str.h"
#include "../../compiler/base/vec.h"

static void the_arena_aligns_and_clears(Arena *a)
{
    for (size_t bytes = 1; bytes < 3000000; bytes = bytes * 3 + 1) {
        unsigned char *p = arena_alloc(a, bytes);
        ASSERT_INT(0, (uintptr_t)p % 16);
        ASSERT(p[0] == 0 && p[bytes - 1] == 0);
        memset(p, 0xff, bytes);
    }
}

typedef struct Call {
    int *calls, at; // at: how many calls had been made before this one
} Call;

static void count_call(void *what)
{
    Call *c = what;
    c->at = (*c->calls)++;
}

static void deferred_calls_run_newest_first(void)
{
    int calls = 0;
    Call first = { &calls, -1 }, second = { &calls, -1 };
    Arena *a = arena_new();
    arena_defer(a, count_call, &first);
    arena_defer(a, count_call, &second);
    ASSERT_INT(0, calls);
    arena_free(a);
    ASSERT_INT(0, second.at);
    ASSERT_INT(1, first.at);
}

static void formats_any_length(Arena *a)
{
    ASSERT_STR("a-7", str_format(a, "%s-%d", "a", 7));
    Str s = str_new(a);
    for (int i = 0; i < 1000; ++i)
        str_add(&s, "%d,", i);
    ASSERT_INT(3890, s.bytes);
    ASSERT(str_ends(s.text, ",998,999,"));
    str_add(&s, "%2000d", 1);
    ASSERT_INT(5890, s.bytes);
    str_add_bytes(&s, "\0x", 2);
    ASSERT_INT(5892, s.bytes);
    ASSERT_INT(0, s.text[5892]);
}

static void counts_with_commas(Arena *a)
{
    ASSERT_STR("0", str_count(a, 0));
    ASSERT_STR("999", str_count(a, 999));
    ASSERT_STR("1,000", str_count(a, 1000));
    ASSERT_STR("-1,234,567", str_count(a, -1234567));
    ASSERT_STR("-9,223,372,036,854,775,808", str_count(a, INT64_MIN));
}

static void takes_paths_apart(Arena *a)
{
    ASSERT_STR("c", str_basename("a/b/c"));
    ASSERT_STR("c", str_basename("c"));
    ASSERT_STR("a/b", str_join(a, "a", "b"));
    ASSERT_STR("a/b", str_join(a, "a/", "b"));
    ASSERT(str_starts("abc", "ab") && !str_starts("abc", "bc") && !str_starts("a", "ab"));
    ASSERT(str_ends("abc", "bc") && !str_ends("abc", "ab") && !str_ends("c", "bc"));
}

static void finds_the_nearest_word(void)
{
    static const char *const names[] = { "hidden_size", "head_dim", "vocab_size", "--target" };
    ASSERT_STR("hidden_size", str_nearest("hiden_size", names, 4));
    ASSERT_STR("head_dim", str_nearest("headdim", names, 4));
    ASSERT_STR("--target", str_nearest("--taregt", names, 4));
    ASSERT(str_nearest("temperature", names, 4) == NULL);
    ASSERT(str_nearest("", names, 4) == NULL);
    char longest[200];
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    ASSERT(str_nearest(longest, names, 4) == NULL);
}

// The published vectors of FNV-1a, 64 bits.
static void hashes_as_published(void)
{
    ASSERT(str_hash(STR_HASH_SEED, "", 0) == 0xcbf29ce484222325ull);
    ASSERT(str_hash(STR_HASH_SEED, "a", 1) == 0xaf63dc4c8601ec8cull);
    ASSERT(str_hash(STR_HASH_SEED, "foobar", 6) == 0x85944171f73967e8ull);
    ASSERT(str_hash(str_hash(STR_HASH_SEED, "foo", 3), "bar", 3) == 0x85944171f73967e8ull);
}

static void arrays_grow(Arena *a)
{
    VEC(int) v = { 0 };
    for (int i = 0; i < 1000; ++i)
        vec_push(a, &v, i * i);
    ASSERT_INT(1000, v.n);
    for (int i = 0; i < 1000; ++i)
        ASSERT_INT(i * i, v.at[i]);
}

int main(void)
{
    Arena *a = arena_new();
    the_arena_aligns_and_clears(a);
    deferred_calls_run_newest_first();
    formats_any_length(a);
    counts_with_commas(a);
    takes_paths_apart(a);
    finds_the_nearest_word();
    hashes_as_published();
    arrays_grow(a);
    arena_free(a);
    return test_failed;
}
