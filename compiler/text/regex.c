// regex.c: from the tree of a regular expression to a graph.
#include "regex.h"

#include "regex_parse.h"

#include "../base/str.h"

#include <string.h>
#include <utf8proc.h>

enum { MAX_BYTES = 10000, MAX_NODES = 30000, MAX_SETS = 200 };

Regexes *regex_new(Arena *a)
{
    Regexes *r = arena_alloc(a, sizeof *r);
    r->unicode = unicode_new(a);
    return r;
}

static int add_set(Regexes *r, CharSet set)
{
    for (int i = 0; i < r->sets.n; ++i)
        if (charset_equal(r->sets.at[i], set))
            return i;
    if (r->sets.n <= MAX_SETS) // as in add_node
        vec_push(r->unicode->arena, &r->sets, set);
    return r->sets.n - 1;
}

static int add_node(Regexes *r, RegexNode node)
{
    if (r->nodes.n <= MAX_NODES) // the caller sees it grow over the limit
        vec_push(r->unicode->arena, &r->nodes, node);
    return r->nodes.n - 1;
}

static int add_char(Regexes *r, NodeKind kind, CharSet set, bool end, int next)
{
    return add_node(r, (RegexNode){ .kind = kind, .set = add_set(r, set), .end = end, .next = next });
}

// The way to stop, or to go on by `more`, in the order that the repetition's greed wants.
static int add_choice(Regexes *r, const Pattern *p, int more, int stop)
{
    if (p->greed == POSSESSIVE) { // stops only where it cannot go on
        const CharSet others = charset_inverse(r->unicode->arena, p->parts.at[0]->set);
        stop = add_char(r, NODE_ASSERT, others, true, stop);
    }
    const bool lazy = p->greed == LAZY;
    return add_node(r, (RegexNode){ .kind = NODE_SPLIT, .next = lazy ? stop : more, .other = lazy ? more : stop });
}

// The first node of what matches the tree and goes on to `next`.
static int add_pattern(Regexes *r, const Pattern *p, int next);

static int add_repeat(Regexes *r, const Pattern *p, int next)
{
    const Pattern *part = p->parts.at[0];
    int start = next;
    if (p->max < 0) {
        const int loop = add_node(r, (RegexNode){ .kind = NODE_SPLIT });
        const int choice = add_choice(r, p, add_pattern(r, part, loop), next);
        if (r->nodes.n <= MAX_NODES)
            r->nodes.at[loop] = r->nodes.at[choice];
        start = loop;
    }
    for (int i = p->max; i > p->min && r->nodes.n <= MAX_NODES; --i)
        start = add_choice(r, p, add_pattern(r, part, start), next);
    for (int i = 0; i < p->min && r->nodes.n <= MAX_NODES; ++i)
        start = add_pattern(r, part, start);
    return start;
}

static int add_pattern(Regexes *r, const Pattern *p, int next)
{
    switch (p->kind) {
    case PATTERN_SET:
        return add_char(r, NODE_CHAR, p->set, false, next);
    case PATTERN_LOOK:
        return add_char(r, NODE_ASSERT, p->set, p->end, next);
    case PATTERN_ALL:
        for (int i = p->parts.n; i--;)
            next = add_pattern(r, p->parts.at[i], next);
        return next;
    case PATTERN_ANY: {
        int start = add_pattern(r, p->parts.at[p->parts.n - 1], next);
        for (int i = p->parts.n - 1; i--;)
            start = add_node(
                r, (RegexNode){ .kind = NODE_SPLIT, .next = add_pattern(r, p->parts.at[i], next), .other = start });
        return start;
    }
    case PATTERN_REPEAT:
        return add_repeat(r, p, next);
    }
    return next;
}

static bool can_be_empty(const Pattern *p)
{
    bool any = false, all = true;
    for (int i = 0; i < p->parts.n; ++i) {
        const bool empty = can_be_empty(p->parts.at[i]);
        any |= empty;
        all &= empty;
    }
    return p->kind == PATTERN_LOOK || (p->kind == PATTERN_REPEAT && (p->min == 0 || any)) ||
           (p->kind == PATTERN_ANY && any) || (p->kind == PATTERN_ALL && all);
}

const char *regex_add(Regexes *r, const char *pattern, size_t bytes, enum Dialect dialect, int *start)
{
    const char *wrong;
    if (bytes > MAX_BYTES)
        return "it is too long";
    const Pattern *p = pattern_parse(r->unicode, pattern, bytes, dialect, &wrong);
    if (!p)
        return wrong;
    if (can_be_empty(p))
        return "it can match nothing";
    *start = add_pattern(r, p, add_node(r, (RegexNode){ .kind = NODE_MATCH }));
    return r->nodes.n > MAX_NODES || r->sets.n > MAX_SETS ? "it is too large" : NULL;
}

int regex_add_set(Regexes *r, CharSet set)
{
    return add_char(r, NODE_CHAR, set, false, add_node(r, (RegexNode){ .kind = NODE_MATCH }));
}

int regex_add_literal(Regexes *r, const char *text, size_t bytes)
{
    VEC(uint32_t) codes = { 0 };
    for (size_t at = 0; at < bytes;) {
        utf8proc_int32_t code;
        const utf8proc_ssize_t n =
            utf8proc_iterate((const utf8proc_uint8_t *)text + at, (utf8proc_ssize_t)(bytes - at), &code);
        vec_push(r->unicode->arena, &codes, n > 0 ? (uint32_t)code : 0xfffd);
        at += n > 0 ? (size_t)n : 1;
    }
    int start = add_node(r, (RegexNode){ .kind = NODE_MATCH });
    while (codes.n--) {
        CharSet set = { 0 };
        charset_add(r->unicode->arena, &set, codes.at[codes.n], codes.at[codes.n]);
        start = add_char(r, NODE_CHAR, set, false, start);
    }
    return start;
}
