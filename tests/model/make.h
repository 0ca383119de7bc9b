// make.h: the parts of make.c: scripts that write whole, broken and hostile checkpoints.
#pragma once
#include "../../compiler/base/str.h"
#include "../../compiler/base/vec.h"
#include "../../compiler/format/format.h"

typedef enum MakeKind { MAKE_TEXT, MAKE_SAFETENSORS, MAKE_GGUF } MakeKind;

typedef struct MakeTensor {
    const char *name, *type; // dtype or GGUF type, as the header says it
    int rank;
    long long dims[5];    // as the header says them, in the header's order
    long long begin, end; // data_offsets; GGUF: begin is the offset. -1: where the data lies
    Str data;
} MakeTensor;

typedef struct MakeKey {
    const char *name;
    Str bytes; // type and value
} MakeKey;

// One file that is being described.
typedef struct MakeFile {
    Arena *arena;
    MakeKind kind;
    const char *name;
    Str text; // TEXT: all of it; others: what follows the built file
    VEC(MakeTensor) tensors;
    VEC(MakeKey) keys;            // GGUF
    VEC(const char *) after;      // commands for the finished bytes: cut, patch, insert
    long long version, alignment; // GGUF
    long long n_tensors, n_keys;  // GGUF: what the head claims, -1: the truth
    const char *header_bytes;     // safetensors: what the head claims, NULL: the truth
    const char *header;           // safetensors: instead of the built header
} MakeFile;

void make_fail(const char *format, const char *what);

// Data of a tensor of the tiny model in a format: the rows in the order that the file kind has.
Str make_data(Arena *a, const char *name, const Format *f, MakeKind kind);

// One command of a GGUF or safetensors file, `words` taken apart; false: no such command.
bool make_gguf_command(MakeFile *f, char **words, int n);
Str make_gguf_bytes(MakeFile *f);
Str make_safetensors_bytes(MakeFile *f);
