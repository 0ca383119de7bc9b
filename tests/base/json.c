// json.c: what json.h reads, refuses and says.
#include "capture.h"

#include "../../compiler/base/json.h"
#include "../../compiler/base/str.h"

// One text, what is asked of it, and what is said.
typedef struct Refusal {
    const char *text;
    void (*ask)(Json root);
    const char *want; // the first line of the message
} Refusal;

static void parse_only(Json root)
{
    (void)root;
}

static void ask_int(Json root)
{
    want_int(root, "n", 1, 10);
}

static void ask_double(Json root)
{
    want_double(root, "n", 0, 1);
}

static void ask_str(Json root)
{
    want_str(root, "n");
}

static void ask_bool(Json root)
{
    want_bool(root, "n");
}

static void ask_array(Json root)
{
    want_array(root, "n");
}

static void ask_object(Json root)
{
    want_object(root, "n");
}

static void ask_deep(Json root)
{
    json_int(json_next(json_first(json_get(json_get(root, "a"), "b"))), 0, 1);
}

static void refuse(void *what)
{
    const Refusal *r = what;
    unsetenv("LLMC_ARG_DIAGNOSTICS_FORMAT");
    r->ask(json_parse(arena_new(), "t.json", r->text, strlen(r->text), -1));
}

static const Refusal refusals[] = {
    { "", parse_only, "t.json:1:1: error: not JSON: a value was expected [E0302]" },
    { "{", parse_only, "t.json:1:2: error: not JSON: a string was expected [E0302]" },
    { "{\"a\" 1}", parse_only, "t.json:1:6: error: not JSON: ':' was expected after the key [E0302]" },
    { "{\"a\":1,}", parse_only, "t.json:1:8: error: not JSON: a string was expected [E0302]" },
    { "[1,]", parse_only, "t.json:1:4: error: not JSON: a value was expected [E0302]" },
    { "[1 2]", parse_only, "t.json:1:4: error: not JSON: ',' or ']' was expected [E0302]" },
    { "[1]\n x", parse_only, "t.json:2:2: error: not JSON: nothing more was expected after the value [E0302]" },
    { "[01]", parse_only, "t.json:1:2: error: not JSON: a number must not start with 0 [E0302]" },
    { "[1.]", parse_only, "t.json:1:4: error: not JSON: a digit must follow the decimal point [E0302]" },
    { "[1e]", parse_only, "t.json:1:4: error: not JSON: an exponent needs a digit [E0302]" },
    { "[+1]", parse_only, "t.json:1:2: error: not JSON: a value was expected [E0302]" },
    { "[1, 1e999]", parse_only, "t.json:1:5: error: not JSON: a number is too large [E0302]" },
    { "[-1e999]", parse_only, "t.json:1:2: error: not JSON: a number is too large [E0302]" },
    { "[0.000000000000000000000000000000000000000000000000000000000000001]", parse_only,
      "t.json:1:2: error: not JSON: a number has more than 63 characters [E0302]" },
    { "[\"\\ud800\"]", parse_only, "t.json:1:3: error: not JSON: a string holds half a surrogate pair [E0302]" },
    { "[NaN]", parse_only, "t.json:1:2: error: not JSON: a value was expected [E0302]" },
    { "[tru]", parse_only, "t.json:1:2: error: not JSON: a value was expected [E0302]" },
    { "['a']", parse_only, "t.json:1:2: error: not JSON: a value was expected [E0302]" },
    { "[\"a\nb\"]", parse_only,
      "t.json:1:4: error: not JSON: a control character in a string must be escaped [E0302]" },
    { "[\"\\x\"]", parse_only, "t.json:1:4: error: not JSON: unknown escape in a string [E0302]" },
    { "[\"\\u12g4\"]", parse_only, "t.json:1:4: error: not JSON: \\u needs four hexadecimal digits [E0302]" },
    { "[\"\\u0000\"]", parse_only,
      "t.json:1:4: error: not JSON: a zero character in a string is not supported [E0302]" },
    { "[\"abc", parse_only, "t.json:1:6: error: not JSON: the text ends inside a string [E0302]" },
    { "{\"a\":1,\"b\":{\"c\":1,\"c\":2}}", parse_only,
      "t.json:1:19: error: the key \"c\" stands twice in this object [E0304]" },
    { "{}", ask_int, "t.json:1:1: error: n is missing [E0303]" },
    { "{\"n\":null}", ask_int, "t.json:1:1: error: n is missing [E0303]" },
    { "{\"n\":11}", ask_int, "t.json:1:6: error: n is 11: must be a whole number from 1 to 10 [E0303]" },
    { "{\"n\":1.5}", ask_int, "t.json:1:6: error: n is 1.5: must be a whole number from 1 to 10 [E0303]" },
    { "{\"n\":1e99}", ask_int, "t.json:1:6: error: n is 1e99: must be a whole number from 1 to 10 [E0303]" },
    { "{\"n\":\"1\"}", ask_int, "t.json:1:6: error: n is \"1\": must be a whole number from 1 to 10 [E0303]" },
    { "{\"n\":2}", ask_double, "t.json:1:6: error: n is 2: must be a number from 0 to 1 [E0303]" },
    { "{\"n\":[]}", ask_str, "t.json:1:6: error: n is an array: must be a string [E0303]" },
    { "{\"n\":0}", ask_bool, "t.json:1:6: error: n is 0: must be true or false [E0303]" },
    { "{\"n\":{}}", ask_array, "t.json:1:6: error: n is an object: must be an array [E0303]" },
    { "{\"n\":true}", ask_object, "t.json:1:6: error: n is true: must be an object [E0303]" },
    { "[1]", ask_int, "t.json:1:1: error: $ is an array: must be an object [E0303]" },
    { "{\"a\":{\"b\":[0,\n  7]}}", ask_deep,
      "t.json:2:3: error: a.b[1] is 7: must be a whole number from 0 to 1 [E0303]" },
};

