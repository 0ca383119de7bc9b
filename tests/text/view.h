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

// Whether what the ids of a text decode to is that text; with SentencePiece blanks for U+2581, and maybe one in front.
static inline bool is_same_text(const TokenizerView *v, const char *decoded, size_t n, const char *text, size_t bytes)
{
    size_t at = 0;
    if (v->head->prefix && n && decoded[0] == ' ' && (!bytes || n > bytes || memcmp(decoded, text, n) != 0)) {
        const size_t more = bytes && (text[0] == ' ' || (bytes >= 3 && memcmp(text, "\xe2\x96\x81", 3) == 0));
        at = !(more && v->head->prefix & PREFIX_NOT_BLANK);
    }
    for (size_t i = 0; i < bytes; ++i, ++at) {
        const bool blank = v->head->blanks && bytes - i >= 3 && memcmp(text + i, "\xe2\x96\x81", 3) == 0;
        if (at == n || decoded[at] != (blank ? ' ' : text[i]))
            return false;
        i += blank ? 2 : 0;
    }
    return at == n;
}

// Whether nothing of a text is changed or left out on its way to ids but for blanks.
static inline bool keeps_text(const TokenizerView *v, const uint8_t *text, size_t bytes)
{
    bool ascii = true, drops = v->head->squeeze || v->head->strips || v->head->rewrite_cells;
    for (size_t i = 0; i < bytes; ++i)
        ascii &= text[i] < 0x80;
    for (uint32_t i = 0; i < v->head->steps; ++i)
        drops |= v->head->step[i].behaviour == PKG_KEPT || v->head->step[i].behaviour == PKG_REMOVED;
    return !drops && (ascii || !v->head->form);
}
