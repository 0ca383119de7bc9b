// words.h: the pieces of a text inside which tokens are merged (pre-tokenization).
#pragma once
#include "tokenizer.h"

// Walks over a text from word to word.
typedef struct Words {
    const TokenizerView *view;
    const uint8_t *text;
    size_t from, to;                              // the word
    size_t at[PKG_STEPS + 1], end[PKG_STEPS + 1]; // of the piece that step i splits: what is left of it
} Words;

Words words_of(const TokenizerView *v, const uint8_t *text, size_t bytes);

// The next word; false at the end of the text.
bool words_next(Words *w);

// Where the white space that ends at `at` begins, not before `from`; and where that which begins at `at` ends.
size_t words_space_before(const TokenizerView *v, const uint8_t *text, size_t from, size_t at);
size_t words_space_after(const TokenizerView *v, const uint8_t *text, size_t at, size_t bytes);

// Whether a character of a word stands in front of `at`, and behind it.
bool words_letter_before(const TokenizerView *v, const uint8_t *text, size_t at);
bool words_letter_after(const TokenizerView *v, const uint8_t *text, size_t at, size_t bytes);
