// json.c: reading JSON from untrusted hands: strict (RFC 8259), within limits, without a library.
#include "json.h"
#include "cli_json.h"
#include "utf8.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Where the reader stands. `open` are the arrays and objects around it, the innermost last; `last` the value read last
// in each of them.
typedef struct Reader {
    Json *json;
    char *start, *at, *end;
    const JsonLimits *limits;
    RtError *error;
    uint32_t open[JSON_DEPTH], last[JSON_DEPTH], depth;
} Reader;

static RtStatus refuse(const Reader *r, const char *what)
{
    return rt_fail(r->error, ERR_JSON_SYNTAX, "not JSON: %s at byte %zu", what, (size_t)(r->at - r->start));
}

static void skip_space(Reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r'))
        ++r->at;
}

static bool take(Reader *r, char c)
{
    skip_space(r);
    if (r->at == r->end || *r->at != c)
        return false;
    ++r->at;
    return true;
}

// ---- strings -----------------------------------------------------------------------------------------------------

static bool hex4(const char *at, const char *end, uint32_t *code)
{
    *code = 0;
    if (end - at < 4)
        return false;
    for (int i = 0; i < 4; ++i) {
        const unsigned char c = (unsigned char)at[i];
        if (!isxdigit(c))
            return false;
        *code = *code << 4 | (uint32_t)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    return true;
}

static char *put_code_point(char *out, uint32_t c)
{
    if (c < 0x80) {
        *out++ = (char)c;
        return out;
    }
    const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const unsigned char lead[] = { 0, 0xc0, 0xe0, 0xf0 };
    *out++ = (char)(lead[more] | c >> (6 * more));
    for (int i = more - 1; i >= 0; --i)
        *out++ = (char)(0x80 | (c >> (6 * i) & 0x3f));
    return out;
}

// \uXXXX or a pair of them; r->at is behind the u.
static RtStatus read_unicode(Reader *r, char **out)
{
    uint32_t c, low;
    if (!hex4(r->at, r->end, &c))
        return refuse(r, "four hexadecimal digits are due behind \\u");
    if (c >= 0xd800 && c < 0xe000) {
        const bool pair = c < 0xdc00 && r->end - r->at >= 10 && r->at[4] == '\\' && r->at[5] == 'u' &&
                          hex4(r->at + 6, r->end, &low) && low >= 0xdc00 && low < 0xe000;
        if (!pair)
            return refuse(r, "half of a surrogate pair");
        c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
        r->at += 6;
    }
    r->at += 4;
    *out = put_code_point(*out, c);
    return RT_OK;
}

static RtStatus read_escape(Reader *r, char **out)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    if (++r->at == r->end)
        return refuse(r, "the text ends in a string");
    if (*r->at == 'u') {
        ++r->at;
        return read_unicode(r, out);
    }
    const char *found = *r->at ? strchr(from, *r->at) : NULL;
    if (!found)
        return refuse(r, "an escape that JSON does not have");
    *(*out)++ = to[found - from];
    ++r->at;
    return RT_OK;
}

// r->at is behind the opening quote. What is decoded is never longer than what it is decoded from.
static RtStatus read_string(Reader *r, JsonText *text)
{
    char *out = r->at;
    text->at = out;
    for (;;) {
        uint32_t code;
        if (r->at == r->end)
            return refuse(r, "the text ends in a string");
        if (*r->at == '"')
            break;
        if (*r->at == '\\') {
            if (read_escape(r, &out) != RT_OK)
                return RT_FAILED;
            continue;
        }
        if ((unsigned char)*r->at < 0x20)
            return refuse(r, "a control character in a string");
        const int n = utf8_take((const uint8_t *)r->at, (size_t)(r->end - r->at), &code);
        if (n <= 0)
            return refuse(r, "no UTF-8");
        memmove(out, r->at, (size_t)n);
        out += n;
        r->at += n;
    }
    text->bytes = (size_t)(out - text->at);
    *out = 0; // at the closing quote at the latest
    ++r->at;
    return RT_OK;
}

