// merge.h: byte-pair merging inside one word.
#pragma once
#include "tokenizer.h"

typedef struct Symbol {
    uint32_t id, next, previous;
} Symbol;

enum { MERGE_SHORT = 256 };

// Room for the symbols of a word: on the stack for words up to MERGE_SHORT bytes, else from malloc. Start from zeros.
typedef struct MergeRoom {
    Symbol short_symbols[MERGE_SHORT];
    uint64_t short_heap[2 * MERGE_SHORT];
    void *block; // malloc'ed, NULL: none yet
    size_t block_bytes;
} MergeRoom;

// Appends the ids of a word to ids[] and returns how many, at most one a byte; -1: no memory. Adds to *lost.
int64_t merge_word(const TokenizerView *v, MergeRoom *room, const uint8_t *word, size_t bytes, uint32_t *ids,
                   size_t *lost);

void merge_room_free(MergeRoom *room);