static void says_what_is_wrong_and_where(void)
{
    for (int i = 0; i < (int)(sizeof refusals / sizeof *refusals); ++i) {
        Refusal r = refusals[i];
        Captured got = capture(refuse, &r);
        got.text[strcspn(got.text, "\n")] = 0;
        ASSERT_STR(r.want, got.text);
        ASSERT_INT(3, got.code);
    }
}

static void nest(void *what)
{
    const int depth = *(const int *)what;
    char *text = malloc((size_t)depth * 2 + 1);
    memset(text, '[', (size_t)depth);
    memset(text + depth, ']', (size_t)depth);
    json_parse(arena_new(), "t.json", text, (size_t)depth * 2, -1);
    free(text);
}

static void refuses_deep_nesting(void)
{
    int depth = 200;
    ASSERT_INT(0, capture(nest, &depth).code);
    depth = 201;
    ASSERT_INT(3, capture(nest, &depth).code);
    depth = 1000000;
    ASSERT_INT(3, capture(nest, &depth).code);
}

static void reads_values(Arena *a)
{
    const char *text = "{\"i\": -7, \"d\": 2.5e-3, \"s\": \"a\\u00e9\\n\\ud83d\\ude00\", \"t\": true, \"z\": null,\n "
                       "\"l\": [1, 2, 3]}";
    const Json root = json_parse(a, "t.json", text, strlen(text), -1);
    ASSERT_INT(-7, want_int(root, "i", -10, 0));
    ASSERT(want_double(root, "d", 0, 1) == 2.5e-3);
    ASSERT_STR("a\xc3\xa9\n\xf0\x9f\x98\x80", want_str(root, "s"));
    ASSERT(want_bool(root, "t"));
    ASSERT_INT(5, json_int_or(root, "z", 0, 1, 5));
    ASSERT_INT(5, json_int_or(root, "absent", 0, 1, 5));
    ASSERT(!json_is(json_get(root, "z")));
    ASSERT_INT(3, json_count(want_array(root, "l")));
    int sum = 0;
    for (Json v = json_first(json_get(root, "l")); v.node; v = json_next(v))
        sum += (int)json_int(v, 1, 3);
    ASSERT_INT(6, sum);
    ASSERT_STR("$.l[2]", json_path(json_next(json_next(json_first(json_get(root, "l"))))));
    const Loc at = json_loc(json_get(root, "l")), key = json_key_loc(json_get(root, "s"));
    ASSERT(at.line == 2 && at.col == 7);
    ASSERT(key.line == 1 && key.col == 24 && key.width == 3);
    ASSERT_STR("\"a\\\"\\\\\\u000a\"", json_quote(a, "a\"\\\n"));
    // The largest whole number that a double holds with all its neighbours.
    const char *large = "{\"n\": 9007199254740992}";
    ASSERT_INT(9007199254740992, want_int(json_parse(a, "t", large, strlen(large), -1), "n", 0, INT64_MAX));
}

static void binary_places_are_offsets(Arena *a)
{
    const char *text = "{\"n\": 5}";
    const Json root = json_parse(a, "m.safetensors", text, strlen(text), 8);
    const Loc at = json_loc(json_get(root, "n"));
    ASSERT_INT(0, at.line);
    ASSERT_INT(14, at.offset);
}

int main(void)
{
    Arena *a = arena_new();
    says_what_is_wrong_and_where();
    refuses_deep_nesting();
    reads_values(a);
    binary_places_are_offsets(a);
    arena_free(a);
    return test_failed;
}
