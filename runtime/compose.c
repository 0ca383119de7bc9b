// compose.c: Unicode's normal forms (Unicode Standard Annex 15): what belongs together is taken apart, put in canonical
// order, and, for NFC and NFKC, put together again. Most code points are of kind 0 and stay as they are, unless one of another kind stands
// behind them.
#include "compose.h"

#include "utf8.h"

#include <stdlib.h>
#include <string.h>

// Hangul syllables consist of two or three letters, by a rule (The Unicode Standard, section 3.12).
enum {
    HANGUL = 0xac00,
    HANGUL_L = 0x1100,
    HANGUL_V = 0x1161,
    HANGUL_T = 0x11a7,
    HANGUL_LS = 19,
    HANGUL_VS = 21,
    HANGUL_TS = 28,
    HANGULS = HANGUL_LS * HANGUL_VS * HANGUL_TS
};

typedef struct Code {
    uint32_t code;
    uint32_t kind;
} Code;

typedef struct Composer {
    const TokenizerView *view;
    Code *codes; // what is being put together
    size_t n, room;
    uint8_t *out;
    size_t out_bytes;
    bool no_memory;
} Composer;

static uint32_t kind_of(const TokenizerView *v, uint32_t code)
{
    return v->kinds[(size_t)v->kind_of[code / PKG_PAGE] * PKG_PAGE + code % PKG_PAGE];
}

static void add_code(Composer *c, uint32_t code)
{
    if (c->n == c->room) {
        const size_t room = c->room ? 2 * c->room : 64;
        Code *more = realloc(c->codes, room * sizeof *more);
        if (!more) {
            c->no_memory = true;
            return;
        }
        c->codes = more;
        c->room = room;
    }
    const uint32_t kind = kind_of(c->view, code);
    c->codes[c->n++] = (Code){ code, kind == KIND_CHANGES ? 0 : kind };
}

static void take_apart(Composer *c, uint32_t code)
{
    const TokenizerView *v = c->view;
    const uint32_t syllable = code - HANGUL;
    if (code >= HANGUL && syllable < HANGULS) {
        add_code(c, HANGUL_L + syllable / (HANGUL_VS * HANGUL_TS));
        add_code(c, HANGUL_V + syllable / HANGUL_TS % HANGUL_VS);
        if (syllable % HANGUL_TS)
            add_code(c, HANGUL_T + syllable % HANGUL_TS);
        return;
    }
    uint32_t low = 0, high = v->head->decompositions; // the first that is not below the code point is in [low, high]
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (v->decompositions[middle].code < code)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == v->head->decompositions || v->decompositions[low].code != code) {
        add_code(c, code);
        return;
    }
    for (uint32_t i = 0; i < v->decompositions[low].parts; ++i)
        add_code(c, v->parts[v->decompositions[low].part + i]);
}

// Sorts n codes by their kinds; equal ones keep their order.
static void sort_marks(Composer *c, Code *codes, size_t n)
{
    if (n < 32) {
        for (size_t i = 1; i < n; ++i) {
            const Code moved = codes[i];
            size_t at = i;
            for (; at && codes[at - 1].kind > moved.kind; --at)
                codes[at] = codes[at - 1];
            codes[at] = moved;
        }
        return;
    }
    Code *sorted = malloc(n * sizeof *sorted);
    if (!sorted) {
        c->no_memory = true;
        return;
    }
    size_t starts[256] = { 0 };
    for (size_t i = 0; i < n; ++i)
        ++starts[codes[i].kind & 255];
    for (size_t i = 0, at = 0; i < 256; ++i) {
        const size_t here = starts[i];
        starts[i] = at;
        at += here;
    }
    for (size_t i = 0; i < n; ++i)
        sorted[starts[codes[i].kind & 255]++] = codes[i];
    memcpy(codes, sorted, n * sizeof *codes);
    free(sorted);
}

