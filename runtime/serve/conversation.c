// conversation.c: the messages of a request to /v1/chat/completions.
#include "conversation.h"
#include "tools.h"

#include <stdlib.h>
#include <string.h>

// A conversation while it is read.
typedef struct Reading {
    Conversation *c;
    const Json *json;
    Refusal *refusal;
    char where[40]; // "messages[3]"
} Reading;

static bool bad(Reading *r, const char *code, const char *field, const char *what)
{
    return refuse(r->refusal, code, "messages", "%s.%.40s %s", r->where, field, what);
}

// Templates know "system"; "developer" is OpenAI's newer name for it.
static bool take_role(Reading *r, const JsonValue *v, ChatMessage *m)
{
    static const char *const roles[][2] = {
        { "system", "system" }, { "developer", "system" }, { "user", "user" }, { "assistant", "assistant" }, { "tool", "tool" }
    };
    for (size_t i = 0; v->kind == JSON_STRING && i < sizeof roles / sizeof *roles; ++i)
        if (json_text_is(v->text, roles[i][0]))
            m->role = roles[i][1];
    if (m->role)
        return true;
    return v->kind == JSON_STRING
               ? refuse(r->refusal, "unsupported_value", "messages",
                        "%s.role is \"%.40s\": this version has system, developer, user, assistant and tool", r->where,
                        v->text.at)
               : bad(r, "invalid_type", "role", "is no string");
}

static const JsonValue *part_text(const Reading *r, const JsonValue *part)
{
    const JsonValue *type = part->kind == JSON_OBJECT ? json_get(r->json, part, "type") : NULL;
    const bool is_text = type && type->kind == JSON_STRING && json_text_is(type->text, "text");
    const JsonValue *text = is_text ? json_get(r->json, part, "text") : NULL;
    return text && text->kind == JSON_STRING ? text : NULL;
}

// Parts are put together with a line's end between them, since most templates know texts alone.
static bool join_parts(Reading *r, const JsonValue *list, ChatMessage *m)
{
    size_t bytes = 1, at = 0;
    for (const JsonValue *part = json_first(list); part; part = json_next(r->json, part)) {
        const JsonValue *text = part_text(r, part);
        if (!text)
            return bad(r, "unsupported_value", "content", "has a part that is no text: this program reads text alone");
        bytes += text->text.bytes + 1;
    }
    char *joined = malloc(bytes);
    if (!joined)
        return refuse_no_memory(r->refusal);
    for (const JsonValue *part = json_first(list); part; part = json_next(r->json, part)) {
        const JsonText text = part_text(r, part)->text;
        if (part != json_first(list))
            joined[at++] = '\n';
        memcpy(joined + at, text.at, text.bytes);
        at += text.bytes;
    }
    r->c->joined[m - r->c->messages] = joined;
    m->content = joined;
    m->content_bytes = at;
    return true;
}

static bool take_content(Reading *r, const JsonValue *v, ChatMessage *m)
{
    if (v->kind == JSON_ARRAY)
        return join_parts(r, v, m);
    if (v->kind != JSON_STRING)
        return bad(r, "invalid_type", "content", "is neither a string nor an array of parts");
    m->content = v->text.at;
    m->content_bytes = v->text.bytes;
    return true;
}

static bool take_text(Reading *r, const JsonValue *v, const char **text)
{
    if (v->kind != JSON_STRING || strlen(v->text.at) != v->text.bytes)
        return bad(r, "invalid_type", v->key.at, "is no string, or one with a zero character");
    *text = v->text.at;
    return true;
}

static bool take_calls(Reading *r, const JsonValue *v, ChatMessage *m)
{
    char **text = &r->c->calls[m - r->c->messages];
    if (v->kind != JSON_ARRAY)
        return bad(r, "invalid_type", "tool_calls", "is no array");
    if (!tool_calls_text(r->json, v, r->where, text, r->refusal))
        return false;
    m->tool_calls = *text;
    return true;
}

// null, and empty arrays as clients give back what they were given, say nothing.
static bool take_member(Reading *r, const JsonValue *v, ChatMessage *m)
{
    if (v->kind == JSON_NULL || (v->kind == JSON_ARRAY && !v->count && !json_text_is(v->key, "content")))
        return true;
    if (json_text_is(v->key, "role"))
        return take_role(r, v, m);
    if (json_text_is(v->key, "content"))
        return take_content(r, v, m);
    if (json_text_is(v->key, "reasoning_content"))
        return take_text(r, v, &m->reasoning);
    if (json_text_is(v->key, "tool_calls"))
        return take_calls(r, v, m);
    if (json_text_is(v->key, "tool_call_id"))
        return take_text(r, v, &m->tool_call_id);
    if (json_text_is(v->key, "name"))
        return take_text(r, v, &m->name);
    return bad(r, "unsupported_parameter", v->key.at, "is not in this version");
}

static bool take_message(Reading *r, const JsonValue *v, ChatMessage *m)
{
    if (v->kind != JSON_OBJECT)
        return refuse(r->refusal, "invalid_type", "messages", "%s is no object", r->where);
    for (const JsonValue *member = json_first(v); member; member = json_next(r->json, member))
        if (!take_member(r, member, m))
            return false;
    if (!m->role)
        return bad(r, "missing_required_parameter", "role", "is missing");
    if (!m->content && strcmp(m->role, "assistant") != 0)
        return bad(r, "missing_required_parameter", "content", "is missing");
    const char *const only[] = { m->tool_calls ? "assistant" : m->role, m->tool_call_id || m->name ? "tool" : m->role };
    static const char *const of[] = { "tool_calls", "tool_call_id or name" };
    for (int i = 0; i < 2; ++i)
        if (strcmp(m->role, only[i]) != 0)
            return refuse(r->refusal, "unsupported_parameter", "messages", "%s.%s: a message of \"%s\" alone has it in this version", r->where, of[i], only[i]);
    return true;
}

bool conversation_read(Conversation *c, const Json *json, const JsonValue *messages, Refusal *refusal)
{
    Reading r = { .c = c, .json = json, .refusal = refusal };
    *c = (Conversation){ .messages = calloc(messages->count, sizeof *c->messages),
                         .count = (int)messages->count,
                         .joined = calloc(messages->count, sizeof *c->joined),
                         .calls = calloc(messages->count, sizeof *c->calls) };
    if (!c->messages || !c->joined || !c->calls)
        return refuse_no_memory(refusal);
    int i = 0;
    for (const JsonValue *v = json_first(messages); v; v = json_next(json, v), ++i) {
        snprintf(r.where, sizeof r.where, "messages[%d]", i);
        if (!take_message(&r, v, &c->messages[i]))
            return false;
    }
    return true;
}

void conversation_free(Conversation *c)
{
    for (int i = 0; c->joined && i < c->count; ++i)
        free(c->joined[i]);
    for (int i = 0; c->calls && i < c->count; ++i)
        free(c->calls[i]);
    free(c->joined);
    free(c->calls);
    free(c->messages);
}
