// syntax.h: a chat template between its text and its bytecode: tokens and tree.
#pragma once
#include "../base/diag.h"
#include "../base/str.h"
#include "../base/vec.h"

// The template's text, and how messages call it.
typedef struct ChatText {
    Arena *arena;
    const char *name; // of the file, for messages
    const char *part; // of that file: "chat_template"; NULL: the file is the template
    const char *text; // newlines are \n, and none stands at the end unless there were two
    uint32_t bytes;
} ChatText;

// Refuses the template at an offset of its text: file:line:col. Error: CHAT_TEMPLATE.
_Noreturn void chat_refuse(const ChatText *c, uint32_t at, uint32_t bytes, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
uint32_t chat_line(const ChatText *c, uint32_t at); // from 1

// ---- tokens -------------------------------------------------------------------------------------------------------

typedef enum TokenKind {
    TOKEN_DATA,        // text that is written as it is
    TOKEN_BLOCK_BEGIN, // {%
    TOKEN_BLOCK_END,
    TOKEN_PRINT_BEGIN, // {{
    TOKEN_PRINT_END,
    TOKEN_NAME,
    TOKEN_STRING,
    TOKEN_INT,
    TOKEN_FLOAT,
    TOKEN_SIGN, // text is one of + - / // * % ** ~ [ ] ( ) { } == != > >= < <= = . : | , ;
    TOKEN_END,
} TokenKind;

typedef struct Token {
    TokenKind kind;
    uint32_t at, bytes;  // in the template
    const char *text;    // NAME, SIGN, FLOAT; DATA and STRING with what escapes mean; ended by a zero byte
    uint32_t text_bytes; // DATA and STRING may hold zero bytes
    int64_t whole;       // INT
} Token;

typedef VEC(Token) Tokens;

Tokens chat_tokens(const ChatText *c);

// ---- tree ---------------------------------------------------------------------------------------------------------

typedef enum NodeKind {
    // expressions
    NODE_NAME,      // text
    NODE_STRING,    // text
    NODE_INT,       // whole
    NODE_FLOAT,     // text
    NODE_CONST,     // whole: 1 true, 0 false, -1 none
    NODE_LIST,      // list
    NODE_TUPLE,     // list
    NODE_DICT,      // list: key, value, key, value ...
    NODE_ATTRIBUTE, // a.text
    NODE_ITEM,      // a[b]
    NODE_SLICE,     // a[list[0]:list[1]:list[2]], NULL where one is left out
    NODE_CALL,      // a(list, named)
    NODE_FILTER,    // a|text(list, named); a NULL: the block's text
    NODE_TEST,      // a is text(list)
    NODE_NOT,       // a
    NODE_NEGATE,    // a
    NODE_PLUS,      // a
    NODE_MATH,      // a op b; op is a TOP_*
    NODE_COMPARE,   // a, then list; ops[i] is the TCMP_* before list[i]
    NODE_CONCAT,    // list
    NODE_AND,       // a, b
    NODE_OR,        // a, b
    NODE_CHOICE,    // b if a else c; c may be NULL
    NODE_MEMBER,    // text.member, as the target of a set
    NODE_KEYWORD,   // text=a
    // statements
    NODE_DATA,       // text
    NODE_PRINT,      // a
    NODE_SET,        // a = b
    NODE_SET_BLOCK,  // a, body; b: a filter or NULL
    NODE_IF,         // a; body; other: one NODE_IF for elif, or the statements of else
    NODE_FOR,        // a in b if c; body; other
    NODE_MACRO,      // text, list: names, named: their defaults from the right, body
    NODE_CALL_BLOCK, // a: the call, list and named as in MACRO, body
    NODE_FILTER_BLOCK, // a: the filter, body
    NODE_GENERATION,   // body
    NODE_BREAK,
    NODE_CONTINUE,
} NodeKind;

typedef struct Node Node;
typedef VEC(Node *) Nodes;

struct Node {
    NodeKind kind;
    uint32_t at, bytes; // in the template, for messages
    const char *text;
    uint32_t text_bytes;
    const char *member;
    int64_t whole;
    int op;
    int *ops;
    Node *a, *b, *c;
    Nodes list, named, body, other;
    bool elif; // IF: it stands in `other` of the IF before it
};

// The statements of a template. Error: CHAT_TEMPLATE.
Nodes chat_parse(const ChatText *c);

// ---- inside the parser --------------------------------------------------------------------------------------------

typedef struct Parser {
    const ChatText *c;
    Tokens tokens;
    int at;    // the current token
    int depth; // of nesting
} Parser;

const Token *parse_now(const Parser *p);
const Token *parse_take(Parser *p);
bool parse_is_sign(const Parser *p, const char *sign);
bool parse_is_name(const Parser *p, const char *name);
bool parse_skip_sign(Parser *p, const char *sign);
bool parse_skip_name(Parser *p, const char *name);
const Token *parse_want_name(Parser *p, const char *what);
void parse_want_sign(Parser *p, const char *sign);
_Noreturn void parse_unexpected(const Parser *p, const char *wanted);
Node *parse_node(Parser *p, NodeKind kind, const Token *at);
void parse_deeper(Parser *p); // refuses what is nested too deep; --p->depth on the way back

Node *parse_expression(Parser *p);
Node *parse_or(Parser *p);                       // an expression without "if" and "else"
Node *parse_const(Parser *p, const Token *name); // true, none ...; NULL: another name
Node *parse_list_of(Parser *p, bool with_choice, const char *end_name); // an expression, or several with commas: a tuple
Node *parse_target(Parser *p, bool with_members);                       // what a value is stored in
void parse_arguments(Parser *p, Node *to);                              // ( ... )
Node *parse_filters(Parser *p, Node *of, bool begun);                   // |name(...)|name; begun: the first | is not there
