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

// The whole file, ended by a zero byte that `bytes` does not count; "-": stdin. Errors: FILE_MISSING, READ, FILE_KIND
// when it is too large to be a text.
Bytes file_read(Arena *a, const char *path);

// The whole file mapped read-only for the arena's life; for weights. Errors: FILE_MISSING, FILE_KIND, READ.
Bytes file_map(Arena *a, const char *path);

// DIR/NAME, or NULL: the folder has no such entry. Error: FILE_KIND for one that a reader would wait for, or not find: a
// pipe, a device, a link that leads nowhere.
const char *file_in_folder(Arena *a, const char *dir, const char *name);

bool file_exists(const char *path);
bool file_is_dir(const char *path);
bool file_is_regular(const char *path);

// Both are there and are one file.
bool file_same(const char *one, const char *other);

// "a/b" of "a/b/c", "." of "c".
const char *file_folder(Arena *a, const char *path);

// The path itself, or the file that the symbolic link of this name leads to. Error: WRITE when it leads nowhere.
const char *file_behind_links(Arena *a, const char *path);

// Names in a folder, sorted bytewise, without "." and "..". Error: FILE_MISSING.
const char *const *file_list(Arena *a, const char *dir, int *n);

// Makes the folder unless it exists; true: it was made. Error: WRITE.
bool file_make_dir(const char *path);

// An output under a temporary name beside `path`, or beside the file that a link of this name leads to; file_commit
// gives it its name. It is removed if that never happens. Devices and pipes are written to at once.
typedef struct OutFile {
    FILE *stream; // NULL: finished
    const char *path, *temporary; // temporary NULL: a device or a pipe
    bool executable;
} OutFile;

OutFile *file_create(Arena *a, const char *path);
// Everything is on the disk; only the name is missing.
void file_finish(OutFile *out);
void file_commit(OutFile *out);

// A finished output, or NULL when the file already holds exactly this text, so that it keeps its time.
OutFile *file_prepare_text(Arena *a, const char *path, const char *text, size_t bytes);

// The same, committed. "-": stdout.
void file_write_text(Arena *a, const char *path, const char *text, size_t bytes);

// Free bytes on the disk that holds `path` (or its folder), or -1 when that cannot be asked.
int64_t file_free_bytes(Arena *a, const char *path);