// The one code point that two make, or 0.
static uint32_t put_together(const TokenizerView *v, uint32_t first, uint32_t second)
{
    if (first - HANGUL_L < HANGUL_LS && second - HANGUL_V < HANGUL_VS)
        return HANGUL + ((first - HANGUL_L) * HANGUL_VS + (second - HANGUL_V)) * HANGUL_TS;
    if (first - HANGUL < HANGULS && (first - HANGUL) % HANGUL_TS == 0 && second - HANGUL_T - 1 < HANGUL_TS - 1)
        return first + (second - HANGUL_T);
    uint32_t low = 0, high = v->head->compositions;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const PkgComposition p = v->compositions[middle];
        if (p.first < first || (p.first == first && p.second < second))
            low = middle + 1;
        else
            high = middle;
    }
    const PkgComposition *p = &v->compositions[low];
    return low < v->head->compositions && p->first == first && p->second == second ? p->made : 0;
}

static void put_code(Composer *c, uint32_t code)
{
    uint8_t *out = c->out + c->out_bytes;
    const int n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const uint8_t leads[5] = { 0, 0, 0xc0, 0xe0, 0xf0 };
    for (int i = n - 1; i > 0; --i, code >>= 6)
        out[i] = (uint8_t)(0x80 | (code & 0x3f));
    out[0] = (uint8_t)(leads[n] | code);
    c->out_bytes += (size_t)n;
}

// Orders and joins what has been taken apart, and writes it.
static void finish(Composer *c)
{
    for (size_t i = 0, end; i < c->n; i = end + 1) {
        for (end = i; end < c->n && c->codes[end].kind; ++end)
            ;
        sort_marks(c, c->codes + i, end - i);
    }
    size_t made = 0, starter = SIZE_MAX; // codes[0 .. made) are done; the last of kind 0 among them
    for (size_t i = 0; i < c->n; ++i) {
        const Code next = c->codes[i];
        const bool near = starter != SIZE_MAX && c->view->head->form == FORM_TOGETHER &&
                          (made == starter + 1 || (c->codes[made - 1].kind && c->codes[made - 1].kind < next.kind));
        const uint32_t both = near ? put_together(c->view, c->codes[starter].code, next.code) : 0;
        if (both) {
            c->codes[starter].code = both;
            continue;
        }
        if (!next.kind)
            starter = made;
        c->codes[made++] = next;
    }
    for (size_t i = 0; i < made; ++i)
        put_code(c, c->codes[i].code);
    c->n = 0;
}

// Where the first code point of a kind other than 0 begins, and in *base the one before it; `bytes` both: there is
// none.
static size_t find_change(const TokenizerView *v, const uint8_t *text, size_t at, size_t bytes, size_t *base)
{
    *base = at;
    while (at < bytes) {
        uint32_t code = 0;
        const int n = utf8_take(text + at, bytes - at, &code);
        if (n > 0 && code >= 0x80 && kind_of(v, code))
            return at;
        *base = n > 0 ? at : at + 1; // nothing joins a byte that is no UTF-8
        at += n > 0 ? (size_t)n : 1;
    }
    *base = bytes;
    return bytes;
}

bool compose_text(const TokenizerView *v, NormalRoom *room, const uint8_t **text, size_t *bytes)
{
    size_t base, change = find_change(v, *text, 0, *bytes, &base);
    if (change == *bytes)
        return true;
    if (!normal_want_room(room, *bytes * v->head->form_growth))
        return false;
    Composer c = { .view = v, .out = room->block };
    for (size_t at = 0; at < *bytes && !c.no_memory;) {
        memcpy(c.out + c.out_bytes, *text + at, base - at); // up to what changes, as it is
        c.out_bytes += base - at;
        for (at = base; at < *bytes && !c.no_memory;) {
            uint32_t code = 0;
            const int n = utf8_take(*text + at, *bytes - at, &code);
            if (n <= 0 || (at > change && !kind_of(v, code)))
                break;
            take_apart(&c, code);
            at += (size_t)n;
        }
        finish(&c);
        change = find_change(v, *text, at, *bytes, &base);
    }
    free(c.codes);
    *text = room->block;
    *bytes = c.out_bytes;
    return !c.no_memory;
}
