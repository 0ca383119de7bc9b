// refusal.c: why a request is not answered, as OpenAI's API says it.
#include "refusal.h"
#include "../cli_json.h"

#include <stdarg.h>

static void fill(Refusal *r, unsigned status, const char *type, const char *code, const char *fmt, va_list args)
{
    r->status = status;
    r->type = type;
    r->code = code;
    r->param[0] = 0;
    vsnprintf(r->message, sizeof r->message, fmt, args);
}

_Bool refuse(Refusal *r, const char *code, const char *param, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    fill(r, 400, "invalid_request_error", code, fmt, args);
    va_end(args);
    snprintf(r->param, sizeof r->param, "%s", param);
    return 0;
}

_Bool refuse_as(Refusal *r, unsigned status, const char *type, const char *code, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    fill(r, status, type, code, fmt, args);
    va_end(args);
    return 0;
}

_Bool refuse_no_memory(Refusal *r)
{
    return refuse_as(r, 503, "server_error", "overloaded", "no memory for this request: try again");
}

static void text_or_null(FILE *out, const char *name, const char *text)
{
    fprintf(out, ",\"%s\":", name);
    if (text && *text)
        json_text(out, text);
    else
        fputs("null", out);
}

void refusal_write(const Refusal *r, FILE *out)
{
    fputs("{\"error\":{\"message\":", out);
    json_text(out, r->message);
    text_or_null(out, "type", r->type);
    text_or_null(out, "param", r->param);
    text_or_null(out, "code", r->code);
    fputs("}}", out);
}
