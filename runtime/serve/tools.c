// tools.c: tools of a request, and calls of them in its messages, as chat templates read them.
#include "tools.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH = 32, VALUES = 65536, MEMBERS = 256 };

// The object "function" of a tool or a call; NULL: it has none with a name.
static const JsonValue *function_of(const Json *json, const JsonValue *v)
{
    const JsonValue *type = v->kind == JSON_OBJECT ? json_get(json, v, "type") : NULL;
    const JsonValue *function = v->kind == JSON_OBJECT ? json_get(json, v, "function") : NULL;
    const JsonValue *name = function && function->kind == JSON_OBJECT ? json_get(json, function, "name") : NULL;
    const bool other = type && (type->kind != JSON_STRING || !json_text_is(type->text, "function"));
    return !other && name && name->kind == JSON_STRING && name->text.bytes ? function : NULL;
}

bool tools_check(const Json *json, const JsonValue *tools, Refusal *refusal)
{
    int i = 0;
    for (const JsonValue *v = json_first(tools); v; v = json_next(json, v), ++i)
        if (!function_of(json, v))
            return refuse(refusal, "invalid_value", "tools", "tools[%d] is no function with a name", i);
    return true;
}

// Arguments as an object: they are one, or the text of one, or no text at all.
static bool write_arguments(const Json *json, const JsonValue *v, FILE *out)
{
    const JsonLimits limits = { .depth = DEPTH, .values = VALUES, .members = MEMBERS };
    const bool text = v->kind == JSON_STRING && v->text.bytes;
    if (!text) {
        if (v->kind == JSON_OBJECT)
            json_write(json, v, out);
        else
            fputs("{}", out);
        return v->kind == JSON_OBJECT || v->kind == JSON_STRING;
    }
    Json inside = { 0 };
    RtError error;
    char *copy = malloc(v->text.bytes); // which is changed
    if (copy)
        memcpy(copy, v->text.at, v->text.bytes);
    const bool good = copy && json_read(&inside, copy, v->text.bytes, &limits, &error) == RT_OK && inside.values->kind == JSON_OBJECT;
    if (good)
        json_write(&inside, inside.values, out);
    json_free(&inside);
    free(copy);
    return good;
}

static bool write_call(const Json *json, const JsonValue *call, FILE *out)
{
    const JsonValue *function = function_of(json, call), *arguments = function ? json_get(json, function, "arguments") : NULL;
    const JsonValue *id = function ? json_get(json, call, "id") : NULL;
    if (!function || !arguments)
        return false;
    fputc('{', out);
    if (id) {
        fputs("\"id\":", out);
        json_write(json, id, out);
        fputc(',', out);
    }
    fputs("\"type\":\"function\",\"function\":{\"name\":", out);
    json_write(json, json_get(json, function, "name"), out);
    fputs(",\"arguments\":", out);
    const bool good = write_arguments(json, arguments, out);
    fputs("}}", out);
    return good;
}

bool tool_calls_text(const Json *json, const JsonValue *calls, const char *where, char **text, Refusal *refusal)
{
    size_t bytes;
    int i = 0;
    FILE *out = open_memstream(text, &bytes);
    if (!out)
        return refuse_no_memory(refusal);
    fputc('[', out);
    for (const JsonValue *v = json_first(calls); v; v = json_next(json, v), ++i) {
        fputs(i ? "," : "", out);
        if (!write_call(json, v, out)) {
            fclose(out);
            return refuse(refusal, "invalid_value", "messages",
                          "%s.tool_calls[%d] is no call of a function: a name, and arguments that are the text of a JSON object", where, i);
        }
    }
    fputc(']', out);
    return fclose(out) == 0 || refuse_no_memory(refusal);
}
