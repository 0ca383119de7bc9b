// unigram.h: the pieces of a word with the highest sum of scores.
#pragma once
#include "normal.h"

// Appends the ids of a word to ids[] and returns how many, at most one a byte; -1: no memory. Adds to *lost the bytes
// that no piece has.
int64_t unigram_word(const TokenizerView *v, NormalRoom *room, const uint8_t *word, size_t bytes, uint32_t *ids,
                     size_t *lost);
