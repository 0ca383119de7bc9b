// template_text.c: strings of a template: UTF-8, counted in characters, each byte with its origin.
#include "template_vm.h"
#include "utf8.h"

#include <string.h>

// ---- buffers ------------------------------------------------------------------------------------------------------

TplBuffer *tpl_buffer(Tpl *t, size_t room)
{
    TplBuffer *b = tpl_alloc(t, sizeof *b);
    b->cap = room;
    b->at = room ? tpl_alloc(t, room) : NULL;
    return b;
}

static void grow(Tpl *t, TplBuffer *b, size_t bytes)
{
    if (b->bytes + bytes > TPL_OUTPUT)
        tpl_fail(t, "a text grows over %d MB", TPL_OUTPUT >> 20);
    const size_t cap = (b->bytes + bytes) * 2 + 32;
    uint8_t *at = tpl_alloc(t, cap);
    if (b->bytes)
        memcpy(at, b->at, b->bytes);
    if (b->marks) {
        uint8_t *marks = tpl_alloc(t, cap);
        memcpy(marks, b->marks, b->bytes);
        b->marks = marks;
    }
    b->at = at;
    b->cap = cap;
}

void tpl_put(Tpl *t, TplBuffer *b, const void *from, size_t bytes, const uint8_t *marks)
{
    if (!bytes)
        return;
    tpl_spend(t, bytes / 16);
    if (bytes > b->cap - b->bytes)
        grow(t, b, bytes);
    memcpy(b->at + b->bytes, from, bytes);
    if (marks && !b->marks)
        b->marks = tpl_alloc(t, b->cap);
    if (b->marks && marks)
        memcpy(b->marks + b->bytes, marks, bytes);
    else if (b->marks)
        memset(b->marks + b->bytes, 0, bytes);
    b->bytes += bytes;
}

void tpl_put_text(Tpl *t, TplBuffer *b, const TplText *from)
{
    tpl_put(t, b, from->at, from->bytes, from->marks);
}

void tpl_put_code(Tpl *t, TplBuffer *b, uint32_t code, uint8_t mark)
{
    const uint8_t marks[4] = { mark, mark, mark, mark };
    uint8_t bytes[4];
    size_t n = 1;
    if (code < 0x80) {
        bytes[0] = (uint8_t)code;
    } else if (code >= 0xdc80 && code <= 0xdcff) { // a stray byte
        bytes[0] = (uint8_t)(code - 0xdc00);
    } else if (code < 0x800) {
        bytes[0] = (uint8_t)(0xc0 | code >> 6), bytes[1] = (uint8_t)(0x80 | (code & 0x3f)), n = 2;
    } else if (code < 0x10000) {
        bytes[0] = (uint8_t)(0xe0 | code >> 12), bytes[1] = (uint8_t)(0x80 | (code >> 6 & 0x3f));
        bytes[2] = (uint8_t)(0x80 | (code & 0x3f)), n = 3;
    } else {
        bytes[0] = (uint8_t)(0xf0 | code >> 18), bytes[1] = (uint8_t)(0x80 | (code >> 12 & 0x3f));
        bytes[2] = (uint8_t)(0x80 | (code >> 6 & 0x3f)), bytes[3] = (uint8_t)(0x80 | (code & 0x3f)), n = 4;
    }
    tpl_put(t, b, bytes, n, mark ? marks : NULL);
}

// ---- strings ------------------------------------------------------------------------------------------------------

static TplValue of_text(TplText *text)
{
    return (TplValue){ .type = TPL_STRING, .text = text };
}

TplValue tpl_string_bytes(Tpl *t, const void *from, size_t bytes, const uint8_t *marks)
{
    if (bytes > TPL_OUTPUT)
        tpl_fail(t, "a text is over %d MB", TPL_OUTPUT >> 20);
    TplText *text = tpl_alloc(t, sizeof *text);
    *text = (TplText){ .at = from, .marks = marks, .bytes = (uint32_t)bytes, .count = TPL_UNCOUNTED };
    return of_text(text);
}

TplValue tpl_string(Tpl *t, const char *from)
{
    return tpl_string_bytes(t, from, strlen(from), NULL);
}

TplValue tpl_text_of(Tpl *t, TplBuffer *b)
{
    const TplValue v = tpl_string_bytes(t, b->at, b->bytes, b->marks);
    v.text->buffer = b;
    return v;
}

