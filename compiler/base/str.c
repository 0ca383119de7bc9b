// str.c: strings built and formatted into an arena.
#include "str.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *str_vformat(Arena *a, const char *fmt, va_list args)
{
    va_list again;
    va_copy(again, args);
    const int bytes = vsnprintf(NULL, 0, fmt, again);
    va_end(again);
    char *s = arena_alloc(a, (size_t)bytes + 1);
    vsnprintf(s, (size_t)bytes + 1, fmt, args);
    return s;
}

const char *str_format(Arena *a, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    const char *s = str_vformat(a, fmt, args);
    va_end(args);
    return s;
}

const char *str_copy(Arena *a, const char *s, size_t bytes)
{
    char *copy = arena_alloc(a, bytes + 1);
    memcpy(copy, s, bytes);
    return copy;
}

bool str_equal(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

bool str_starts(const char *s, const char *prefix)
{
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

bool str_ends(const char *s, const char *suffix)
{
    const size_t n = strlen(s), m = strlen(suffix);
    return n >= m && strcmp(s + n - m, suffix) == 0;
}

const char *str_basename(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *str_join(Arena *a, const char *dir, const char *name)
{
    return str_format(a, "%s%s%s", dir, str_ends(dir, "/") ? "" : "/", name);
}

const char *str_count(Arena *a, int64_t n)
{
    char digits[32], out[48];
    int from = snprintf(digits, sizeof digits, "%lld", (long long)n), to = (int)sizeof out - 1;
    out[to] = 0;
    for (int taken = 0; from > 0 && digits[from - 1] != '-'; ++taken) {
        if (taken && taken % 3 == 0)
            out[--to] = ',';
        out[--to] = digits[--from];
    }
    if (from)
        out[--to] = '-';
    return str_copy(a, out + to, sizeof out - 1 - (size_t)to);
}

// Levenshtein distance of two short words; words over 63 letters count as unlike everything.
static int edit_distance(const char *a, const char *b)
{
    const int n = (int)strlen(a), m = (int)strlen(b);
    int row[64];
    if (n > 63 || m > 63)
        return INT_MAX;
    for (int j = 0; j <= m; ++j)
        row[j] = j;
    for (int i = 1; i <= n; ++i) {
        int diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= m; ++j) {
            const int up = row[j];
            int best = diagonal + (a[i - 1] != b[j - 1]);
            best = up + 1 < best ? up + 1 : best;
            best = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
            diagonal = up;
            row[j] = best;
        }
    }
    return row[m];
}

const char *str_nearest(const char *word, const char *const *names, int n)
{
    const char *nearest = NULL;
    int best = (int)(strlen(word) + 2) / 3 + 1;
    for (int i = 0; i < n; ++i) {
        const int distance = edit_distance(word, names[i]);
        if (distance < best) {
            best = distance;
            nearest = names[i];
        }
    }
    return nearest;
}

Str str_new(Arena *a)
{
    Str s = { a, arena_alloc(a, 256), 0, 256 };
    return s;
}

void str_add_bytes(Str *s, const void *from, size_t bytes)
{
    if (s->bytes + bytes + 1 > s->cap) {
        while (s->bytes + bytes + 1 > s->cap)
            s->cap *= 2;
        char *grown = arena_alloc(s->arena, s->cap);
        memcpy(grown, s->text, s->bytes);
        s->text = grown;
    }
    memcpy(s->text + s->bytes, from, bytes);
    s->bytes += bytes;
    s->text[s->bytes] = 0;
}

void str_add(Str *s, const char *fmt, ...)
{
    char local[512];
    va_list args;
    va_start(args, fmt);
    const int bytes = vsnprintf(local, sizeof local, fmt, args);
    va_end(args);
    if (bytes < (int)sizeof local) {
        str_add_bytes(s, local, (size_t)bytes);
        return;
    }
    va_start(args, fmt);
    str_add_bytes(s, str_vformat(s->arena, fmt, args), (size_t)bytes);
    va_end(args);
}

uint64_t str_hash(uint64_t hash, const void *from, size_t bytes)
{
    const unsigned char *p = from;
    for (size_t i = 0; i < bytes; ++i)
        hash = (hash ^ p[i]) * 0x100000001b3ull;
    return hash;
}
