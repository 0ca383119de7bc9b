// package_text.h: the tokenizer tables of a package, part of its layout (package.h).
#pragma once
#include <stdint.h>

enum { REQUEST_EOS = 32 }; // most ids that end a text

// A text is split in steps, each of which splits the pieces of the one before it, whose ends count as ends of the text. A
// step finds its matches from left to right, each the one that a backtracking regular expression would find.
// ISOLATED: matches are pieces, and what lies between them. KEPT, REMOVED: matches alone; what lies between alone.
// TO_LEFT, TO_RIGHT: a match goes to the piece between on that side. JOINED: as ISOLATED, neighbouring matches are one.
enum PkgBehaviour {
    PKG_ISOLATED = 1, PKG_KEPT, PKG_REMOVED, PKG_TO_LEFT, PKG_TO_RIGHT, PKG_JOINED
};
typedef struct PkgStep {
    uint32_t behaviour, state; // where matching starts
} PkgStep;
enum { PKG_STEPS = 8, PKG_CODES = 0x110000, PKG_PAGE = 128, PKG_CLASS_PAGES = PKG_CODES / PKG_PAGE };

// NORMAL: made by merging. SPECIAL: found in a text only where the caller wants it. ADDED: found in a text before it is
// split. UNUSED: no text. The type of a token is one of these and, for SPECIAL and ADDED, what of the text around it goes
// with it: white space on its left, on its right.
enum { TOKEN_NORMAL = 0, TOKEN_SPECIAL = 1, TOKEN_UNUSED = 2, TOKEN_ADDED = 3, TOKEN_KIND = 0x0f };
// SINGLE: it is not found where a character of a word stands next to it.
enum { TOKEN_STRIPS_LEFT = 0x10, TOKEN_STRIPS_RIGHT = 0x20, TOKEN_SINGLE = 0x40 };

// How a word becomes tokens. MERGES: it begins as symbols, of which pairs are merged. UNIGRAM: the pieces with the highest
// sum of scores.
enum PkgModel { PKG_MERGES = 1, PKG_UNIGRAM };

// What a word begins as, before tokens are merged: its bytes, or its code points.
enum PkgSymbols { PKG_SYMBOLS_BYTES = 1, PKG_SYMBOLS_CODES };

// A blank is put in front of a text: of the whole one only, or of every section between added tokens. Before the second
// round of looking for added tokens, or LATE, in front of what is split into words. Unless one is there.
enum { PREFIX_NONE = 0, PREFIX_FIRST = 1, PREFIX_EVERY = 2, PREFIX_LATE = 4, PREFIX_NOT_BLANK = 8, PREFIX_ALL = 15 };

// A set of byte strings, each with a number. Cell 0 is the root. The child of cell n by byte b is cell base(n) + 1 + b if
// its `parent` is n; cell base(n), under the same condition, says that a string ends in n: its `base` is the number.
typedef struct PkgTrieCell {
    uint32_t base, parent; // parent UINT32_MAX: an empty cell, or the root
} PkgTrieCell;

// Added and special tokens are looked for in two rounds: in the text, then in what is left.
enum { ADDED_ROUNDS = 2 };

// A code point and what it consists of, completely; two that make one. Not those of Hangul, which follow a
// rule.
typedef struct PkgDecomposition {
    uint32_t code, part, parts; // parts[part] to parts[part + parts - 1]
} PkgDecomposition;
typedef struct PkgComposition {
    uint32_t first, second, made;
} PkgComposition;
enum { KIND_CHANGES = 255, PKG_PARTS = 18, PKG_GROWTH = 64 }; // at most so many parts

// Unicode's forms: NFC and NFKC are put together, NFD and NFKD are not; which parts there are is in the tables.
enum PkgForm { FORM_AS_IS, FORM_TOGETHER, FORM_APART };

// White space at the ends of a section goes: before the form is made, and behind it.
enum { STRIP_LEFT = 1, STRIP_RIGHT = 2, STRIP_LATE_LEFT = 4, STRIP_LATE_RIGHT = 8, STRIP_ALL = 15 };

