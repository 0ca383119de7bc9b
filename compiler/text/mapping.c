// mapping.c: how single code points are rewritten, one step after the other, as one table.
#include "mapping.h"
#include "forms.h"

#include "../base/str.h"
#include "../../runtime/package_text.h"

#include <string.h>
#include <utf8proc.h>

// What one code point becomes; NULL: itself.
typedef const char *Step(void *context, uint32_t code);

Mapping *mapping_new(const Unicode *u)
{
    Mapping *m = arena_alloc(u->arena, sizeof *m);
    m->unicode = u;
    m->to = arena_alloc(u->arena, PKG_CODES * sizeof *m->to);
    return m;
}

// The same of a text. NULL: nothing in it changes.
static const char *change(Arena *a, const char *text, Step *step, void *context)
{
    Str out = str_new(a);
    bool changed = false;
    str_add_bytes(&out, "", 0);
    for (size_t at = 0, n = strlen(text); at < n;) {
        utf8proc_int32_t code = 0;
        const utf8proc_ssize_t taken = utf8proc_iterate((const uint8_t *)text + at, (utf8proc_ssize_t)(n - at), &code);
        const size_t bytes = taken > 0 ? (size_t)taken : 1;
        const char *to = taken > 0 ? step(context, (uint32_t)code) : NULL;
        changed |= to != NULL;
        str_add_bytes(&out, to ? to : text + at, to ? strlen(to) : bytes);
        at += bytes;
    }
    return !changed ? NULL : out.bytes ? out.text : "";
}

static void apply(Mapping *m, Step *step, void *context)
{
    for (uint32_t code = 0; code < PKG_CODES; ++code) {
        const char *to = m->to[code] ? change(m->unicode->arena, m->to[code], step, context) : step(context, code);
        m->to[code] = to ? to : m->to[code];
    }
}

static const char *text_of(Arena *a, uint32_t code)
{
    uint8_t bytes[4];
    const utf8proc_ssize_t n = utf8proc_encode_char((utf8proc_int32_t)code, bytes);
    return str_format(a, "%.*s", (int)n, (const char *)bytes);
}

// ---- the steps ---------------------------------------------------------------------------------------------------

// Letters of Unicode 15.1 to 17.0, which utf8proc may not know, and how far away their small ones are.
static const struct {
    uint32_t first, last;
    int32_t to_small;
} newer_capitals[] = {
    { 0x1c89, 0x1c89, 1 }, { 0xa7cb, 0xa7cb, 0x264 - 0xa7cb }, { 0xa7cc, 0xa7cc, 1 }, { 0xa7ce, 0xa7ce, 1 }, { 0xa7d2, 0xa7d2, 1 },
    { 0xa7d4, 0xa7d4, 1 }, { 0xa7da, 0xa7da, 1 }, { 0xa7dc, 0xa7dc, 0x19b - 0xa7dc }, { 0x10d50, 0x10d65, 0x20 }, { 0x16ea0, 0x16eb8, 0x1b },
};

static const char *lower(void *context, uint32_t code)
{
    if (code == 0x130)
        return "i\xcc\x87";
    uint32_t small = (uint32_t)utf8proc_tolower((utf8proc_int32_t)code);
    for (int i = 0; i < ARRAY_LEN(newer_capitals); ++i)
        if (code >= newer_capitals[i].first && code <= newer_capitals[i].last)
            small = (uint32_t)((int32_t)code + newer_capitals[i].to_small);
    return small == code ? NULL : text_of(context, small);
}

void mapping_lowercase(Mapping *m)
{
    apply(m, lower, m->unicode->arena);
}

// The marks of Unicode 9.0.
static const char *without_mark(void *context, uint32_t code)
{
    return charset_has(*(const CharSet *)context, code) ? "" : NULL;
}

void mapping_strip_accents(Mapping *m)
{
    Arena *a = m->unicode->arena;
    CharSet marks, others;
    charset_named(m->unicode, "M", 1, &marks);
    others = charset_inverse(a, marks);
    charset_unite(a, &others, forms_newer(a));
    marks = charset_inverse(a, others);
    charset_add(a, &marks, 0x1cf2, 0x1cf3); // marks in Unicode 9.0, no longer
    apply(m, without_mark, &marks);
}

// Controls go, but those that begin a line or a column; what is white or invisible is a blank.
static const char *nmt(void *context, uint32_t code)
{
    static const CodeRange gone[] = { { 1, 8 }, { 0xb, 0xb }, { 0xe, 0x1f }, { 0x7f, 0x7f }, { 0x8f, 0x8f }, { 0x9f, 0x9f } },
                           blank[] = { { 9, 0xa },          { 0xc, 0xd },       { 0x1680, 0x1680 }, { 0x200b, 0x200f },
                                       { 0x2028, 0x2029 }, { 0x2581, 0x2581 }, { 0xfeff, 0xfeff }, { 0xfffd, 0xfffd } };
    (void)context;
    for (int i = 0; i < ARRAY_LEN(gone); ++i)
        if (code >= gone[i].first && code <= gone[i].last)
            return "";
    for (int i = 0; i < ARRAY_LEN(blank); ++i)
        if (code >= blank[i].first && code <= blank[i].last)
            return " ";
    return NULL;
}

void mapping_nmt(Mapping *m)
{
    apply(m, nmt, NULL);
}

typedef struct Replacement {
    uint32_t code;
    const char *by;
} Replacement;

static const char *replace(void *context, uint32_t code)
{
    const Replacement *r = context;
    return code == r->code ? r->by : NULL;
}

void mapping_replace(Mapping *m, uint32_t code, const char *by)
{
    Replacement r = { code, by };
    apply(m, replace, &r);
}

// ------------------------------------------------------------------------------------------------------------------

const char *mapping_finish(const Mapping *m, Charsmap *map)
{
    Arena *a = m->unicode->arena;
    *map = (Charsmap){ .text = str_new(a), .growth = 1 };
    for (uint32_t code = 0; code < PKG_CODES; ++code) {
        if (!m->to[code])
            continue;
        const char *from = code ? text_of(a, code) : "";
        const size_t bytes = code ? strlen(from) : 1, length = strlen(m->to[code]);
        const TrieWord word = { from, bytes, (uint32_t)map->text.bytes };
        const size_t growth = (length + bytes - 1) / bytes;
        vec_push(a, &map->words, word);
        str_add_bytes(&map->text, m->to[code], length + 1);
        if (growth > PKG_GROWTH)
            return "a character is replaced by a text that is too long";
        map->growth = growth > map->growth ? (uint32_t)growth : map->growth;
    }
    return NULL;
}
