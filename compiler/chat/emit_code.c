// emit_code.c: single instructions of a chat template: operands, jumps, strings, slots.
#include "emit.h"

enum { NESTING = 2000, JUMP_BYTES = 4 };

static Function *function(Emitter *e)
{
    return &e->functions.at[e->function];
}

void emit_deeper(Emitter *e, const Node *n)
{
    if (++e->depth > NESTING)
        chat_refuse(e->c, n->at, n->bytes, "nested more than %d deep", NESTING);
}

// The slot that holds the string, or the free one where it belongs.
static int *string_slot(Emitter *e, const char *text, uint32_t bytes)
{
    uint32_t s = (uint32_t)str_hash(STR_HASH_SEED, text, bytes) & e->slot_mask;
    for (; e->slots[s]; s = (s + 1) & e->slot_mask) {
        const TextPart *part = &e->strings.at[e->slots[s] - 1];
        if (part->bytes == bytes && memcmp(part->text, text, bytes) == 0)
            break;
    }
    return &e->slots[s];
}

static void grow_slots(Emitter *e)
{
    e->slot_mask = e->slots ? e->slot_mask * 2 + 1 : 255;
    e->slots = arena_alloc(e->c->arena, (size_t)(e->slot_mask + 1) * sizeof *e->slots);
    for (int i = 0; i < e->strings.n; ++i)
        *string_slot(e, e->strings.at[i].text, e->strings.at[i].bytes) = i + 1;
}

uint32_t emit_string_number(Emitter *e, const char *text, uint32_t bytes)
{
    if (!e->slots || (uint32_t)e->strings.n * 2 > e->slot_mask)
        grow_slots(e);
    int *slot = string_slot(e, text, bytes);
    if (*slot)
        return (uint32_t)*slot - 1;
    const TextPart new = { text, bytes };
    vec_push(e->c->arena, &e->strings, new);
    *slot = e->strings.n;
    return (uint32_t)e->strings.n - 1;
}

void emit_op(Emitter *e, const Node *at, enum TemplateOp op)
{
    Function *f = function(e);
    const PkgLine line = { (uint32_t)f->code.bytes, at ? at->at : 0 }; // the offset; chat_write turns it into a line
    const char byte = (char)op;
    if (at && (!f->lines.n || f->lines.at[f->lines.n - 1].line != line.line))
        vec_push(e->c->arena, &f->lines, line);
    str_add_bytes(&f->code, &byte, 1);
}

void emit_number(Emitter *e, uint64_t n)
{
    Function *f = function(e);
    for (;; n >>= 7) {
        const char byte = (char)((n & 0x7f) | (n > 0x7f ? 0x80 : 0));
        str_add_bytes(&f->code, &byte, 1);
        if (n <= 0x7f)
            return;
    }
}

void emit_with(Emitter *e, const Node *at, enum TemplateOp op, uint64_t n)
{
    emit_op(e, at, op);
    emit_number(e, n);
}

void emit_text(Emitter *e, const Node *at, enum TemplateOp op, const char *text, uint32_t bytes)
{
    emit_with(e, at, op, emit_string_number(e, text, bytes));
}

uint32_t emit_here(Emitter *e)
{
    return (uint32_t)function(e)->code.bytes;
}

// A jump's target has a fixed width, so that it can be filled in.
static void put_target(char *to, uint32_t target)
{
    for (int i = 0; i < JUMP_BYTES; ++i)
        to[i] = (char)((target >> (7 * i) & 0x7f) | (i + 1 < JUMP_BYTES ? 0x80 : 0));
}

uint32_t emit_jump(Emitter *e, const Node *at, enum TemplateOp op)
{
    emit_op(e, at, op);
    const uint32_t place = emit_here(e);
    str_add_bytes(&function(e)->code, "\x80\x80\x80\0", JUMP_BYTES);
    return place;
}

void emit_fill(Emitter *e, uint32_t jump)
{
    const uint32_t to = emit_here(e);
    if (to >= 1u << 28)
        chat_refuse(e->c, 0, 1, "the template is too long");
    put_target(function(e)->code.text + jump, to);
}

void emit_jump_to(Emitter *e, const Node *at, enum TemplateOp op, uint32_t to)
{
    const uint32_t jump = emit_jump(e, at, op);
    put_target(function(e)->code.text + jump, to);
}

int emit_slot(Emitter *e, const char *name)
{
    Function *f = function(e);
    vec_push(e->c->arena, &f->slots, emit_string_number(e, name, (uint32_t)strlen(name)));
    return f->slots.n - 1;
}

void emit_load(Emitter *e, const Node *at, const char *name, Scope *from, bool raw)
{
    Scope *s = scope_of(from, name);
    const Symbol *symbol = s ? scope_symbol(s, name) : NULL;
    if (!symbol || symbol->slot < 0) {
        emit_text(e, at, raw ? TOP_GLOBAL_RAW : TOP_GLOBAL, name, (uint32_t)strlen(name));
        return;
    }
    uint32_t out = 0;
    for (int f = e->function; f != s->function; f = e->functions.at[f].outer)
        ++out;
    if (out)
        emit_with(e, at, raw ? TOP_LOAD_OUTER_RAW : TOP_LOAD_OUTER, out);
    else
        emit_op(e, at, raw ? TOP_LOAD_RAW : TOP_LOAD);
    emit_number(e, (uint64_t)symbol->slot);
}

void emit_store(Emitter *e, const Node *at, const char *name)
{
    Scope *s = scope_of(e->scope, name);
    const Symbol *symbol = s ? scope_symbol(s, name) : NULL;
    if (!symbol || symbol->slot < 0 || s->function != e->function)
        error_at(NOWHERE, ERR_INTERNAL, "chat template: no slot for \"%s\"", name);
    emit_with(e, at, TOP_STORE, (uint64_t)symbol->slot);
}

void emit_enter(Emitter *e, const Node *at, Scope *s)
{
    for (int i = 0; i < s->symbols.n; ++i)
        if (s->symbols.at[i].stored || s->symbols.at[i].load != LOAD_OUTSIDE)
            s->symbols.at[i].slot = emit_slot(e, s->symbols.at[i].name);
    for (int i = 0; i < s->symbols.n; ++i) {
        const Symbol *symbol = &s->symbols.at[i];
        if (symbol->slot < 0 || symbol->load == LOAD_PARAMETER)
            continue;
        if (symbol->load == LOAD_NOTHING) {
            emit_with(e, at, TOP_CLEAR, (uint64_t)symbol->slot);
            continue;
        }
        if (symbol->load == LOAD_ALIAS)
            emit_load(e, at, symbol->name, s->parent, true);
        else
            emit_text(e, at, TOP_GLOBAL_RAW, symbol->name, (uint32_t)strlen(symbol->name));
        emit_with(e, at, TOP_STORE, (uint64_t)symbol->slot);
    }
}
