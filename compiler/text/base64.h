// base64.h: bytes written in base64.
#pragma once
#include <stddef.h>
#include <stdint.h>

// Decodes standard base64 with its padding into out[(n / 4 + 1) * 3]; returns how many bytes, or -1: it is none.
int64_t base64_decode(const char *text, size_t n, uint8_t *out);
