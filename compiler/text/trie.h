// trie.h: sets of byte strings as the program's tables have them (PkgTrieCell).
#pragma once
#include "../base/arena.h"
#include "../../runtime/package_text.h"

#include <stddef.h>

typedef struct TrieWord {
    const void *bytes; // [n]
    size_t n;          // 1 or more
    uint32_t value;    // below UINT32_MAX
} TrieWord;

// Sorts the words, which differ, and lays them out; *n_cells is 0 for no words.
const PkgTrieCell *trie_build(Arena *a, TrieWord *words, int n, uint32_t *n_cells);
