// gguf.c: the parts of a GGUF file, checked before they are used.
//
//   "GGUF" | u32 version | u64 tensors | u64 keys | entry[keys] | directory[tensors] | padding | data
//   entry     = string key, u32 type, value;  an array's value = u32 element type, u64 count, elements
//   directory = string name, u32 rank, u64 dims[rank], u32 type, u64 offset from the start of the data
//   string    = u64 bytes, then the bytes
//
// All numbers are little-endian. Nothing is allocated by one of the file's counts before the file proves long enough.
#include "gguf.h"

#include "../base/disguise.h"
#include "../base/file.h"
#include "../base/str.h"
#include "gguf_reader.h"

#include <stdlib.h>
#include <string.h>

enum {
    HEAD_BYTES = 24,
    ENTRY_LEAST_BYTES = 8 + 1 + 4 + 1,
    TENSOR_LEAST_BYTES = 8 + 1 + 4 + 8 + 4 + 8,
};

static const int type_bytes[GGUF_TYPES] = { 1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8 };

Loc reader_loc(const Reader *r)
{
    return loc_offset(r->g->path, r->at);
}

void reader_need(const Reader *r, uint64_t bytes, const char *what)
{
    const int64_t left = r->g->file_bytes - r->at;
    if (bytes > (uint64_t)left)
        error_at(reader_loc(r), ERR_GGUF, "the file ends inside %s: %llu bytes are needed, %lld are left", what,
                 (unsigned long long)bytes, (long long)left);
}

uint32_t reader_u32(Reader *r, const char *what)
{
    uint32_t v;
    reader_need(r, sizeof v, what);
    memcpy(&v, r->g->bytes + r->at, sizeof v);
    r->at += sizeof v;
    return v;
}

uint64_t reader_u64(Reader *r, const char *what)
{
    uint64_t v;
    reader_need(r, sizeof v, what);
    memcpy(&v, r->g->bytes + r->at, sizeof v);
    r->at += sizeof v;
    return v;
}

// A key or a tensor's name.
const char *reader_name(Reader *r, const char *what)
{
    const Loc at = reader_loc(r);
    const uint64_t bytes = reader_u64(r, what);
    if (bytes == 0 || bytes > GGUF_NAME_MOST_BYTES)
        error_at(at, ERR_GGUF, "%s has %llu bytes: must have 1 to %d", what, (unsigned long long)bytes,
                 GGUF_NAME_MOST_BYTES);
    reader_need(r, bytes, what);
    const char *from = (const char *)r->g->bytes + r->at;
    if (memchr(from, 0, bytes))
        error_at(at, ERR_GGUF, "%s holds a zero byte", what);
    r->at += (int64_t)bytes;
    return str_copy(r->g->arena, from, bytes);
}

// A count that stands in the head, against what the rest of the file has room for.
int reader_count(Reader *r, const char *what, int least_bytes)
{
    const Loc at = reader_loc(r);
    const uint64_t n = reader_u64(r, "the head");
    const uint64_t room = (uint64_t)(r->g->file_bytes - r->at) / (uint64_t)least_bytes;
    if (n > room || n > INT32_MAX)
        error_at(at, ERR_GGUF, "the head claims %llu %s: the file has room for %llu at most", (unsigned long long)n,
                 what, (unsigned long long)room);
    return (int)n;
}

static void skip_string(Reader *r, const char *key)
{
    const uint64_t bytes = reader_u64(r, key);
    reader_need(r, bytes, key);
    r->at += (int64_t)bytes;
}

static GgufType read_type(Reader *r, const char *key)
{
    const Loc at = reader_loc(r);
    const uint32_t type = reader_u32(r, key);
    if (type >= GGUF_TYPES)
        error_at(at, ERR_GGUF, "%s has value type %u: types are 0 to %d", key, type, GGUF_TYPES - 1);
    return (GgufType)type;
}

static void skip_array(Reader *r, GgufEntry *e)
{
    const Loc at = reader_loc(r);
    e->element = read_type(r, e->key);
    if (e->element == GGUF_ARRAY)
        error_at(at, ERR_GGUF, "%s is an array of arrays, which is not supported", e->key);
    const uint64_t count = reader_u64(r, e->key);
    const uint64_t each = e->element == GGUF_STRING ? 8 : (uint64_t)type_bytes[e->element];
    if (count > (uint64_t)(r->g->file_bytes - r->at) / each || count > INT32_MAX)
        error_at(at, ERR_GGUF, "%s claims %llu elements of at least %llu bytes: %lld bytes are left", e->key,
                 (unsigned long long)count, (unsigned long long)each, (long long)(r->g->file_bytes - r->at));
    e->count = (int64_t)count;
    e->value_at = r->at;
    if (e->element != GGUF_STRING)
        r->at += (int64_t)(count * each);
    else
        for (uint64_t i = 0; i < count; ++i)
            skip_string(r, e->key);
}

