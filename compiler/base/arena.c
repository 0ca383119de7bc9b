// arena.c: one bump allocator for a compilation.
#include "arena.h"

#include "cleanup.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCK_BYTES = 1 << 20 };

typedef struct Block Block;
struct Block {
    Block *next;
    size_t used, bytes;
    _Alignas(16) unsigned char data[];
};

typedef struct Deferred Deferred;
struct Deferred {
    Deferred *next;
    void (*done)(void *what);
    void *what;
};

struct Arena {
    Block *blocks;      // newest first
    Deferred *deferred; // newest first
};

static _Noreturn void out_of_memory(size_t bytes)
{
    fprintf(stderr, "llmc: error: out of memory: %zu bytes more were asked for [E0600]\n", bytes);
    cleanup_now();
    exit(6);
}

static void *must_alloc(size_t bytes)
{
    void *p = calloc(1, bytes);
    if (!p)
        out_of_memory(bytes);
    return p;
}

Arena *arena_new(void)
{
    return must_alloc(sizeof(Arena));
}

void arena_free(Arena *a)
{
    for (Deferred *d = a->deferred; d; d = d->next)
        d->done(d->what);
    for (Block *b = a->blocks, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    free(a);
}

void *arena_alloc(Arena *a, size_t bytes)
{
    if (bytes > SIZE_MAX / 2)
        out_of_memory(bytes);
    bytes = (bytes + 15) & ~(size_t)15;
    Block *b = a->blocks;
    if (!b || b->bytes - b->used < bytes) {
        const size_t room = bytes > BLOCK_BYTES ? bytes : BLOCK_BYTES;
        b = must_alloc(sizeof *b + room);
        b->bytes = room;
        b->next = a->blocks;
        a->blocks = b;
    }
    void *p = b->data + b->used;
    b->used += bytes;
    return p;
}

void arena_defer(Arena *a, void (*done)(void *what), void *what)
{
    Deferred *d = arena_alloc(a, sizeof *d);
    d->done = done;
    d->what = what;
    d->next = a->deferred;
    a->deferred = d;
}
