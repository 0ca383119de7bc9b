// generate.h: one answer: a prompt into the context, ids out of it, their text as it becomes whole, until something ends it.
// The command line, the chat and the server stand on it. It never prints.
#pragma once
#include "rt.h"
#include "stop.h"
#include "tokenizer.h"

typedef enum GenerateEnd {
    GENERATE_COUNT,     // `most` ids were chosen
    GENERATE_EOS,       // an id that ends a text
    GENERATE_STOP,      // a stop string
    GENERATE_CONTEXT,   // no position is free
    GENERATE_CANCELLED, // a callback's word
} GenerateEnd;

typedef struct Generate {
    // What is asked for.
    const uint32_t *ids;            // [n] appended to the context first
    int n;                          // 0: go on behind the last answer
    int most;                       // ids to choose; -1: until the text ends
    const TokenizerView *tokenizer; // NULL: no text, so no stop strings either
    const StopStrings *stops;       // NULL: none
    const struct Sampling *sampling; // how ids are chosen; NULL: the largest logit
    bool special;                   // special tokens are text too
    bool ignore_eos;                // no id ends the text; or the option of the same name
    // Each may be NULL; false from id or text, true from cancelled: stop after this token. An id comes before its text.
    bool (*id)(void *context, uint32_t id);                      // as soon as it is known
    bool (*told)(void *context, uint32_t id, const Told *told);  // before `id`, where sampling->told
    bool (*text)(void *context, const char *text, size_t bytes); // whole code points, at least a byte
    bool (*cancelled)(void *context);                            // asked while the kernel runs
    // Of every position in turn, the prompt's too; then one token a launch. `row` has room for it: [vocab].
    bool (*logits)(void *context, const float *row);
    float *row;
    void *context; // of the callbacks

    // What came of it.
    GenerateEnd end;
    int stop;           // index of the stop string at GENERATE_STOP, else -1
    int made;           // ids given out
    int steps;          // tokens decode_seconds are for: the first id comes with the prompt
    int first, last;    // positions in the context before and after the steps
    double prompt_seconds, decode_seconds;
    double first_seconds; // from the call to the first id; 0: there was none
} Generate;

// On failure (rt_error) what was given out before stays valid, and so do the counts.
RtStatus rt_generate(Rt *rt, Generate *g);
