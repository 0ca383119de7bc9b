// file.h: whole files in, whole files out.
#pragma once
#include "arena.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct Bytes {
    const uint8_t *at;
    size_t bytes;
} Bytes;

// The whole file, ended by a zero byte that `bytes` does not count. Errors: FILE_MISSING, READ.
Bytes file_read(Arena *a, const char *path);

// The whole file mapped read-only for the arena's life; for weights. Errors: FILE_MISSING, READ.
Bytes file_map(Arena *a, const char *path);

bool file_exists(const char *path);
bool file_is_dir(const char *path);

// Names in a folder, sorted bytewise, without "." and "..". Error: FILE_MISSING.
const char *const *file_list(Arena *a, const char *dir, int *n);

// Makes the folder unless it exists. Error: WRITE.
void file_make_dir(const char *path);

// An output under a temporary name beside `path`; file_commit gives it its name. It is removed if that never happens.
typedef struct OutFile {
    FILE *stream;
    const char *path, *temporary;
    bool executable;
} OutFile;

OutFile *file_create(Arena *a, const char *path);
void file_commit(OutFile *out);

// Writes text unless the file already holds exactly it, so that an unchanged output keeps its time. "-": stdout.
void file_write_text(Arena *a, const char *path, const char *text, size_t bytes);

// Free bytes on the disk that holds `path` (or its folder), or -1 when that cannot be asked.
int64_t file_free_bytes(Arena *a, const char *path);
