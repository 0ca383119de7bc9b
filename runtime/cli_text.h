// cli_text.h: text of unknown origin on a terminal and in JSON.
#pragma once
#include <stddef.h>
#include <stdio.h>

// Bytes of the character at the start of text[bytes]: 1 to 4 of UTF-8 (RFC 3629); 0: a control character (C0, C1, DEL) or
// no UTF-8.
int printable_bytes(const char *text, size_t bytes);

// Printable characters as they are, others as \xHH.
void print_clean(FILE *out, const char *text, size_t bytes);
