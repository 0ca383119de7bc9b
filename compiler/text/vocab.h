// vocab.h: Vocab: what tokenizer.json or GGUF say of a byte-level BPE, before it is laid out as tables.
#pragma once
#include "tokenizer.h"
#include "../../runtime/package.h"

typedef struct VocabToken {
    const char *text; // as in the file: NORMAL in byte-level letters, others literally; NULL: no token of this id
    size_t bytes;
    uint8_t type;    // TOKEN_*, with TOKEN_STRIPS_*
    bool in_model;   // in the model's own vocabulary: NORMAL, and some of the others
    bool normalized; // ADDED, SPECIAL: looked for in the second round
} VocabToken;

typedef struct Vocab {
    Arena *arena;
    int rows;           // of the model: ids lie below
    VocabToken *tokens; // [rows]
    int n;              // 1 + the highest id in use
    int *slots;         // [slot_mask + 1] hash of the texts: id + 1, 0 empty
    uint32_t slot_mask;
    VEC(PkgMerge) merges; // in order of rank
    uint32_t *pairs;      // [pair_mask + 1] hash of the pairs: rank + 1, 0 empty
    uint32_t pair_mask;
    enum PkgPre pre;
    int bos, unknown; // -1: none
    bool fuse_unknown, whole_words;
    uint32_t eos[REQUEST_EOS];
    int eos_count;
} Vocab;

// `tokens` and `merges`: the most that will be added.
Vocab *vocab_new(Arena *a, int rows, int tokens, int merges);

// Adds a token; id in [0, rows). NULL, or what is wrong with it.
const char *vocab_add(Vocab *v, int id, VocabToken token);

// The id of a text, or -1.
int vocab_find(const Vocab *v, const char *text, size_t bytes);

// Adds the merge of the next rank. NULL, or what is wrong with it.
const char *vocab_add_merge(Vocab *v, const char *left, size_t left_bytes, const char *right, size_t right_bytes);
// The same from "left right", with one space. NULL, or what is wrong with it.
const char *vocab_add_merge_text(Vocab *v, const char *text, size_t bytes);

// Adds an id that ends a text, unless it is there already or no id of the model. Called for the model's and the
// tokenizer's own, which fit.
enum { TOKENIZER_EOS = 4 };
_Static_assert(MODEL_EOS + TOKENIZER_EOS <= REQUEST_EOS, "room for all ids that end a text");
void vocab_add_eos(Vocab *v, int64_t id);

// The bytes that a text in byte-level letters stands for, at most as many as it has; -1: another letter is in it.
int64_t vocab_letters_to_bytes(const char *text, size_t bytes, uint8_t *out);

// Whether a special or added token of the model's vocabulary has a text that stands for other bytes in byte-level
// letters: U+00E9 is itself in a text, but as a byte-level token it is the byte 0xe9.
bool vocab_reads_two_ways(Arena *a, const char *text, size_t bytes);

// Lays the tables out.
void vocab_write_tables(const Vocab *v, Tokenizer *out);

// tokenizer.json of a folder: the tokens, merges and rules; NULL and *why_not for a kind that is not byte-level BPE.
Vocab *vocab_read_json(Arena *a, const Model *m, Json root, const char **why_not);

// Refuses a member of `object` that is not known. Error: TOKENIZER.
void vocab_check_keys(Json object, const char *what, const char *const *known, int n);

// The rules beside the model part of tokenizer.json: pre, bos. Errors: TOKENIZER, PRE_TOKENIZER.
void vocab_read_rules(Vocab *v, Json root);

// bos and eos as tokenizer_config.json and special_tokens_map.json have them; either may be absent (node NULL).
// Errors: TOKENIZER, PRE_TOKENIZER.
void vocab_read_config(Vocab *v, Json config, Json map);

// The same for the metadata of a GGUF file.
Vocab *vocab_read_gguf(Arena *a, const Model *m, const char **why_not);
