// answer.h: what the server sends: JSON objects, and the events of a stream.
#pragma once
#include "queue.h"
#include "request.h"

// What all answers of one request share.
typedef struct Head {
    AskKind kind;
    const Package *package;
    const TokenizerView *view;
    const char *model;
    uint64_t number; // of the request
    int64_t created; // seconds since 1970
    RtLoad load;
    bool chat; // the program has a chat template
} Head;

// The whole answer of a job that is done.
void answer_whole(const Head *head, const Job *job, const char *text, size_t bytes, FILE *out);

// Events, each "data: {...}\n\n". `usage`: the request asks for a last event with the counts, which then stands as null in
// those before.
void event_role(const Head *head, bool usage, FILE *out); // the first one of ASK_CHAT
// told: of the ids since the last text; NULL: not asked for. offset: characters of the tokens before them, moves on.
void event_text(const Head *head, bool usage, const char *text, size_t bytes, const Logprobs *told, size_t *offset, FILE *out);
void event_finish(const Head *head, bool usage, const Job *job, FILE *out); // why it ended, and the times
void event_usage(const Head *head, const Job *job, FILE *out);
void event_error(const Refusal *r, FILE *out);
void event_done(FILE *out);

// /v1/models and /v1/models/NAME.
void answer_models(const Head *head, int context, bool list, FILE *out);
