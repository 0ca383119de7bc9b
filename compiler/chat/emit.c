// emit.c: the statements of a chat template into bytecode.
#include "emit.h"

int emit_function(Emitter *e, const char *name)
{
    const Function new = { .code = str_new(e->c->arena), .outer = e->function,
                           .name = name ? emit_string_number(e, name, (uint32_t)strlen(name)) + 1 : 0 };
    vec_push(e->c->arena, &e->functions, new);
    return e->function = e->functions.n - 1;
}

// ---- blocks whose output is kept ----------------------------------------------------------------------------------

static void begin_capture(Emitter *e, const Node *n)
{
    emit_op(e, n, TOP_CAPTURE);
    ++e->captures;
}

static void end_capture(Emitter *e, const Node *n)
{
    emit_op(e, n, TOP_CAPTURED);
    --e->captures;
}

// Statements in a scope of their own inside the current function.
static void emit_block(Emitter *e, const Node *n, const Nodes *body)
{
    Scope *s = scope_new(e->c->arena, e->scope, e->function);
    scope_add_statements(e->c, s, body);
    emit_enter(e, n, s);
    e->scope = s;
    emit_statements(e, body);
    e->scope = s->parent;
}

static void emit_set_block(Emitter *e, const Node *n)
{
    begin_capture(e, n);
    emit_block(e, n, &n->body);
    end_capture(e, n);
    if (n->b)
        emit_filter(e, n->b, true);
    emit_target(e, n->a);
}

static void emit_filter_block(Emitter *e, const Node *n)
{
    begin_capture(e, n);
    emit_block(e, n, &n->body);
    end_capture(e, n);
    emit_filter(e, n->a, true);
    emit_op(e, n, TOP_PRINT);
}

// Nothing but a scope: what transformers does with it is not part of the text. No break or continue leaves it.
static void emit_generation(Emitter *e, const Node *n)
{
    LoopPlace *loop = e->loop;
    e->loop = NULL;
    emit_block(e, n, &n->body);
    e->loop = loop;
}

// ---- macros -------------------------------------------------------------------------------------------------------

static void declare_special(Emitter *e, const Node *n, Scope *s, const char *name, uint32_t flag)
{
    for (int i = 0; i < n->list.n; ++i)
        if (str_equal(n->list.at[i]->text, name))
            return;
    if (!scope_reads(e->c, &n->body, name))
        return;
    scope_declare(e->c->arena, s, name);
    e->functions.at[e->function].flags |= flag;
}

static void emit_defaults(Emitter *e, const Node *n, Scope *s)
{
    const int first = n->list.n - n->named.n;
    for (int i = 0; i < n->list.n; ++i) {
        const int slot = scope_symbol(s, n->list.at[i]->text)->slot;
        const uint32_t given = emit_jump(e, n, TOP_JUMP_GIVEN);
        emit_number(e, (uint64_t)slot);
        if (i >= first) {
            emit_expression(e, n->named.at[i - first]);
        } else {
            const char *why = str_format(e->c->arena, "parameter '%s' was not given", n->list.at[i]->text);
            emit_text(e, n, TOP_UNDEFINED, why, (uint32_t)strlen(why));
        }
        emit_with(e, n, TOP_STORE, (uint64_t)slot);
        emit_fill(e, given);
    }
}

// A function of the macro or call block, left on the stack.
static void emit_macro(Emitter *e, const Node *n)
{
    const int outer = e->function, captures = e->captures;
    LoopPlace *loop = e->loop;
    const int function = emit_function(e, n->kind == NODE_MACRO ? n->text : NULL);
    Scope *s = scope_new(e->c->arena, e->scope, function);
    for (int i = 0; i < n->list.n; ++i) {
        if (scope_symbol(s, n->list.at[i]->text))
            chat_refuse(e->c, n->list.at[i]->at, n->list.at[i]->bytes, "this parameter stands there twice");
        scope_declare(e->c->arena, s, n->list.at[i]->text);
    }
    declare_special(e, n, s, "caller", FUNCTION_CALLER);
    declare_special(e, n, s, "kwargs", FUNCTION_KWARGS);
    declare_special(e, n, s, "varargs", FUNCTION_VARARGS);
    for (int i = 0; i < n->named.n; ++i)
        scope_add(e->c, s, n->named.at[i]);
    scope_add_statements(e->c, s, &n->body);
    e->functions.at[function].parameters = (uint32_t)n->list.n;
    e->loop = NULL;
    e->captures = 0;
    emit_enter(e, n, s);
    e->scope = s;
    emit_defaults(e, n, s);
    emit_op(e, n, TOP_CAPTURE);
    emit_statements(e, &n->body);
    emit_op(e, n, TOP_CAPTURED);
    emit_op(e, n, TOP_RETURN);
    e->scope = s->parent;
    e->function = outer;
    e->loop = loop;
    e->captures = captures;
    emit_with(e, n, TOP_FUNCTION, (uint64_t)function);
}

static void emit_call_block(Emitter *e, const Node *n)
{
    const int slot = emit_slot(e, "caller");
    emit_macro(e, n);
    emit_with(e, n, TOP_STORE, (uint64_t)slot);
    n->a->whole = slot;
    emit_call(e, n->a, true);
    emit_op(e, n, TOP_PRINT);
}

// ---- loops --------------------------------------------------------------------------------------------------------

