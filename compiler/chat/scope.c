// scope.c: names into scopes, as Jinja's compiler finds them: loops, macros and blocks have scopes of their own, `if` has
// none; a name that a scope stores is its own there and begins with the value it has outside.
#include "scope.h"

enum { NESTING = 2000, SYMBOLS = 1000 };

Scope *scope_new(Arena *a, Scope *parent, int function)
{
    Scope *s = arena_alloc(a, sizeof *s);
    s->parent = parent;
    s->function = function;
    return s;
}

Symbol *scope_symbol(Scope *s, const char *name)
{
    for (int i = 0; i < s->symbols.n; ++i)
        if (str_equal(s->symbols.at[i].name, name))
            return &s->symbols.at[i];
    return NULL;
}

Scope *scope_of(Scope *s, const char *name)
{
    for (; s; s = s->parent)
        if (scope_symbol(s, name))
            return s;
    return NULL;
}

static Symbol *define(Arena *a, Scope *s, const char *name, SymbolLoad load)
{
    Symbol *known = scope_symbol(s, name);
    if (known) {
        known->load = load;
        return known;
    }
    const Symbol new = { name, load, false, -1 };
    vec_push(a, &s->symbols, new);
    return &s->symbols.at[s->symbols.n - 1];
}

void scope_declare(Arena *a, Scope *s, const char *name)
{
    define(a, s, name, LOAD_PARAMETER)->stored = true;
}

static void store(Arena *a, Scope *s, const char *name)
{
    Symbol *known = scope_symbol(s, name);
    if (!known)
        known = define(a, s, name, s->parent && scope_of(s->parent, name) ? LOAD_ALIAS : LOAD_NOTHING);
    known->stored = true;
}

static void load(Arena *a, Scope *s, const char *name)
{
    if (!scope_of(s, name))
        define(a, s, name, LOAD_OUTSIDE);
}

// ---- one scope's own names ----------------------------------------------------------------------------------------

typedef struct Walk {
    const ChatText *c;
    int depth;
} Walk;

static void deeper(Walk *w, const Node *n)
{
    if (++w->depth > NESTING)
        chat_refuse(w->c, n->at, n->bytes, "nested more than %d deep", NESTING);
}

static void add(Walk *w, Scope *s, const Node *n);

static void add_all(Walk *w, Scope *s, const Nodes *list)
{
    for (int i = 0; i < list->n; ++i)
        add(w, s, list->at[i]);
}

static void add_target(Walk *w, Scope *s, const Node *target)
{
    for (int i = 0; i < target->list.n; ++i)
        add_target(w, s, target->list.at[i]);
    if (target->kind == NODE_NAME)
        store(w->c->arena, s, target->text);
    else if (target->kind == NODE_MEMBER)
        load(w->c->arena, s, target->text);
}

// The branches of an `if` see each other's names only when it is over. A name that was stored in one of them is
// afterwards what that branch stored, or what it was before: outside of it or given to the template.
static void add_branches(Walk *w, Scope *s, const Nodes *branches[2])
{
    Arena *a = w->c->arena;
    Scope copies[2];
    for (int i = 0; i < 2; ++i) {
        copies[i] = (Scope){ .parent = s->parent, .function = s->function };
        for (int k = 0; k < s->symbols.n; ++k)
            vec_push(a, &copies[i].symbols, s->symbols.at[k]);
        add_all(w, &copies[i], branches[i]);
    }
    const int before = s->symbols.n;
    bool *stored = arena_alloc(a, (size_t)before * sizeof *stored + 1);
    for (int k = 0; k < before; ++k)
        stored[k] = s->symbols.at[k].stored;
    for (int i = 0; i < 2; ++i)
        for (int k = 0; k < copies[i].symbols.n; ++k) {
            const Symbol *from = &copies[i].symbols.at[k];
            Symbol *to = define(a, s, from->name, from->load);
            to->stored |= from->stored;
        }
    for (int k = 0; k < s->symbols.n; ++k) {
        Symbol *symbol = &s->symbols.at[k];
        if (symbol->stored && (k >= before || !stored[k]))
            symbol->load = s->parent && scope_of(s->parent, symbol->name) ? LOAD_ALIAS : LOAD_OUTSIDE;
    }
}

