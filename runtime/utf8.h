// utf8.h: one code point of UTF-8 at a time, ill-formed bytes included.
#pragma once
#include <stddef.h>
#include <stdint.h>

// The code point that begins at `at`, of which `bytes` (1 or more) can be seen:
//   n > 0  well-formed, n bytes, *code set
//   0      all bytes seen are the begin of a well-formed one, more are needed
//   n < 0  ill-formed: the first -n bytes can be in no code point; together they are replaced by one U+FFFD
//          ("maximal subpart", The Unicode Standard, section 3.9; what Python and Rust do)
static inline int utf8_take(const uint8_t *at, size_t bytes, uint32_t *code)
{
    const uint32_t lead = at[0];
    if (lead < 0x80) {
        *code = lead;
        return 1;
    }
    if (lead < 0xc2 || lead > 0xf4)
        return -1;
    const int wanted = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    uint32_t c = lead & (0xffu >> (wanted + 1));
    for (int i = 1; i < wanted; ++i) {
        if ((size_t)i == bytes)
            return 0;
        const uint32_t next = at[i];
        // The second byte excludes overlong forms, surrogates and what lies beyond U+10FFFF.
        const uint32_t low = i > 1 ? 0x80 : lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
        const uint32_t high = i > 1 ? 0xbf : lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
        if (next < low || next > high)
            return -i;
        c = c << 6 | (next & 0x3f);
    }
    *code = c;
    return wanted;
}
