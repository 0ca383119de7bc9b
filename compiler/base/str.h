// str.h: strings built and formatted into an arena.
#pragma once
#include "arena.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

// printf into the arena.
const char *str_format(Arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
const char *str_vformat(Arena *a, const char *fmt, va_list args);

// A copy of the first `bytes` bytes of s, ended by a zero byte.
const char *str_copy(Arena *a, const char *s, size_t bytes);

bool str_equal(const char *a, const char *b);
bool str_starts(const char *s, const char *prefix);
bool str_ends(const char *s, const char *suffix);

// The part of a path after its last '/'; and the path of `name` inside folder `dir`.
const char *str_basename(const char *path);
const char *str_join(Arena *a, const char *dir, const char *name);

// 1234567 -> "1,234,567".
const char *str_count(Arena *a, int64_t n);

// Of the `n` names, the one closest to `word` by edit distance, or NULL when none is within a third of its letters.
const char *str_nearest(const char *word, const char *const *names, int n);

// A growing string: str_add appends; `text` is always ended by a zero byte.
typedef struct Str {
    Arena *arena;
    char *text;
    size_t bytes, cap;
} Str;

Str str_new(Arena *a);
void str_add(Str *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void str_add_bytes(Str *s, const void *from, size_t bytes);

// FNV-1a, 64 bits, continued from `hash` (start with STR_HASH_SEED): fingerprints of plans and sources.
#define STR_HASH_SEED 0xcbf29ce484222325ull
uint64_t str_hash(uint64_t hash, const void *from, size_t bytes);
