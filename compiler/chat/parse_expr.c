// parse_expr.c: the expressions of a chat template, in Jinja's order of precedence.
#include "syntax.h"

#include "../../runtime/template_code.h"

#include <string.h>

static Node *parse_unary(Parser *p, bool with_filters);

static Node *pair(Parser *p, NodeKind kind, const Token *at, Node *a, Node *b)
{
    Node *n = parse_node(p, kind, at);
    n->a = a;
    n->b = b;
    return n;
}

// ---- what a name or a literal begins ------------------------------------------------------------------------------

Node *parse_const(Parser *p, const Token *name)
{
    static const struct {
        const char *name;
        int whole;
    } consts[] = { { "true", 1 }, { "True", 1 }, { "false", 0 }, { "False", 0 }, { "none", -1 }, { "None", -1 } };
    for (int i = 0; i < ARRAY_LEN(consts); ++i)
        if (str_equal(name->text, consts[i].name)) {
            Node *n = parse_node(p, NODE_CONST, name);
            n->whole = consts[i].whole;
            return n;
        }
    return NULL;
}

static Node *parse_strings(Parser *p, const Token *first)
{
    Node *n = parse_node(p, NODE_STRING, first);
    if (parse_now(p)->kind != TOKEN_STRING)
        return n;
    Str all = str_new(p->c->arena);
    str_add_bytes(&all, first->text, first->text_bytes);
    while (parse_now(p)->kind == TOKEN_STRING) {
        const Token *more = parse_take(p);
        str_add_bytes(&all, more->text, more->text_bytes);
    }
    n->text = all.text;
    n->text_bytes = (uint32_t)all.bytes;
    return n;
}

static Node *parse_tuple(Parser *p, const Token *open)
{
    if (parse_skip_sign(p, ")"))
        return parse_node(p, NODE_TUPLE, open);
    Node *n = parse_list_of(p, true, NULL);
    parse_want_sign(p, ")");
    return n;
}

static Node *parse_brackets(Parser *p, const Token *open)
{
    Node *n = parse_node(p, NODE_LIST, open);
    while (!parse_is_sign(p, "]")) {
        if (n->list.n)
            parse_want_sign(p, ",");
        if (parse_is_sign(p, "]"))
            break;
        Node *item = parse_expression(p);
        vec_push(p->c->arena, &n->list, item);
    }
    parse_take(p);
    return n;
}

static Node *parse_braces(Parser *p, const Token *open)
{
    Node *n = parse_node(p, NODE_DICT, open);
    while (!parse_is_sign(p, "}")) {
        if (n->list.n)
            parse_want_sign(p, ",");
        if (parse_is_sign(p, "}"))
            break;
        Node *key = parse_expression(p);
        parse_want_sign(p, ":");
        Node *value = parse_expression(p);
        vec_push(p->c->arena, &n->list, key);
        vec_push(p->c->arena, &n->list, value);
    }
    parse_take(p);
    return n;
}

static Node *parse_primary(Parser *p)
{
    const Token *t = parse_now(p);
    Node *n;
    switch (t->kind) {
    case TOKEN_NAME:
        parse_take(p);
        n = parse_const(p, t);
        return n ? n : parse_node(p, NODE_NAME, t);
    case TOKEN_STRING:
        parse_take(p);
        return parse_strings(p, t);
    case TOKEN_INT:
        return parse_node(p, NODE_INT, parse_take(p));
    case TOKEN_FLOAT:
        return parse_node(p, NODE_FLOAT, parse_take(p));
    default:
        break;
    }
    parse_deeper(p);
    if (parse_skip_sign(p, "("))
        n = parse_tuple(p, t);
    else if (parse_skip_sign(p, "["))
        n = parse_brackets(p, t);
    else if (parse_skip_sign(p, "{"))
        n = parse_braces(p, t);
    else
        parse_unexpected(p, "a value");
    --p->depth;
    return n;
}

// ---- what follows it ----------------------------------------------------------------------------------------------

