// json.h: JSON documents behind typed getters that report path and position. cJSON does the parsing.
#pragma once
#include "arena.h"
#include "diag.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct JsonDoc JsonDoc;
struct cJSON;

// One value of a document. Copy freely; it lives as long as the arena. A value that is not there has node NULL.
typedef struct Json {
    JsonDoc *doc;
    const struct cJSON *node;
} Json;

// Parses a whole document. `name` is what messages call it; `base` is the offset of text in a larger binary file, or -1
// for a text file with lines. Refuses what RFC 8259 does not allow, duplicate keys in one object, nesting over 200 and
// numbers that a double cannot hold. Errors: JSON_SYNTAX, JSON_DUPLICATE.
Json json_parse(Arena *a, const char *name, const char *text, size_t bytes, int64_t base);
Json json_read(Arena *a, const char *path);

// Where the value stands: file, line, column, width. json_key_loc: where its key stands.
Loc json_loc(Json v);
Loc json_key_loc(Json v);

// The member `key`; absent and null members are the same: node NULL.
Json json_get(Json object, const char *key);
bool json_is(Json v); // present and not null

// Members or elements in file order: for (Json v = json_first(x); v.node; v = json_next(v)). json_key: a member's key.
Json json_first(Json v);
Json json_next(Json v);
const char *json_key(Json v);
int json_count(Json v);

bool json_is_object(Json v);
bool json_is_array(Json v);
bool json_is_string(Json v);
bool json_is_number(Json v);
bool json_is_bool(Json v);

// The value itself, which must be of that type and in [low, high]. Error: JSON_KEY, naming the path, the value and the want.
int64_t json_int(Json v, int64_t low, int64_t high);
double json_double(Json v, double low, double high);
bool json_bool(Json v);
const char *json_string(Json v);

// The member `key`, which must be there. Error: JSON_KEY.
Json json_want(Json object, const char *key);
int64_t want_int(Json object, const char *key, int64_t low, int64_t high);
double want_double(Json object, const char *key, double low, double high);
bool want_bool(Json object, const char *key);
const char *want_str(Json object, const char *key);
Json want_array(Json object, const char *key);
Json want_object(Json object, const char *key);

// The member's value, or `otherwise` when it is absent or null.
int64_t json_int_or(Json object, const char *key, int64_t low, int64_t high, int64_t otherwise);
double json_double_or(Json object, const char *key, double low, double high, double otherwise);
bool json_bool_or(Json object, const char *key, bool otherwise);
const char *json_str_or(Json object, const char *key, const char *otherwise);

// "$.rope_scaling.factor": the path of a value, for messages.
const char *json_path(Json v);

// `s` as a JSON string with its quotes, for writers. Bytes that are not UTF-8 are kept as they are.
const char *json_quote(Arena *a, const char *s);
