// forms.c: canonical decompositions and compositions, from utf8proc.
#include "forms.h"

#include <stdlib.h>
#include <utf8proc.h>

enum {
    HANGUL = 0xac00,
    HANGUL_END = 0xd7a4,
    VOWELS = 0x1161,
    VOWELS_END = 0x1176,
    FINALS = 0x11a8,
    FINALS_END = 0x11c3
};

static int by_pair(const void *a, const void *b)
{
    const PkgComposition *x = a, *y = b;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return x->second < y->second ? -1 : x->second > y->second;
}

// The one code point that NFC makes of some, or 0.
static uint32_t compose(const utf8proc_int32_t *codes, int n)
{
    utf8proc_int32_t room[PKG_PARTS + 1];
    for (int i = 0; i < n; ++i)
        room[i] = codes[i];
    return utf8proc_normalize_utf32(room, n, UTF8PROC_STABLE | UTF8PROC_COMPOSE) == 1 ? (uint32_t)room[0] : 0;
}

static void add_code(Arena *a, Forms *f, uint32_t code)
{
    const int class = utf8proc_get_property((utf8proc_int32_t)code)->combining_class;
    utf8proc_int32_t parts[PKG_PARTS + 1];
    int boundary = 0;
    f->kinds[code] = (uint8_t) class;
    if (code >= HANGUL && code < HANGUL_END)
        return;
    const utf8proc_ssize_t n = utf8proc_decompose_char((utf8proc_int32_t)code, parts, PKG_PARTS,
                                                       UTF8PROC_STABLE | UTF8PROC_DECOMPOSE, &boundary);
    if (n < 1 || (n == 1 && (uint32_t)parts[0] == code))
        return;
    const PkgDecomposition d = { code, (uint32_t)f->parts.n, (uint32_t)n };
    vec_push(a, &f->decompositions, d);
    for (int i = 0; i < n; ++i)
        vec_push(a, &f->parts, (uint32_t)parts[i]);
    const uint32_t first = n > 1 ? (n == 2 ? (uint32_t)parts[0] : compose(parts, (int)n - 1)) : 0;
    if (!first || compose(parts, (int)n) != code) {
        f->kinds[code] = f->kinds[code] ? f->kinds[code] : KIND_CHANGES; // NFC does not have it
        return;
    }
    const PkgComposition both = { first, (uint32_t)parts[n - 1], code };
    vec_push(a, &f->compositions, both);
}

Forms forms_new(Arena *a)
{
    Forms f = { .kinds = arena_alloc(a, PKG_CODES) };
    for (uint32_t code = 0; code < PKG_CODES; ++code)
        if (code < 0xd800 || code > 0xdfff)
            add_code(a, &f, code);
    for (int i = 0; i < f.compositions.n; ++i) { // what joins the one before it
        uint8_t *kind = &f.kinds[f.compositions.at[i].second];
        *kind = *kind ? *kind : KIND_CHANGES;
    }
    for (uint32_t code = VOWELS; code < FINALS_END; ++code)
        if (code < VOWELS_END || code >= FINALS)
            f.kinds[code] = KIND_CHANGES;
    if (f.compositions.n)
        qsort(f.compositions.at, (size_t)f.compositions.n, sizeof *f.compositions.at, by_pair);
    return f;
}
