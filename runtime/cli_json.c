// cli_json.c: writing JSON without a library.
#include "cli_json.h"
#include "cli_text.h"

#include <math.h>
#include <string.h>

void print_json_string(FILE *out, const char *text, size_t bytes)
{
    fputc('"', out);
    for (size_t i = 0, n; i < bytes; i += n ? n : 1) {
        const unsigned char c = (unsigned char)text[i];
        n = (size_t)printable_bytes(text + i, bytes - i);
        switch (c) {
        case '"':
            fputs("\\\"", out);
            break;
        case '\\':
            fputs("\\\\", out);
            break;
        case '\n':
            fputs("\\n", out);
            break;
        case '\t':
            fputs("\\t", out);
            break;
        case '\r':
            fputs("\\r", out);
            break;
        default:
            if (n)
                fwrite(text + i, 1, n, out);
            else
                fprintf(out, "\\u%04x", c < 0x80 ? c : 0xfffd);
        }
    }
    fputc('"', out);
}

void json_text(FILE *out, const char *text)
{
    print_json_string(out, text, strlen(text));
}

void json_ids(FILE *out, const uint32_t *ids, int n)
{
    fputc('[', out);
    for (int i = 0; i < n; ++i)
        fprintf(out, "%s%u", i ? "," : "", ids[i]);
    fputc(']', out);
}

void json_number(FILE *out, double value)
{
    if (isfinite(value))
        fprintf(out, "%.6g", value);
    else
        fputs("null", out);
}
