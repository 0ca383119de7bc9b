// json.c: the JSON reader: what it takes, what it refuses and where, and N damaged texts (json N) that it must bear.
#include "../test.h"

#include "../../runtime/cli_json.h"
#include "../../runtime/json.h"
#include "../../runtime/utf8.h"

#include <cjson/cJSON.h>

static const JsonLimits limits = { .depth = 8, .values = 64, .members = 6 };

typedef struct Case {
    const char *text, *says; // NULL: it is taken
} Case;

static const Case cases[] = {
    { "null", NULL },
    { " [ ] ", NULL },
    { "{}", NULL },
    { "\t\r\n-0.5e+3 ", NULL },
    { "0", NULL },
    { "-0", NULL },
    { "1E5", NULL },
    { "{\"a\":{\"b\":[1,[],{},\"x\",true,false,null]},\"\":0}", NULL },
    { "[[[[[[[[1]]]]]]]]", NULL },
    { "{\"a\":1,\"b\":{\"a\":1}}", NULL },
    { "\"\\ud83d\\ude00\\u0000\\/\"", NULL },
    { "1234567890123456789012345678901234567890123456789012345678901234", NULL },
    { "", "a value is due at byte 0" },
    { "  ", "a value is due at byte 2" },
    { "\xef\xbb\xbf{}", "a value is due at byte 0" },
    { "nul", "a value is due at byte 0" },
    { "NaN", "a value is due at byte 0" },
    { "True", "a value is due at byte 0" },
    { "'a'", "a value is due at byte 0" },
    { "1 2", "something follows the end at byte 2" },
    { "{} ,", "something follows the end at byte 3" },
    { "[1,]", "a value is due at byte 3" },
    { "[,1]", "a value is due at byte 1" },
    { "[1 2]", "a comma or ] is due at byte 3" },
    { "[1}", "a comma or ] is due at byte 2" },
    { "[", "a value is due at byte 1" },
    { "{", "a key is due at byte 1" },
    { "{\"a\":1,}", "a key is due at byte 7" },
    { "{\"a\" 1}", "a colon is due at byte 5" },
    { "{\"a\":}", "a value is due at byte 5" },
    { "{a:1}", "a key is due at byte 1" },
    { "{\"a\":1]", "a comma or } is due at byte 6" },
    { "/* */1", "a value is due at byte 0" },
    { "01", "a number that JSON does not have at byte 0" },
    { "-", "a number that JSON does not have at byte 0" },
    { "-01", "a number that JSON does not have at byte 0" },
    { "+1", "a value is due at byte 0" },
    { ".5", "a value is due at byte 0" },
    { "1.", "a number that JSON does not have at byte 0" },
    { "1.e5", "a number that JSON does not have at byte 0" },
    { "1e", "a number that JSON does not have at byte 0" },
    { "[1e+]", "a number that JSON does not have at byte 1" },
    { "0x10", "something follows the end at byte 1" },
    { "1e999", "a number that is too large at byte 0" },
    { "12345678901234567890123456789012345678901234567890123456789012345", "a number of over 64 characters at byte 0" },
    { "\"a", "the text ends in a string at byte 2" },
    { "\"a\\", "the text ends in a string at byte 3" },
    { "\"\\x\"", "an escape that JSON does not have at byte 2" },
    { "\"\\u12g4\"", "four hexadecimal digits are due behind \\u at byte 3" },
    { "\"\\u12", "four hexadecimal digits are due behind \\u at byte 3" },
    { "\"\\ud800\"", "half of a surrogate pair at byte 3" },
    { "\"\\udc00\\ud800\"", "half of a surrogate pair at byte 3" },
    { "\"\\ud800\\u0041\"", "half of a surrogate pair at byte 3" },
    { "\"a\nb\"", "a control character in a string at byte 2" },
    { "\"\x80\"", "no UTF-8 at byte 1" },
    { "\"\xc0\xaf\"", "no UTF-8 at byte 1" },
    { "\"\xed\xa0\x80\"", "no UTF-8 at byte 1" },
    { "\"\xf0\x9f\x98\"", "no UTF-8 at byte 1" },
    { "[[[[[[[[[1]]]]]]]]]", "too many brackets inside each other at byte 8" },
    { "{\"a\":1,\"\\u0061\":2}", "the key \"a\" stands twice in one object" },
    { "{\"1\":1,\"2\":1,\"3\":1,\"4\":1,\"5\":1,\"6\":1,\"7\":1}", "a JSON object of more than 6 members" },
    { "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
      "1,1,1,1,1,1]",
      "more than 64 JSON values" },
};

