// vocab.c: tokens and merges, found by their text.
#include "vocab.h"

#include "../base/str.h"

#include <string.h>

// Slots of a hash table for n entries: a power of two, at most two thirds full.
static uint32_t slots_for(int n)
{
    uint32_t slots = 4;
    while ((int64_t)slots * 2 < (int64_t)n * 3)
        slots *= 2;
    return slots;
}

Vocab *vocab_new(Arena *a, const char *path, int rows, int tokens)
{
    Vocab *v = arena_alloc(a, sizeof *v);
    *v = (Vocab){ .arena = a,
                  .path = path,
                  .rows = rows,
                  .model = PKG_MERGES,
                  .map = { .growth = 1 },
                  .symbols = PKG_SYMBOLS_BYTES,
                  .bos = -1,
                  .unknown = -1 };
    v->tokens = arena_alloc(a, (size_t)rows * sizeof *v->tokens);
    v->slot_mask = slots_for(tokens) - 1;
    v->regexes = regex_new(a);
    v->slots = arena_alloc(a, ((size_t)v->slot_mask + 1) * sizeof *v->slots);
    return v;
}

void vocab_expect_merges(Vocab *v, int merges)
{
    v->pair_mask = slots_for(merges) - 1;
    v->pairs = arena_alloc(v->arena, ((size_t)v->pair_mask + 1) * sizeof *v->pairs);
}

// The slot of the text, or the empty one where it belongs.
static uint32_t slot_of(const Vocab *v, const char *text, size_t bytes)
{
    uint32_t slot = (uint32_t)str_hash(STR_HASH_SEED, text, bytes) & v->slot_mask;
    for (; v->slots[slot]; slot = (slot + 1) & v->slot_mask) {
        const VocabToken *t = &v->tokens[v->slots[slot] - 1];
        if (t->bytes == bytes && memcmp(t->text, text, bytes) == 0)
            break;
    }
    return slot;
}

int vocab_find(const Vocab *v, const char *text, size_t bytes)
{
    return v->slots[slot_of(v, text, bytes)] - 1;
}

// For a message: at most 60 bytes of a text.
static const char *shown(const Vocab *v, const char *text, size_t bytes)
{
    return str_format(v->arena, "\"%s%s\"", str_copy(v->arena, text, bytes < 60 ? bytes : 60), bytes < 60 ? "" : "...");
}

const char *vocab_add(Vocab *v, int id, VocabToken token)
{
    if (v->tokens[id].text)
        return str_format(v->arena, "token %s has id %d, which %s has already", shown(v, token.text, token.bytes), id,
                          shown(v, v->tokens[id].text, v->tokens[id].bytes));
    const uint32_t slot = slot_of(v, token.text, token.bytes);
    if (v->slots[slot])
        return str_format(v->arena, "token %s has two ids, %d and %d", shown(v, token.text, token.bytes),
                          v->slots[slot] - 1, id);
    v->slots[slot] = id + 1;
    v->tokens[id] = token;
    v->n = id + 1 > v->n ? id + 1 : v->n;
    return NULL;
}

// Marks the pair as known. False: it was known already.
static bool remember_pair(Vocab *v, uint32_t left, uint32_t right)
{
    uint32_t slot = package_merge_slot(left, right, v->pair_mask + 1);
    for (; v->pairs[slot]; slot = (slot + 1) & v->pair_mask) {
        const PkgMerge *m = &v->merges.at[v->pairs[slot] - 1];
        if (m->left == left && m->right == right)
            return false;
    }
    v->pairs[slot] = (uint32_t)v->merges.n + 1;
    return true;
}

const char *vocab_add_merge(Vocab *v, const char *left, size_t left_bytes, const char *right, size_t right_bytes)
{
    const char *parts[3] = { left, right, NULL };
    const size_t bytes[3] = { left_bytes, right_bytes, left_bytes + right_bytes };
    char *both = arena_alloc(v->arena, bytes[2] + 1);
    memcpy(both, left, left_bytes);
    memcpy(both + left_bytes, right, right_bytes);
    parts[2] = both;
    int id[3];
    for (int i = 0; i < 3; ++i) {
        id[i] = vocab_find(v, parts[i], bytes[i]);
        if (id[i] < 0 || !v->tokens[id[i]].in_model)
            return str_format(v->arena, "merge %d is of %s and %s: %s is not in the vocabulary", v->merges.n,
                              shown(v, left, left_bytes), shown(v, right, right_bytes), shown(v, parts[i], bytes[i]));
    }
    if (!remember_pair(v, (uint32_t)id[0], (uint32_t)id[1]))
        return str_format(v->arena, "merge %d is of %s and %s: an earlier merge is of the same two", v->merges.n,
                          shown(v, left, left_bytes), shown(v, right, right_bytes));
    const PkgMerge m = { (uint32_t)id[0], (uint32_t)id[1], (uint32_t)v->merges.n, (uint32_t)id[2] };
    vec_push(v->arena, &v->merges, m);
    return NULL;
}

const char *vocab_add_merge_text(Vocab *v, const char *text, size_t bytes)
{
    const char *space = memchr(text, ' ', bytes);
    const size_t left = space ? (size_t)(space - text) : bytes;
    if (!space || memchr(space + 1, ' ', bytes - left - 1))
        return str_format(v->arena, "merge %d is %s: two texts with one space between were expected", v->merges.n,
                          shown(v, text, bytes));
    return vocab_add_merge(v, text, left, space + 1, bytes - left - 1);
}

const char *vocab_add_step_at(Vocab *v, enum PkgBehaviour behaviour, int start)
{
    const VocabStep step = { behaviour, start };
    vec_push(v->arena, &v->steps, step);
    return v->steps.n > PKG_STEPS ? str_format(v->arena, "over %d steps of splitting are not supported", PKG_STEPS)
                                  : NULL;
}

const char *vocab_add_step(Vocab *v, enum PkgBehaviour behaviour, const char *pattern, size_t bytes,
                           enum Dialect dialect)
{
    int start = 0;
    const char *wrong = regex_add(v->regexes, pattern, bytes, dialect, &start);
    return wrong ? wrong : vocab_add_step_at(v, behaviour, start);
}

void vocab_add_eos(Vocab *v, int64_t id)
{
    if (id < 0 || id >= v->rows)
        return;
    for (int i = 0; i < v->eos_count; ++i)
        if (v->eos[i] == (uint32_t)id)
            return;
    v->eos[v->eos_count++] = (uint32_t)id;
}
