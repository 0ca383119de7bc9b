// package_text.h: the tokenizer tables of a package, part of its layout (package.h).
#pragma once
#include <stdint.h>

enum { REQUEST_EOS = 32 }; // most ids that end a text

// How a text is split into words. WHOLE: not at all.
enum PkgPre { PKG_PRE_GPT2 = 1, PKG_PRE_LLAMA3, PKG_PRE_SMOLLM, PKG_PRE_WHOLE };
enum { CLASS_OTHER = 0, CLASS_LETTER = 1, CLASS_NUMBER = 2, CLASS_SPACE = 3 }; // \p{L}, \p{N}, \s, the rest

// NORMAL: made by merging. SPECIAL: found in a text only where the caller wants it. ADDED: found in a text before it is
// split. UNUSED: no text. The type of a token is one of these and, for SPECIAL and ADDED, what of the text around it goes
// with it: white space on its left, on its right.
enum { TOKEN_NORMAL = 0, TOKEN_SPECIAL = 1, TOKEN_UNUSED = 2, TOKEN_ADDED = 3, TOKEN_KIND = 0x0f };
enum { TOKEN_STRIPS_LEFT = 0x10, TOKEN_STRIPS_RIGHT = 0x20 };

// What a word begins as, before tokens are merged: its bytes, or its code points.
enum PkgSymbols { PKG_SYMBOLS_BYTES = 1, PKG_SYMBOLS_CODES };

// A blank is put in front of a text: of the whole one only, or of every section between added tokens. Before the second
// round of looking for added tokens, or LATE, in front of what is split into words. Unless one is there, or any white space.
enum { PREFIX_NONE = 0, PREFIX_FIRST = 1, PREFIX_EVERY = 2, PREFIX_LATE = 4, PREFIX_NOT_BLANK = 8, PREFIX_NOT_SPACE = 16,
       PREFIX_ALL = 31 };

// A set of byte strings, each with a number. Cell 0 is the root. The child of cell n by byte b is cell base(n) + 1 + b if
// its `parent` is n; cell base(n), under the same condition, says that a string ends in n: its `base` is the number.
typedef struct PkgTrieCell {
    uint32_t base, parent; // parent UINT32_MAX: an empty cell, or the root
} PkgTrieCell;

// Added and special tokens are looked for in two rounds: in the text, then in what is left.
enum { ADDED_ROUNDS = 2 };

// Offsets count from the start of this struct; arrays of words lie at multiples of 4.
typedef struct PkgTokenizer {
    uint32_t pre;            // PkgPre
    uint32_t vocab;          // ids 0 .. vocab-1; may be fewer than the model's rows
    int32_t bos;             // put in front of a prompt, -1: none
    uint32_t symbols;        // PkgSymbols
    uint32_t blanks;         // 1: U+2581 in a text is a blank, as SentencePiece writes it
    uint32_t prefix;         // PREFIX_*
    uint32_t byte_fallback;  // 1: a code point that has no token becomes its bytes, if these have
    int32_t unknown;         // stands for a byte or code point that has no token; -1: such a one is left out
    uint32_t fuse_unknown;   // 1: several such in a row are one unknown
    uint32_t whole_words;    // 1: a word that is a token is taken as it is, without merging (Llama 3)
    uint32_t eos_count;
    uint32_t eos[REQUEST_EOS];
    uint32_t byte_id[256];   // the id of each single byte, or UINT32_MAX
    uint32_t text_at, text_bytes; // bytes of all tokens, one after the other
    uint32_t token_at;       // uint32_t[vocab + 1]: where each token's bytes begin in text
    uint32_t type_at;        // uint8_t[vocab]: TOKEN_*
    uint32_t merges, merge_slots; // pairs; slots of the hash table, a power of two
    uint32_t merge_at;       // PkgMerge[merge_slots]
    uint32_t word_slots, word_at; // uint32_t[word_slots], a power of two: ids of NORMAL tokens by package_digest of their
                                  // bytes, linear probing, UINT32_MAX empty: all with whole_words, those of one code
                                  // point with SYMBOLS_CODES
    uint32_t classes, class_at;   // uint32_t[classes]: first code point << 2 | CLASS_* of each run, ascending from 0
    uint32_t added_cells[ADDED_ROUNDS], added_at[ADDED_ROUNDS]; // PkgTrieCell[added_cells]: ids of the tokens by their
                                                                // bytes; 0 cells: none in this round
} PkgTokenizer;

// Open addressing by package_merge_slot, linear probing; left UINT32_MAX: empty.
typedef struct PkgMerge {
    uint32_t left, right, rank, merged;
} PkgMerge;

static inline uint32_t package_merge_slot(uint32_t left, uint32_t right, uint32_t slots)
{
    uint64_t h = ((uint64_t)left << 32 | right) * 0x9e3779b97f4a7c15ull;
    return (uint32_t)(h >> 32) & (slots - 1);
}

// What the tokenizer is, for people.
static inline const char *package_tokenizer_kind(const PkgTokenizer *t)
{
    return t->symbols == PKG_SYMBOLS_BYTES ? "byte-level BPE" : "SentencePiece BPE";
}
