// parse.c: the statements of a chat template.
#include "syntax.h"

#include <string.h>

enum { NESTING = 400 };

const Token *parse_now(const Parser *p)
{
    return &p->tokens.at[p->at];
}

const Token *parse_take(Parser *p)
{
    const Token *t = parse_now(p);
    if (t->kind != TOKEN_END)
        ++p->at;
    return t;
}

bool parse_is_sign(const Parser *p, const char *sign)
{
    return parse_now(p)->kind == TOKEN_SIGN && str_equal(parse_now(p)->text, sign);
}

bool parse_is_name(const Parser *p, const char *name)
{
    return parse_now(p)->kind == TOKEN_NAME && str_equal(parse_now(p)->text, name);
}

bool parse_skip_sign(Parser *p, const char *sign)
{
    const bool is = parse_is_sign(p, sign);
    p->at += is;
    return is;
}

bool parse_skip_name(Parser *p, const char *name)
{
    const bool is = parse_is_name(p, name);
    p->at += is;
    return is;
}

void parse_unexpected(const Parser *p, const char *wanted)
{
    const Token *t = parse_now(p);
    if (t->kind == TOKEN_END)
        chat_refuse(p->c, t->at, 1, "the template ends where %s is wanted", wanted);
    if (t->kind == TOKEN_BLOCK_END || t->kind == TOKEN_PRINT_END)
        chat_refuse(p->c, t->at, 1, "the tag ends where %s is wanted", wanted);
    chat_refuse(p->c, t->at, t->bytes, "%.40s stands where %s is wanted",
                str_format(p->c->arena, "\"%.*s\"", (int)t->bytes, p->c->text + t->at), wanted);
}

const Token *parse_want_name(Parser *p, const char *what)
{
    if (parse_now(p)->kind != TOKEN_NAME)
        parse_unexpected(p, what);
    return parse_take(p);
}

void parse_want_sign(Parser *p, const char *sign)
{
    if (!parse_skip_sign(p, sign))
        parse_unexpected(p, str_format(p->c->arena, "\"%s\"", sign));
}

Node *parse_node(Parser *p, NodeKind kind, const Token *at)
{
    Node *n = arena_alloc(p->c->arena, sizeof *n);
    n->kind = kind;
    n->at = at->at;
    n->bytes = at->bytes;
    n->text = at->text;
    n->text_bytes = at->text_bytes;
    n->whole = at->whole;
    return n;
}

void parse_deeper(Parser *p)
{
    if (++p->depth > NESTING)
        chat_refuse(p->c, parse_now(p)->at, 1, "nested more than %d deep", NESTING);
}

// ---- statements ---------------------------------------------------------------------------------------------------

static Nodes parse_until(Parser *p, const Token *opened, const char *const *ends);

// The rest of a tag, then statements up to one of `ends` (NULL-ended), whose name becomes the current token.
static Nodes parse_body(Parser *p, const Token *opened, const char *const *ends)
{
    parse_skip_sign(p, ":");
    if (parse_now(p)->kind != TOKEN_BLOCK_END)
        parse_unexpected(p, "the end of the tag");
    parse_take(p);
    parse_deeper(p);
    const Nodes body = parse_until(p, opened, ends);
    --p->depth;
    return body;
}

static Nodes parse_body_to(Parser *p, const Token *opened, const char *end)
{
    const char *const ends[] = { end, NULL };
    const Nodes body = parse_body(p, opened, ends);
    parse_take(p);
    return body;
}

static Node *parse_if(Parser *p, const Token *tag)
{
    static const char *const ends[] = { "elif", "else", "endif", NULL };
    Node *n = parse_node(p, NODE_IF, tag);
    n->a = parse_list_of(p, false, NULL);
    n->body = parse_body(p, tag, ends);
    const Token *end = parse_take(p);
    if (str_equal(end->text, "elif")) {
        parse_deeper(p);
        Node *other = parse_if(p, end);
        --p->depth;
        other->elif = true;
        vec_push(p->c->arena, &n->other, other);
    } else if (str_equal(end->text, "else")) {
        n->other = parse_body_to(p, end, "endif");
    }
    return n;
}

static Node *parse_for(Parser *p, const Token *tag)
{
    static const char *const ends[] = { "endfor", "else", NULL };
    Node *n = parse_node(p, NODE_FOR, tag);
    n->a = parse_target(p, false);
    if (!parse_skip_name(p, "in"))
        parse_unexpected(p, "\"in\"");
    n->b = parse_list_of(p, false, "recursive");
    if (parse_skip_name(p, "if"))
        n->c = parse_expression(p);
    if (parse_is_name(p, "recursive"))
        chat_refuse(p->c, parse_now(p)->at, parse_now(p)->bytes, "a recursive loop is not supported");
    n->body = parse_body(p, tag, ends);
    const Token *end = parse_take(p);
    if (str_equal(end->text, "else"))
        n->other = parse_body_to(p, end, "endfor");
    return n;
}

static Node *parse_set(Parser *p, const Token *tag)
{
    Node *target = parse_target(p, true);
    if (parse_skip_sign(p, "=")) {
        Node *n = parse_node(p, NODE_SET, tag);
        n->a = target;
        n->b = parse_list_of(p, true, NULL);
        return n;
    }
    Node *n = parse_node(p, NODE_SET_BLOCK, tag);
    n->a = target;
    n->b = parse_is_sign(p, "|") ? parse_filters(p, NULL, false) : NULL;
    n->body = parse_body_to(p, tag, "endset");
    return n;
}