// Offsets count from the start of this struct; arrays of words lie at multiples of 8.
typedef struct PkgTokenizer {
    uint32_t steps;          // of splitting
    PkgStep step[PKG_STEPS];
    uint32_t vocab;          // ids 0 .. vocab-1; may be fewer than the model's rows
    int32_t bos;             // put in front of a prompt, -1: none
    uint32_t model;          // PkgModel
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
    uint32_t merges, merge_slots; // pairs; slots of the hash table
    uint32_t merge_at;       // PkgMerge[merge_slots]
    uint32_t word_slots, word_at; // uint32_t[word_slots], a power of two: ids of NORMAL tokens by package_digest of their
                                  // bytes, linear probing, UINT32_MAX empty: all with whole_words, those of one code
                                  // point with SYMBOLS_CODES
    // UNIGRAM: the pieces of a word, ids by their bytes; double[vocab + 1]: their scores, and that of an unknown character at
    // the end. score_floats: sums are rounded to float, as SentencePiece has them.
    uint32_t piece_cells, piece_at, score_at, score_floats; // PkgTrieCell[piece_cells]
    // SentencePiece's rewriting of characters: what stands for each string, in rewritten text: where it begins, ended by a
    // zero byte. growth: how many bytes come from one at most. squeeze: blanks at both ends go, and all but one of several.
    uint32_t rewrite_cells, rewrite_at, growth, squeeze; // PkgTrieCell[rewrite_cells]
    uint32_t rewritten_bytes, rewritten_at;
    // Every code point is of a class: pages[page_of[code / PKG_PAGE]][code % PKG_PAGE]. Bytes that are no UTF-8 count as
    // U+FFFD. spaces: bit c: class c is white space; letters: characters of words (some SINGLE token is there).
    uint32_t classes, spaces[8], letters[8];
    uint32_t page_of_at;          // uint16_t[PKG_CLASS_PAGES]
    uint32_t pages, pages_at;     // uint8_t[pages][PKG_PAGE]
    // moves[state][class]: next state << 1 | whether a match ends before this code point; the last class is the end of the
    // text. In state 0 no longer match can follow.
    uint32_t states, moves_at;    // uint16_t[states][classes + 1]
    // The text is brought to a form of Unicode, PkgForm. Kinds lie in pages as classes do: 0: nothing happens to this
    // code point unless one of another kind stands behind it; 1 to 254: its combining class; 255: it is of class 0, and may
    // change by itself or with what stands before it. form_growth: how many bytes come from one at most.
    uint32_t form, form_growth, strips, kind_of_at, kinds, kinds_at;
    uint32_t decompositions, decomposition_at; // PkgDecomposition[], ascending
    uint32_t parts, parts_at;                  // uint32_t[]: what they consist of
    uint32_t compositions, composition_at;     // PkgComposition[], ascending
    uint32_t added_cells[ADDED_ROUNDS], added_at[ADDED_ROUNDS]; // PkgTrieCell[added_cells]: ids of the tokens by their
                                                                // bytes; 0 cells: none in this round
} PkgTokenizer;

// Open addressing by package_merge_slot, linear probing; left UINT32_MAX: empty.
typedef struct PkgMerge {
    uint32_t left, right, rank, merged;
} PkgMerge;

static inline uint32_t package_merge_slot(uint32_t left, uint32_t right, uint32_t slots)
{
    const uint64_t h = ((uint64_t)left << 32 | right) * 0x9e3779b97f4a7c15ull;
    return (uint32_t)((h >> 32) * slots >> 32);
}

// What the tokenizer is, for people.
static inline const char *package_tokenizer_kind(const PkgTokenizer *t)
{
    return t->model == PKG_UNIGRAM ? "unigram" : t->symbols == PKG_SYMBOLS_BYTES ? "byte-level BPE" : "SentencePiece BPE";
}
