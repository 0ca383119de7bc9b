// cli_chat_file.c: conversations as files: {"model":"...","messages":[{"role":"user","content":"..."}, ...]}.
#include "cli_chat_file.h"
#include "cli_json.h"
#include "cli_prompt.h"
#include "json.h"
#include "rt_error.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

RtStatus chat_save(const Chat *chat, const char *model, const char *path, RtError *error)
{
    char temporary[4096];
    const int bytes = snprintf(temporary, sizeof temporary, "%s.tmp.%ld", path, (long)getpid());
    FILE *out = bytes < (int)sizeof temporary ? fopen(temporary, "wb") : NULL;
    if (!out)
        return rt_fail(error, ERR_WRITE, "%.600s: %s", path, strerror(errno));
    fputs("{\"model\":", out);
    json_text(out, model);
    fputs(",\"messages\":[", out);
    for (int i = 0; i < chat->count; ++i) {
        const ChatMessage *m = &chat->messages[i];
        fprintf(out, "%s\n{\"role\":", i ? "," : "");
        json_text(out, m->role);
        fputs(",\"content\":", out);
        print_json_string(out, m->content, m->content_bytes);
        fputc('}', out);
    }
    fputs("\n]}\n", out);
    const bool failed = ferror(out) != 0;
    if (fclose(out) != 0 || failed || rename(temporary, path) != 0) {
        rt_fail(error, ERR_WRITE, "%.600s: %s", path, strerror(errno));
        unlink(temporary);
        return RT_FAILED;
    }
    return RT_OK;
}

static const JsonValue *member(const Json *json, const JsonValue *object, const char *key, JsonKind kind)
{
    const JsonValue *v = object->kind == JSON_OBJECT ? json_get(json, object, key) : NULL;
    return v && v->kind == kind ? v : NULL;
}

static RtStatus take_messages(const Json *json, const char *path, Chat *to, RtError *error)
{
    const JsonValue *whole = json->values;
    const JsonValue *list = whole->kind == JSON_ARRAY ? whole : member(json, whole, "messages", JSON_ARRAY);
    if (!list)
        return rt_fail(error, ERR_CHAT_FILE, "%.600s: no list of messages", path);
    for (const JsonValue *v = json_first(list); v; v = json_next(json, v)) {
        const JsonValue *role = member(json, v, "role", JSON_STRING), *content = member(json, v, "content", JSON_STRING);
        if (!role || !content || memchr(role->text.at, 0, role->text.bytes))
            return rt_fail(error, ERR_CHAT_FILE, "%.600s: message %d has no role and content that are strings", path,
                           to->count);
        if (chat_add(to, role->text.at, content->text.at, content->text.bytes, error) != RT_OK)
            return RT_FAILED;
    }
    return RT_OK;
}

RtStatus chat_read(Chat *chat, const char *path, RtError *error)
{
    static const JsonLimits limits = { .depth = 16, .values = 1 << 20, .members = 64 };
    Text text = { NULL, 0 };
    Json json = { .n = 0 };
    Chat read = { .count = 0 };
    RtError reason;
    RtStatus status = text_read(path, &text, error);
    if (status == RT_OK && json_read(&json, text.at, text.bytes, &limits, &reason) != RT_OK)
        status = rt_fail(error, reason.id, "%.400s: %.500s", path, reason.text);
    if (status == RT_OK)
        status = take_messages(&json, path, &read, error);
    if (status == RT_OK) {
        chat_free(chat);
        *chat = read;
    } else {
        chat_free(&read);
    }
    json_free(&json);
    free(text.at);
    return status;
}
