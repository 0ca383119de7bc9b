// request.h: what the body of a request asks for. A field that would change the answer and is not known here is refused by
// its name; null means "not set" for every optional one.
#pragma once
#include "../json.h"
#include "../sampling.h"
#include "refusal.h"

typedef enum AskKind { ASK_CHAT = 1, ASK_TEXT = 2 } AskKind; // /v1/chat/completions, /v1/completions

enum { ASK_STOPS = 4, ASK_BIASES = 1024 };

typedef struct Ask {
    AskKind kind;
    const JsonValue *messages; // of ASK_CHAT: an array of objects
    const JsonValue *variables; // of ASK_CHAT: an object for the template; NULL: none
    const JsonValue *tools;    // of ASK_CHAT: an array of functions, for the template; NULL: none
    const JsonValue *prompt;   // of ASK_TEXT: a string, or an array of ids
    int most;                  // tokens to make; -1: until the text ends
    const char *stops[ASK_STOPS]; // [n_stops], point into the body
    int n_stops;
    Sampling sampling;         // how ids are chosen; its biases are bias[]
    SamplingBias bias[ASK_BIASES];
    bool stream, usage; // usage: a last event with the counts
} Ask;

// `model`: the only one there is; defaults: how ids are chosen where the request does not say. The text is changed, and json points
// into it. False: refused.
bool ask_read(Ask *ask, AskKind kind, const char *model, const Sampling *defaults, char *text, size_t bytes, uint32_t most_values, Json *json,
              Refusal *refusal);