TplValue tpl_part(Tpl *t, const TplText *of, size_t from, size_t to)
{
    const TplValue v = tpl_string_bytes(t, of->at + from, to - from, of->marks ? of->marks + from : NULL);
    v.text->markup = of->markup;
    if (to == of->bytes)
        v.text->buffer = of->buffer;
    return v;
}

// Whether `text` ends where its buffer ends, which has room for `bytes` more.
static bool can_grow(const TplText *text, size_t bytes)
{
    const TplBuffer *b = text->buffer;
    return b && text->at + text->bytes == b->at + b->bytes && bytes <= b->cap - b->bytes &&
           text->marks == (b->marks ? b->marks + (b->bytes - text->bytes) : NULL);
}

// So that a text built up piece by piece costs its length, not its square.
TplValue tpl_joined(Tpl *t, const TplText *left, const TplText *right)
{
    TplBuffer *b = left->buffer;
    if (!can_grow(left, right->bytes)) {
        b = tpl_buffer(t, 2 * ((size_t)left->bytes + right->bytes) + 32);
        tpl_put_text(t, b, left);
    }
    const size_t from = b->bytes - left->bytes;
    tpl_put_text(t, b, right);
    const TplValue v = tpl_string_bytes(t, b->at + from, b->bytes - from, b->marks ? b->marks + from : NULL);
    v.text->buffer = b;
    return v;
}

int tpl_take(const uint8_t *at, size_t bytes, uint32_t *code)
{
    const int n = utf8_take(at, bytes, code);
    if (n > 0)
        return n;
    *code = 0xdc00u + at[0];
    return 1;
}

uint32_t tpl_count(Tpl *t, TplText *of)
{
    uint32_t code, count = 0;
    if (of->count != TPL_UNCOUNTED)
        return of->count;
    tpl_spend(t, of->bytes / 16);
    for (size_t i = 0; i < of->bytes; ++count)
        i += (size_t)tpl_take(of->at + i, of->bytes - i, &code);
    return of->count = count;
}

size_t tpl_offset(Tpl *t, TplText *of, uint64_t index)
{
    uint32_t code;
    const uint32_t count = tpl_count(t, of);
    if (index >= count)
        return of->bytes;
    if (count == of->bytes)
        return (size_t)index;
    size_t at = 0;
    for (uint64_t i = 0; i < index; ++i)
        at += (size_t)tpl_take(of->at + at, of->bytes - at, &code);
    tpl_spend(t, at / 16);
    return at;
}

bool tpl_text_equal(const TplText *a, const TplText *b)
{
    return a->bytes == b->bytes && (a->bytes == 0 || memcmp(a->at, b->at, a->bytes) == 0);
}

bool tpl_text_is(const TplText *a, const char *b)
{
    return strlen(b) == a->bytes && memcmp(a->at, b, a->bytes) == 0;
}

// A position inside a well-formed character is behind its lead byte, by at most three bytes.
static bool begins_character(const TplText *in, size_t at)
{
    uint32_t code;
    if (at >= in->bytes || (in->at[at] & 0xc0) != 0x80)
        return true;
    for (size_t lead = at; lead-- > 0 && at - lead < 4;)
        if ((in->at[lead] & 0xc0) != 0x80)
            return lead + (size_t)tpl_take(in->at + lead, in->bytes - lead, &code) <= at;
    return true;
}

// A stray continuation byte may only be found as a character of its own.
static bool found(const TplText *in, const TplText *what, size_t at)
{
    return memcmp(in->at + at, what->at, what->bytes) == 0 && begins_character(in, at) &&
           begins_character(in, at + what->bytes);
}

int64_t tpl_find(Tpl *t, const TplText *in, const TplText *what, size_t from, size_t to)
{
    tpl_spend(t, 1 + (to > from ? to - from : 0) / 16);
    if (from > to || what->bytes > to - from)
        return -1;
    if (!what->bytes)
        return (int64_t)from;
    for (size_t at = from; at + what->bytes <= to; ++at) {
        const uint8_t *first = memchr(in->at + at, what->at[0], to - what->bytes + 1 - at);
        if (!first)
            return -1;
        at = (size_t)(first - in->at);
        tpl_spend(t, what->bytes > 64 ? what->bytes / 64 : 0);
        if (found(in, what, at))
            return (int64_t)at;
    }
    return -1;
}

