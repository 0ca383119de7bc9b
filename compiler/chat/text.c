// text.c: places in a chat template, and refusals there.
#include "syntax.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

uint32_t chat_line(const ChatText *c, uint32_t at)
{
    uint32_t line = 1;
    for (uint32_t i = 0; i < at && i < c->bytes; ++i)
        line += c->text[i] == '\n';
    return line;
}

// The source line with a caret below it, for a template that is no file of its own.
static const char *source_line(const ChatText *c, uint32_t at, int line, int col, uint32_t bytes)
{
    enum { SHOWN = 110 };
    Str s = str_new(c->arena);
    uint32_t from = at - (uint32_t)(col - 1), end = at;
    while (end < c->bytes && c->text[end] != '\n')
        ++end;
    if (at - from > SHOWN / 2)
        from = at - SHOWN / 2;
    while (from < at && (c->text[from] & 0xc0) == 0x80)
        ++from;
    if (end - from > SHOWN)
        end = from + SHOWN;
    while (end > at && end < c->bytes && (c->text[end] & 0xc0) == 0x80)
        --end;
    str_add(&s, "%5d | ", line);
    str_add_bytes(&s, c->text + from, end - from);
    str_add(&s, "\n      | %*s^", (int)(at - from), "");
    for (uint32_t i = 1; i < bytes && at + i < end; ++i)
        str_add(&s, "~");
    str_add(&s, "\n");
    for (size_t i = 0; i < s.bytes; ++i)
        if (s.text[i] == '\t')
            s.text[i] = ' ';
    return s.text;
}

void chat_refuse(const ChatText *c, uint32_t at, uint32_t bytes, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    const char *what = str_vformat(c->arena, fmt, args);
    va_end(args);
    int col = 1;
    for (uint32_t i = at; i > 0 && c->text[i - 1] != '\n'; --i)
        ++col;
    Loc loc = { .file = c->name, .line = (int)chat_line(c, at), .col = col, .width = bytes ? (int)bytes : 1 };
    const char *advice = "note: --chat-template NAME takes a built-in one, --chat-template none leaves it out\n";
    if (c->part) {
        loc.file = str_format(c->arena, "%s:%s", c->name, c->part);
        loc.below = str_format(c->arena, "%s%s", source_line(c, at, loc.line, col, bytes), advice);
    } else {
        loc.below = advice;
    }
    error_at(loc, ERR_CHAT_TEMPLATE, "%s", what);
}
