// chat.h: a conversation, and the ids of the prompt that a program's chat template makes of it.
#pragma once
#include "template.h"
#include "tokenizer.h"

typedef struct Chat {
    ChatMessage *messages; // [count], which own their texts
    int count, room;
    time_t now; // when it began: what a template writes of the time stays the same
} Chat;

// Appends a copy. Error: MEMORY.
RtStatus chat_add(Chat *chat, const char *role, const char *content, size_t bytes, RtError *error);
// Forgets the messages from `count` on.
void chat_cut(Chat *chat, int count);
void chat_free(Chat *chat);

// What a context holds: a text that a template made, the answer behind it, and the ids they have there. An answer's own ids
// may be others than those its text would be split into.
typedef struct ChatContext {
    char *text;
    size_t bytes;
    uint32_t *ids; // [n]
    int n;
    size_t lost; // bytes that the vocabulary has no token for, of what the last prompt had taken apart
} ChatContext;

// The ids of a conversation's prompt, with the beginning of an answer behind it. Where its text goes on from what `known` has,
// with a special token, so do its ids. Errors: those of template_render, MEMORY; `known` is unchanged then.
RtStatus chat_prompt(const Template *t, const TokenizerView *view, const Chat *chat, ChatContext *known, RtError *error);

// Puts an answer behind the prompt. false: its ids say more than its text (special tokens, or a stop string that was cut off),
// so that `known` is forgotten, or there is no memory. eos: the last id ended it.
bool chat_answered(ChatContext *known, const TokenizerView *view, const char *text, size_t bytes, const uint32_t *ids, int n,
                   bool eos);
void chat_forget(ChatContext *known);
