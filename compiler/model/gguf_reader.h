// gguf_reader.h: the reading position in a GGUF file; private to gguf.c and gguf_directory.c.
#pragma once
#include "gguf.h"

enum { GGUF_NAME_MOST_BYTES = 65535 }; // of keys, as the format says

typedef struct Reader {
    const Gguf *g;
    int64_t at;
} Reader;

Loc reader_loc(const Reader *r);

// Ends with error GGUF unless `bytes` bytes are left. `what` is what they are part of.
void reader_need(const Reader *r, uint64_t bytes, const char *what);

uint32_t reader_u32(Reader *r, const char *what);
uint64_t reader_u64(Reader *r, const char *what);

// A key or a tensor's name: 1 to GGUF_NAME_MOST_BYTES bytes, none of them zero.
const char *reader_name(Reader *r, const char *what);

// `n` counted against the bytes that are left, of which each thing takes at least `least_bytes`.
int reader_count(Reader *r, const char *what, int least_bytes);

// Reads g->n_tensors directory entries, finds where the data begins and checks that it holds every tensor.
void gguf_read_directory(Reader *r, Gguf *g);

// Refuses the second of two equal names. Sorts `names`.
typedef struct GgufName {
    const char *name;
    int64_t at;
} GgufName;
void gguf_refuse_twice(const Gguf *g, GgufName *names, int n, const char *what);
