// automaton.c: from graphs of expressions to states that take one code point a step.
//
// A state is a list of nodes in order of preference, which all lead on from the same place of the text. Knowing the
// next code point, SPLIT and ASSERT are followed at once: those CHAR that take it give the next state; where MATCH is
// reached, a match ends before this code point, and what stands behind it in the list counts no more. So the last match
// that a walk passes is the one that a backtracking matcher finds first.
#include "automaton.h"

#include "../base/diag.h"
#include "../base/str.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_CLASSES = 250, MAX_STATES = 30000, MAX_MOVES = 1 << 20, MAX_LIST = 1000 };

// The classes: code points that are in the same sets.
Automaton *automaton_new(Regexes *r)
{
    Arena *arena = r->unicode->arena;
    Automaton *a = arena_alloc(arena, sizeof *a);
    const int n = r->sets.n + 1;
    const size_t bytes = (size_t)(n + 7) / 8;
    CharSet *sets = arena_alloc(arena, (size_t)n * sizeof *sets);
    int *at = arena_alloc(arena, (size_t)n * sizeof *at); // the range of each set that ends at or behind the code point
    uint8_t *members = arena_alloc(arena, bytes), *known = arena_alloc(arena, bytes * MAX_CLASSES);
    if (r->sets.n)
        memcpy(sets, r->sets.at, (size_t)r->sets.n * sizeof *sets);
    sets[n - 1] = charset_space(arena);
    a->class_of = arena_alloc(arena, CODE_POINTS);
    for (uint32_t code = 0, end; code < CODE_POINTS; code = end) {
        memset(members, 0, bytes);
        end = CODE_POINTS;
        for (int i = 0; i < n; ++i) {
            while (at[i] < sets[i].ranges.n && sets[i].ranges.at[at[i]].last < code)
                ++at[i];
            if (at[i] == sets[i].ranges.n)
                continue;
            const CodeRange range = sets[i].ranges.at[at[i]];
            const uint32_t border = range.first > code ? range.first : range.last + 1;
            if (range.first <= code)
                members[i / 8] |= (uint8_t)(1u << i % 8);
            end = border < end ? border : end;
        }
        int class = 0;
        while (class < a->classes && memcmp(known + bytes * (size_t) class, members, bytes) != 0)
            ++class;
        if (class == MAX_CLASSES)
            error_at(NOWHERE, ERR_PRE_TOKENIZER, "the rules of splitting tell over %d classes of characters apart",
                     MAX_CLASSES);
        if (class == a->classes) {
            memcpy(known + bytes * (size_t)a->classes++, members, bytes);
            vec_push(arena, &a->samples, code);
        }
        memset(a->class_of + code, class, end - code);
    }
    a->states = 1;
    for (int i = 0; i <= a->classes; ++i)
        vec_push(arena, &a->moves, 0);
    return a;
}

typedef struct List {
    int *nodes; // [n]
    int n;
} List;

typedef struct Builder {
    Automaton *automaton;
    const Regexes *regexes;
    Arena *arena;
    const uint8_t *takes; // [sets][classes + 1]
    VEC(List) lists;      // of states first, first + 1 ...
    int first;
    VEC(int) slots;        // hash of the lists: 1 + index, 0 empty
    int *seen, *next_seen; // [nodes] the walk that came by last
    int walk;
    VEC(int) stack;
} Builder;

// For every set: which classes are in it. The end is in none.
static const uint8_t *list_members(const Automaton *a, const Regexes *r)
{
    uint8_t *takes = arena_alloc(r->unicode->arena, (size_t)(r->sets.n + 1) * (size_t)(a->classes + 1));
    for (int s = 0; s < r->sets.n; ++s)
        for (int class = 0; class < a->classes; ++class)
            takes[s * (a->classes + 1) + class] = charset_has(r->sets.at[s], a->samples.at[class]);
    return takes;
}

static uint64_t hash_of(List list)
{
    return str_hash(STR_HASH_SEED, list.nodes, (size_t)list.n * sizeof *list.nodes);
}