// ---- numbers and words -------------------------------------------------------------------------------------------

static bool digits(const char **at, const char *end)
{
    const char *start = *at;
    while (*at < end && isdigit((unsigned char)**at))
        ++*at;
    return *at > start;
}

static RtStatus read_number(Reader *r, JsonValue *v)
{
    char copy[JSON_NUMBER_BYTES + 1];
    const char *p = r->at, *end = r->end;
    p += *p == '-';
    const bool zero = end - p >= 2 && p[0] == '0' && isdigit((unsigned char)p[1]); // 01 is no number
    bool good = !zero && digits(&p, end);
    if (good && p < end && *p == '.') {
        ++p;
        good = digits(&p, end);
    }
    if (good && p < end && (*p | 0x20) == 'e') {
        ++p;
        p += p < end && (*p == '+' || *p == '-');
        good = digits(&p, end);
    }
    const size_t bytes = (size_t)(p - r->at);
    if (!good)
        return refuse(r, "a number that JSON does not have");
    if (bytes > JSON_NUMBER_BYTES)
        return refuse(r, "a number of over 64 characters");
    memcpy(copy, r->at, bytes);
    copy[bytes] = 0;
    v->number = strtod(copy, NULL);
    if (!isfinite(v->number))
        return refuse(r, "a number that is too large");
    v->text = (JsonText){ r->at, bytes };
    r->at += bytes;
    return RT_OK;
}

static bool take_word(Reader *r, const char *word)
{
    const size_t bytes = strlen(word);
    if ((size_t)(r->end - r->at) < bytes || memcmp(r->at, word, bytes) != 0)
        return false;
    r->at += bytes;
    return true;
}

// ---- the tree ----------------------------------------------------------------------------------------------------

// A new value at the end; NULL: the error is filled.
static JsonValue *add_value(Reader *r, JsonText key)
{
    Json *j = r->json;
    if (j->n == r->limits->values) {
        rt_fail(r->error, ERR_JSON_SYNTAX, "more than %u JSON values", r->limits->values);
        return NULL;
    }
    if (j->n == j->room) {
        const uint32_t room = j->room ? 2 * j->room : 64;
        JsonValue *more = realloc(j->values, room * sizeof *more);
        if (!more) {
            rt_fail(r->error, ERR_MEMORY, "no memory for %u JSON values", room);
            return NULL;
        }
        j->values = more;
        j->room = room;
    }
    JsonValue *v = &j->values[j->n];
    *v = (JsonValue){ .kind = JSON_NULL, .key = key };
    if (r->depth) {
        JsonValue *parent = &j->values[r->open[r->depth - 1]];
        if (parent->count++)
            j->values[r->last[r->depth - 1]].next = j->n;
        r->last[r->depth - 1] = j->n;
    }
    ++j->n;
    return v;
}

static RtStatus read_key(Reader *r, JsonText *key)
{
    const JsonValue *object = &r->json->values[r->open[r->depth - 1]];
    if (!take(r, '"'))
        return refuse(r, "a key is due");
    if (read_string(r, key) != RT_OK)
        return RT_FAILED;
    if (object->count == r->limits->members)
        return rt_fail(r->error, ERR_JSON_SYNTAX, "a JSON object of more than %u members", r->limits->members);
    for (const JsonValue *v = json_first(object); v; v = json_next(r->json, v))
        if (v->key.bytes == key->bytes && memcmp(v->key.at, key->at, key->bytes) == 0)
            return rt_fail(r->error, ERR_JSON_DUPLICATE, "the key \"%.40s\" stands twice in one object", key->at);
    return take(r, ':') ? RT_OK : refuse(r, "a colon is due");
}

