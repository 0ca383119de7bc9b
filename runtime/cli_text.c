// cli_text.c: text of unknown origin: file names, tokens, what a package says of itself.
#include "cli_text.h"

int printable_bytes(const char *text, size_t bytes)
{
    const unsigned char *c = (const unsigned char *)text;
    if (!bytes || c[0] < 0x80)
        return bytes && c[0] >= 0x20 && c[0] != 0x7f;
    const int n = c[0] >= 0xf0 ? 4 : c[0] >= 0xe0 ? 3 : 2;
    if (c[0] < 0xc2 || c[0] > 0xf4 || bytes < (size_t)n)
        return 0;
    for (int i = 1; i < n; ++i)
        if ((c[i] & 0xc0) != 0x80)
            return 0;
    const int overlong = (c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xf0 && c[1] < 0x90);
    const int outside = (c[0] == 0xed && c[1] > 0x9f) || (c[0] == 0xf4 && c[1] > 0x8f);
    return overlong || outside || (c[0] == 0xc2 && c[1] < 0xa0) ? 0 : n;
}

void print_clean(FILE *out, const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes;) {
        const int n = printable_bytes(text + i, bytes - i);
        if (n)
            fwrite(text + i, 1, (size_t)n, out);
        else
            fprintf(out, "\\x%02x", (unsigned char)text[i]);
        i += n ? (size_t)n : 1;
    }
}
