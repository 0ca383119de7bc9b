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

// What the ids of a text decode to when nothing was left out: the text; with SentencePiece a blank in front of it, and
// blanks for U+2581. Room for bytes + 1 in out[].
static inline size_t decoded_text(const TokenizerView *v, const uint8_t *text, size_t bytes, uint8_t *out)
{
    size_t n = 0;
    for (size_t i = 0; i < bytes; ++i) {
        const bool blank = v->head->blanks && bytes - i >= 3 && memcmp(text + i, "\xe2\x96\x81", 3) == 0;
        if (i == 0 && v->head->prefix && !(v->head->prefix & PREFIX_NOT_BLANK && (blank || text[0] == ' ')))
            out[n++] = ' ';
        out[n++] = blank ? ' ' : text[i];
        i += blank ? 2 : 0;
    }
    return n;
}

// Whether nothing of a text is changed or left out on its way to ids but for blanks.
static inline bool keeps_text(const TokenizerView *v, const uint8_t *text, size_t bytes)
{
    bool ascii = true, drops = v->head->squeeze || v->head->rewrite_cells;
    for (size_t i = 0; i < bytes; ++i)
        ascii &= text[i] < 0x80;
    for (uint32_t i = 0; i < v->head->steps; ++i)
        drops |= v->head->step[i].behaviour == PKG_KEPT || v->head->step[i].behaviour == PKG_REMOVED;
    return !drops && (ascii || !v->head->compose);
}
