// refusal.h: why a request is not answered, as OpenAI's API says it.
#pragma once
#include <stdio.h>

typedef struct Refusal {
    unsigned status;   // of HTTP
    const char *type;  // "invalid_request_error", ...
    const char *code;  // "unsupported_value", ...; NULL: none
    char param[48];    // the field; "": none
    char message[600];
} Refusal;

// The request is at fault: status 400. False, so that `return refuse(...)` reads as one step.
_Bool refuse(Refusal *r, const char *code, const char *param, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
// Any other status.
_Bool refuse_as(Refusal *r, unsigned status, const char *type, const char *code, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

_Bool refuse_no_memory(Refusal *r);

// {"error":{...}}
void refusal_write(const Refusal *r, FILE *out);
