// chat.h: ChatTemplate: the chat template of a model as bytecode, laid out as the program uses it (runtime/template_code.h).
#pragma once
#include "../model/model.h"

typedef struct ChatTemplate {
    const void *tables; // a PkgTemplate and what it points to by offset; NULL: none
    size_t bytes;
    const char *source; // where it came from, for people
} ChatTemplate;

// A variable that the model gives every conversation.
typedef struct ChatGlobal {
    const char *name, *text; // "bos_token", "<s>"
} ChatGlobal;
typedef VEC(ChatGlobal) ChatGlobals;

// The template that `option` names (--chat-template: a built-in one, "none", a file) or, where it is NULL, that of the
// model: chat_template.jinja, tokenizer_config.json or GGUF metadata. Errors: CHAT_TEMPLATE at the template's line:col;
// OPTION_VALUE.
// `m` may be NULL. Never NULL.
ChatTemplate *chat_load(Arena *a, const Model *m, const char *option);

// The template of a program that is packed anew from `m`: one that --chat-template had put there (`old`) stays, unless
// `option` says otherwise.
const ChatTemplate *chat_again(Arena *a, const Model *m, const char *option, const ChatTemplate *old);

typedef struct ChatSource {
    const char *name; // of the file, for messages
    const char *part; // what it is of that file; NULL: all of it
    const char *from; // where it came from, for people and chat_again
    const char *text;
    size_t bytes;
} ChatSource;

// Error: CHAT_TEMPLATE.
ChatTemplate *chat_compile(Arena *a, const ChatSource *source, const ChatGlobals *globals);

// The text behind an answer in a conversation, without the blanks in front of it: it begins with the token that ends a
// turn, if the template has one. NULL: there is none, or the template refuses so plain a conversation.
const char *chat_turn_end(Arena *a, const ChatTemplate *c);

// Names of the built-in ones, sorted: the i-th, or NULL behind the last.
const char *chat_builtin(Arena *a, int i);
