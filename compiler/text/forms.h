// forms.h: what the program needs to bring a text to one of Unicode's normal forms.
#pragma once
#include "charset.h"
#include "../../runtime/package_text.h"

typedef enum Form { FORM_NONE, FORM_NFC, FORM_NFD, FORM_NFKC, FORM_NFKD } Form;

typedef struct Forms {
    uint8_t *kinds; // [PKG_CODES]
    VEC(PkgDecomposition) decompositions;
    VEC(uint32_t) parts;
    VEC(PkgComposition) compositions;
    uint32_t growth; // bytes that come from one at most
} Forms;

Forms forms_new(Arena *a, Form form);

// What consists of others, has a combining class or is a mark, and is newer than Unicode 9.0, which Hugging Face's normalizers know.
CharSet forms_newer(Arena *a);
