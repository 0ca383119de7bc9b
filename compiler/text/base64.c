// base64.c: bytes written in base64 (RFC 4648, section 4).
#include "base64.h"

static int digit_of(char c)
{
    return c >= 'A' && c <= 'Z'   ? c - 'A'
           : c >= 'a' && c <= 'z' ? c - 'a' + 26
           : c >= '0' && c <= '9' ? c - '0' + 52
           : c == '+'             ? 62
           : c == '/'             ? 63
                                  : -1;
}

int64_t base64_decode(const char *text, size_t n, uint8_t *out)
{
    int64_t bytes = 0;
    if (n % 4)
        return -1;
    const size_t padding = n && text[n - 1] == '=' ? 1 + (text[n - 2] == '=') : 0;
    for (size_t i = 0; i < n; i += 4) {
        uint32_t value = 0;
        const size_t digits = i + 4 == n ? 4 - padding : 4;
        for (size_t k = 0; k < 4; ++k) {
            const int digit = k < digits ? digit_of(text[i + k]) : 0;
            if (digit < 0)
                return -1;
            value = value << 6 | (uint32_t)digit;
        }
        for (size_t k = 0; k + 1 < digits; ++k)
            out[bytes++] = (uint8_t)(value >> (16 - 8 * k));
    }
    return bytes;
}