// Where a message has more before it.
static const char *without(const char *prefix, const char *text)
{
    return strncmp(text, prefix, strlen(prefix)) == 0 ? text + strlen(prefix) : text;
}

static void test_cases(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char *text = strdup(cases[i].text);
        Json json;
        RtError error = { .text = "" };
        const RtStatus status = json_read(&json, text, strlen(text), &limits, &error);
        if (status != (cases[i].says ? RT_FAILED : RT_OK)) {
            printf("%s: %s\n", cases[i].text, status == RT_OK ? "taken" : error.text);
            test_failed = 1;
        } else if (cases[i].says) {
            ASSERT_STR(cases[i].says, without("not JSON: ", error.text));
        }
        json_free(&json);
        free(text);
    }
}

static void test_values(void)
{
    char text[] = "{\"s\":\"a\\u00e9\\ud83d\\ude00\\u0000\\\"\\\\\\/\\b\\f\\n\\r\\tz\",\"n\":[-0.5,1e3,16777217],\"o\":{\"b\":false}}";
    Json json;
    RtError error;
    ASSERT_INT(RT_OK, json_read(&json, text, strlen(text), &limits, &error));
    ASSERT_INT(8, json.n);
    const JsonValue *s = json_get(&json, json.values, "s"), *n = json_get(&json, json.values, "n");
    const JsonValue *o = json_get(&json, json.values, "o");
    static const char want[] = "a\xc3\xa9\xf0\x9f\x98\x80\0\"\\/\b\f\n\r\tz";
    ASSERT_INT(JSON_STRING, s->kind);
    ASSERT_INT(sizeof want - 1, s->text.bytes);
    ASSERT(memcmp(want, s->text.at, sizeof want) == 0);
    ASSERT_INT(3, n->count);
    const JsonValue *item = json_first(n);
    ASSERT(item->number == -0.5);
    item = json_next(&json, item);
    ASSERT(item->number == 1000);
    item = json_next(&json, item);
    ASSERT(item->number == 16777217);
    ASSERT(!json_next(&json, item));
    ASSERT_INT(JSON_FALSE, json_get(&json, o, "b")->kind);
    ASSERT(!json_get(&json, json.values, "b"));
    ASSERT(!json_next(&json, o));
    json_free(&json);
}

// Strings are written so that they are read back, whatever is in them.
static void test_writer(void)
{
    static const char text[] = "\0\x01\"\\\n\r\t\x7f\xc2\x80\xc2\x9f\xc2\xa0\xef\xbf\xbd\xf4\x8f\xbf\xbf/";
    char *written = NULL;
    size_t bytes;
    FILE *out = open_memstream(&written, &bytes);
    print_json_string(out, text, sizeof text - 1);
    fclose(out);
    ASSERT_STR("\"\\u0000\\u0001\\\"\\\\\\n\\r\\t\\u007f\\u0080\\u009f\xc2\xa0\xef\xbf\xbd\xf4\x8f\xbf\xbf/\"", written);
    Json json;
    RtError error;
    ASSERT_INT(RT_OK, json_read(&json, written, bytes, &limits, &error));
    ASSERT_INT(sizeof text - 1, json.values->text.bytes);
    ASSERT(memcmp(text, json.values->text.at, sizeof text - 1) == 0);
    json_free(&json);
    free(written);
    out = open_memstream(&written, &bytes);
    print_json_string(out, "a\xffz\xe2\x82", 5);
    fclose(out);
    ASSERT_STR("\"a\\ufffdz\\ufffd\"", written);
    free(written);
}

// ---- damaged texts -----------------------------------------------------------------------------------------------

static uint32_t random_next(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return *state >> 8;
}

