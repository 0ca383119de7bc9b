// cli_nearest.h: which known name a misspelt one was meant to be.
#pragma once
#include <stddef.h>

typedef struct Nearest {
    const char *text; // the misspelt one
    size_t bytes;
    int wrong; // letters, of the nearest so far; at first, how many are too many: over a third
    const char *name; // that; NULL: none is near
    size_t name_bytes;
} Nearest;

Nearest nearest_to(const char *text, size_t bytes);
// Keeps the name where it is nearer than those before.
void nearest_look(Nearest *n, const char *name, size_t bytes);
