// tools.h: tools of a request, and calls of them in its messages, as chat templates read them.
#pragma once
#include "../json.h"
#include "refusal.h"

// Whether each tool is a function with a name. False: refused.
bool tools_check(const Json *json, const JsonValue *tools, Refusal *refusal);

// The tool_calls of the message `where` as templates want them: arguments are an object, where OpenAI's API has its text. *text is
// malloc'ed. False: refused.
bool tool_calls_text(const Json *json, const JsonValue *calls, const char *where, char **text, Refusal *refusal);
