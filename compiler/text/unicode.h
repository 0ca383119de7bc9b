// unicode.h: what kind of character a code point is.
#pragma once
#include "../base/vec.h"

#include <stdint.h>

enum { CODE_POINTS = 0x110000 };

// Code points from `first` to `last`.
typedef struct CodeRange {
    uint32_t first, last;
} CodeRange;

typedef struct CategoryRun {
    uint32_t first; // to the next run's first, less one
    int category;   // UTF8PROC_CATEGORY_*
} CategoryRun;

typedef struct Unicode {
    Arena *arena;
    VEC(CategoryRun) runs;
} Unicode;

// The general categories of all code points, as Unicode 16.0 has them.
const Unicode *unicode_new(Arena *a);
