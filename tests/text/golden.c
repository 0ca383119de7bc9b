// golden.c: ids and texts of a tokenizer against those that Hugging Face gives (make.py): golden FOLDER.
#include "view.h"

#include "../../compiler/base/json.h"

static void check_ids(Arena *a, const TokenizerView *v, Json one, bool special)
{
    const char *text = want_str(one, "text");
    const size_t bytes = strlen(text);
    uint32_t *ids = arena_alloc(a, tokenizer_room(v, bytes) * sizeof *ids);
    size_t lost;
    const TokenizerText whole = { .text = text, .bytes = bytes, .bos = true, .special = special };
    const int64_t n = tokenizer_encode_text(v, &whole, ids, &lost);
    Str got = str_new(a), want = str_new(a), back = str_new(a);
    for (int64_t i = 0; i < n; ++i)
        str_add(&got, " %u", ids[i]);
    for (Json id = json_first(want_array(one, "ids")); id.node; id = json_next(id))
        str_add(&want, " %d", (int)json_int(id, 0, INT32_MAX));
    ASSERT_STR(want.text, got.text);
    for (int64_t i = 0; i < n; ++i) // white space beside some tokens is gone
        lost += special || (v->types[ids[i]] & (TOKEN_STRIPS_LEFT | TOKEN_STRIPS_RIGHT)) != 0;
    TokenizerStream stream = { .sink = sink_to_str, .context = &back };
    for (int64_t i = v->head->bos >= 0; i < n; ++i) {
        size_t have;
        const uint8_t *token = tokenizer_bytes(v, ids[i], &have);
        tokenizer_stream_add(&stream, token, have);
    }
    tokenizer_stream_end(&stream);
    if (!lost && keeps_text(v, (const uint8_t *)text, bytes) && !is_same_text(v, back.text, back.bytes, text, bytes))
        ASSERT_STR(text, back.text);
}

static void check_text(Arena *a, const TokenizerView *v, Json one)
{
    Str text = str_new(a);
    TokenizerStream stream = { .sink = sink_to_str, .context = &text };
    for (Json id = json_first(want_array(one, "ids")); id.node; id = json_next(id)) {
        size_t have;
        const uint8_t *token = tokenizer_bytes(v, (uint32_t)json_int(id, 0, INT32_MAX), &have);
        tokenizer_stream_add(&stream, token, have);
    }
    tokenizer_stream_end(&stream);
    const char *want = want_str(one, "text");
    if (!is_same_text(v, text.text, text.bytes, want, strlen(want)))
        ASSERT_STR(want, text.text);
}

int main(int argc, char **argv)
{
    Arena *a = arena_new();
    if (argc != 2)
        return 2;
    const TokenizerView v = view_of(a, argv[1]);
    const Json ids = json_read(a, str_join(a, argv[1], "ids.json")),
               special = json_read(a, str_join(a, argv[1], "special.json")),
               texts = json_read(a, str_join(a, argv[1], "decoded.json"));
    ASSERT(json_count(ids) > 250 && json_count(special) > 60 && json_count(texts) > 60);
    for (Json one = json_first(ids); one.node; one = json_next(one))
        check_ids(a, &v, one, false);
    for (Json one = json_first(special); one.node; one = json_next(one))
        check_ids(a, &v, one, true);
    for (Json one = json_first(texts); one.node; one = json_next(one))
        check_text(a, &v, one);
    arena_free(a);
    return test_failed;
}
