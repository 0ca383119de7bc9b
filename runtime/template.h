// template.h: a compiled chat template: conversation in, text of a prompt out.
#pragma once
#include "rt.h"

#include <time.h>

struct PkgTemplate;

// A package's section PKG_TEMPLATE, its tables checked.
typedef struct Template {
    const struct PkgTemplate *head; // NULL: the program has no chat template
    size_t bytes;
} Template;

// False: the bytes are no tables of this version.
bool template_open(Template *t, const void *section, size_t bytes);

// Where the template came from, for people: "tokenizer_config.json", "--chat-template chatml".
const char *template_source(const Template *t, size_t *bytes);

// Whether the template knows a variable or member of this name at all.
bool template_knows(const Template *t, const char *name);

typedef struct ChatMessage {
    const char *role;      // system, user, assistant, tool ...; NUL-terminated
    const char *content;   // any bytes
    size_t content_bytes;
    const char *reasoning; // NULL: none; also known as reasoning_content
    const char *tool_calls; // NULL, or a JSON array of calls whose arguments are objects; content NULL is none then
    const char *tool_call_id, *name; // NULL: none
} ChatMessage;

typedef struct TemplateInput {
    const ChatMessage *messages; // [count]
    int count;
    const char *messages_json; // NULL, or instead of messages: a JSON array of objects as OpenAI's API has them
    const char *tools_json; // NULL, or a JSON array as OpenAI's API has it: the variable `tools`
    const char *variables_json; // NULL, or a JSON object: more variables (enable_thinking ...)
    bool add_generation_prompt;
    const char *bos, *eos; // NULL: the model's own text of these tokens
    time_t now;            // for strftime_now, in local time
    int64_t steps;         // 0: as many as templates may take; else at most so many, for tests
} TemplateInput;

typedef struct TemplateText {
    char *text; // a zero behind the last byte
    size_t bytes;
    unsigned char *user; // [bytes] 1: this byte came from the conversation, so it is text and never part of a special token
} TemplateText;

// Renders. The text must be given back. Errors: CHAT_REFUSED (the template raised, with its message), CHAT_TEMPLATE (it
// does what it may not: too many steps, too much memory, an operation between values that have none), MEMORY.
RtStatus template_render(const Template *t, const TemplateInput *in, TemplateText *out, RtError *error);
void template_free(TemplateText *text);
