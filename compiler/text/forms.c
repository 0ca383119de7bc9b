// forms.c: decompositions and compositions, from utf8proc.
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

// clang-format off
static const CodeRange newer[] = {
    { 0x7fd, 0x7fd }, { 0x897, 0x89f }, { 0x8ca, 0x8d3 }, { 0x9fe, 0x9fe }, { 0xafa, 0xaff }, { 0xb55, 0xb55 }, { 0xc04, 0xc04 },
    { 0xc3c, 0xc3c }, { 0xcf3, 0xcf3 }, { 0xd00, 0xd00 }, { 0xd3b, 0xd3c }, { 0xd81, 0xd81 }, { 0xeba, 0xeba }, { 0xece, 0xece },
    { 0x1715, 0x1715 }, { 0x180f, 0x180f }, { 0x1abf, 0x1aeb }, { 0x1cf7, 0x1cf7 }, { 0x1df6, 0x1dfa }, { 0x32ff, 0x32ff },
    { 0xa7f1, 0xa7f4 }, { 0xa82c, 0xa82c }, { 0xa8ff, 0xa8ff }, { 0xab69, 0xab69 }, { 0x105c9, 0x105c9 }, { 0x105e4, 0x105e4 },
    { 0x10781, 0x10785 }, { 0x10787, 0x107b0 }, { 0x107b2, 0x107ba }, { 0x10d24, 0x10d27 }, { 0x10d69, 0x10d6d },
    { 0x10eab, 0x10eac }, { 0x10efa, 0x10eff }, { 0x10f46, 0x10f50 }, { 0x10f82, 0x10f85 }, { 0x11070, 0x11070 },
    { 0x11073, 0x11074 }, { 0x110c2, 0x110c2 }, { 0x11145, 0x11146 }, { 0x111c9, 0x111c9 }, { 0x111ce, 0x111cf },
    { 0x11241, 0x11241 }, { 0x1133b, 0x1133b }, { 0x11383, 0x11383 }, { 0x11385, 0x11385 }, { 0x1138e, 0x1138e },
    { 0x11391, 0x11391 }, { 0x113b8, 0x113d2 }, { 0x113e1, 0x113e2 }, { 0x1145e, 0x1145e },
    { 0x1182c, 0x1183a }, { 0x11930, 0x11935 }, { 0x11937, 0x11938 }, { 0x1193b, 0x1193e }, { 0x11940, 0x11940 },
    { 0x11942, 0x11943 }, { 0x119d1, 0x119d7 }, { 0x119da, 0x119e0 }, { 0x119e4, 0x119e4 }, { 0x11a01, 0x11a0a },
    { 0x11a33, 0x11a39 }, { 0x11a3b, 0x11a3e }, { 0x11a47, 0x11a47 }, { 0x11a51, 0x11a5b }, { 0x11a8a, 0x11a99 },
    { 0x11b60, 0x11b67 }, { 0x11d31, 0x11d36 }, { 0x11d3a, 0x11d3a }, { 0x11d3c, 0x11d3d }, { 0x11d3f, 0x11d45 },
    { 0x11d47, 0x11d47 }, { 0x11d8a, 0x11d8e }, { 0x11d90, 0x11d91 }, { 0x11d93, 0x11d97 }, { 0x11ef3, 0x11ef6 },
    { 0x11f00, 0x11f01 }, { 0x11f03, 0x11f03 }, { 0x11f34, 0x11f3a }, { 0x11f3e, 0x11f42 }, { 0x11f5a, 0x11f5a },
    { 0x13440, 0x13440 }, { 0x13447, 0x13455 }, { 0x1611e, 0x1612f }, { 0x16d63, 0x16d6a }, { 0x16f4f, 0x16f4f },
    { 0x16f7f, 0x16f87 }, { 0x16fe4, 0x16fe4 }, { 0x16ff0, 0x16ff1 }, { 0x1ccd6, 0x1ccf9 }, { 0x1cf00, 0x1cf2d },
    { 0x1cf30, 0x1cf46 }, { 0x1e030, 0x1e06d }, { 0x1e08f, 0x1e08f }, { 0x1e130, 0x1e136 }, { 0x1e2ae, 0x1e2ae },
    { 0x1e2ec, 0x1e2ef }, { 0x1e4ec, 0x1e4ef }, { 0x1e5ee, 0x1e5ef }, { 0x1e6e3, 0x1e6ff }, { 0x1f16c, 0x1f16c },
    { 0x1fbf0, 0x1fbf9 },
};
// clang-format on

