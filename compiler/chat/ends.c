// ends.c: what a chat template writes behind an answer: it ends a turn.
#include "chat.h"

#include "../../runtime/template.h"

#include <string.h>

const char *chat_turn_end(Arena *a, const ChatTemplate *c)
{
    static const char answer[] = "an answer that no template holds";
    static const ChatMessage messages[] = { { .role = "user", .content = "a question", .content_bytes = 10 }, { .role = "assistant", .content = answer, .content_bytes = sizeof answer - 1 } };
    const TemplateInput in = { .messages = messages, .count = 2 };
    Template t;
    TemplateText text;
    RtError error;
    if (!template_open(&t, c->tables, c->bytes) || template_render(&t, &in, &text, &error) != RT_OK)
        return NULL;
    const char *at = strstr(text.text, answer);
    const char *behind = at ? at + sizeof answer - 1 : "";
    while (*behind == ' ' || *behind == '\n')
        ++behind;
    const char *found = *behind ? str_copy(a, behind, strlen(behind)) : NULL;
    template_free(&text);
    return found;
}
