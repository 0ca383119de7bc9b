// jsonloc.c: the grammar of JSON with positions, which cJSON does not keep.
//
//   value  = object | array | string | number | "true" | "false" | "null"
//   object = "{" [ string ":" value { "," string ":" value } ] "}"
//   array  = "[" [ value { "," value } ] "]"
#include "jsonloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Scan {
    const char *text;
    size_t bytes, at;
    const char *wrong; // first fault, its place is `at`
    const JsonWay *way;
    bool found;
    JsonSpan span;
} Scan;

static int peek(const Scan *s)
{
    return s->at < s->bytes ? (unsigned char)s->text[s->at] : -1;
}

static void fail(Scan *s, const char *wrong)
{
    if (!s->wrong)
        s->wrong = wrong;
}

static void skip_space(Scan *s)
{
    if (s->wrong)
        return; // the place of a fault is kept
    while (peek(s) == ' ' || peek(s) == '\t' || peek(s) == '\n' || peek(s) == '\r')
        ++s->at;
}

static int hex4(const Scan *s, size_t at)
{
    int v = 0;
    for (int i = 0; i < 4; ++i) {
        const int c = at + (size_t)i < s->bytes ? s->text[at + (size_t)i] : 0;
        if (c >= '0' && c <= '9')
            v = v * 16 + c - '0';
        else if ((c | 32) >= 'a' && (c | 32) <= 'f')
            v = v * 16 + (c | 32) - 'a' + 10;
        else
            return -1;
    }
    return v;
}

static void scan_escape(Scan *s)
{
    ++s->at; // the backslash
    const int c = peek(s);
    if (c == 'u') {
        const int v = hex4(s, s->at + 1);
        if (v < 0)
            fail(s, "\\u needs four hexadecimal digits");
        else if (v == 0)
            fail(s, "a zero character in a string is not supported");
        else
            s->at += 5;
    } else if (c > 0 && strchr("\"\\/bfnrt", c)) {
        ++s->at;
    } else {
        fail(s, "unknown escape in a string");
    }
}

static void scan_string(Scan *s)
{
    if (peek(s) != '"') {
        fail(s, "a string was expected");
        return;
    }
    ++s->at;
    while (!s->wrong && peek(s) != '"') {
        const int c = peek(s);
        if (c < 0)
            fail(s, "the text ends inside a string");
        else if (c < 0x20)
            fail(s, "a control character in a string must be escaped");
        else if (c == '\\')
            scan_escape(s);
        else
            ++s->at;
    }
    if (!s->wrong)
        ++s->at;
}

static int scan_digits(Scan *s)
{
    int n = 0;
    for (; peek(s) >= '0' && peek(s) <= '9'; ++n)
        ++s->at;
    return n;
}

// cJSON reads 63 characters of a number at most, and what a double cannot hold as infinity.
static void check_number(Scan *s, size_t start)
{
    char text[64];
    const size_t bytes = s->at - start;
    if (bytes < sizeof text) {
        memcpy(text, s->text + start, bytes);
        text[bytes] = 0;
    }
    if (s->wrong || (bytes < sizeof text && isfinite(strtod(text, NULL))))
        return;
    s->at = start;
    fail(s, bytes < sizeof text ? "a number is too large" : "a number has more than 63 characters");
}

static void scan_number(Scan *s)
{
    const size_t start = s->at;
    if (peek(s) == '-')
        ++s->at;
    const size_t first = s->at;
    const int digits = scan_digits(s);
    if (digits == 0 || (digits > 1 && s->text[first] == '0')) {
        s->at = first;
        fail(s, digits ? "a number must not start with 0" : "a value was expected");
        return;
    }
    if (peek(s) == '.') {
        ++s->at;
        if (!scan_digits(s))
            fail(s, "a digit must follow the decimal point");
    }
    if (peek(s) == 'e' || peek(s) == 'E') {
        ++s->at;
        if (peek(s) == '+' || peek(s) == '-')
            ++s->at;
        if (!scan_digits(s))
            fail(s, "an exponent needs a digit");
    }
    check_number(s, start);
}

static void scan_word(Scan *s, const char *word)
{
    if (s->bytes - s->at >= strlen(word) && memcmp(s->text + s->at, word, strlen(word)) == 0)
        s->at += strlen(word);
    else
        fail(s, "a value was expected");
}

static void scan_value(Scan *s, int depth, bool on_way, size_t key_at, size_t key_bytes);

// Members or elements between `open` and `close`.
static void scan_children(Scan *s, int depth, bool on_way, bool object)
{
    const char close = object ? '}' : ']';
    ++s->at;
    skip_space(s);
    if (peek(s) == close) {
        ++s->at;
        return;
    }
    for (int index = 0; !s->wrong; ++index) {
        size_t key_at = 0, key_bytes = 0;
        skip_space(s);
        if (object) {
            key_at = s->at;
            scan_string(s);
            key_bytes = s->at - key_at;
            skip_space(s);
            if (!s->wrong && peek(s) != ':')
                fail(s, "':' was expected after the key");
            if (s->wrong)
                return;
            ++s->at;
        }
        scan_value(s, depth + 1, on_way && depth < s->way->steps && s->way->index[depth] == index, key_at, key_bytes);
        skip_space(s);
        if (s->wrong)
            return;
        if (peek(s) == close) {
            ++s->at;
            return;
        }
        if (peek(s) != ',')
            fail(s, object ? "',' or '}' was expected" : "',' or ']' was expected");
        else
            ++s->at;
    }
}

static void scan_value(Scan *s, int depth, bool on_way, size_t key_at, size_t key_bytes)
{
    skip_space(s);
    const size_t at = s->at;
    const int c = peek(s);
    if (depth >= JSON_DEPTH)
        fail(s, "nested too deep");
    else if (c == '{' || c == '[')
        scan_children(s, depth, on_way, c == '{');
    else if (c == '"')
        scan_string(s);
    else if (c == 't')
        scan_word(s, "true");
    else if (c == 'f')
        scan_word(s, "false");
    else if (c == 'n')
        scan_word(s, "null");
    else
        scan_number(s);
    if (on_way && depth == s->way->steps && !s->found) {
        s->found = true;
        s->span = (JsonSpan){ at, s->at - at, key_at, key_bytes };
    }
}

const char *json_grammar(const char *text, size_t bytes, size_t *at)
{
    static const JsonWay root = { 0 };
    Scan s = { .text = text, .bytes = bytes, .way = &root };
    scan_value(&s, 0, false, 0, 0);
    skip_space(&s);
    if (!s.wrong && s.at < bytes)
        fail(&s, "nothing more was expected after the value");
    *at = s.at;
    return s.wrong;
}

JsonSpan json_find(const char *text, size_t bytes, const JsonWay *way)
{
    Scan s = { .text = text, .bytes = bytes, .way = way };
    scan_value(&s, 0, true, 0, 0);
    return s.span;
}
