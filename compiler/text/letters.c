// letters.c: from the letters in which tokens are written to the bytes that they stand for.
#include "vocab.h"

#include <string.h>

// The letters of a byte-level text (GPT-2's bytes_to_unicode): 33 to 126, 161 to 172 and 174 to 255 stand for
// themselves; the 68 bytes left over are, in order, U+0100 to U+0143.
static int byte_of_letter(uint32_t code)
{
    if ((code >= 33 && code <= 126) || (code >= 161 && code <= 172) || (code >= 174 && code <= 255))
        return (int)code;
    const uint32_t nth = code - 256;
    if (code < 256 || nth >= 68)
        return -1;
    return (int)(nth <= 32 ? nth : nth <= 66 ? nth - 33 + 127 : 173);
}

int64_t vocab_letters_to_bytes(const char *text, size_t bytes, uint8_t *out)
{
    int64_t n = 0;
    for (size_t i = 0; i < bytes;) {
        const uint8_t c = (uint8_t)text[i];
        const uint8_t next = i + 1 < bytes ? (uint8_t)text[i + 1] : 0;
        const bool pair = c >= 0xc2 && c <= 0xc5 && (next & 0xc0) == 0x80; // all the letters are below U+0144
        const int byte = c < 0x80 ? byte_of_letter(c) : pair ? byte_of_letter((c & 0x1fu) << 6 | (next & 0x3fu)) : -1;
        if (byte < 0)
            return -1;
        out[n++] = (uint8_t)byte;
        i += pair ? 2 : 1;
    }
    return n;
}

bool vocab_reads_two_ways(Arena *a, const char *text, size_t bytes)
{
    const int64_t n = vocab_letters_to_bytes(text, bytes, arena_alloc(a, bytes + 1));
    return n >= 0 && (size_t)n != bytes; // ASCII letters stand for themselves, the others are two bytes long
}

bool vocab_is_byte(const char *text, size_t bytes, uint8_t *byte)
{
    static const char digits[] = "0123456789ABCDEF";
    if (bytes != 6 || memcmp(text, "<0x", 3) != 0 || text[5] != '>')
        return false;
    const char *high = memchr(digits, text[3], 16), *low = memchr(digits, text[4], 16);
    if (!high || !low)
        return false;
    *byte = (uint8_t)((high - digits) * 16 + (low - digits));
    return true;
}

static size_t blanks_to_bytes(const char *text, size_t bytes, uint8_t *out)
{
    static const char blank[3] = "\xe2\x96\x81"; // U+2581
    size_t n = 0;
    for (size_t i = 0; i < bytes; ++i) {
        const bool is_blank = bytes - i >= sizeof blank && memcmp(text + i, blank, sizeof blank) == 0;
        out[n++] = is_blank ? ' ' : (uint8_t)text[i];
        i += is_blank ? sizeof blank - 1 : 0;
    }
    return n;
}

size_t vocab_token_bytes(const Vocab *v, const VocabToken *t, uint8_t *out)
{
    if (t->is_byte) {
        out[0] = t->byte;
        return 1;
    }
    if (v->letters == LETTERS_BLANKS)
        return blanks_to_bytes(t->text, t->bytes, out);
    const bool letters = v->letters == LETTERS_BYTE_LEVEL && t->type == TOKEN_NORMAL;
    const int64_t n = letters ? vocab_letters_to_bytes(t->text, t->bytes, out) : -1;
    if (n > 0)
        return (size_t)n;
    memcpy(out, t->text, t->bytes);
    return t->bytes;
}
