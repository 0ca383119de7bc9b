// emit_expr.c: the expressions of a chat template into bytecode.
#include "emit.h"

static void emit_list(Emitter *e, const Node *n, enum TemplateOp op, uint64_t count)
{
    for (int i = 0; i < n->list.n; ++i)
        emit_expression(e, n->list.at[i]);
    emit_with(e, n, op, count);
}

// a < b < c: each value once, and the last ones only while all is true.
static void emit_compare(Emitter *e, const Node *n)
{
    VEC(uint32_t) jumps = { 0 };
    const int last = n->list.n - 1;
    emit_expression(e, n->a);
    for (int i = 0; i < last; ++i) {
        emit_expression(e, n->list.at[i]);
        emit_with(e, n, TOP_CHAIN, (uint64_t)n->ops[i]);
        vec_push(e->c->arena, &jumps, emit_jump(e, n, TOP_FALSE_OR_POP));
    }
    emit_expression(e, n->list.at[last]);
    emit_with(e, n, TOP_COMPARE, (uint64_t)n->ops[last]);
    if (!jumps.n)
        return;
    const uint32_t end = emit_jump(e, n, TOP_JUMP);
    for (int i = 0; i < jumps.n; ++i)
        emit_fill(e, jumps.at[i]);
    emit_op(e, n, TOP_NIP);
    emit_fill(e, end);
}

static void emit_choice(Emitter *e, const Node *n)
{
    static const char why[] = "an \"if\" without \"else\" is false, so there is no value";
    emit_expression(e, n->a);
    const uint32_t otherwise = emit_jump(e, n, TOP_JUMP_FALSE);
    emit_expression(e, n->b);
    const uint32_t end = emit_jump(e, n, TOP_JUMP);
    emit_fill(e, otherwise);
    if (n->c)
        emit_expression(e, n->c);
    else
        emit_text(e, n, TOP_UNDEFINED, why, sizeof why - 1);
    emit_fill(e, end);
}

static void emit_either(Emitter *e, const Node *n, enum TemplateOp op)
{
    emit_expression(e, n->a);
    const uint32_t end = emit_jump(e, n, op);
    emit_expression(e, n->b);
    emit_fill(e, end);
}

static void emit_slice(Emitter *e, const Node *n)
{
    emit_expression(e, n->a);
    for (int i = 0; i < 3; ++i)
        if (n->list.at[i])
            emit_expression(e, n->list.at[i]);
        else
            emit_op(e, n, TOP_NONE);
    emit_op(e, n, TOP_SLICE);
}

static void emit_two(Emitter *e, const Node *n, enum TemplateOp op)
{
    emit_expression(e, n->a);
    if (n->b)
        emit_expression(e, n->b);
    emit_op(e, n, op);
}

static void emit_math(Emitter *e, const Node *n)
{
    if (n->op == TOP_MODULO && n->a->kind == NODE_STRING)
        chat_refuse(e->c, n->at, n->bytes, "formatting a string with %% is not supported");
    emit_two(e, n, (enum TemplateOp)n->op);
}

void emit_expression(Emitter *e, const Node *n)
{
    emit_deeper(e, n);
    switch (n->kind) {
    case NODE_NAME:
        emit_load(e, n, n->text, e->scope, false);
        break;
    case NODE_STRING:
        emit_text(e, n, TOP_STRING, n->text, n->text_bytes);
        break;
    case NODE_INT:
        emit_with(e, n, TOP_INT, (uint64_t)n->whole << 1);
        break;
    case NODE_FLOAT:
        emit_text(e, n, TOP_FLOAT, n->text, n->text_bytes);
        break;
    case NODE_CONST:
        emit_op(e, n, n->whole < 0 ? TOP_NONE : n->whole ? TOP_TRUE : TOP_FALSE);
        break;
    case NODE_LIST:
    case NODE_TUPLE:
        emit_list(e, n, n->kind == NODE_LIST ? TOP_LIST : TOP_TUPLE, (uint64_t)n->list.n);
        break;
    case NODE_DICT:
        emit_list(e, n, TOP_DICT, (uint64_t)n->list.n / 2);
        break;
    case NODE_CONCAT:
        emit_list(e, n, TOP_CONCAT, (uint64_t)n->list.n);
        break;
    case NODE_ATTRIBUTE:
        emit_expression(e, n->a);
        emit_text(e, n, TOP_ATTRIBUTE, n->text, n->text_bytes);
        break;
    case NODE_ITEM:
        emit_two(e, n, TOP_ITEM);
        break;
    case NODE_SLICE:
        emit_slice(e, n);
        break;
    case NODE_CALL:
        emit_call(e, n, false);
        break;
    case NODE_FILTER:
        emit_filter(e, n, false);
        break;
    case NODE_TEST:
        emit_test(e, n);
        break;
    case NODE_NOT:
        emit_two(e, n, TOP_NOT);
        break;
    case NODE_NEGATE:
        emit_two(e, n, TOP_NEGATE);
        break;
    case NODE_PLUS:
        emit_two(e, n, TOP_PLUS);
        break;
    case NODE_MATH:
        emit_math(e, n);
        break;
    case NODE_COMPARE:
        emit_compare(e, n);
        break;
    case NODE_AND:
        emit_either(e, n, TOP_FALSE_OR_POP);
        break;
    case NODE_OR:
        emit_either(e, n, TOP_TRUE_OR_POP);
        break;
    case NODE_CHOICE:
        emit_choice(e, n);
        break;
    default:
        error_at(NOWHERE, ERR_INTERNAL, "chat template: node %d is no expression", (int)n->kind);
    }
    --e->depth;
}

void emit_target(Emitter *e, const Node *target)
{
    switch (target->kind) {
    case NODE_NAME:
        emit_store(e, target, target->text);
        break;
    case NODE_MEMBER:
        emit_load(e, target, target->text, e->scope, false);
        emit_text(e, target, TOP_SET_ATTRIBUTE, target->member, (uint32_t)strlen(target->member));
        break;
    default:
        emit_with(e, target, TOP_UNPACK, (uint64_t)target->list.n);
        for (int i = 0; i < target->list.n; ++i)
            emit_target(e, target->list.at[i]);
    }
}
