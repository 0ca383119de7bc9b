// gguf.h: Gguf: metadata and tensor directory of a GGUF file, every length checked against the file before it is used.
#pragma once
#include "../base/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Gguf Gguf;

// The numbers that the file itself uses.
typedef enum GgufType {
    GGUF_U8, GGUF_I8, GGUF_U16, GGUF_I16, GGUF_U32, GGUF_I32, GGUF_F32, GGUF_BOOL, GGUF_STRING, GGUF_ARRAY, GGUF_U64,
    GGUF_I64, GGUF_F64, GGUF_TYPES
} GgufType;

// Bytes of the mapped file, not ended by a zero byte; they may hold anything.
typedef struct GgufText {
    const char *at;
    size_t bytes;
} GgufText;

typedef struct GgufTensor {
    const char *name; // as in the file: "blk.0.attn_q.weight"
    int type;         // GGUF type number, for format_of_gguf and format_gguf_name
    int rank;
    int64_t dims[4];     // innermost first, as in the file; 1 behind the rank
    const uint8_t *data; // mapped; NULL: the type is not read here
    Loc at;              // its entry in the directory
} GgufTensor;

// Maps and checks a file: magic, version 2 or 3, every key and value, every tensor inside the file, one part only.
// Errors: FILE_*, GGUF, GGUF_VERSION, GGUF_KEY.
const Gguf *gguf_open(Arena *a, const char *path);

// The same check for a tensor of any type but the ones read here, which it refuses by name. Error: TENSOR_TYPE.
void gguf_want_formats(const Gguf *g);

int gguf_tensors(const Gguf *g);
const GgufTensor *gguf_tensor(const Gguf *g, int i);
const GgufTensor *gguf_find_tensor(const Gguf *g, const char *name); // NULL: none

// Keys in file order, for i in [0, gguf_keys).
int gguf_keys(const Gguf *g);
const char *gguf_key(const Gguf *g, int i);

bool gguf_has(const Gguf *g, const char *key);
Loc gguf_loc(const Gguf *g, const char *key); // of the key's entry; the whole file when it is absent
const char *gguf_path(const Gguf *g);

// The type of a value, GGUF_TYPES when the key is absent; and the type of an array's elements.
GgufType gguf_type(const Gguf *g, const char *key);
GgufType gguf_element(const Gguf *g, const char *key);

// Values. A value of another kind or out of [low, high] is error GGUF_KEY; so is an absent one, but for *_or.
// Whole numbers of any width count as integers, F32 and F64 (and integers) as doubles.
int64_t gguf_int(const Gguf *g, const char *key, int64_t low, int64_t high);
int64_t gguf_int_or(const Gguf *g, const char *key, int64_t low, int64_t high, int64_t otherwise);
double gguf_double(const Gguf *g, const char *key, double low, double high);
double gguf_double_or(const Gguf *g, const char *key, double low, double high, double otherwise);
bool gguf_bool_or(const Gguf *g, const char *key, bool otherwise);
const char *gguf_str_or(Arena *a, const Gguf *g, const char *key, const char *otherwise); // a zero byte inside: error

// Arrays, converted into the arena: strings, whole numbers (or bools), floats. Absent: NULL and *n 0; an empty array is not
// NULL. An array of another kind is error GGUF_KEY.
const GgufText *gguf_texts(Arena *a, const Gguf *g, const char *key, int *n);
const int64_t *gguf_ints(Arena *a, const Gguf *g, const char *key, int *n);
const float *gguf_floats(Arena *a, const Gguf *g, const char *key, int *n);
