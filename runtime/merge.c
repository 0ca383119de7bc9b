// merge.c: byte-pair merging inside one word, in O(n log n) for a word of n bytes.
//
// The definition: as long as some neighbours have a merge, take the one of lowest rank, of these the leftmost, and
// replace both by the merged token. A heap holds (rank, position) of every pair that has a merge. Pairs that have
// changed since they were put there are recognised by their rank: a pair at one position only ever grows longer, so it
// never comes back with the same merge. Pairs of equal rank (pieces of equal score) may be taken for each other then,
// which changes nothing: rank and position are all that the order depends on.
#include "merge.h"

#include "package.h"
#include "utf8.h"

#include <stdlib.h>
#include <string.h>

enum { NONE = 0xffffffff };

typedef struct Word {
    const TokenizerView *view;
    Symbol *symbols; // [n]; id NONE: merged into the one before it
    uint64_t *heap;  // [2 n]: rank << 32 | position, the smallest first
    size_t heaped;
} Word;

static const PkgMerge *find_merge(const TokenizerView *v, uint32_t left, uint32_t right)
{
    const uint32_t slots = v->head->merge_slots;
    if (!slots)
        return NULL;
    uint32_t slot = package_merge_slot(left, right, slots);
    for (uint32_t tries = 0; tries < slots; ++tries, slot = slot + 1 < slots ? slot + 1 : 0) {
        const PkgMerge *m = &v->merges[slot];
        if (m->left == left && m->right == right)
            return m->merged < v->head->vocab ? m : NULL;
        if (m->left == NONE)
            return NULL;
    }
    return NULL;
}

static void heap_push(Word *w, uint64_t key)
{
    size_t at = w->heaped++;
    for (size_t up; at && key < w->heap[up = (at - 1) / 2]; at = up)
        w->heap[at] = w->heap[up];
    w->heap[at] = key;
}

static uint64_t heap_pop(Word *w)
{
    const uint64_t top = w->heap[0], moved = w->heap[--w->heaped];
    size_t at = 0;
    for (;;) {
        size_t down = 2 * at + 1;
        if (down >= w->heaped)
            break;
        if (down + 1 < w->heaped && w->heap[down + 1] < w->heap[down])
            ++down;
        if (moved <= w->heap[down])
            break;
        w->heap[at] = w->heap[down];
        at = down;
    }
    w->heap[at] = moved;
    return top;
}

static void push_pair(Word *w, uint32_t left)
{
    if (left == NONE || w->symbols[left].next == NONE)
        return;
    const PkgMerge *m = find_merge(w->view, w->symbols[left].id, w->symbols[w->symbols[left].next].id);
    if (m)
        heap_push(w, (uint64_t)m->rank << 32 | left);
}

// Each merge takes one key out and puts at most two in, and n symbols allow n - 1 merges: 2 n keys are never exceeded.
static void merge_all(Word *w, uint32_t n)
{
    for (uint32_t i = 0; i + 1 < n; ++i)
        push_pair(w, i);
    while (w->heaped) {
        const uint64_t key = heap_pop(w);
        const uint32_t left = (uint32_t)key, right = w->symbols[left].next;
        if (w->symbols[left].id == NONE || right == NONE)
            continue;
        const PkgMerge *m = find_merge(w->view, w->symbols[left].id, w->symbols[right].id);
        if (!m || m->rank != key >> 32)
            continue;
        w->symbols[left].id = m->merged;
        w->symbols[left].next = w->symbols[right].next;
        w->symbols[right].id = NONE;
        if (w->symbols[left].next != NONE)
            w->symbols[w->symbols[left].next].previous = left;
        push_pair(w, w->symbols[left].previous);
        push_pair(w, left);
    }
}

// The NORMAL token whose bytes these are, or NONE.
static uint32_t find_token(const TokenizerView *v, const uint8_t *text, size_t bytes)
{
    const uint32_t slots = v->head->word_slots;
    if (!slots)
        return NONE;
    uint32_t slot = (uint32_t)package_digest(text, bytes) & (slots - 1);
    for (uint32_t tries = 0; tries < slots && v->words[slot] != NONE; ++tries, slot = (slot + 1) & (slots - 1)) {
        size_t have;
        const uint8_t *token = tokenizer_bytes(v, v->words[slot], &have);
        if (have == bytes && memcmp(token, text, bytes) == 0)
            return v->words[slot];
    }
    return NONE;
}

