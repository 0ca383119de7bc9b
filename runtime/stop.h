// stop.h: stop strings: text up to the first of them, wherever the pieces it comes in are cut.
#pragma once
#include <stdbool.h>
#include <stddef.h>

typedef struct StopStrings {
    const char *const *at; // [n], UTF-8, none empty
    int n;
} StopStrings;

// Receives text: whole code points where whole ones are put in.
typedef void StopSink(void *context, const char *text, size_t bytes);

// Between a source of text and its sink. It holds back what may be the beginning of a stop string.
typedef struct StopFilter {
    const StopStrings *stops; // NULL: all text goes through
    StopSink *sink;
    void *context;
    char *held; // [longest stop string]
    size_t held_bytes;
    int found; // index of the stop string that ended the text; -1: none so far
} StopFilter;

// False: no memory for one stop string's length.
bool stop_open(StopFilter *f, const StopStrings *stops, StopSink *sink, void *context);
void stop_close(StopFilter *f);

// Passes text on. The stop string that ends first is found, of two that end together the longer one; it and what follows
// are dropped. True: one was found, now or before.
bool stop_add(StopFilter *f, const char *text, size_t bytes);

// The text has ended: what is held back is passed on, unless a stop string was found.
void stop_end(StopFilter *f);