static bool ends_subscript(const Parser *p)
{
    return parse_is_sign(p, "]") || parse_is_sign(p, ",");
}

// One subscript: an expression, or start:stop:step.
static Node *parse_subscript(Parser *p)
{
    const Token *at = parse_now(p);
    Node *parts[3] = { NULL, NULL, NULL };
    if (!parse_is_sign(p, ":")) {
        parts[0] = parse_expression(p);
        if (!parse_is_sign(p, ":"))
            return parts[0];
    }
    parse_take(p);
    if (!parse_is_sign(p, ":") && !ends_subscript(p))
        parts[1] = parse_expression(p);
    if (parse_skip_sign(p, ":") && !ends_subscript(p))
        parts[2] = parse_expression(p);
    Node *n = parse_node(p, NODE_SLICE, at);
    for (int i = 0; i < 3; ++i)
        vec_push(p->c->arena, &n->list, parts[i]);
    return n;
}

static Node *parse_item(Parser *p, Node *of, const Token *open)
{
    Node *n = pair(p, NODE_ITEM, open, of, parse_subscript(p));
    if (parse_is_sign(p, ",")) {
        Node *tuple = parse_node(p, NODE_TUPLE, open);
        vec_push(p->c->arena, &tuple->list, n->b);
        while (parse_skip_sign(p, ",")) {
            if (parse_is_sign(p, "]"))
                break;
            Node *more = parse_subscript(p);
            vec_push(p->c->arena, &tuple->list, more);
        }
        for (int i = 0; i < tuple->list.n; ++i)
            if (tuple->list.at[i]->kind == NODE_SLICE)
                chat_refuse(p->c, tuple->list.at[i]->at, tuple->list.at[i]->bytes, "a slice among several subscripts is not supported");
        n->b = tuple;
    }
    parse_want_sign(p, "]");
    if (n->b->kind == NODE_SLICE) {
        n->kind = NODE_SLICE;
        n->list = n->b->list;
    }
    return n;
}

void parse_arguments(Parser *p, Node *to)
{
    parse_want_sign(p, "(");
    parse_deeper(p);
    for (bool first = true; !parse_is_sign(p, ")"); first = false) {
        if (!first)
            parse_want_sign(p, ",");
        if (!first && parse_is_sign(p, ")"))
            break;
        const Token *t = parse_now(p);
        if (parse_is_sign(p, "*") || parse_is_sign(p, "**"))
            chat_refuse(p->c, t->at, t->bytes, "arguments given by %s are not supported", t->text);
        const Token *behind = &p->tokens.at[p->at + (t->kind != TOKEN_END)];
        if (t->kind == TOKEN_NAME && behind->kind == TOKEN_SIGN && str_equal(behind->text, "=")) {
            p->at += 2;
            Node *n = parse_node(p, NODE_KEYWORD, t);
            n->a = parse_expression(p);
            vec_push(p->c->arena, &to->named, n);
        } else {
            if (to->named.n)
                chat_refuse(p->c, t->at, t->bytes, "an argument without a name follows one with a name");
            Node *n = parse_expression(p);
            vec_push(p->c->arena, &to->list, n);
        }
    }
    --p->depth;
    parse_take(p);
}

static Node *parse_attribute(Parser *p, Node *of)
{
    const Token *name = parse_take(p);
    if (name->kind == TOKEN_INT)
        return pair(p, NODE_ITEM, name, of, parse_node(p, NODE_INT, name));
    if (name->kind != TOKEN_NAME) {
        p->at -= name->kind != TOKEN_END;
        parse_unexpected(p, "a name");
    }
    if (str_starts(name->text, "__"))
        chat_refuse(p->c, name->at, name->bytes, "the attribute %.60s is not supported", name->text);
    return pair(p, NODE_ATTRIBUTE, name, of, NULL);
}

static Node *parse_call(Parser *p, Node *of)
{
    Node *n = pair(p, NODE_CALL, parse_now(p), of, NULL);
    parse_arguments(p, n);
    return n;
}

