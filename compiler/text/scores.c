// scores.c: what SentencePiece makes of the scores of its tokens: merges, or a unigram.
#include "vocab.h"

#include "../base/str.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Scored {
    float score;
    int id;
} Scored;

static int highest_first(const void *a, const void *b)
{
    const Scored *x = a, *y = b;
    if (x->score != y->score)
        return x->score < y->score ? 1 : -1;
    return x->id < y->id ? -1 : x->id > y->id;
}

// The id of a text that a merge may take or make, or -1.
static int find_mergeable(const Vocab *v, const char *text, size_t bytes)
{
    const int id = vocab_find(v, text, bytes);
    return id >= 0 && v->tokens[id].in_model && v->tokens[id].type == TOKEN_NORMAL && !v->tokens[id].is_byte ? id : -1;
}

// Bytes of the symbol that begins a text: a byte, or a code point of well-formed UTF-8.
static size_t symbol_bytes(const Vocab *v, const char *text, size_t bytes)
{
    size_t n = 1;
    while (v->symbols == PKG_SYMBOLS_CODES && n < bytes && ((uint8_t)text[n] & 0xc0) == 0x80)
        ++n;
    return n;
}

// All the pairs that make a token. SentencePiece makes unused tokens too, and takes them apart again at the end.
static const char *add_pairs(Vocab *v, int id, uint32_t rank)
{
    const VocabToken *t = &v->tokens[id];
    const bool unused = t->type == TOKEN_UNUSED;
    for (size_t at = 0, n; at < t->bytes; at += n) {
        n = symbol_bytes(v, t->text + at, t->bytes - at);
        if (!unused && find_mergeable(v, t->text + at, n) < 0 && n < t->bytes)
            return str_format(v->arena, "token %d, \"%s\", has a character that is no token by itself", id,
                              str_copy(v->arena, t->text, t->bytes < 60 ? t->bytes : 60));
        const int left = find_mergeable(v, t->text, at);
        const int right = at ? find_mergeable(v, t->text + at, t->bytes - at) : -1;
        const PkgMerge m = { (uint32_t)left, (uint32_t)right, rank, (uint32_t)id };
        if (unused && left >= 0 && right >= 0)
            return str_format(v->arena, "token %d is unused, but merging can make it: not supported", id);
        if (left >= 0 && right >= 0)
            vec_push(v->arena, &v->merges, m);
    }
    return NULL;
}

const char *vocab_merge_by_scores(Vocab *v, const float *scores)
{
    Scored *order = arena_alloc(v->arena, ((size_t)v->n + 1) * sizeof *order);
    int n = 0;
    for (int id = 0; id < v->n; ++id) {
        const VocabToken *t = &v->tokens[id];
        if (!t->text || !t->in_model || (t->type != TOKEN_NORMAL && t->type != TOKEN_UNUSED) || t->is_byte)
            continue;
        if (scores[id] != scores[id])
            return str_format(v->arena, "the score of token %d is not a number", id);
        order[n++] = (Scored){ scores[id], id };
    }
    qsort(order, (size_t)n, sizeof *order, highest_first);
    uint32_t rank = 0;
    for (int i = 0; i < n; ++i) {
        rank += i > 0 && order[i].score != order[i - 1].score;
        const char *wrong = add_pairs(v, order[i].id, rank);
        if (wrong)
            return wrong;
    }
    return NULL;
}

void vocab_use_scores(Vocab *v, const float *scores, const bool *users)
{
    double *all = arena_alloc(v->arena, (size_t)v->rows * sizeof *all); // tokens may be added behind these
    float low = INFINITY, high = FLT_MIN; // of all scores below 0 the highest is that, in SentencePiece as well
    for (int id = 0; id < v->n; ++id) {
        const VocabToken *t = &v->tokens[id];
        if (!t->text || t->type != TOKEN_NORMAL || t->is_byte || users[id])
            continue;
        low = scores[id] < low ? scores[id] : low;
        high = scores[id] > high ? scores[id] : high;
    }
    for (int id = 0; id < v->n; ++id)
        all[id] = users[id] ? (double)((float)v->tokens[id].bytes * high) - 0.1 : (double)scores[id];
    v->scores = all;
    v->unknown_score = (double)(low - 10.0f);
    v->score_floats = true;
    v->model = PKG_UNIGRAM;
}

void vocab_split_at_blanks(Vocab *v)
{
    static const char rule[] = " +[^ ]*|[^ ]+";
    if (v->letters != LETTERS_BLANKS || v->model != PKG_MERGES || v->steps.n || v->whole_words)
        return;
    for (int i = 0; i < v->merges.n; ++i) {
        const VocabToken *t = &v->tokens[v->merges.at[i].merged];
        uint8_t *bytes = arena_alloc(v->arena, t->bytes + 1);
        const size_t n = vocab_token_bytes(v, t, bytes);
        for (size_t k = 1; k < n; ++k)
            if (bytes[k] == ' ' && bytes[k - 1] != ' ')
                return;
    }
    vocab_add_step(v, PKG_ISOLATED, rule, strlen(rule), DIALECT_RUST);
}
