// vocab.h: Vocab: what a model's files say of its tokenizer, before it is laid out as tables.
#pragma once
#include "charsmap.h"
#include "forms.h"
#include "mapping.h"
#include "regex.h"
#include "tokenizer.h"
#include "../base/file.h"
#include "../../runtime/package.h"

// How the texts of tokens are written. BYTE_LEVEL: NORMAL ones in GPT-2's letters, one a byte. BLANKS: U+2581 is a blank.
enum Letters { LETTERS_PLAIN, LETTERS_BYTE_LEVEL, LETTERS_BLANKS };

typedef struct VocabToken {
    const char *text; // as in the file; NULL: no token of this id
    size_t bytes;
    bool is_byte; // it stands for one byte, `byte`, which has no other token
    uint8_t byte;
    uint8_t type;    // TOKEN_*, with TOKEN_STRIPS_*; UNUSED has a text where SentencePiece's merging would know it
    bool in_model;   // in the model's own vocabulary: NORMAL, and some of the others
    bool normalized; // ADDED, SPECIAL: looked for in the second round
} VocabToken;

typedef struct VocabStep {
    enum PkgBehaviour behaviour;
    int start; // its first node in regexes
} VocabStep;

typedef struct Vocab {
    Arena *arena;
    const char *path; // of the file it comes from
    int rows;           // of the model: ids lie below
    VocabToken *tokens; // [rows]
    int n;              // 1 + the highest id in use
    int *slots;         // [slot_mask + 1] hash of the texts: id + 1, 0 empty
    uint32_t slot_mask;
    VEC(PkgMerge) merges; // in order of rank
    uint32_t *pairs;      // [pair_mask + 1] hash of the pairs: rank + 1, 0 empty
    uint32_t pair_mask;
    enum PkgModel model;
    const double *scores;    // [rows] UNIGRAM: of all tokens
    double unknown_score;    // of a character that no token has
    bool score_floats;       // UNIGRAM: as SentencePiece adds them
    Charsmap map;            // how characters are rewritten
    const Mapping *mapping;  // NULL, or the same by code points
    bool single_words;       // added tokens have TOKEN_SINGLE
    bool squeeze;            // blanks at the ends and all but one of several go
    enum Letters letters;
    enum PkgSymbols symbols;
    Regexes *regexes;
    VEC(VocabStep) steps; // of splitting
    uint32_t prefix;  // PREFIX_*
    bool prepends;    // the prefix is Hugging Face's Prepend, which stands in front of normalized added tokens too
    int bos, unknown; // -1: none
    bool fuse_unknown, whole_words, byte_fallback;
    Form form;               // of Unicode, to which the text is brought
    uint32_t strips;         // STRIP_*
    uint32_t eos[REQUEST_EOS];
    int eos_count;
} Vocab;

// `tokens`: the most that will be added; `path`: of the file, for messages.
Vocab *vocab_new(Arena *a, const char *path, int rows, int tokens);

// Called before vocab_add_merge: the most that will be added.
void vocab_expect_merges(Vocab *v, int merges);

// Adds a token; id in [0, rows). NULL, or what is wrong with it.
const char *vocab_add(Vocab *v, int id, VocabToken token);

// The same by a token's type in SentencePiece or GGUF. Sets byte_fallback if it is a byte.
enum { PIECE_NORMAL = 1, PIECE_UNKNOWN, PIECE_CONTROL, PIECE_USER, PIECE_UNUSED, PIECE_BYTE };
const char *vocab_add_piece(Vocab *v, int id, int64_t type, const char *text, size_t bytes);

// The id of a text, or -1.
int vocab_find(const Vocab *v, const char *text, size_t bytes);

// Adds the merge of the next rank. NULL, or what is wrong with it.
const char *vocab_add_merge(Vocab *v, const char *left, size_t left_bytes, const char *right, size_t right_bytes);
// The same from "left right", with one space. NULL, or what is wrong with it.
const char *vocab_add_merge_text(Vocab *v, const char *text, size_t bytes);

