// regex.h: the regular expressions that split texts, as graphs.
#pragma once
#include "charset.h"

// A graph is walked from its start; where a node leads to two, the way by `next` counts if it comes to MATCH at all.
typedef enum NodeKind {
    NODE_CHAR,   // takes a code point that is in the set
    NODE_SPLIT,  // goes on by next, or else by other
    NODE_ASSERT, // goes on if the code point behind is in the set, which is not taken; with `end`, at the end too
    NODE_MATCH,
} NodeKind;

typedef struct RegexNode {
    NodeKind kind;
    int set; // CHAR, ASSERT: index into Regexes.sets
    bool end;
    int next, other;
} RegexNode;

// Several expressions, whose nodes lie in one list.
typedef struct Regexes {
    const Unicode *unicode;
    VEC(CharSet) sets; // each once
    VEC(RegexNode) nodes;
} Regexes;

Regexes *regex_new(Arena *a);

// Whose `$` it is: Oniguruma's, which Hugging Face's tokenizers use, stands before every line feed and at the end; that
// of tiktoken (Rust) at the end alone.
enum Dialect { DIALECT_ONIGURUMA, DIALECT_RUST };

// Adds an expression of the kind that Hugging Face's tokenizers, tiktoken and llama.cpp write: | () (?:) (?i:) [] . \s
// \S \d \D \p \P, quantifiers greedy, lazy and possessive, (?=X) (?!X) of one character, $. NULL and *start, its first
// node; or what is wrong with it. An expression that can match nothing is wrong.
const char *regex_add(Regexes *r, const char *pattern, size_t bytes, enum Dialect dialect, int *start);

// The same for a text that is matched literally, and for any one code point of a set.
int regex_add_literal(Regexes *r, const char *text, size_t bytes);
int regex_add_set(Regexes *r, CharSet set);
