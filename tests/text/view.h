// view.h: a tokenizer of this folder, opened as a program opens it.
#pragma once
#include "../../compiler/text/tokenizer.h"
#include "../../runtime/tokenizer.h"
#include "../test.h"

static inline TokenizerView view_of(Arena *a, const char *folder)
{
    const Model m = { .source = MODEL_FOLDER, .path = folder, .vocab = 600 };
    const Tokenizer *t = tokenizer_load(a, &m);
    TokenizerView v = { 0 };
    if (!t->tables || !tokenizer_open(&v, t->tables, t->bytes)) {
        printf("%s: no tables\n", folder);
        exit(1);
    }
    return v;
}

static inline void sink_to_str(void *context, const char *text, size_t bytes)
{
    str_add_bytes(context, text, bytes);
}
