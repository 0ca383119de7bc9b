// forms.h: what the program needs to bring a text to Unicode's form NFC.
#pragma once
#include "../base/vec.h"
#include "../../runtime/package_text.h"

typedef struct Forms {
    uint8_t *kinds; // [PKG_CODES]
    VEC(PkgDecomposition) decompositions;
    VEC(uint32_t) parts;
    VEC(PkgComposition) compositions;
} Forms;

Forms forms_new(Arena *a);
