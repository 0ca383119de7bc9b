// automaton.h: Automaton: expressions as one table of states and classes of code points, as the program walks it.
#pragma once
#include "regex.h"

#include "../../runtime/package_text.h"

typedef struct Automaton {
    int classes;           // of code points; the end of the text is one more
    uint8_t *class_of;     // [CODE_POINTS]
    VEC(uint32_t) samples; // [classes] a code point of each
    VEC(uint16_t) moves;   // [states][classes + 1]: next state << 1 | whether a match ends before this code point
    int states;            // state 0: nothing can match any more
} Automaton;

// An automaton without states; white space is a union of its classes, whatever the expressions are.
Automaton *automaton_new(Regexes *r);

// Adds the states of an expression that starts at `node`; returns its first state, or -1: there are too many.
int automaton_add(Automaton *a, const Regexes *r, int node);
