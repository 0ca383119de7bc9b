// regex_parse.h: Pattern: a regular expression as a tree.
#pragma once
#include "regex.h"

typedef enum PatternKind { PATTERN_SET, PATTERN_LOOK, PATTERN_ALL, PATTERN_ANY, PATTERN_REPEAT } PatternKind;
typedef enum Greed { GREEDY, LAZY, POSSESSIVE } Greed;

typedef struct Pattern {
    PatternKind kind;
    CharSet set; // SET: one of these code points; LOOK: one of these stands behind, or with `end` the end does
    bool end;
    VEC(struct Pattern *) parts; // ALL: one after the other; ANY: the first that can; REPEAT: one part
    int min, max;                // REPEAT; max -1: no limit
    Greed greed;
} Pattern;

// NULL and *wrong, or the tree.
const Pattern *pattern_parse(const Unicode *u, const char *text, size_t bytes, enum Dialect dialect,
                             const char **wrong);
