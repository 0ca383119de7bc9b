// chat.c: a conversation, and the ids of the prompt that a program's chat template makes of it.
#include "chat.h"
#include "rt_error.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

RtStatus chat_add(Chat *chat, const char *role, const char *content, size_t bytes, RtError *error)
{
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

// Runs of bytes that came from the conversation; ranges NULL: how many there are.
static size_t literal_ranges(const TemplateText *text, TokenizerRange *ranges)
{
    size_t n = 0;
    for (size_t at = 0; at < text->bytes; ++at) {
        if (!text->user[at] || (at && text->user[at - 1]))
            continue;
        size_t to = at + 1;
        while (to < text->bytes && text->user[to])
            ++to;
        if (ranges)
            ranges[n] = (TokenizerRange){ at, to };
        ++n;
    }
    return n;
}

RtStatus chat_encode(const TokenizerView *view, const TemplateText *text, uint32_t **ids, int *n, RtError *error)
{
    const size_t literals = literal_ranges(text, NULL);
    TokenizerRange *ranges = malloc((literals + 1) * sizeof *ranges);
    *ids = malloc(tokenizer_room(view, text->bytes) * sizeof **ids);
    int64_t made = -1;
    if (ranges && *ids) {
        const TokenizerText asked = { .text = text->text, .bytes = text->bytes, .special = true, .literal = ranges,
                                      .literals = literal_ranges(text, ranges) };
        made = tokenizer_encode_text(view, &asked, *ids, NULL);
    }
    free(ranges);
    if (made >= 0 && made < INT_MAX) {
        *n = (int)made;
        return RT_OK;
    }
    free(*ids);
    *ids = NULL;
    return rt_fail(error, ERR_MEMORY, "no memory to split %zu bytes of text into tokens", text->bytes);
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

static RtStatus take_prompt(ChatContext *known, const TemplateText *text, int kept, uint32_t *ids, int n, RtError *error)
{
    uint32_t *all = malloc(((size_t)kept + (size_t)n + 1) * sizeof *all);
    char *copy = malloc(text->bytes + 1);
    if (!all || !copy) {
        free(all);
        free(copy);
        return rt_fail(error, ERR_MEMORY, "no memory for a prompt of %d tokens", kept + n);
    }
    if (kept)
        memcpy(all, known->ids, (size_t)kept * sizeof *all);
    memcpy(all + kept, ids, (size_t)n * sizeof *all);
    memcpy(copy, text->text, text->bytes);
    chat_forget(known);
    *known = (ChatContext){ .text = copy, .bytes = text->bytes, .ids = all, .n = kept + n };
    return RT_OK;
}

RtStatus chat_prompt(const Template *t, const TokenizerView *view, const Chat *chat, ChatContext *known, RtError *error)
{
    const TemplateInput in = { .messages = chat->messages, .count = chat->count, .add_generation_prompt = true,
                               .now = time(NULL) };
    TemplateText text;
    uint32_t *ids = NULL;
    int n = 0;
    if (template_render(t, &in, &text, error) != RT_OK)
        return RT_FAILED;
    size_t skip = known_bytes(known, &text);
    const TemplateText rest = { text.text + skip, text.bytes - skip, text.user + skip };
    RtStatus status = chat_encode(view, &rest, &ids, &n, error);
    // Only a special token begins where a token begins, whatever stands before it.
    if (status == RT_OK && skip && (n == 0 || tokenizer_type(view, ids[0]) != TOKEN_SPECIAL)) {
        free(ids);
        skip = 0;
        status = chat_encode(view, &text, &ids, &n, error);
    }
    if (status == RT_OK)
        status = take_prompt(known, &text, skip ? known->n : 0, ids, n, error);
    free(ids);
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
