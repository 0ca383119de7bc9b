// squeeze.c: looks for each byte's longest earlier copy through chains of the places where the same four bytes begin.
#include "squeeze.h"

#include "../base/vec.h"

#include <stdint.h>
#include <string.h>

enum {
    LEAST = 4,       // bytes of a copy: a shorter one costs as much as its bytes
    HASH_BITS = 16,
    TRIES = 16,      // places of a chain that are looked at: 48 make a cubin 2% shorter and take three times as long
    NOWHERE_AT = -1,
};

typedef VEC(unsigned char) Out;

typedef struct Search {
    const unsigned char *from;
    int n;
    int *first;    // [1 << HASH_BITS] last place with that hash
    int *previous; // [n] the place before with the same hash
} Search;

typedef struct Copy {
    int bytes, back; // bytes 0: none
} Copy;

static unsigned hash_at(const Search *s, int at)
{
    uint32_t word;
    memcpy(&word, s->from + at, sizeof word);
    return word * 2654435769u >> (32 - HASH_BITS);
}

static void enter(Search *s, int at)
{
    if (at + LEAST > s->n)
        return;
    const unsigned hash = hash_at(s, at);
    s->previous[at] = s->first[hash];
    s->first[hash] = at;
}

static int same_bytes(const Search *s, int one, int other)
{
    int n = 0;
    while (other + n < s->n && s->from[one + n] == s->from[other + n])
        ++n;
    return n;
}

// Bytes that a number takes.
static int number_bytes(int n)
{
    return n < 1 << 7 ? 1 : n < 1 << 14 ? 2 : n < 1 << 21 ? 3 : 4;
}

// The earlier place that saves most bytes at `at`.
static Copy find(const Search *s, int at)
{
    Copy best = { 0, 0 };
    int saved = 0;
    if (at + LEAST > s->n)
        return best;
    int place = s->first[hash_at(s, at)];
    for (int tries = 0; place != NOWHERE_AT && tries < TRIES; ++tries, place = s->previous[place]) {
        if (at + best.bytes < s->n && s->from[place + best.bytes] != s->from[at + best.bytes])
            continue;
        const int bytes = same_bytes(s, place, at), cost = 2 + number_bytes(at - place);
        if (bytes >= LEAST && bytes - cost > saved) {
            best = (Copy){ bytes, at - place };
            saved = bytes - cost;
        }
    }
    return best;
}

static void put_number(Arena *a, Out *out, unsigned n)
{
    for (; n >= 128; n >>= 7)
        vec_push(a, out, (unsigned char)(n | 128));
    vec_push(a, out, (unsigned char)n);
}

static void put_step(Arena *a, Out *out, const unsigned char *plain, int bytes, Copy copy)
{
    put_number(a, out, (unsigned)bytes);
    for (int i = 0; i < bytes; ++i)
        vec_push(a, out, plain[i]);
    put_number(a, out, (unsigned)copy.bytes);
    if (copy.bytes)
        put_number(a, out, (unsigned)copy.back);
}

Bytes squeeze(Arena *a, const void *from, size_t bytes)
{
    Search s = { from, (int)bytes, arena_alloc(a, sizeof *s.first << HASH_BITS), arena_alloc(a, (bytes + 1) * sizeof *s.previous) };
    Out out = { 0 };
    for (int i = 0; i < 1 << HASH_BITS; ++i)
        s.first[i] = NOWHERE_AT;
    int plain = 0; // where the bytes begin that no copy gives
    for (int at = 0; at < s.n;) {
        Copy copy = find(&s, at);
        enter(&s, at);
        // One byte later there may be a longer one.
        if (copy.bytes && find(&s, at + 1).bytes > copy.bytes + 1)
            copy.bytes = 0;
        if (!copy.bytes) {
            ++at;
            continue;
        }
        put_step(a, &out, s.from + plain, at - plain, copy);
        for (int i = 1; i < copy.bytes; ++i)
            enter(&s, at + i);
        plain = at += copy.bytes;
    }
    if (plain < s.n)
        put_step(a, &out, s.from + plain, s.n - plain, (Copy){ 0, 0 });
    return (Bytes){ out.at, (size_t)out.n };
}
