// arena.h: one bump allocator for a compilation.
#pragma once
#include <stddef.h>

typedef struct Arena Arena;

// A new, empty arena. Exits with code 6 when the machine has no memory left.
Arena *arena_new(void);

// Runs every deferred call, newest first, then gives all memory back.
void arena_free(Arena *a);

// `bytes` zeroed bytes, aligned to 16. Never NULL: running out of memory ends the process with code 6.
void *arena_alloc(Arena *a, size_t bytes);

// Calls done(what) when the arena is freed: for the few things that are not arena memory (mappings, library handles).
void arena_defer(Arena *a, void (*done)(void *what), void *what);
