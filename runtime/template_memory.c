// template_memory.c: memory of a rendering, and the ways out of it.
#include "template_vm.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 64 << 10 };

struct TplBlock {
    struct TplBlock *next;
    _Alignas(16) uint8_t bytes[];
};

static uint8_t *new_block(Tpl *t, size_t bytes)
{
    if (bytes > TPL_MEMORY - t->memory)
        tpl_fail(t, "it needs more than %d MB", TPL_MEMORY >> 20);
    struct TplBlock *block = calloc(1, sizeof *block + bytes);
    if (!block) {
        rt_fail(t->error, ERR_MEMORY, "no memory left for the chat template");
        longjmp(t->failed, 1);
    }
    block->next = t->blocks;
    t->blocks = block;
    t->memory += bytes;
    return block->bytes;
}

void *tpl_alloc(Tpl *t, size_t bytes)
{
    if (bytes > TPL_MEMORY)
        tpl_fail(t, "it needs more than %d MB", TPL_MEMORY >> 20);
    bytes = (bytes + 15) & ~(size_t)15;
    if (bytes >= BLOCK_BYTES / 4)
        return new_block(t, bytes);
    if (bytes > (size_t)(t->block_end - t->block_at)) {
        t->block_at = new_block(t, BLOCK_BYTES);
        t->block_end = t->block_at + BLOCK_BYTES;
    }
    uint8_t *at = t->block_at;
    t->block_at += bytes;
    return at;
}

void tpl_free_all(Tpl *t)
{
    while (t->blocks) {
        struct TplBlock *next = t->blocks->next;
        free(t->blocks);
        t->blocks = next;
    }
}

static uint32_t line_now(const Tpl *t)
{
    const PkgLine *lines = (const PkgLine *)((const uint8_t *)t->head + t->head->line_at);
    uint32_t line = 0;
    for (uint32_t i = 0; i < t->head->lines && lines[i].code <= t->at; ++i)
        line = lines[i].line;
    return line;
}

void tpl_fail(Tpl *t, const char *fmt, ...)
{
    char what[400];
    va_list args;
    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    const uint32_t line = line_now(t);
    if (line)
        rt_fail(t->error, ERR_CHAT_TEMPLATE, "the chat template fails at its line %u: %s", line, what);
    else
        rt_fail(t->error, ERR_CHAT_TEMPLATE, "the chat template: %s", what);
    rt_advise(t->error, "compile with --chat-template NAME for a built-in one");
    longjmp(t->failed, 1);
}

void tpl_refuse(Tpl *t, const TplText *why)
{
    rt_fail(t->error, ERR_CHAT_REFUSED, "the chat template refuses this conversation: %.*s",
            (int)(why->bytes < 400 ? why->bytes : 400), (const char *)why->at);
    longjmp(t->failed, 1);
}

void tpl_out_of_steps(Tpl *t)
{
    tpl_fail(t, "it takes more steps than the %d million that a template may take", TPL_STEPS / 1000000);
}