CharSet forms_newer(Arena *a)
{
    CharSet set = { 0 };
    for (int i = 0; i < ARRAY_LEN(newer); ++i)
        vec_push(a, &set.ranges, newer[i]);
    return set;
}

static uint32_t bytes_of(uint32_t code)
{
    return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}

// What a code point consists of in the form: parts[PKG_PARTS + 1]; how many, 0: it is one thing.
static int take_apart(uint32_t code, bool compatible, utf8proc_int32_t *parts)
{
    int boundary = 0;
    const int how = UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | (compatible ? UTF8PROC_COMPAT : 0);
    const utf8proc_ssize_t n = utf8proc_decompose_char((utf8proc_int32_t)code, parts, PKG_PARTS, (utf8proc_option_t)how, &boundary);
    return n < 1 || n > PKG_PARTS || (n == 1 && (uint32_t)parts[0] == code) ? 0 : (int)n;
}

static void add_decomposition(Arena *a, Forms *f, uint32_t code, const utf8proc_int32_t *parts, int n)
{
    const PkgDecomposition d = { code, (uint32_t)f->parts.n, (uint32_t)n };
    uint32_t bytes = 0;
    vec_push(a, &f->decompositions, d);
    for (int i = 0; i < n; ++i) {
        vec_push(a, &f->parts, (uint32_t)parts[i]);
        bytes += bytes_of((uint32_t)parts[i]);
    }
    const uint32_t growth = (bytes + bytes_of(code) - 1) / bytes_of(code);
    f->growth = growth > f->growth ? growth : f->growth;
}

// The two that make a code point; false: it is not made of two.
static bool add_composition(Arena *a, Forms *f, uint32_t code)
{
    utf8proc_int32_t parts[PKG_PARTS + 1];
    const int n = take_apart(code, false, parts);
    const uint32_t first = n > 1 ? (n == 2 ? (uint32_t)parts[0] : compose(parts, n - 1)) : 0;
    if (!first || compose(parts, n) != code)
        return false;
    const PkgComposition both = { first, (uint32_t)parts[n - 1], code };
    vec_push(a, &f->compositions, both);
    return true;
}

static void add_code(Arena *a, Forms *f, uint32_t code, Form form)
{
    const bool together = form == FORM_NFC || form == FORM_NFKC;
    utf8proc_int32_t parts[PKG_PARTS + 1];
    f->kinds[code] = (uint8_t)utf8proc_get_property((utf8proc_int32_t)code)->combining_class;
    if (code >= HANGUL && code < HANGUL_END) {
        f->kinds[code] = together ? 0 : KIND_CHANGES;
        return;
    }
    const int n = take_apart(code, form == FORM_NFKC || form == FORM_NFKD, parts);
    if (!n)
        return;
    add_decomposition(a, f, code, parts, n);
    const bool made = together && add_composition(a, f, code);
    if (!made || compose(parts, n) != code) // it is not in the form
        f->kinds[code] = f->kinds[code] ? f->kinds[code] : KIND_CHANGES;
}

Forms forms_new(Arena *a, Form form)
{
    Forms f = { .kinds = arena_alloc(a, PKG_CODES), .growth = 3 }; // a syllable of Hangul is of three letters
    const CharSet unknown = forms_newer(a);
    for (uint32_t code = 0; code < PKG_CODES; ++code)
        if ((code < 0xd800 || code > 0xdfff) && !charset_has(unknown, code))
            add_code(a, &f, code, form);
    if (form == FORM_NFD || form == FORM_NFKD)
        return f;
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