// The symbols that a word begins as.
typedef struct Symbols {
    const TokenizerView *view;
    Symbol *at;
    uint32_t n;
    bool in_unknown; // the last one stands for an unknown part of the word
    size_t lost;
} Symbols;

static void add_symbol(Symbols *s, uint32_t id)
{
    s->at[s->n] = (Symbol){ id, s->n + 1, s->n - 1 };
    ++s->n;
}

// `bytes` bytes without a token become `unknown` or are left out, as Hugging Face's BPE does.
static void add_unknown(Symbols *s, size_t bytes)
{
    const PkgTokenizer *t = s->view->head;
    s->lost += bytes;
    if (t->unknown >= 0 && !(s->in_unknown && t->fuse_unknown))
        add_symbol(s, (uint32_t)t->unknown);
    s->in_unknown = t->unknown >= 0;
}

static void add_bytes(Symbols *s, const uint8_t *word, size_t bytes)
{
    for (size_t i = 0; i < bytes; ++i) {
        const uint32_t id = s->view->head->byte_id[word[i]];
        if (id == NONE) {
            add_unknown(s, 1);
        } else {
            add_symbol(s, id);
            s->in_unknown = false;
        }
    }
}

// A code point, or a byte that is in none.
static void add_code(Symbols *s, const uint8_t *word, size_t bytes)
{
    const uint32_t id = find_token(s->view, word, bytes);
    bool fallback = s->view->head->byte_fallback;
    for (size_t i = 0; i < bytes && fallback; ++i)
        fallback = s->view->head->byte_id[word[i]] != NONE;
    if (id == NONE && fallback) {
        add_bytes(s, word, bytes);
    } else if (id == NONE) {
        add_unknown(s, bytes);
    } else {
        add_symbol(s, id);
        s->in_unknown = false;
    }
}

static uint32_t first_symbols(const TokenizerView *v, const uint8_t *word, size_t bytes, Symbol *symbols, size_t *lost)
{
    Symbols s = { .view = v, .at = symbols };
    if (v->head->symbols == PKG_SYMBOLS_BYTES)
        add_bytes(&s, word, bytes);
    else
        for (size_t at = 0, n; at < bytes; at += n) {
            uint32_t code;
            const int taken = utf8_take(word + at, bytes - at, &code);
            n = taken > 0 ? (size_t)taken : 1;
            add_code(&s, word + at, n);
        }
    *lost += s.lost;
    if (s.n) {
        symbols[0].previous = NONE;
        symbols[s.n - 1].next = NONE;
    }
    return s.n;
}

static bool make_room(MergeRoom *room, size_t bytes, Word *w)
{
    if (bytes <= MERGE_SHORT) {
        w->symbols = room->short_symbols;
        w->heap = room->short_heap;
        return true;
    }
    const size_t wanted = bytes * (2 * sizeof *w->heap + sizeof *w->symbols);
    if (wanted > room->block_bytes) {
        free(room->block);
        room->block = malloc(wanted);
        room->block_bytes = room->block ? wanted : 0;
    }
    w->heap = room->block;
    w->symbols = (Symbol *)(w->heap + 2 * bytes);
    return room->block != NULL;
}

int64_t merge_word(const TokenizerView *v, MergeRoom *room, const uint8_t *word, size_t bytes, uint32_t *ids,
                   size_t *lost)
{
    const uint32_t whole = v->head->whole_words ? find_token(v, word, bytes) : NONE;
    if (whole != NONE) {
        ids[0] = whole;
        return 1;
    }
    Word w = { .view = v };
    if (!make_room(room, bytes, &w))
        return -1;
    const uint32_t n = first_symbols(v, word, bytes, w.symbols, lost);
    merge_all(&w, n);
    int64_t made = 0;
    for (uint32_t i = n ? 0 : NONE; i != NONE; i = w.symbols[i].next)
        ids[made++] = w.symbols[i].id;
    return made;
}

void merge_room_free(MergeRoom *room)
{
    free(room->block);
    room->block = NULL;
    room->block_bytes = 0;
}
