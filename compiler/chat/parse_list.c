// parse_list.c: values with commas between them, and what values are stored in.
#include "syntax.h"

static bool ends_list(const Parser *p, const char *end_name)
{
    const Token *t = parse_now(p);
    return t->kind == TOKEN_BLOCK_END || t->kind == TOKEN_PRINT_END || t->kind == TOKEN_END || parse_is_sign(p, ")") ||
           (end_name && parse_is_name(p, end_name));
}

Node *parse_list_of(Parser *p, bool with_choice, const char *end_name)
{
    const Token *at = parse_now(p);
    if (ends_list(p, end_name))
        parse_unexpected(p, "a value");
    Node *first = with_choice ? parse_expression(p) : parse_or(p);
    if (!parse_is_sign(p, ","))
        return first;
    Node *n = parse_node(p, NODE_TUPLE, at);
    vec_push(p->c->arena, &n->list, first);
    while (parse_skip_sign(p, ",")) {
        if (ends_list(p, end_name))
            break;
        Node *more = with_choice ? parse_expression(p) : parse_or(p);
        vec_push(p->c->arena, &n->list, more);
    }
    return n;
}

static Node *parse_one_target(Parser *p, bool with_members)
{
    const Token *t = parse_now(p);
    if (parse_skip_sign(p, "(")) {
        Node *n = parse_target(p, with_members);
        parse_want_sign(p, ")");
        return n;
    }
    parse_want_name(p, "a name to store a value in");
    if (parse_const(p, t))
        chat_refuse(p->c, t->at, t->bytes, "a value cannot be stored in %s", t->text);
    if (!with_members || !parse_skip_sign(p, "."))
        return parse_node(p, NODE_NAME, t);
    const Token *member = parse_want_name(p, "an attribute's name");
    if (*member->text == '_')
        chat_refuse(p->c, member->at, member->bytes, "an attribute whose name begins with _ is not set in a namespace");
    Node *n = parse_node(p, NODE_MEMBER, t);
    n->member = member->text;
    return n;
}

Node *parse_target(Parser *p, bool with_members)
{
    const Token *at = parse_now(p);
    parse_deeper(p);
    Node *first = parse_one_target(p, with_members), *n = first;
    if (parse_is_sign(p, ",")) {
        n = parse_node(p, NODE_TUPLE, at);
        vec_push(p->c->arena, &n->list, first);
        while (parse_skip_sign(p, ",")) {
            if (parse_now(p)->kind != TOKEN_NAME && !parse_is_sign(p, "("))
                break;
            if (parse_is_name(p, "in"))
                break;
            Node *more = parse_one_target(p, with_members);
            vec_push(p->c->arena, &n->list, more);
        }
    }
    --p->depth;
    return n;
}