static void read_entry(Reader *r, GgufEntry *e)
{
    e->at = r->at;
    e->key = reader_name(r, "a key");
    e->type = read_type(r, e->key);
    e->value_at = r->at;
    e->count = 1;
    if (e->type == GGUF_ARRAY) {
        skip_array(r, e);
    } else if (e->type == GGUF_STRING) {
        skip_string(r, e->key);
    } else {
        reader_need(r, (uint64_t)type_bytes[e->type], e->key);
        r->at += type_bytes[e->type];
    }
}

static void read_head(Reader *r)
{
    static const char *const old[] = { "lmgg", "fmgg", "tjgg", "algg" }; // ggml, ggmf, ggjt, ggla, stored as words
    const uint8_t *b = r->g->bytes;
    disguise_refuse(r->g->path, (Bytes){ b, (size_t)r->g->file_bytes }, "a GGUF file");
    for (int i = 0; i < ARRAY_LEN(old); ++i)
        if (r->g->file_bytes >= 4 && memcmp(b, old[i], 4) == 0)
            error_at(loc_file(r->g->path), ERR_GGUF_VERSION,
                     "this is a GGML file, older than GGUF: convert the original model again with a current converter");
    if (r->g->file_bytes < 4 || memcmp(b, "GGUF", 4) != 0)
        error_at(loc_file(r->g->path), ERR_GGUF, "not a GGUF file: it does not start with \"GGUF\"");
    if (r->g->file_bytes < HEAD_BYTES)
        error_at(loc_file(r->g->path), ERR_GGUF, "cut off: the file has %lld bytes, the head alone needs %d",
                 (long long)r->g->file_bytes, HEAD_BYTES);
    r->at = 4;
}

static int read_version(Reader *r)
{
    const Loc at = reader_loc(r);
    const uint32_t version = reader_u32(r, "the head");
    if (version && (version & 0xffff) == 0)
        error_at(at, ERR_GGUF_VERSION, "this is a big-endian GGUF (version %u): convert it to little-endian",
                 __builtin_bswap32(version));
    if (version != 2 && version != 3)
        error_at(at, ERR_GGUF_VERSION, "GGUF version %u: versions 2 and 3 are read; convert the model again", version);
    return (int)version;
}

Loc gguf_loc(const Gguf *g, const char *key)
{
    const GgufEntry *e = gguf_entry(g, key);
    return e ? loc_offset(g->path, e->at) : loc_file(g->path);
}

static void refuse_parts(const Gguf *g)
{
    const int64_t parts = gguf_int_or(g, "split.count", 0, 65535, 1);
    if (parts > 1)
        error_at(
            loc_hint(gguf_loc(g, "split.count"), "join the parts: llama-gguf-split --merge FIRST-PART JOINED.gguf"),
            ERR_GGUF_KEY, "split.count is %lld: this file is one part of %lld, a whole model was expected",
            (long long)parts, (long long)parts);
}

const Gguf *gguf_open(Arena *a, const char *path)
{
    Gguf *g = arena_alloc(a, sizeof *g);
    const Bytes b = file_map(a, path);
    *g = (Gguf){ .arena = a, .path = path, .bytes = b.at, .file_bytes = (int64_t)b.bytes };
    Reader r = { g, 0 };
    read_head(&r);
    g->version = read_version(&r);
    g->n_tensors = reader_count(&r, "tensors", TENSOR_LEAST_BYTES);
    g->n_entries = reader_count(&r, "keys", ENTRY_LEAST_BYTES);
    g->entries = arena_alloc(a, (size_t)g->n_entries * sizeof *g->entries);
    GgufName *names = arena_alloc(a, (size_t)g->n_entries * sizeof *names);
    for (int i = 0; i < g->n_entries; ++i) {
        read_entry(&r, &g->entries[i]);
        names[i] = (GgufName){ g->entries[i].key, g->entries[i].at };
    }
    gguf_refuse_twice(g, names, g->n_entries, "key");
    refuse_parts(g);
    gguf_read_directory(&r, g);
    return g;
}
