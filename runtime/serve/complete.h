// complete.h: the requests that the model answers: /v1/chat/completions and /v1/completions.
#pragma once
#include "http.h"

int complete_chat(Exchange *e);
int complete_text(Exchange *e);
// The exchange is over, however it went: the model lets go of it; then what it did; then its memory.
void complete_cancel(Exchange *e);
void complete_say(const Exchange *e, FILE *out);
void complete_end(Exchange *e);
