// emit.h: the tree of a chat template into bytecode (runtime/template_code.h).
#pragma once
#include "scope.h"

#include "../../runtime/template_code.h"

typedef struct Function {
    Str code;
    VEC(PkgLine) lines;
    VEC(uint32_t) slots; // names, as string numbers
    int outer;
    uint32_t parameters, flags, name; // name: string number + 1, or 0
} Function;

typedef struct TextPart {
    const char *text;
    uint32_t bytes;
} TextPart;

// A loop whose body is being written.
typedef struct LoopPlace {
    struct LoopPlace *outer; // in the same function
    uint32_t next;           // where it goes on
    VEC(uint32_t) leaves;    // jumps behind it that are to be filled in
    int captures;            // open when it began
} LoopPlace;

typedef struct Emitter {
    const ChatText *c;
    VEC(Function) functions;
    VEC(TextPart) strings;
    int *slots; // [slot_mask + 1] hash of the strings: number + 1, 0 free
    uint32_t slot_mask;
    int function; // that code goes to
    Scope *scope;
    LoopPlace *loop;
    int captures; // open in this function
    int depth;
} Emitter;

// ---- emit_code.c: instructions
uint32_t emit_string_number(Emitter *e, const char *text, uint32_t bytes);
void emit_op(Emitter *e, const Node *at, enum TemplateOp op);
void emit_number(Emitter *e, uint64_t n);
void emit_with(Emitter *e, const Node *at, enum TemplateOp op, uint64_t n);
void emit_text(Emitter *e, const Node *at, enum TemplateOp op, const char *text, uint32_t bytes);
uint32_t emit_here(Emitter *e);                                        // offset in the function
uint32_t emit_jump(Emitter *e, const Node *at, enum TemplateOp op);    // to be filled in
void emit_fill(Emitter *e, uint32_t jump);                             // it goes to here
void emit_jump_to(Emitter *e, const Node *at, enum TemplateOp op, uint32_t to);
int emit_slot(Emitter *e, const char *name);                           // a new one of this function
void emit_load(Emitter *e, const Node *at, const char *name, Scope *from, bool raw);
void emit_store(Emitter *e, const Node *at, const char *name);
void emit_enter(Emitter *e, const Node *at, Scope *s);                 // slots of a scope, and what they begin with
void emit_deeper(Emitter *e, const Node *n);

// ---- emit_expr.c, emit_call.c
void emit_expression(Emitter *e, const Node *n);
void emit_call(Emitter *e, const Node *n, bool with_caller); // with_caller: a macro is on the stack, for the name `caller`
void emit_filter(Emitter *e, const Node *n, bool has_value); // has_value: it is on the stack
void emit_test(Emitter *e, const Node *n);
void emit_target(Emitter *e, const Node *target); // stores the value on the stack

// ---- emit.c
void emit_statements(Emitter *e, const Nodes *list);
int emit_function(Emitter *e, const char *name); // a new one inside the current one, which becomes the current one
