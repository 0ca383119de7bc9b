// json.c: JSON documents behind typed getters. cJSON builds the tree; jsonloc.c knows the places.
#include "json.h"

#include "file.h"
#include "jsonloc.h"
#include "str.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct JsonDoc {
    Arena *arena;
    const char *name, *text;
    size_t bytes;
    int64_t base; // offset of the text in a binary file, or -1
    cJSON *root;
};

static void doc_free(void *what)
{
    cJSON_Delete(what);
}

static Loc place(const JsonDoc *doc, size_t at, size_t bytes)
{
    if (doc->base >= 0)
        return loc_offset(doc->name, doc->base + (int64_t)at);
    Loc loc = { .file = doc->name, .line = 1, .col = 1, .width = (int)(bytes ? bytes : 1) };
    for (size_t i = 0; i < at && i < doc->bytes; ++i) {
        ++loc.col;
        if (doc->text[i] == '\n') {
            ++loc.line;
            loc.col = 1;
        }
    }
    return loc;
}

// Fills `way` with the way from `from` to `node`; false when it is not below.
static bool find_way(const cJSON *from, const cJSON *node, JsonWay *way)
{
    if (from == node)
        return true;
    int index = 0;
    for (const cJSON *c = from->child; c; c = c->next, ++index) {
        way->index[way->steps++] = index;
        if (find_way(c, node, way))
            return true;
        --way->steps;
    }
    return false;
}

static JsonSpan span_of(Json v)
{
    JsonWay way = { 0 };
    find_way(v.doc->root, v.node, &way);
    return json_find(v.doc->text, v.doc->bytes, &way);
}

Loc json_loc(Json v)
{
    if (!v.node)
        return loc_file(v.doc->name);
    const JsonSpan span = span_of(v);
    const bool scalar = !cJSON_IsObject(v.node) && !cJSON_IsArray(v.node);
    return place(v.doc, span.at, scalar ? span.bytes : 1);
}

Loc json_key_loc(Json v)
{
    const JsonSpan span = span_of(v);
    return span.key_bytes ? place(v.doc, span.key_at, span.key_bytes) : json_loc(v);
}

const char *json_path(Json v)
{
    JsonWay way = { 0 };
    find_way(v.doc->root, v.node, &way);
    Str path = str_new(v.doc->arena);
    str_add(&path, "$");
    const cJSON *at = v.doc->root;
    for (int i = 0; i < way.steps; ++i) {
        const bool object = cJSON_IsObject(at);
        at = at->child;
        for (int k = 0; k < way.index[i]; ++k)
            at = at->next;
        if (object)
            str_add(&path, ".%s", at->string);
        else
            str_add(&path, "[%d]", way.index[i]);
    }
    return path.text;
}

static int by_key(const void *a, const void *b)
{
    return strcmp((*(const cJSON *const *)a)->string, (*(const cJSON *const *)b)->string);
}

static void refuse_duplicates(JsonDoc *doc, const cJSON *at)
{
    int n = 0;
    for (const cJSON *c = at->child; c; c = c->next, ++n)
        if (c->child)
            refuse_duplicates(doc, c);
    if (!cJSON_IsObject(at) || n < 2)
        return;
    const cJSON **members = malloc((size_t)n * sizeof *members);
    if (!members)
        error_at(NOWHERE, ERR_MEMORY, "out of memory");
    n = 0;
    for (const cJSON *c = at->child; c; c = c->next)
        members[n++] = c;
    qsort(members, (size_t)n, sizeof *members, by_key);
    const cJSON *twice = NULL;
    for (int i = 1; i < n && !twice; ++i)
        if (strcmp(members[i - 1]->string, members[i]->string) == 0)
            twice = members[i];
    free(members);
    if (twice)
        error_at(json_key_loc((Json){ doc, twice }), ERR_JSON_DUPLICATE, "the key \"%s\" stands twice in this object",
                 twice->string);
}

Json json_parse(Arena *a, const char *name, const char *text, size_t bytes, int64_t base)
{
    JsonDoc *doc = arena_alloc(a, sizeof *doc);
    *doc = (JsonDoc){ a, name, text, bytes, base, NULL };
    size_t at = 0;
    const char *wrong = json_grammar(text, bytes, &at);
    if (wrong)
        error_at(place(doc, at, 1), ERR_JSON_SYNTAX, "not JSON: %s", wrong);
    const char *end = NULL;
    doc->root = cJSON_ParseWithLengthOpts(text, bytes, &end, 0);
    if (!doc->root)
        error_at(place(doc, end ? (size_t)(end - text) : 0, 1), ERR_JSON_SYNTAX,
                 "not JSON: a string holds half a surrogate pair");
    arena_defer(a, doc_free, doc->root);
    refuse_duplicates(doc, doc->root);
    return (Json){ doc, doc->root };
}

Json json_read(Arena *a, const char *path)
{
    const Bytes b = file_read(a, path);
    return json_parse(a, path, (const char *)b.at, b.bytes, -1);
}

