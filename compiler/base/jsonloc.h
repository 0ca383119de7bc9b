// jsonloc.h: the grammar of JSON with positions, which cJSON does not keep.
#pragma once
#include "diag.h"

#include <stddef.h>

enum { JSON_DEPTH = 200 }; // deepest nesting that is read

// The way from the root to a value: at each level the index of the member or element, from 0.
typedef struct JsonWay {
    int steps, index[JSON_DEPTH];
} JsonWay;

typedef struct JsonSpan {
    size_t at, bytes;         // the value
    size_t key_at, key_bytes; // its key with the quotes; bytes 0 for elements and the root
} JsonSpan;

// Checks the whole text against RFC 8259. NULL: it conforms; else what is wrong, with its place in *at.
const char *json_grammar(const char *text, size_t bytes, size_t *at);

// The place of the value at the end of `way`, in a text that conforms.
JsonSpan json_find(const char *text, size_t bytes, const JsonWay *way);