// Makes the merges of SentencePiece's BPE: any two tokens that spell a third, in order of the third one's score (the
// highest first; equal ones from left to right). scores[n]. NULL, or why these tokens cannot be merged so.
const char *vocab_merge_by_scores(Vocab *v, const float *scores);

// Where no merge makes a token in which a blank stands behind another character, text may be cut there and gives the same
// ids: adds the step that does, which makes words short.
void vocab_split_at_blanks(Vocab *v);

// Makes a unigram of the scores, as SentencePiece does. users[n]: the tokens of the user's, which always win.
void vocab_use_scores(Vocab *v, const float *scores, const bool *users);

// Whether a text is that of a byte, "<0x0A>", as SentencePiece writes it; *byte is set then.
bool vocab_is_byte(const char *text, size_t bytes, uint8_t *byte);

// The bytes that a token stands for, in out[t->bytes]; returns how many.
size_t vocab_token_bytes(const Vocab *v, const VocabToken *t, uint8_t *out);

// Adds a step of splitting by an expression. NULL, or what is wrong with it.
const char *vocab_add_step(Vocab *v, enum PkgBehaviour behaviour, const char *pattern, size_t bytes,
                           enum Dialect dialect);

// Adds a step whose first node is known.
const char *vocab_add_step_at(Vocab *v, enum PkgBehaviour behaviour, int start);

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

// Lays the tables out. Error: TOKENIZER.
void vocab_write_tables(const Vocab *v, Tokenizer *out);

// tokenizer.json of a folder: the tokens, merges and rules; NULL and *why_not for a kind that is not byte-level BPE.
Vocab *vocab_read_json(Arena *a, const Model *m, Json root, const char **why_not);

// tokenizer.model of a folder: SentencePiece's protobuf. NULL and *why_not for a kind that is not supported.
Vocab *vocab_read_model(Arena *a, const Model *m, const char *path, Bytes file, const char **why_not);

// The list of tiktoken: base64 and ranks, in tokenizer.model or a .tiktoken file. Error: TOKENIZER.
bool vocab_is_tiktoken(Bytes file);
Vocab *vocab_read_tiktoken(Arena *a, const Model *m, const char *path, Bytes file);

// tekken.json. Errors: TOKENIZER, JSON_KEY.
Vocab *vocab_read_tekken(Arena *a, const Model *m, const char *path, Bytes file);

// Makes of tokens `first` to n - 1 what tiktoken makes of its ranks: merges in the order of ids, a rule of splitting.
void vocab_add_ranked(Vocab *v, const char *path, const char *rule, size_t rule_bytes, int first);

// The entries of added_tokens_decoder in tokenizer_config.json and of added_tokens.json, for a tokenizer.model.
void vocab_read_added(Vocab *v, Json config, Json added);

// One added token, as tokenizer.json has them. Error: TOKENIZER.
void vocab_add_added(Vocab *v, Json token, int64_t id);

// What an added token that is `normalized` is looked for as. Error: TOKENIZER.
const char *vocab_normalized(const Vocab *v, const VocabToken *t);

// Refuses a member of `object` that is not known. Error: TOKENIZER.
void vocab_check_keys(Json object, const char *what, const char *const *known, int n);

// The rules beside the model part of tokenizer.json: pre, bos. Errors: TOKENIZER, PRE_TOKENIZER.
void vocab_read_rules(Vocab *v, Json root);

// bos and eos as tokenizer_config.json and special_tokens_map.json have them; either may be absent (node NULL).
// Errors: TOKENIZER, PRE_TOKENIZER.
void vocab_read_config(Vocab *v, Json config, Json map);

// The same for the metadata of a GGUF file.
Vocab *vocab_read_gguf(Arena *a, const Model *m, const char **why_not);
