// scope.h: which variable a name of a chat template means: the scopes of Jinja.
#pragma once
#include "syntax.h"

// What a variable holds when its scope begins.
typedef enum SymbolLoad {
    LOAD_PARAMETER, // what the loop or the call put there
    LOAD_OUTSIDE,   // the variable of that name given to the template
    LOAD_ALIAS,     // the value of the same name in the scope around it
    LOAD_NOTHING,   // nothing
} SymbolLoad;

typedef struct Symbol {
    const char *name;
    SymbolLoad load;
    bool stored; // somewhere in the scope
    int slot;    // in the function's frame; -1: none is needed, it always is what was given to the template
} Symbol;

typedef struct Scope {
    struct Scope *parent; // NULL: the whole template
    int function;
    VEC(Symbol) symbols;
} Scope;


Scope *scope_new(Arena *a, Scope *parent, int function);
void scope_declare(Arena *a, Scope *s, const char *name); // a parameter
Symbol *scope_symbol(Scope *s, const char *name);         // of this scope alone; NULL: none
Scope *scope_of(Scope *s, const char *name);              // the scope from this one outward that has the name; NULL: none

// Names of statements, or of one node, that stand in this scope itself.
void scope_add_statements(const ChatText *c, Scope *s, const Nodes *statements);
void scope_add(const ChatText *c, Scope *s, const Node *n);
void scope_add_parameters(const ChatText *c, Scope *s, const Node *target); // names of a loop's target

// Whether the statements read one of the names before they store it, in any scope inside.
bool scope_reads(const ChatText *c, const Nodes *statements, const char *name);
// The first place inside the node that stores the name; NULL: none.
const Node *scope_stores(const ChatText *c, const Node *n, const char *name);
