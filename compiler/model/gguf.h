// gguf.h: Gguf: metadata and tensor directory of a GGUF file, every length checked against the file before it is used.
#pragma once
#include "../base/diag.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
    const char *name;       // as in the file: "blk.0.attn_q.weight"
    int type;               // GGUF type number, for format_of_gguf and format_gguf_name
    int rank;
    int64_t dims[4];        // innermost first, as in the file; 1 behind the rank
    int64_t offset, bytes;  // in the data; bytes 0: the type is not read here
    const uint8_t *data;    // mapped; NULL: the type is not read here
    Loc at;                 // its entry in the directory
} GgufTensor;

// One key and where its value lies.
typedef struct GgufEntry {
    const char *key;
    GgufType type, element; // element: of an array
    int64_t count;          // elements of an array, else 1
    int64_t at, value_at;   // offsets of the entry, and of the value or an array's first element
} GgufEntry;

typedef struct Gguf {
    Arena *arena;
    const char *path;
    const uint8_t *bytes; // the mapped file
    int64_t file_bytes;
    int version;
    int64_t alignment, data_at; // of tensors; where their data begins
    int n_entries, n_tensors;
    GgufEntry *entries;         // [n_entries], in file order
    GgufTensor *tensors;        // [n_tensors], in file order
} Gguf;

// Maps and checks a file: magic, version 2 or 3, every key and value, every tensor inside the file, one part only.
// Tensors of types that are not read here are listed without data. Errors: FILE_*, GGUF, GGUF_VERSION, GGUF_KEY.
const Gguf *gguf_open(Arena *a, const char *path);

// Refuses a file that has a tensor of a type that is not read here, by its name. Error: TENSOR_TYPE.
void gguf_want_formats(const Gguf *g);

// NULL: no tensor of that name.
const GgufTensor *gguf_find_tensor(const Gguf *g, const char *name);

bool gguf_has(const Gguf *g, const char *key);
Loc gguf_loc(const Gguf *g, const char *key); // of the key's entry; the whole file when it is absent

// The entry of a key, NULL when it is absent.
const GgufEntry *gguf_entry(const Gguf *g, const char *key);

// Values. A value of another kind or out of [low, high] is error GGUF_KEY; so is an absent one, but for *_or.
// Whole numbers of any width count as integers, F32 and F64 (and integers) as doubles.
int64_t gguf_int(const Gguf *g, const char *key, int64_t low, int64_t high);
int64_t gguf_int_or(const Gguf *g, const char *key, int64_t low, int64_t high, int64_t otherwise);
double gguf_double(const Gguf *g, const char *key, double low, double high);
double gguf_double_or(const Gguf *g, const char *key, double low, double high, double otherwise);
bool gguf_bool_or(const Gguf *g, const char *key, bool otherwise);
const char *gguf_str_or(const Gguf *g, const char *key, const char *otherwise); // a zero byte inside is an error

// Arrays, converted, in the file's arena: strings, whole numbers (or bools), floats. Absent: NULL and *n 0; an empty
// array is not NULL. An array of another kind is error GGUF_KEY.
const GgufText *gguf_texts(const Gguf *g, const char *key, int *n);
const int64_t *gguf_ints(const Gguf *g, const char *key, int *n);
const float *gguf_floats(const Gguf *g, const char *key, int *n);