// The condition of a loop as a function of an item.
static int emit_loop_filter(Emitter *e, const Node *n)
{
    const int outer = e->function;
    const int function = emit_function(e, NULL);
    emit_slot(e, " item");
    e->functions.at[function].parameters = 1;
    Scope *s = scope_new(e->c->arena, e->scope, function);
    scope_add_parameters(e->c, s, n->a);
    scope_add(e->c, s, n->c);
    emit_enter(e, n, s);
    e->scope = s;
    emit_with(e, n, TOP_LOAD_RAW, 0);
    emit_target(e, n->a);
    emit_expression(e, n->c);
    emit_op(e, n, TOP_RETURN);
    e->scope = s->parent;
    e->function = outer;
    return function;
}

static void emit_loop_body(Emitter *e, const Node *n, LoopPlace *place)
{
    Scope *s = scope_new(e->c->arena, e->scope, e->function);
    const bool knows_itself = scope_reads(e->c, &n->body, "loop");
    if (knows_itself)
        scope_declare(e->c->arena, s, "loop");
    scope_add_parameters(e->c, s, n->a);
    scope_add_statements(e->c, s, &n->body);
    place->next = emit_here(e);
    vec_push(e->c->arena, &place->leaves, emit_jump(e, n, TOP_NEXT));
    emit_enter(e, n, s); // once an item, which lies on the stack meanwhile
    e->scope = s;
    emit_target(e, n->a);
    if (knows_itself) {
        emit_op(e, n, TOP_LOOP_VALUE);
        emit_store(e, n, "loop");
    }
    e->loop = place;
    emit_statements(e, &n->body);
    e->loop = place->outer;
    e->scope = s->parent;
}

static void emit_for(Emitter *e, const Node *n)
{
    LoopPlace place = { .outer = e->loop, .captures = e->captures };
    const Node *loop = scope_stores(e->c, n, "loop");
    if (loop)
        chat_refuse(e->c, loop->at, loop->bytes, "a value cannot be stored in loop");
    const int none = n->other.n ? emit_slot(e, " none") : -1; // no item has been looked at to the end
    emit_expression(e, n->b);
    if (n->c) {
        const int filter = emit_loop_filter(e, n);
        emit_with(e, n, TOP_LOOP_FILTER, (uint64_t)filter);
    } else {
        emit_op(e, n, TOP_LOOP);
    }
    if (none >= 0) {
        emit_op(e, n, TOP_TRUE);
        emit_with(e, n, TOP_STORE, (uint64_t)none);
    }
    emit_loop_body(e, n, &place);
    if (none >= 0) {
        emit_op(e, n, TOP_FALSE);
        emit_with(e, n, TOP_STORE, (uint64_t)none);
    }
    emit_jump_to(e, n, TOP_JUMP, place.next);
    for (int i = 0; i < place.leaves.n; ++i)
        emit_fill(e, place.leaves.at[i]);
    if (none < 0)
        return;
    emit_with(e, n, TOP_LOAD, (uint64_t)none);
    const uint32_t end = emit_jump(e, n, TOP_JUMP_FALSE);
    emit_block(e, n, &n->other);
    emit_fill(e, end);
}

static void emit_leave(Emitter *e, const Node *n)
{
    LoopPlace *place = e->loop;
    const char *name = n->kind == NODE_BREAK ? "break" : "continue";
    if (!place)
        chat_refuse(e->c, n->at, n->bytes, "{%% %s %%} stands in no loop", name);
    for (int i = place->captures; i < e->captures; ++i) {
        emit_op(e, n, TOP_CAPTURED);
        emit_op(e, n, TOP_POP);
    }
    if (n->kind == NODE_CONTINUE) {
        emit_jump_to(e, n, TOP_JUMP, place->next);
        return;
    }
    emit_op(e, n, TOP_LEAVE);
    vec_push(e->c->arena, &place->leaves, emit_jump(e, n, TOP_JUMP));
}

// ---- statements ---------------------------------------------------------------------------------------------------

static void emit_if(Emitter *e, const Node *n)
{
    emit_expression(e, n->a);
    const uint32_t otherwise = emit_jump(e, n, TOP_JUMP_FALSE);
    emit_statements(e, &n->body);
    if (!n->other.n) {
        emit_fill(e, otherwise);
        return;
    }
    const uint32_t end = emit_jump(e, n, TOP_JUMP);
    emit_fill(e, otherwise);
    emit_statements(e, &n->other);
    emit_fill(e, end);
}

static void emit_print(Emitter *e, const Node *n)
{
    if (n->a->kind == NODE_STRING) {
        emit_text(e, n, TOP_TEXT, n->a->text, n->a->text_bytes);
        return;
    }
    emit_expression(e, n->a);
    emit_op(e, n, TOP_PRINT);
}

static void emit_statement(Emitter *e, const Node *n)
{
    switch (n->kind) {
    case NODE_DATA:
        emit_text(e, n, TOP_TEXT, n->text, n->text_bytes);
        break;
    case NODE_PRINT:
        emit_print(e, n);
        break;
    case NODE_SET:
        emit_expression(e, n->b);
        emit_target(e, n->a);
        break;
    case NODE_SET_BLOCK:
        emit_set_block(e, n);
        break;
    case NODE_IF:
        emit_if(e, n);
        break;
    case NODE_FOR:
        emit_for(e, n);
        break;
    case NODE_MACRO:
        emit_macro(e, n);
        emit_store(e, n, n->text);
        break;
    case NODE_CALL_BLOCK:
        emit_call_block(e, n);
        break;
    case NODE_FILTER_BLOCK:
        emit_filter_block(e, n);
        break;
    case NODE_GENERATION:
        emit_generation(e, n);
        break;
    default:
        emit_leave(e, n);
    }
}

void emit_statements(Emitter *e, const Nodes *list)
{
    for (int i = 0; i < list->n; ++i) {
        emit_deeper(e, list->at[i]);
        emit_statement(e, list->at[i]);
        --e->depth;
    }
}