// One value, of an array or object its opening bracket alone.
static RtStatus read_value(Reader *r, JsonText key)
{
    JsonValue *v = add_value(r, key);
    if (!v)
        return RT_FAILED;
    skip_space(r);
    const char c = r->at < r->end ? *r->at : 0;
    if (c == '"') {
        ++r->at;
        v->kind = JSON_STRING;
        return read_string(r, &v->text);
    }
    if (c == '-' || isdigit((unsigned char)c)) {
        v->kind = JSON_NUMBER;
        return read_number(r, v);
    }
    if (c == '[' || c == '{') {
        if (r->depth == r->limits->depth || r->depth == JSON_DEPTH)
            return refuse(r, "too many brackets inside each other");
        v->kind = c == '[' ? JSON_ARRAY : JSON_OBJECT;
        r->open[r->depth++] = (uint32_t)(v - r->json->values);
        ++r->at;
        return RT_OK;
    }
    v->kind = take_word(r, "null") ? JSON_NULL : take_word(r, "true") ? JSON_TRUE : JSON_FALSE;
    return v->kind != JSON_FALSE || take_word(r, "false") ? RT_OK : refuse(r, "a value is due");
}

// Behind a value: closes what ends here. *more: another element or member follows.
static RtStatus read_ends(Reader *r, bool *more)
{
    for (*more = false; r->depth;) {
        const JsonValue *parent = &r->json->values[r->open[r->depth - 1]];
        const char close = parent->kind == JSON_ARRAY ? ']' : '}';
        if (take(r, close)) {
            --r->depth;
            continue;
        }
        // Right behind the opening bracket there is no comma.
        const bool first = parent->count == 0;
        *more = first || take(r, ',');
        return *more ? RT_OK : refuse(r, close == ']' ? "a comma or ] is due" : "a comma or } is due");
    }
    return RT_OK;
}

static RtStatus read_all(Reader *r)
{
    for (bool more = true; more;) {
        JsonText key = { NULL, 0 };
        if (r->depth && r->json->values[r->open[r->depth - 1]].kind == JSON_OBJECT && read_key(r, &key) != RT_OK)
            return RT_FAILED;
        if (read_value(r, key) != RT_OK || read_ends(r, &more) != RT_OK)
            return RT_FAILED;
    }
    skip_space(r);
    return r->at == r->end ? RT_OK : refuse(r, "something follows the end");
}

RtStatus json_read(Json *json, char *text, size_t bytes, const JsonLimits *limits, RtError *error)
{
    Reader r = { .json = json, .start = text, .at = text, .end = text + bytes, .limits = limits, .error = error };
    *json = (Json){ NULL, 0, 0 };
    return read_all(&r);
}

void json_free(Json *json)
{
    free(json->values);
    *json = (Json){ NULL, 0, 0 };
}

// ---- what was read -----------------------------------------------------------------------------------------------

const JsonValue *json_first(const JsonValue *parent)
{
    return parent->count ? parent + 1 : NULL;
}

const JsonValue *json_next(const Json *json, const JsonValue *value)
{
    return value->next ? &json->values[value->next] : NULL;
}

bool json_text_is(JsonText text, const char *want)
{
    return text.bytes == strlen(want) && memcmp(text.at, want, text.bytes) == 0;
}

const JsonValue *json_get(const Json *json, const JsonValue *object, const char *key)
{
    for (const JsonValue *v = json_first(object); v; v = json_next(json, v))
        if (json_text_is(v->key, key))
            return v;
    return NULL;
}

// Brackets nest no deeper than JSON_DEPTH.
void json_write(const Json *json, const JsonValue *value, FILE *out)
{
    static const char *const words[] = { "null", "false", "true" };
    if (value->kind == JSON_NUMBER) {
        fwrite(value->text.at, 1, value->text.bytes, out);
    } else if (value->kind == JSON_STRING) {
        print_json_string(out, value->text.at, value->text.bytes);
    } else if (value->kind < JSON_NUMBER) {
        fputs(words[value->kind], out);
    } else {
        const bool object = value->kind == JSON_OBJECT;
        fputc(object ? '{' : '[', out);
        for (const JsonValue *v = json_first(value); v; v = json_next(json, v)) {
            if (v != json_first(value))
                fputc(',', out);
            if (object) {
                print_json_string(out, v->key.at, v->key.bytes);
                fputc(':', out);
            }
            json_write(json, v, out);
        }
        fputc(object ? '}' : ']', out);
    }
}
