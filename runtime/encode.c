// encode.c: text to ids: added and special tokens are cut out, what lies between is split into words and merged.
#include "merge.h"
#include "normal.h"
#include "tokenizer.h"
#include "unigram.h"
#include "words.h"

#include <stdlib.h>
#include <string.h>

typedef struct Encoding {
    const TokenizerView *view;
    const TokenizerText *text;
    MergeRoom room;
    NormalRoom unigram;
    NormalRoom composed, normal, prefixed;
    uint32_t *ids;
    int64_t made;
    size_t lost;
    size_t literal; // the first literal range that does not end before what was asked for last
} Encoding;

static bool encode_words(Encoding *e, const uint8_t *text, size_t bytes)
{
    Words words = words_of(e->view, text, bytes);
    while (words_next(&words)) {
        const uint8_t *word = text + words.from;
        const size_t word_bytes = words.to - words.from;
        const int64_t n = e->view->head->model == PKG_UNIGRAM
                              ? unigram_word(e->view, &e->unigram, word, word_bytes, e->ids + e->made, &e->lost)
                              : merge_word(e->view, &e->room, word, word_bytes, e->ids + e->made, &e->lost);
        if (n < 0)
            return false;
        e->made += n;
    }
    return true;
}

// How much of [from, to) is literal. Called with ascending places.
enum Literal { LITERAL_NOT, LITERAL_PARTLY, LITERAL_WHOLE };

static enum Literal is_literal(Encoding *e, size_t from, size_t to)
{
    const TokenizerText *t = e->text;
    if (!t->special)
        return LITERAL_WHOLE;
    while (e->literal < t->literals && t->literal[e->literal].to <= from)
        ++e->literal;
    if (e->literal == t->literals || t->literal[e->literal].from >= to)
        return LITERAL_NOT;
    const TokenizerRange r = t->literal[e->literal];
    return r.from <= from && to <= r.to ? LITERAL_WHOLE : LITERAL_PARTLY;
}

// An added token in a text, with what it strips: bytes [from, to).
typedef struct Found {
    uint32_t id; // TRIE_NONE: no more of them
    size_t from, to;
} Found;

// The next added token of a round at or behind `from`. Nothing is found inside a special token that is text.
static Found find_added(Encoding *e, int round, const uint8_t *text, size_t bytes, size_t from)
{
    const TokenizerView *v = e->view;
    for (size_t at = from; v->added[round].n && at < bytes;) {
        size_t have = 0;
        const uint32_t id = trie_longest(&v->added[round], text + at, bytes - at, &have);
        if (id >= v->head->vocab) {
            ++at;
            continue;
        }
        const int type = v->types[id];
        if (type & TOKEN_SINGLE && (words_letter_before(v, text, at) || words_letter_after(v, text, at + have, bytes))) {
            at += have;
            continue;
        }
        const enum Literal literal = (type & TOKEN_KIND) == TOKEN_SPECIAL ? is_literal(e, at, at + have) : LITERAL_NOT;
        if (literal == LITERAL_NOT)
            return (Found){ id, type & TOKEN_STRIPS_LEFT ? words_space_before(v, text, from, at) : at,
                            type & TOKEN_STRIPS_RIGHT ? words_space_after(v, text, at + have, bytes) : at + have };
        at += literal == LITERAL_WHOLE ? have : 1;
    }
    return (Found){ TRIE_NONE, bytes, bytes };
}

// A part of the text.
typedef struct Section {
    const uint8_t *text;
    size_t bytes;
    bool first; // the text begins with it
} Section;

static bool encode_round(Encoding *e, int round, Section s);

// What lies between the added tokens of a round.
static bool encode_between(Encoding *e, int round, Section s)
{
    const int prefix = e->view->head->prefix;
    if (round == 0)
        return normal_text(e->view, &e->composed, &e->normal, s.first, &s.text, &s.bytes) && encode_round(e, 1, s);
    if (prefix & PREFIX_LATE && !normal_prefix(e->view, &e->prefixed, s.first, &s.text, &s.bytes))
        return false;
    return encode_words(e, s.text, s.bytes);
}

// Added tokens cut the text into sections, each of which goes on by itself.
static bool encode_round(Encoding *e, int round, Section s)
{
    for (size_t at = 0; at < s.bytes;) {
        const Found found = find_added(e, round, s.text, s.bytes, at);
        const Section between = { s.text + at, found.from - at, s.first && at == 0 };
        if (between.bytes && !encode_between(e, round, between))
            return false;
        if (found.id != TRIE_NONE)
            e->ids[e->made++] = found.id;
        at = found.to;
    }
    return true;
}

size_t tokenizer_room(const TokenizerView *v, size_t bytes)
{
    // With a prefix, two ids more for each section, of which there is one for every two bytes at most; and BOS.
    const size_t changed = bytes * v->head->form_growth * v->head->growth;
    return (v->head->prefix ? 2 * changed + 1 : changed) + 1;
}

int64_t tokenizer_encode_text(const TokenizerView *v, const TokenizerText *text, uint32_t *ids, size_t *lost)
{
    if (text->bytes > INT32_MAX)
        return -1;
    const bool bos = text->bos && v->head->bos >= 0;
    Encoding e = { .view = v, .text = text, .ids = ids + bos };
    bool done = encode_round(&e, 0, (Section){ text->text, text->bytes, true });
    merge_room_free(&e.room);
    free(e.unigram.block);
    free(e.composed.block);
    free(e.normal.block);
    free(e.prefixed.block);
    if (lost)
        *lost = e.lost;
    if (!done)
        return -1;
    if (bos && text->special && e.made && ids[1] == (uint32_t)v->head->bos) { // the text begins with it
        memmove(ids, ids + 1, (size_t)e.made * sizeof *ids);
        return e.made;
    }
    if (bos)
        ids[0] = (uint32_t)v->head->bos;
    return e.made + bos;
}

int64_t tokenizer_encode(const TokenizerView *v, const void *text, size_t bytes, bool with_bos, uint32_t *ids,
                         size_t *lost)
{
    const TokenizerText t = { .text = text, .bytes = bytes, .bos = with_bos };
    return tokenizer_encode_text(v, &t, ids, lost);
}
