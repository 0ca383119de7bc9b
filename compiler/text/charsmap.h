// charsmap.h: the table by which SentencePiece rewrites characters.
#pragma once
#include "trie.h"

#include "../base/str.h"
#include "../base/vec.h"

typedef struct Charsmap {
    VEC(TrieWord) words; // what is rewritten; value: where what stands for it begins in text
    Str text;            // of zero-ended strings
    uint32_t growth;     // bytes that come from one at most
} Charsmap;

// Reads a precompiled_charsmap. NULL, or what is wrong with it.
const char *charsmap_read(Arena *a, const uint8_t *bytes, size_t n, Charsmap *map);