static bool is_text(JsonText t)
{
    uint32_t code;
    int n;
    for (size_t i = 0; i < t.bytes; i += (size_t)n) {
        n = utf8_take((const uint8_t *)t.at + i, t.bytes - i, &code);
        if (n <= 0)
            return false;
    }
    return t.at[t.bytes] == 0;
}

// The value at `index` and all in it; returns the index behind it, 0: the tree is no tree.
static uint32_t check_value(const Json *json, uint32_t index)
{
    const JsonValue *v = &json->values[index];
    uint32_t next = index + 1;
    if ((v->key.at && !is_text(v->key)) || (v->kind == JSON_STRING && !is_text(v->text)) ||
        (v->kind == JSON_NUMBER && !isfinite(v->number)) || (v->kind < JSON_ARRAY && v->count))
        return 0;
    for (uint32_t i = 0; i < v->count; ++i) {
        const uint32_t item = next;
        next = check_value(json, item);
        if (!next || json->values[item].next != (i + 1 < v->count ? next : 0))
            return 0;
    }
    return next;
}

// json_read in memory of exactly its size, so that a step outside is seen; NULL: refused, else the text written again.
static char *read_and_write(const char *text, size_t bytes)
{
    char *copy = malloc(bytes ? bytes : 1), *written = NULL;
    size_t written_bytes;
    Json json;
    RtError error;
    memcpy(copy, text, bytes);
    if (json_read(&json, copy, bytes, &limits, &error) == RT_OK) {
        FILE *out = open_memstream(&written, &written_bytes);
        ASSERT_INT(json.n, check_value(&json, 0));
        json_write(&json, json.values, out);
        fclose(out);
    }
    json_free(&json);
    free(copy);
    return written;
}

static void test_damaged(int count)
{
    static const char *const seeds[] = {
        "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"a\\u00e9\\ud83d\\ude00\"}],\"stream\":true}",
        "[0,-1.5e-3,{\"a\":{\"b\":[[],{}]}},\"\xc3\xa9\xf0\x9f\x98\x80\",null,false]",
        "{\"prompt\":[[1,2,3]],\"stop\":[\"\\n\",\"\\u0000\"],\"max_tokens\":16}",
    };
    static const char bits[] = "\"\\{}[],:0123456789.-+eEu/ntrbf \n\t\xc3\x80\xed\xf0\x9f";
    uint32_t state = 5;
    int taken = 0;
    for (int i = 0; i < count; ++i) {
        char text[256];
        const char *seed = seeds[random_next(&state) % 3];
        size_t bytes = strlen(seed);
        memcpy(text, seed, bytes);
        for (uint32_t edits = random_next(&state) % 4; edits-- && bytes > 1 && bytes < sizeof text - 1;) {
            const size_t at = random_next(&state) % bytes;
            const uint32_t kind = random_next(&state) % 4;
            const char c = kind < 3 ? bits[random_next(&state) % (sizeof bits - 1)] : (char)random_next(&state);
            if (kind == 0) { // take out
                memmove(text + at, text + at + 1, --bytes - at);
            } else if (kind == 1) { // put in
                memmove(text + at + 1, text + at, bytes++ - at);
                text[at] = c;
            } else {
                text[at] = c;
            }
        }
        if (random_next(&state) % 8 == 0)
            bytes = random_next(&state) % (bytes + 1);
        char *once = read_and_write(text, bytes);
        if (!once)
            continue;
        ++taken;
        char *twice = read_and_write(once, strlen(once));
        ASSERT_STR(once, twice);
        cJSON *other = cJSON_ParseWithLengthOpts(once, strlen(once) + 1, NULL, 1);
        if (!other) {
            printf("cJSON refuses %s\n", once);
            test_failed = 1;
        }
        cJSON_Delete(other);
        free(once);
        free(twice);
    }
    printf("%d of %d texts were taken\n", taken, count);
    ASSERT(taken > count / 10 && taken < count - count / 10);
}

int main(int argc, char **argv)
{
    test_cases();
    test_values();
    test_writer();
    test_damaged(argc > 1 ? atoi(argv[1]) : 20000);
    return test_failed;
}
