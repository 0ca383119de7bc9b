// conversation.h: the messages of a request to /v1/chat/completions.
#pragma once
#include "request.h"
#include "../template.h"

typedef struct Conversation {
    ChatMessage *messages; // [count]
    int count;
    char **joined; // [count] contents put together from several parts; NULL where there is one
    char **calls;  // [count] tool_calls as text; NULL where there are none
} Conversation;

// False: refused by the name of the message and its field. conversation_free may be called then too.
bool conversation_read(Conversation *c, const Json *json, const JsonValue *messages, Refusal *refusal);
void conversation_free(Conversation *c);