static void add(Walk *w, Scope *s, const Node *n)
{
    if (!n)
        return;
    deeper(w, n);
    switch (n->kind) {
    case NODE_NAME:
        load(w->c->arena, s, n->text);
        break;
    case NODE_SET:
        add(w, s, n->b);
        add_target(w, s, n->a);
        break;
    case NODE_SET_BLOCK:
        add_target(w, s, n->a);
        break;
    case NODE_IF: {
        const Nodes *branches[2] = { &n->body, &n->other };
        add(w, s, n->a);
        add_branches(w, s, branches);
        break;
    }
    case NODE_FOR:
        add(w, s, n->b);
        break;
    case NODE_MACRO:
        store(w->c->arena, s, n->text);
        break;
    case NODE_CALL_BLOCK:
    case NODE_FILTER_BLOCK:
        add(w, s, n->a);
        break;
    case NODE_GENERATION:
        break;
    default:
        add(w, s, n->a);
        add(w, s, n->b);
        add(w, s, n->c);
        add_all(w, s, &n->list);
        add_all(w, s, &n->named);
    }
    if (s->symbols.n > SYMBOLS)
        chat_refuse(w->c, n->at, n->bytes, "more than %d variables in one scope", SYMBOLS);
    --w->depth;
}

void scope_add(const ChatText *c, Scope *s, const Node *n)
{
    Walk w = { c, 0 };
    add(&w, s, n);
}

void scope_add_statements(const ChatText *c, Scope *s, const Nodes *statements)
{
    Walk w = { c, 0 };
    add_all(&w, s, statements);
}

void scope_add_parameters(const ChatText *c, Scope *s, const Node *target)
{
    for (int i = 0; i < target->list.n; ++i)
        scope_add_parameters(c, s, target->list.at[i]);
    if (target->kind == NODE_NAME)
        scope_declare(c->arena, s, target->text);
}

// ---- names in a whole tree ----------------------------------------------------------------------------------------

typedef struct Search {
    Walk walk;
    const char *name;
    bool stores;       // look for a place that stores it
    const Node *found;
    bool over; // reading: it was stored first, so it is another variable
} Search;

static void search(Search *s, const Node *n, bool target);

static void search_all(Search *s, const Nodes *list, bool target)
{
    for (int i = 0; i < list->n; ++i)
        search(s, list->at[i], target);
}

// In the order in which Jinja's compiler walks a tree.
static void search(Search *s, const Node *n, bool target)
{
    if (!n || s->found || s->over)
        return;
    deeper(&s->walk, n);
    const bool named = n->kind == NODE_NAME && str_equal(n->text, s->name);
    if (named && target == s->stores)
        s->found = n;
    else if (named && target)
        s->over = true;
    const bool stores = n->kind == NODE_SET || n->kind == NODE_SET_BLOCK || n->kind == NODE_FOR;
    const bool parameters = n->kind == NODE_MACRO || n->kind == NODE_CALL_BLOCK;
    search(s, n->a, stores || (target && n->kind == NODE_TUPLE));
    search(s, n->b, false);
    search(s, n->kind == NODE_FOR ? NULL : n->c, false);
    search_all(s, &n->list, parameters || (target && n->kind == NODE_TUPLE));
    search_all(s, &n->named, false);
    search_all(s, &n->body, false);
    search_all(s, &n->other, false);
    search(s, n->kind == NODE_FOR ? n->c : NULL, false);
    --s->walk.depth;
}

bool scope_reads(const ChatText *c, const Nodes *statements, const char *name)
{
    Search s = { .walk = { c, 0 }, .name = name };
    search_all(&s, statements, false);
    return s.found != NULL;
}

const Node *scope_stores(const ChatText *c, const Node *n, const char *name)
{
    Search s = { .walk = { c, 0 }, .name = name, .stores = true };
    search(&s, n, false);
    return s.found;
}
