// trie.h: walk through a set of byte strings (PkgTrieCell), however damaged the cells are.
#pragma once
#include "package_text.h"

#include <stddef.h>

typedef struct Trie {
    const PkgTrieCell *cells;
    uint32_t n; // 0: an empty set
} Trie;

enum { TRIE_NONE = 0xffffffff };

// The cell after `cell` by a byte, or TRIE_NONE. The walk begins at cell 0 of a set that is not empty.
static inline uint32_t trie_step(const Trie *t, uint32_t cell, uint8_t byte)
{
    const uint64_t child = (uint64_t)t->cells[cell].base + 1 + byte;
    return child < t->n && t->cells[child].parent == cell ? (uint32_t)child : TRIE_NONE;
}

// The number of the string that ends in a cell, or TRIE_NONE.
static inline uint32_t trie_value(const Trie *t, uint32_t cell)
{
    const uint32_t end = t->cells[cell].base;
    return end < t->n && t->cells[end].parent == cell ? t->cells[end].base : TRIE_NONE;
}

// The longest string of the set that `text` begins with: its number, and its bytes in *bytes; TRIE_NONE: none.
static inline uint32_t trie_longest(const Trie *t, const uint8_t *text, size_t n, size_t *bytes)
{
    uint32_t found = TRIE_NONE;
    if (t->n)
        for (size_t i = 0, cell = 0; i < n;) {
            cell = trie_step(t, (uint32_t)cell, text[i++]);
            if (cell == TRIE_NONE)
                break;
            const uint32_t value = trie_value(t, (uint32_t)cell);
            if (value != TRIE_NONE) {
                found = value;
                *bytes = i;
            }
        }
    return found;
}