int64_t tpl_find_last(Tpl *t, const TplText *in, const TplText *what, size_t from, size_t to)
{
    if (from > to || what->bytes > to - from)
        return -1;
    for (size_t at = to - what->bytes + 1; at-- > from;) {
        tpl_spend(t, (at & 15) == 0);
        if (!what->bytes || (in->at[at] == what->at[0] && found(in, what, at)))
            return (int64_t)at;
    }
    return -1;
}

// As str.isspace has it.
bool tpl_is_space(uint32_t c)
{
    return (c >= 9 && c <= 13) || (c >= 28 && c <= 32) || c == 0x85 || c == 0xa0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200a) || c == 0x2028 || c == 0x2029 || c == 0x202f || c == 0x205f || c == 0x3000;
}

static bool is_among(const TplText *chars, uint32_t code)
{
    uint32_t c;
    if (!chars)
        return tpl_is_space(code);
    for (size_t i = 0; i < chars->bytes;) {
        i += (size_t)tpl_take(chars->at + i, chars->bytes - i, &c);
        if (c == code)
            return true;
    }
    return false;
}

TplValue tpl_strip(Tpl *t, const TplText *of, const TplText *chars, bool left, bool right)
{
    size_t from = 0, to = of->bytes;
    uint32_t code;
    while (left && from < to) {
        const int n = tpl_take(of->at + from, to - from, &code);
        if (!is_among(chars, code))
            break;
        from += (size_t)n;
    }
    while (right && to > from) {
        // The last character begins at most three bytes before the last byte.
        size_t at = to - 1;
        while (at > from && to - at < 4 && (of->at[at] & 0xc0) == 0x80)
            --at;
        if (at + (size_t)tpl_take(of->at + at, to - at, &code) != to) {
            at = to - 1;
            tpl_take(of->at + at, 1, &code);
        }
        if (!is_among(chars, code))
            break;
        to = at;
    }
    tpl_spend(t, (of->bytes - (to - from)) * (chars ? chars->bytes + 1 : 1));
    return tpl_part(t, of, from, to);
}

TplValue tpl_escaped(Tpl *t, const TplText *of)
{
    TplBuffer *b = tpl_buffer(t, of->bytes + 32);
    for (size_t i = 0; i < of->bytes; ++i) {
        const uint8_t *marks = of->marks ? of->marks + i : NULL;
        switch (of->at[i]) {
        case '&':
            tpl_put(t, b, "&amp;", 5, NULL);
            break;
        case '<':
            tpl_put(t, b, "&lt;", 4, NULL);
            break;
        case '>':
            tpl_put(t, b, "&gt;", 4, NULL);
            break;
        case '"':
            tpl_put(t, b, "&#34;", 5, NULL);
            break;
        case '\'':
            tpl_put(t, b, "&#39;", 5, NULL);
            break;
        default:
            tpl_put(t, b, of->at + i, 1, marks);
        }
    }
    const TplValue v = tpl_text_of(t, b);
    v.text->markup = true;
    return v;
}

// `old` empty: `with` stands before each character and behind the last, as in Python.
static void replace_nothing(Tpl *t, TplBuffer *b, const TplText *in, const TplText *with, int64_t most)
{
    uint32_t code;
    size_t at = 0;
    for (; most != 0 && at < in->bytes; most -= most > 0) {
        const size_t n = (size_t)tpl_take(in->at + at, in->bytes - at, &code);
        tpl_spend(t, 1);
        tpl_put_text(t, b, with);
        tpl_put(t, b, in->at + at, n, in->marks ? in->marks + at : NULL);
        at += n;
    }
    if (most != 0)
        tpl_put_text(t, b, with);
    tpl_put(t, b, in->at + at, in->bytes - at, in->marks ? in->marks + at : NULL);
}

TplValue tpl_replaced(Tpl *t, const TplText *in, const TplText *old, const TplText *with, int64_t most)
{
    TplBuffer *b = tpl_buffer(t, in->bytes + 32);
    size_t from = 0;
    if (!old->bytes) {
        replace_nothing(t, b, in, with, most);
        return tpl_text_of(t, b);
    }
    for (; most != 0; most -= most > 0) {
        const int64_t at = tpl_find(t, in, old, from, in->bytes);
        if (at < 0)
            break;
        tpl_put(t, b, in->at + from, (size_t)at - from, in->marks ? in->marks + from : NULL);
        tpl_put_text(t, b, with);
        from = (size_t)at + old->bytes;
    }
    tpl_put(t, b, in->at + from, in->bytes - from, in->marks ? in->marks + from : NULL);
    return tpl_text_of(t, b);
}
