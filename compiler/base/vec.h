// vec.h: typed growable arrays in an arena: struct { T *at; int n, cap; }.
#pragma once
#include "arena.h"

#include <string.h>

#define VEC(T) \
    struct { \
        T *at; \
        int n, cap; \
    }

// Room for one element more; the old elements keep their order, their old addresses become stale.
static inline void *vec_grow(Arena *a, void *at, int n, int *cap, size_t element_bytes)
{
    if (n < *cap)
        return at;
    *cap = *cap ? *cap * 2 : 16;
    void *grown = arena_alloc(a, (size_t)*cap * element_bytes);
    if (n)
        memcpy(grown, at, (size_t)n * element_bytes);
    return grown;
}

#define vec_push(arena, v, x) \
    ((v)->at = vec_grow((arena), (v)->at, (v)->n, &(v)->cap, sizeof *(v)->at), (v)->at[(v)->n++] = (x))

#define ARRAY_LEN(array) ((int)(sizeof(array) / sizeof *(array)))