static Node *parse_postfix(Parser *p, Node *n)
{
    for (;;) {
        const Token *t = parse_now(p);
        if (parse_skip_sign(p, "."))
            n = parse_attribute(p, n);
        else if (parse_skip_sign(p, "["))
            n = parse_item(p, n, t);
        else if (parse_is_sign(p, "("))
            n = parse_call(p, n);
        else
            return n;
    }
}

Node *parse_filters(Parser *p, Node *of, bool begun)
{
    while (begun || parse_skip_sign(p, "|")) {
        const Token *name = parse_want_name(p, "a filter's name");
        if (parse_is_sign(p, "."))
            chat_refuse(p->c, name->at, name->bytes, "a filter with a dot in its name is not supported");
        Node *n = pair(p, NODE_FILTER, name, of, NULL);
        if (parse_is_sign(p, "("))
            parse_arguments(p, n);
        of = n;
        begun = false;
    }
    return of;
}

// What may follow a test without parentheses is its one argument.
static bool begins_argument(const Parser *p)
{
    const Token *t = parse_now(p);
    static const char *const others[] = { "else", "or", "and" };
    if (t->kind == TOKEN_NAME)
        for (int i = 0; i < ARRAY_LEN(others); ++i)
            if (str_equal(t->text, others[i]))
                return false;
    return t->kind == TOKEN_NAME || t->kind == TOKEN_STRING || t->kind == TOKEN_INT || t->kind == TOKEN_FLOAT ||
           parse_is_sign(p, "[") || parse_is_sign(p, "{");
}

static Node *parse_test(Parser *p, Node *of, const Token *is)
{
    const bool negated = parse_skip_name(p, "not");
    const Token *name = parse_want_name(p, "a test's name");
    Node *n = pair(p, NODE_TEST, name, of, NULL);
    if (parse_is_sign(p, "(")) {
        parse_arguments(p, n);
    } else if (begins_argument(p)) {
        if (parse_is_name(p, "is"))
            parse_unexpected(p, "one test, not two");
        Node *argument = parse_postfix(p, parse_primary(p));
        vec_push(p->c->arena, &n->list, argument);
    }
    return negated ? pair(p, NODE_NOT, is, n, NULL) : n;
}

static Node *parse_filter_expr(Parser *p, Node *n)
{
    for (;;) {
        const Token *t = parse_now(p);
        if (parse_is_sign(p, "|"))
            n = parse_filters(p, n, false);
        else if (parse_skip_name(p, "is"))
            n = parse_test(p, n, t);
        else if (parse_is_sign(p, "("))
            n = parse_call(p, n);
        else
            return n;
    }
}

// ---- operators ----------------------------------------------------------------------------------------------------

static Node *parse_unary(Parser *p, bool with_filters)
{
    const Token *t = parse_now(p);
    Node *n;
    parse_deeper(p);
    if (parse_skip_sign(p, "-"))
        n = pair(p, NODE_NEGATE, t, parse_unary(p, false), NULL);
    else if (parse_skip_sign(p, "+"))
        n = pair(p, NODE_PLUS, t, parse_unary(p, false), NULL);
    else
        n = parse_primary(p);
    n = parse_postfix(p, n);
    --p->depth;
    return with_filters ? parse_filter_expr(p, n) : n;
}

typedef struct Sign {
    const char *sign;
    int op;
} Sign;

// The operator among `signs` that stands here, taken; -1: none.
static int take_operator(Parser *p, const Sign *signs, int n)
{
    for (int i = 0; i < n; ++i)
        if (parse_skip_sign(p, signs[i].sign))
            return signs[i].op;
    return -1;
}

static Node *parse_left(Parser *p, const Sign *signs, int n, Node *(*operand)(Parser *))
{
    Node *left = operand(p);
    for (;;) {
        const Token *t = parse_now(p);
        const int op = take_operator(p, signs, n);
        if (op < 0)
            return left;
        left = pair(p, NODE_MATH, t, left, operand(p));
        left->op = op;
    }
}