// (name, name=default)
static void parse_parameters(Parser *p, Node *n)
{
    parse_want_sign(p, "(");
    while (!parse_is_sign(p, ")")) {
        if (n->list.n)
            parse_want_sign(p, ",");
        const Token *name = parse_want_name(p, "a parameter");
        Node *parameter = parse_node(p, NODE_NAME, name);
        vec_push(p->c->arena, &n->list, parameter);
        if (parse_skip_sign(p, "=")) {
            Node *value = parse_expression(p);
            vec_push(p->c->arena, &n->named, value);
        } else if (n->named.n) {
            chat_refuse(p->c, name->at, name->bytes, "a parameter without a default follows one that has one");
        }
    }
    parse_take(p);
}

static Node *parse_macro(Parser *p, const Token *tag)
{
    Node *n = parse_node(p, NODE_MACRO, tag);
    n->text = parse_want_name(p, "the macro's name")->text;
    parse_parameters(p, n);
    n->body = parse_body_to(p, tag, "endmacro");
    return n;
}

static Node *parse_call_block(Parser *p, const Token *tag)
{
    Node *n = parse_node(p, NODE_CALL_BLOCK, tag);
    if (parse_is_sign(p, "("))
        parse_parameters(p, n);
    n->a = parse_expression(p);
    if (n->a->kind != NODE_CALL)
        chat_refuse(p->c, n->a->at, n->a->bytes, "a call block needs a call");
    n->body = parse_body_to(p, tag, "endcall");
    return n;
}

static Node *parse_filter_block(Parser *p, const Token *tag)
{
    Node *n = parse_node(p, NODE_FILTER_BLOCK, tag);
    n->a = parse_filters(p, NULL, true);
    n->body = parse_body_to(p, tag, "endfilter");
    return n;
}

static Node *parse_generation(Parser *p, const Token *tag)
{
    Node *n = parse_node(p, NODE_GENERATION, tag);
    n->body = parse_body_to(p, tag, "endgeneration");
    return n;
}

static Node *parse_statement(Parser *p)
{
    static const char *const known[] = { "autoescape", "block",  "debug",  "do",    "extends", "from",
                                         "import",     "include", "print", "trans", "with" };
    const Token *tag = parse_want_name(p, "a tag's name");
    if (str_equal(tag->text, "if"))
        return parse_if(p, tag);
    if (str_equal(tag->text, "for"))
        return parse_for(p, tag);
    if (str_equal(tag->text, "set"))
        return parse_set(p, tag);
    if (str_equal(tag->text, "macro"))
        return parse_macro(p, tag);
    if (str_equal(tag->text, "call"))
        return parse_call_block(p, tag);
    if (str_equal(tag->text, "filter"))
        return parse_filter_block(p, tag);
    if (str_equal(tag->text, "generation"))
        return parse_generation(p, tag);
    if (str_equal(tag->text, "break"))
        return parse_node(p, NODE_BREAK, tag);
    if (str_equal(tag->text, "continue"))
        return parse_node(p, NODE_CONTINUE, tag);
    for (int i = 0; i < ARRAY_LEN(known); ++i)
        if (str_equal(tag->text, known[i]))
            chat_refuse(p->c, tag->at, tag->bytes, "the tag {%% %s %%} is not supported", tag->text);
    if (str_starts(tag->text, "end") || str_equal(tag->text, "else") || str_equal(tag->text, "elif"))
        chat_refuse(p->c, tag->at, tag->bytes, "{%% %s %%} ends nothing that is open", tag->text);
    chat_refuse(p->c, tag->at, tag->bytes, "unknown tag {%% %.40s %%}", tag->text);
}

static bool is_one_of(const Token *t, const char *const *names)
{
    for (int i = 0; names && names[i]; ++i)
        if (t->kind == TOKEN_NAME && str_equal(t->text, names[i]))
            return true;
    return false;
}

static Nodes parse_until(Parser *p, const Token *opened, const char *const *ends)
{
    Nodes out = { 0 };
    for (;;) {
        const Token *t = parse_take(p);
        Node *n;
        switch (t->kind) {
        case TOKEN_END:
            if (ends)
                chat_refuse(p->c, opened->at, opened->bytes, "{%% %s %%} has no end", opened->text);
            return out;
        case TOKEN_DATA:
            n = parse_node(p, NODE_DATA, t);
            break;
        case TOKEN_PRINT_BEGIN:
            n = parse_node(p, NODE_PRINT, t);
            n->a = parse_list_of(p, true, NULL);
            if (parse_now(p)->kind != TOKEN_PRINT_END)
                parse_unexpected(p, "\"}}\"");
            parse_take(p);
            break;
        default:
            if (is_one_of(parse_now(p), ends))
                return out;
            n = parse_statement(p);
            if (parse_now(p)->kind != TOKEN_BLOCK_END)
                parse_unexpected(p, "the end of the tag");
            parse_take(p);
        }
        vec_push(p->c->arena, &out, n);
    }
}

Nodes chat_parse(const ChatText *c)
{
    Parser p = { .c = c, .tokens = chat_tokens(c) };
    return parse_until(&p, NULL, NULL);
}
