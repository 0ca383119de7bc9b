// diag.h: messages to the user, with their place: file:line:col, source line, caret, error number.
#pragma once
#include "arena.h"
#include "vec.h"
#include "../../runtime/errors.h"

#include <stdbool.h>
#include <stdint.h>

// A place in an input. line 0: the whole file. Binary inputs have line 0 and offset > 0 and print as file@0xOFFSET.
typedef struct Loc {
    const char *file; // NULL: no input is to blame; the message starts "llmc:"
    int line, col;    // from 1
    int width;        // bytes to underline, at least 1
    int64_t offset;
    const char *hint;  // printed after the underline, or NULL
    const char *below; // whole lines printed below the message, or NULL
} Loc;

static const Loc NOWHERE = { 0 };

Loc loc_file(const char *file);
Loc loc_offset(const char *file, int64_t offset);

// The place with a hint behind its underline ("supported: default linear llama3").
Loc loc_hint(Loc at, const char *hint);

// Prints `at: error: text [ENNNN]` with source line and caret, removes unfinished outputs, exits with the number's code.
_Noreturn void error_at(Loc at, ErrorId id, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

// `warning: text [-Wflag]`; under -Werror an error with exit code 3. Silent with -Wno-flag.
void warning_at(Loc at, const char *flag, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

// `note: text`. Silent with -q.
void note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

// Errors collected by a validator, which goes on after each.
typedef struct Diag {
    Loc at;
    ErrorId id;
    const char *text;
} Diag;

typedef struct Diags {
    Arena *arena;
    VEC(Diag) list;
} Diags;

void diag_add(Diags *d, Loc at, ErrorId id, const char *fmt, ...) __attribute__((format(printf, 4, 5)));

// Prints the first 20 (or --max-errors) and how many more there are; returns how many there were.
int diag_report(const Diags *d);

// Reports; when there was any, ends the process with the first one's exit code.
void diag_exit_if_any(const Diags *d);

// The table's entry: title, advice and exit code of an error number; NULL / 0 when there is no such number.
const char *error_title(int number);
const char *error_advice(int number);
int error_exit_code(int number);
