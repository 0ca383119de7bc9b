// trie.c: lay a set of byte strings out as a double array.
#include "trie.h"

#include "../base/diag.h"
#include "../base/vec.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { NONE = 0xffffffff, LABELS = 257 }; // label 0: a string ends here; 1 + b: byte b

// Words [first, last), which have their first `depth` bytes in common; `cell` stands for those.
typedef struct Branch {
    uint32_t cell;
    int first, last;
    size_t depth;
} Branch;

typedef struct Builder {
    Arena *arena;
    VEC(Branch) branches;  // whose children are to be laid out
    const TrieWord *words; // sorted
    PkgTrieCell *cells;
    uint32_t n, room, first_free; // cells in use end before n; none below first_free is free
} Builder;

static int by_bytes(const void *a, const void *b)
{
    const TrieWord *x = a, *y = b;
    const int order = memcmp(x->bytes, y->bytes, x->n < y->n ? x->n : y->n);
    return order ? order : x->n < y->n ? -1 : x->n > y->n;
}

static void want_room(Builder *b, uint64_t cells)
{
    if (cells <= b->room)
        return;
    if (cells > INT32_MAX)
        error_at(NOWHERE, ERR_TOKENIZER, "the texts of the tokens are too long for one table");
    const uint32_t room = (uint32_t)cells * 2;
    PkgTrieCell *grown = arena_alloc(b->arena, room * sizeof *grown);
    memset(grown, 0xff, room * sizeof *grown);
    if (b->n)
        memcpy(grown, b->cells, b->n * sizeof *grown);
    b->cells = grown;
    b->room = room;
}

static bool is_free(const Builder *b, uint64_t cell)
{
    return cell && (cell >= b->n || b->cells[cell].parent == NONE);
}

// The lowest base at which all the labels (ascending) fall on free cells, near the first free cell.
static uint32_t find_base(Builder *b, const uint16_t *labels, int n)
{
    uint32_t tried = 0;
    while (!is_free(b, b->first_free))
        ++b->first_free;
    for (uint64_t at = b->first_free;; ++at) {
        if (at < labels[0] || !is_free(b, at))
            continue;
        const uint64_t base = at - labels[0];
        int i = 1;
        while (i < n && is_free(b, base + labels[i]))
            ++i;
        if (i == n)
            return (uint32_t)base;
        if (++tried == 1000) // crowded: do not look here again
            b->first_free = (uint32_t)at;
    }
}

// Lays out the children of a branch.
static void lay_out(Builder *b, Branch of)
{
    uint16_t labels[LABELS];
    int starts[LABELS + 1], n = 0;
    for (int w = of.first; w < of.last; ++w) {
        const TrieWord *word = &b->words[w];
        const uint16_t label = word->n == of.depth ? 0 : (uint16_t)(1 + ((const uint8_t *)word->bytes)[of.depth]);
        if (n == 0 || labels[n - 1] != label) {
            labels[n] = label;
            starts[n++] = w;
        }
    }
    starts[n] = of.last;
    const uint32_t base = find_base(b, labels, n);
    want_room(b, (uint64_t)base + LABELS);
    b->cells[of.cell].base = base;
    for (int i = 0; i < n; ++i) {
        const uint32_t child = base + labels[i];
        b->cells[child].parent = of.cell;
        b->n = child + 1 > b->n ? child + 1 : b->n;
    }
    for (int i = 0; i < n; ++i) {
        const Branch child = { base + labels[i], starts[i], starts[i + 1], of.depth + 1 };
        if (labels[i] == 0)
            b->cells[base].base = b->words[starts[i]].value;
        else
            vec_push(b->arena, &b->branches, child);
    }
}

const PkgTrieCell *trie_build(Arena *a, TrieWord *words, int n, uint32_t *n_cells)
{
    *n_cells = 0;
    if (n == 0)
        return NULL;
    qsort(words, (size_t)n, sizeof *words, by_bytes);
    Builder b = { .arena = a, .words = words, .first_free = 1 };
    want_room(&b, LABELS);
    b.n = 1;
    const Branch all = { 0, 0, n, 0 };
    vec_push(a, &b.branches, all);
    while (b.branches.n)
        lay_out(&b, b.branches.at[--b.branches.n]);
    *n_cells = b.n;
    return b.cells;
}