static void grow_slots(Builder *b)
{
    const int slots = b->slots.n ? b->slots.n * 2 : 256;
    b->slots.n = b->slots.cap = 0;
    for (int i = 0; i < slots; ++i)
        vec_push(b->arena, &b->slots, 0);
    for (int i = 0; i < b->lists.n; ++i) {
        uint64_t slot = hash_of(b->lists.at[i]);
        while (b->slots.at[slot & (uint64_t)(slots - 1)])
            ++slot;
        b->slots.at[slot & (uint64_t)(slots - 1)] = 1 + i;
    }
}

// The state of a list, which is new or known; 0 for an empty one, -1: too many.
static int state_of(Builder *b, List list)
{
    if (!list.n)
        return 0;
    if (b->lists.n * 2 >= b->slots.n)
        grow_slots(b);
    uint64_t slot = hash_of(list);
    for (;; ++slot) {
        const int index = b->slots.at[slot & (uint64_t)(b->slots.n - 1)] - 1;
        if (index < 0)
            break;
        const List known = b->lists.at[index];
        if (known.n == list.n && memcmp(known.nodes, list.nodes, (size_t)list.n * sizeof *list.nodes) == 0)
            return b->first + index;
    }
    const int states = b->first + b->lists.n;
    if (states >= MAX_STATES || states * (b->automaton->classes + 1) > MAX_MOVES || list.n > MAX_LIST)
        return -1;
    List own = { arena_alloc(b->arena, (size_t)list.n * sizeof *list.nodes), list.n };
    memcpy(own.nodes, list.nodes, (size_t)list.n * sizeof *list.nodes);
    vec_push(b->arena, &b->lists, own);
    b->slots.at[slot & (uint64_t)(b->slots.n - 1)] = b->lists.n;
    return b->first + b->lists.n - 1;
}

// Follows one node of a state with the next code point's class known; adds to `next`. true: a match ends here.
static bool follow(Builder *b, int node, int class, List *next)
{
    const RegexNode *nodes = b->regexes->nodes.at;
    const int stride = b->automaton->classes + 1;
    b->stack.n = 0;
    vec_push(b->arena, &b->stack, node);
    while (b->stack.n) {
        const int at = b->stack.at[--b->stack.n];
        const RegexNode *n = &nodes[at];
        if (b->seen[at] == b->walk)
            continue;
        b->seen[at] = b->walk;
        const bool takes = n->kind == NODE_SPLIT || n->kind == NODE_MATCH ? false
                           : class == stride - 1                          ? n->kind == NODE_ASSERT && n->end
                                                                          : b->takes[n->set * stride + class];
        if (n->kind == NODE_MATCH)
            return true;
        if (n->kind == NODE_SPLIT)
            vec_push(b->arena, &b->stack, n->other);
        if (n->kind == NODE_SPLIT || (n->kind == NODE_ASSERT && takes))
            vec_push(b->arena, &b->stack, n->next);
        if (n->kind == NODE_CHAR && takes && b->next_seen[n->next] != b->walk) {
            b->next_seen[n->next] = b->walk;
            next->nodes[next->n++] = n->next;
        }
    }
    return false;
}

int automaton_add(Automaton *a, const Regexes *r, int node)
{
    Arena *arena = r->unicode->arena;
    Builder b = { .automaton = a, .regexes = r, .arena = arena, .first = a->states };
    b.takes = list_members(a, r);
    b.seen = arena_alloc(arena, (size_t)r->nodes.n * sizeof *b.seen);
    b.next_seen = arena_alloc(arena, (size_t)r->nodes.n * sizeof *b.next_seen);
    List next = { arena_alloc(arena, ((size_t)r->nodes.n + 1) * sizeof *next.nodes), 1 };
    next.nodes[0] = node;
    state_of(&b, next);
    for (int state = 0; state < b.lists.n; ++state) {
        for (int class = 0; class <= a->classes; ++class) {
            const List from = b.lists.at[state];
            bool match = false;
            next.n = 0;
            ++b.walk;
            for (int i = 0; i < from.n && !match; ++i)
                match = follow(&b, from.nodes[i], class, &next);
            const int to = state_of(&b, next);
            if (to < 0)
                return -1;
            vec_push(arena, &a->moves, (uint16_t)(to << 1 | match));
        }
    }
    a->states += b.lists.n;
    return b.first;
}
