// charsmap.c: the table by which SentencePiece rewrites characters: bytes of a double array (uint32), its cells, then
// zero-ended strings. A cell, as Darts-clone has it: bit 8: a string ends behind it; bits 0 to 7 and 31: its label;
// bits 10 to 30: the offset of its children, 256 times that with bit 9. The value of a string is in the cell at that
// offset.
#include "charsmap.h"

#include <string.h>

enum { MAX_BYTES = 64, MAX_WORDS = 1000000 };

typedef struct Place {
    uint32_t at; // where its children are: their offset, xored with the byte
    uint32_t depth;
    uint8_t bytes[MAX_BYTES]; // that lead here
} Place;

typedef struct Reader {
    Arena *arena;
    const uint8_t *cells;
    uint32_t n;
    VEC(Place) places;
    Charsmap *map;
} Reader;

static uint32_t cell(const Reader *r, uint32_t at)
{
    uint32_t value;
    memcpy(&value, r->cells + (size_t)at * 4, 4); // little-endian, as the machine is
    return value;
}

static uint32_t offset_of(uint32_t unit)
{
    return (unit >> 10) << ((unit & (1u << 9)) >> 6);
}

static const char *add_word(Reader *r, const Place *p, const char *strings, size_t bytes, uint32_t value)
{
    const char *end = value < bytes ? memchr(strings + value, 0, bytes - value) : NULL;
    if (!end || r->map->words.n == MAX_WORDS)
        return "the table that rewrites characters is damaged";
    const size_t length = (size_t)(end - (strings + value));
    uint8_t *key = arena_alloc(r->arena, p->depth);
    memcpy(key, p->bytes, p->depth);
    const TrieWord word = { key, p->depth, value };
    vec_push(r->arena, &r->map->words, word);
    const uint32_t growth = (uint32_t)((length + p->depth - 1) / p->depth);
    r->map->growth = growth > r->map->growth ? growth : r->map->growth;
    return NULL;
}

static const char *follow(Reader *r, Place from, const char *strings, size_t bytes)
{
    for (uint32_t b = 1; b < 256; ++b) {
        const uint32_t at = from.at ^ b;
        if (at >= r->n || (cell(r, at) & 0x800000ffu) != b)
            continue;
        if (from.depth == MAX_BYTES)
            return "the table that rewrites characters has strings of over 64 bytes";
        const uint32_t unit = cell(r, at);
        Place next = from;
        next.bytes[next.depth++] = (uint8_t)b;
        next.at = at ^ offset_of(unit);
        if (unit & 1u << 8) {
            const char *wrong = next.at < r->n ? add_word(r, &next, strings, bytes, cell(r, next.at) & 0x7fffffffu)
                                               : "the table that rewrites characters is damaged";
            if (wrong)
                return wrong;
        }
        vec_push(r->arena, &r->places, next);
        if (r->places.n > MAX_WORDS)
            return "the table that rewrites characters is damaged";
    }
    return NULL;
}

const char *charsmap_read(Arena *a, const uint8_t *bytes, size_t n, Charsmap *map)
{
    *map = (Charsmap){ .text = str_new(a), .growth = 1 };
    if (n == 0)
        return NULL;
    uint32_t cells_bytes = 0;
    if (n >= 4)
        memcpy(&cells_bytes, bytes, 4);
    if (n < 8 || cells_bytes < 4 || cells_bytes % 4 || cells_bytes > n - 4)
        return "the table that rewrites characters is cut off";
    Reader r = { .arena = a, .cells = bytes + 4, .n = cells_bytes / 4, .map = map };
    const char *strings = (const char *)bytes + 4 + cells_bytes;
    const size_t string_bytes = n - 4 - cells_bytes;
    const Place root = { .at = offset_of(cell(&r, 0)) };
    vec_push(a, &r.places, root);
    while (r.places.n) {
        const char *wrong = follow(&r, r.places.at[--r.places.n], strings, string_bytes);
        if (wrong)
            return wrong;
    }
    str_add_bytes(&map->text, strings, string_bytes);
    str_add_bytes(&map->text, "", 1);
    return map->growth > PKG_GROWTH ? "the table that rewrites characters makes texts too long" : NULL;
}
