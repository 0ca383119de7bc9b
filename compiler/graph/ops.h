// ops.h: the table of operations: name, operands with their access, meaning.
//
// Access says which part of an operand one task touches, so that plan_check can prove who reads what:
//   all   the whole tensor                      rows  the task's output rows of it
//   cols  the task's columns (K-slice) of it    part  the slot [part] of a tensor that has one slot a part
//   head  what belongs to the task's K/V head   row   one row, picked by a value at run time
// A '?' marks an operand that may be absent. Inputs first, then outputs.
#pragma once

// OP(kind, name, inputs, outputs, meaning)
#define OP_TABLE(OP) \
    OP(EMBED,  "embed",  "id:all table:row",                                   "y:rows",            "y = table[id]") \
    OP(NORM,   "norm",   "x:all gain:all",                                     "y:all",             "y = x / rms(x) * gain") \
    OP(GEMV,   "gemv",   "x:all w:rows w2:rows? w3:rows? gain:all? plus:rows?", "y:rows best:part?", "y = [w; w2; w3] norm(x, gain) + plus") \
    OP(ROPE,   "rope",   "x:all angles:row",                                   "y:all",             "y = x turned by position * frequency") \
    OP(STORE,  "store",  "k:all v:all",                                        "kept:head",         "kept[position] = k, v") \
    OP(ATTEND, "attend", "q:head k:head? v:head? cache:head angles:row?",      "y:part kept:head?",  "y = softmax(q K^T / sqrt(d)) V over one part") \
    OP(ADD,    "add",    "a:rows b:rows",                                      "y:rows",            "y = a + b") \
    OP(GLU,    "glu",    "a:rows b:rows",                                      "y:rows",            "y = silu(a) * b") \
    OP(GATED,  "gated",  "x:all gain:all gate:rows up:rows",                   "y:rows",            "y = silu(gate x') * up x', x' = norm(x, gain)") \
    OP(FFN,    "ffn",    "x:all gain:all gate:rows up:rows down:cols",         "y:part",            "y[part] = down[:, rows] (silu(gate x') * up x'), x' = norm(x, gain)") \
    OP(REDUCE, "reduce", "parts:rows plus:rows",                               "y:rows",            "y = plus + sum of parts") \
    OP(SELECT, "select", "best:all logits:rows",                               "next:all",          "next = argmax, ties to the lowest; or drawn")

#define OP_ENUM(kind, name, inputs, outputs, meaning) OP_##kind,
typedef enum OpKind { OP_TABLE(OP_ENUM) OP_KINDS } OpKind;
#undef OP_ENUM

typedef enum Access { ACCESS_NONE, ACCESS_ALL, ACCESS_ROWS, ACCESS_COLS, ACCESS_PART, ACCESS_HEAD, ACCESS_ROW } Access;

enum { OP_IN = 12, OP_OUT = 4 };

// What the table says of one kind, taken apart.
typedef struct OpInfo {
    const char *name, *meaning;
    int inputs, outputs;
    char slot[OP_IN + OP_OUT][12]; // inputs, then outputs
    Access access[OP_IN + OP_OUT];
    char optional[OP_IN + OP_OUT];
} OpInfo;

OpInfo op_info(OpKind kind);

// The position of a named slot: input i is i, output i is OP_IN + i (as in Op.in, Op.out); -1: no such slot.
int op_slot(OpKind kind, const char *slot);