static Node *parse_filtered(Parser *p)
{
    return parse_unary(p, true);
}

static Node *parse_power(Parser *p)
{
    static const Sign signs[] = { { "**", TOP_POWER } };
    return parse_left(p, signs, ARRAY_LEN(signs), parse_filtered);
}

static Node *parse_product(Parser *p)
{
    static const Sign signs[] = { { "*", TOP_MULTIPLY }, { "/", TOP_DIVIDE }, { "//", TOP_FLOOR_DIVIDE }, { "%", TOP_MODULO } };
    return parse_left(p, signs, ARRAY_LEN(signs), parse_power);
}

static Node *parse_concat(Parser *p)
{
    const Token *t = parse_now(p);
    Node *first = parse_product(p);
    if (!parse_is_sign(p, "~"))
        return first;
    Node *n = parse_node(p, NODE_CONCAT, t);
    vec_push(p->c->arena, &n->list, first);
    while (parse_skip_sign(p, "~")) {
        Node *more = parse_product(p);
        vec_push(p->c->arena, &n->list, more);
    }
    return n;
}

static Node *parse_sum(Parser *p)
{
    static const Sign signs[] = { { "+", TOP_ADD }, { "-", TOP_SUBTRACT } };
    return parse_left(p, signs, ARRAY_LEN(signs), parse_concat);
}

static int take_comparison(Parser *p)
{
    static const Sign signs[] = { { "==", TCMP_EQ }, { "!=", TCMP_NE }, { "<=", TCMP_LE }, { "<", TCMP_LT },
                                  { ">=", TCMP_GE }, { ">", TCMP_GT } };
    if (parse_skip_name(p, "in"))
        return TCMP_IN;
    if (parse_is_name(p, "not")) {
        const Token *behind = &p->tokens.at[p->at + 1];
        if (behind->kind == TOKEN_NAME && str_equal(behind->text, "in")) {
            p->at += 2;
            return TCMP_NOT_IN;
        }
    }
    return take_operator(p, signs, ARRAY_LEN(signs));
}

static Node *parse_compare(Parser *p)
{
    VEC(int) ops = { 0 };
    const Token *t = parse_now(p);
    Node *first = parse_sum(p), *n = NULL;
    for (int op; (op = take_comparison(p)) >= 0;) {
        if (!n)
            n = pair(p, NODE_COMPARE, t, first, NULL);
        Node *other = parse_sum(p);
        vec_push(p->c->arena, &ops, op);
        vec_push(p->c->arena, &n->list, other);
        n->ops = ops.at;
    }
    return n ? n : first;
}

static Node *parse_not(Parser *p)
{
    const Token *t = parse_now(p);
    if (!parse_skip_name(p, "not"))
        return parse_compare(p);
    parse_deeper(p);
    Node *n = pair(p, NODE_NOT, t, parse_not(p), NULL);
    --p->depth;
    return n;
}

static Node *parse_and(Parser *p)
{
    Node *left = parse_not(p);
    for (const Token *t = parse_now(p); parse_skip_name(p, "and"); t = parse_now(p))
        left = pair(p, NODE_AND, t, left, parse_not(p));
    return left;
}

Node *parse_or(Parser *p)
{
    Node *left = parse_and(p);
    for (const Token *t = parse_now(p); parse_skip_name(p, "or"); t = parse_now(p))
        left = pair(p, NODE_OR, t, left, parse_and(p));
    return left;
}

Node *parse_expression(Parser *p)
{
    parse_deeper(p);
    Node *n = parse_or(p);
    for (const Token *t = parse_now(p); parse_skip_name(p, "if"); t = parse_now(p)) {
        n = pair(p, NODE_CHOICE, t, parse_or(p), n);
        if (parse_skip_name(p, "else"))
            n->c = parse_expression(p);
    }
    --p->depth;
    return n;
}
