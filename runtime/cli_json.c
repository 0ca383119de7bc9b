// cli_json.c: writing JSON without a library.
#include "cli_json.h"
#include "utf8.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

// One character that a string cannot hold as it is.
static void print_escaped(FILE *out, uint32_t c)
{
    static const char from[] = "\"\\\n\t\r", to[] = "\"\\ntr";
    const char *found = c && c < 0x80 ? strchr(from, (int)c) : NULL;
    if (found)
        fprintf(out, "\\%c", to[found - from]);
    else
        fprintf(out, "\\u%04x", c);
}

void print_json_string(FILE *out, const char *text, size_t bytes)
{
    fputc('"', out);
    for (size_t i = 0; i < bytes;) {
        uint32_t c;
        const int n = utf8_take((const uint8_t *)text + i, bytes - i, &c);
        const size_t taken = n > 0 ? (size_t)n : n < 0 ? (size_t)-n : bytes - i;
        const bool control = n > 0 && (c < 0x20 || (c >= 0x7f && c < 0xa0)); // C0, DEL, C1
        if (n <= 0)
            fputs("\\ufffd", out);
        else if (control || c == '"' || c == '\\')
            print_escaped(out, c);
        else
            fwrite(text + i, 1, taken, out);
        i += taken;
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
