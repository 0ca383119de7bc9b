// charset.h: sets of code points.
#pragma once
#include "unicode.h"

#include <stdbool.h>
#include <stddef.h>

// Ranges in ascending order that neither meet nor overlap. Copies share them: charset_add is for sets with one owner.
typedef struct CharSet {
    VEC(CodeRange) ranges;
} CharSet;

void charset_add(Arena *a, CharSet *set, uint32_t first, uint32_t last);
void charset_unite(Arena *a, CharSet *set, CharSet other);
CharSet charset_inverse(Arena *a, CharSet set);
bool charset_equal(CharSet x, CharSet y);
bool charset_has(CharSet set, uint32_t code);

// \p{NAME}: a general category, or a group of them by its first letter. false: there is no such name.
bool charset_named(const Unicode *u, const char *name, size_t bytes, CharSet *set);

// \s: White_Space.
CharSet charset_space(Arena *a);

// \w: a character of a word: Alphabetic, \p{M}, \p{Nd}, \p{Pc}, Join_Control.
CharSet charset_word(const Unicode *u);

// Adds what differs only in case from the ASCII letters in the set, U+017F and U+212A among them. false: a letter
// beyond ASCII is in the set.
bool charset_fold(const Unicode *u, CharSet *set);
