// cli_json.h: writing JSON without a library.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

// A quoted string: control characters are escaped, bytes that are not UTF-8 become U+FFFD.
void print_json_string(FILE *out, const char *text, size_t bytes);
void json_text(FILE *out, const char *text);

// [1,2,3]
void json_ids(FILE *out, const uint32_t *ids, int n);

// A number with the digits needed and a point as the decimal mark, whatever the locale; null where it is not finite.
void json_number(FILE *out, double value);