Json json_get(Json object, const char *key)
{
    const cJSON *c = object.node ? cJSON_GetObjectItemCaseSensitive(object.node, key) : NULL;
    return (Json){ object.doc, c && !cJSON_IsNull(c) ? c : NULL };
}

bool json_is(Json v)
{
    return v.node && !cJSON_IsNull(v.node);
}

Json json_first(Json v)
{
    return (Json){ v.doc, v.node ? v.node->child : NULL };
}

Json json_next(Json v)
{
    return (Json){ v.doc, v.node->next };
}

const char *json_key(Json v)
{
    return v.node->string;
}

int json_count(Json v)
{
    return v.node ? cJSON_GetArraySize(v.node) : 0;
}

bool json_is_object(Json v)
{
    return v.node && cJSON_IsObject(v.node);
}

bool json_is_array(Json v)
{
    return v.node && cJSON_IsArray(v.node);
}

bool json_is_string(Json v)
{
    return v.node && cJSON_IsString(v.node);
}

bool json_is_number(Json v)
{
    return v.node && cJSON_IsNumber(v.node);
}

bool json_is_bool(Json v)
{
    return v.node && cJSON_IsBool(v.node);
}

// What stands there, for a message: scalars as they are, the rest by kind.
static const char *shown(Json v)
{
    if (json_is_object(v))
        return "an object";
    if (json_is_array(v))
        return "an array";
    const JsonSpan span = span_of(v);
    return str_copy(v.doc->arena, v.doc->text + span.at, span.bytes < 80 ? span.bytes : 80);
}

static _Noreturn void refuse(Json v, const char *want)
{
    error_at(json_loc(v), ERR_JSON_KEY, "%s is %s: must be %s", json_path(v) + (v.node == v.doc->root ? 0 : 2), shown(v),
             want);
}

int64_t json_int(Json v, int64_t low, int64_t high)
{
    const double d = json_is_number(v) ? v.node->valuedouble : NAN;
    if (!(d >= (double)low && d <= (double)high && d == floor(d) && fabs(d) <= 9007199254740992.0))
        refuse(v, str_format(v.doc->arena, "a whole number from %s to %s", str_count(v.doc->arena, low),
                             str_count(v.doc->arena, high)));
    return (int64_t)d;
}

double json_double(Json v, double low, double high)
{
    const double d = json_is_number(v) ? v.node->valuedouble : NAN;
    if (!(d >= low && d <= high))
        refuse(v, str_format(v.doc->arena, "a number from %g to %g", low, high));
    return d;
}

bool json_bool(Json v)
{
    if (!json_is_bool(v))
        refuse(v, "true or false");
    return cJSON_IsTrue(v.node);
}

const char *json_string(Json v)
{
    if (!json_is_string(v))
        refuse(v, "a string");
    return v.node->valuestring;
}

Json json_want(Json object, const char *key)
{
    if (!json_is_object(object))
        refuse(object, "an object");
    const Json v = json_get(object, key);
    if (!v.node)
        error_at(json_loc(object), ERR_JSON_KEY, "%s%s%s is missing", json_path(object) + (object.node == object.doc->root ? 1 : 2),
                 object.node == object.doc->root ? "" : ".", key);
    return v;
}

int64_t want_int(Json object, const char *key, int64_t low, int64_t high)
{
    return json_int(json_want(object, key), low, high);
}

double want_double(Json object, const char *key, double low, double high)
{
    return json_double(json_want(object, key), low, high);
}

bool want_bool(Json object, const char *key)
{
    return json_bool(json_want(object, key));
}

const char *want_str(Json object, const char *key)
{
    return json_string(json_want(object, key));
}

Json want_array(Json object, const char *key)
{
    const Json v = json_want(object, key);
    if (!json_is_array(v))
        refuse(v, "an array");
    return v;
}

Json want_object(Json object, const char *key)
{
    const Json v = json_want(object, key);
    if (!json_is_object(v))
        refuse(v, "an object");
    return v;
}

int64_t json_int_or(Json object, const char *key, int64_t low, int64_t high, int64_t otherwise)
{
    const Json v = json_get(object, key);
    return v.node ? json_int(v, low, high) : otherwise;
}

double json_double_or(Json object, const char *key, double low, double high, double otherwise)
{
    const Json v = json_get(object, key);
    return v.node ? json_double(v, low, high) : otherwise;
}

bool json_bool_or(Json object, const char *key, bool otherwise)
{
    const Json v = json_get(object, key);
    return v.node ? json_bool(v) : otherwise;
}

const char *json_str_or(Json object, const char *key, const char *otherwise)
{
    const Json v = json_get(object, key);
    return v.node ? json_string(v) : otherwise;
}

const char *json_quote(Arena *a, const char *s)
{
    Str out = str_new(a);
    str_add(&out, "\"");
    for (; *s; ++s) {
        const unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\')
            str_add(&out, "\\%c", c);
        else if (c < 0x20)
            str_add(&out, "\\u%04x", c);
        else
            str_add_bytes(&out, s, 1);
    }
    str_add(&out, "\"");
    return out.text;
}
