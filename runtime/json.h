// json.h: reading JSON from untrusted hands: strict (RFC 8259), within limits, without a library.
#pragma once
#include "rt_error.h"

#include <stdio.h>

typedef enum JsonKind { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT } JsonKind;

// Well-formed UTF-8; a zero follows, and zeros may be in it.
typedef struct JsonText {
    const char *at;
    size_t bytes;
} JsonText;

// Values stand in the order of the text, so that the first element or member of a value stands right behind it.
typedef struct JsonValue {
    JsonKind kind;
    uint32_t count; // of an array or object: elements or members
    uint32_t next;  // index of the next element or member of the same parent; 0: this is the last
    JsonText key;   // of a member
    JsonText text;  // of a string; of a number as it is written, without a zero behind it
    double number;  // finite
} JsonValue;

typedef struct Json {
    JsonValue *values; // [n]; values[0] is the whole
    uint32_t n, room;
} Json;

typedef struct JsonLimits {
    uint32_t depth;   // arrays and objects around a value
    uint32_t values;  // in all
    uint32_t members; // of one object
} JsonLimits;

enum { JSON_DEPTH = 64, JSON_NUMBER_BYTES = 64 };

// Strings are decoded in place, so the text changes and must stay as long as the values. Equal keys, lone surrogates,
// ill-formed UTF-8, numbers that are not finite or over JSON_NUMBER_BYTES long and whatever goes over a limit are
// refused. json_free may be called after a failure. Errors: JSON_SYNTAX with the byte, JSON_DUPLICATE, MEMORY.
RtStatus json_read(Json *json, char *text, size_t bytes, const JsonLimits *limits, RtError *error);
void json_free(Json *json);

// The first element or member; NULL: there is none.
const JsonValue *json_first(const JsonValue *parent);
const JsonValue *json_next(const Json *json, const JsonValue *value);

// The member of an object; NULL: it has none of this name.
const JsonValue *json_get(const Json *json, const JsonValue *object, const char *key);

bool json_text_is(JsonText text, const char *want);

// The value as text again: what json_read reads from it is the same.
void json_write(const Json *json, const JsonValue *value, FILE *out);
