// tokenizer.h: Tokenizer: the tables of a byte-level BPE, laid out as the program uses them (runtime/package.h).
#pragma once
#include "../model/model.h"

typedef struct Tokenizer {
    const void *tables; // a PkgTokenizer and what it points to by offset; NULL: no tokenizer here
    size_t bytes;
    const char *why_not; // tables NULL: "SentencePiece is not in this version", for the program's message
} Tokenizer;

// The tokenizer of a model's folder (tokenizer.json) or GGUF. Neither there: tables NULL. A kind that is not supported
// (SentencePiece): tables NULL and a note. Errors: TOKENIZER, PRE_TOKENIZER: an unknown rule of byte-level BPE.
Tokenizer *tokenizer_load(Arena *a, const Model *m);
