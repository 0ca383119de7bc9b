// chat.c: a conversation, and the ids of the prompt that a program's chat template makes of it.
#include "chat.h"
#include "chat_prompt.h"
#include "rt_error.h"

#include <stdlib.h>
#include <string.h>

RtStatus chat_add(Chat *chat, const char *role, const char *content, size_t bytes, RtError *error)
{
    if (!chat->count)
        chat->now = time(NULL);
    if (chat->count == chat->room) {
        const int room = chat->room ? 2 * chat->room : 16;
        ChatMessage *more = realloc(chat->messages, (size_t)room * sizeof *more);
        if (!more)
            return rt_fail(error, ERR_MEMORY, "no memory for a message");
        chat->messages = more;
        chat->room = room;
    }
    char *name = strdup(role), *text = malloc(bytes + 1);
    if (!name || !text) {
        free(name);
        free(text);
        return rt_fail(error, ERR_MEMORY, "no memory for a message of %zu bytes", bytes);
    }
    memcpy(text, content, bytes);
    text[bytes] = 0;
    chat->messages[chat->count++] = (ChatMessage){ .role = name, .content = text, .content_bytes = bytes };
    return RT_OK;
}

void chat_cut(Chat *chat, int count)
{
    while (chat->count > count) {
        const ChatMessage *last = &chat->messages[--chat->count];
        free((char *)last->role);
        free((char *)last->content);
    }
}

void chat_free(Chat *chat)
{
    chat_cut(chat, 0);
    free(chat->messages);
    *chat = (Chat){ .count = 0 };
}

void chat_forget(ChatContext *known)
{
    free(known->text);
    free(known->ids);
    *known = (ChatContext){ .n = 0 };
}

// The text behind what is known, or all of it.
static size_t known_bytes(const ChatContext *known, const TemplateText *text)
{
    return known->n && known->bytes < text->bytes && memcmp(known->text, text->text, known->bytes) == 0 ? known->bytes : 0;
}

static RtStatus take_prompt(ChatContext *known, const TemplateText *text, int kept, const ChatIds *more, RtError *error)
{
    const int n = more->n;
    uint32_t *all = malloc(((size_t)kept + (size_t)n + 1) * sizeof *all);
    char *copy = malloc(text->bytes + 1);
    if (!all || !copy) {
        free(all);
        free(copy);
        return rt_fail(error, ERR_MEMORY, "no memory for a prompt of %d tokens", kept + n);
    }
    if (kept)
        memcpy(all, known->ids, (size_t)kept * sizeof *all);
    memcpy(all + kept, more->ids, (size_t)n * sizeof *all);
    memcpy(copy, text->text, text->bytes);
    chat_forget(known);
    *known = (ChatContext){ .text = copy, .bytes = text->bytes, .ids = all, .n = kept + n, .lost = more->lost };
    return RT_OK;
}

RtStatus chat_prompt(const Template *t, const TokenizerView *view, const Chat *chat, ChatContext *known, RtError *error)
{
    const TemplateInput in = { .messages = chat->messages, .count = chat->count, .add_generation_prompt = true,
                               .now = chat->now };
    TemplateText text;
    ChatIds ids;
    if (template_render(t, &in, &text, error) != RT_OK)
        return RT_FAILED;
    size_t skip = known_bytes(known, &text);
    const TemplateText rest = { text.text + skip, text.bytes - skip, text.user + skip };
    RtStatus status = chat_encode(view, &rest, &ids, error);
    // Only a special token begins where a token begins, whatever stands before it.
    if (status == RT_OK && skip && (ids.n == 0 || tokenizer_type(view, ids.ids[0]) != TOKEN_SPECIAL)) {
        free(ids.ids);
        skip = 0;
        status = chat_encode(view, &text, &ids, error);
    }
    if (status == RT_OK)
        status = take_prompt(known, &text, skip ? known->n : 0, &ids, error);
    free(ids.ids);
    template_free(&text);
    return status;
}

bool chat_answered(ChatContext *known, const TokenizerView *view, const char *text, size_t bytes, const uint32_t *ids, int n,
                   bool eos)
{
    const int count = n - eos;
    bool plain = true;
    for (int i = 0; i < count; ++i)
        plain &= tokenizer_type(view, ids[i]) != TOKEN_SPECIAL;
    char *more_text = plain ? realloc(known->text, known->bytes + bytes + 1) : NULL;
    known->text = more_text ? more_text : known->text;
    uint32_t *more_ids = more_text ? realloc(known->ids, ((size_t)known->n + (size_t)count + 1) * sizeof *ids) : NULL;
    if (!more_ids) {
        chat_forget(known);
        return false;
    }
    memcpy(known->text + known->bytes, text, bytes);
    memcpy(more_ids + known->n, ids, (size_t)count * sizeof *ids);
    known->ids = more_ids;
    known->bytes += bytes;
    known->n += count;
    return true;
}
