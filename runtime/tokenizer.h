// tokenizer.h: text to ids and ids to text, with the tables that llmc made (PkgTokenizer in package.h).
#pragma once
#include "package_text.h"
#include "trie.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Where the parts of a PkgTokenizer lie. It points into the tables, which must stay.
typedef struct TokenizerView {
    const PkgTokenizer *head;
    const uint8_t *text, *types;
    const uint32_t *starts; // [vocab + 1]
    const PkgMerge *merges; // [merge_slots]
    const uint32_t *words;  // [word_slots]
    const uint16_t *page_of, *moves;
    const uint8_t *pages;
    const uint16_t *kind_of;
    const uint8_t *kinds;
    const PkgDecomposition *decompositions;
    const uint32_t *parts;
    const PkgComposition *compositions;
    Trie added[ADDED_ROUNDS], pieces, rewrites;
    const double *scores; // [vocab + 1]
    const char *rewritten;
    uint8_t ascii[128]; // class of each
} TokenizerView;

// False: the tables are damaged. Every offset is checked here once, so that no later call reads outside.
bool tokenizer_open(TokenizerView *v, const void *tables, size_t bytes);

// Room that tokenizer_encode needs in ids[] for a text of `bytes` bytes.
size_t tokenizer_room(const TokenizerView *v, size_t bytes);

// Bytes [from, to) of a text.
typedef struct TokenizerRange {
    size_t from, to;
} TokenizerRange;

// A text and how it is to be read.
typedef struct TokenizerText {
    const void *text;
    size_t bytes;
    bool bos;     // BOS comes first, if the tables have one and the text does not begin with it
    bool special; // special tokens that are written out in the text are those tokens; false: they are text
    const TokenizerRange *literal; // [literals] ascending, apart: where they are text although `special` is set, as is
    size_t literals;               // what a user wrote inside the text that a chat template made
} TokenizerText;

// The ids of a text, in ids[tokenizer_room(v, bytes)]; returns how many, or -1: no memory (or 2 GiB of text and more).
// - The ids are those of Hugging Face's `tokenizers`, with encode_special_tokens set unless `special` is.
// - Bytes that are no UTF-8 count as symbols and keep their value: decoding gives them back.
// - *lost (may be NULL): bytes left out because the vocabulary has no token for them, as Hugging Face leaves them out.
// Memory is taken only for words over 256 bytes, and given back.
int64_t tokenizer_encode_text(const TokenizerView *v, const TokenizerText *text, uint32_t *ids, size_t *lost);

// The same for a text in which no special token is looked for.
int64_t tokenizer_encode(const TokenizerView *v, const void *text, size_t bytes, bool with_bos, uint32_t *ids,
                         size_t *lost);

// The bytes of one id, special tokens as they are written; none for an id that the vocabulary does not have.
const uint8_t *tokenizer_bytes(const TokenizerView *v, uint32_t id, size_t *bytes);

// TOKEN_* without what it strips; TOKEN_UNUSED for an id that the vocabulary does not have.
int tokenizer_type(const TokenizerView *v, uint32_t id);

// Receives text: well-formed UTF-8, whole code points.
typedef void TokenizerSink(void *context, const char *text, size_t bytes);

// Bytes in, whole code points out. Bytes that may still become one are held back; bytes that cannot are replaced by
// U+FFFD, as Hugging Face's decode does, so that the pieces together are the text of all bytes at once. Start
// from zeros.
typedef struct TokenizerStream {
    TokenizerSink *sink;
    void *context;
    uint8_t held[4];
    uint32_t held_bytes; // 0 to 3
} TokenizerStream;

void tokenizer_stream_add(TokenizerStream *s, const void *from, size_t bytes);

// The end of the text: what is still held back becomes U+FFFD.
void tokenizer_stream_end(TokenizerStream *s);
