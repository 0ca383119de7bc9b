// mapping.h: how single code points are rewritten, one step after the other, as one table.
#pragma once
#include "charset.h"
#include "charsmap.h"

typedef struct Mapping {
    const Unicode *unicode;
    const char **to; // [PKG_CODES] what a code point has become; NULL: it is as it was
} Mapping;

Mapping *mapping_new(const Unicode *u);

// Each as Hugging Face's normalizer of this name does it.
void mapping_lowercase(Mapping *m);
void mapping_strip_accents(Mapping *m);
void mapping_nmt(Mapping *m);
void mapping_replace(Mapping *m, uint32_t code, const char *by);

// NULL, or what is wrong with it.
const char *mapping_finish(const Mapping *m, Charsmap *map);
