// progress.h: one line that says how far a long step is; nothing for steps under two seconds.
#pragma once
#include <stdint.h>

typedef struct Progress {
    const char *what;
    int64_t total;   // bytes
    double started, shown;
    int tenth;       // last tenth printed when stderr is not a terminal
} Progress;

// Starts a step over `total` bytes. Silent with -q.
Progress progress_start(const char *what, int64_t total);

// Called as often as is convenient. On a terminal the line is rewritten; elsewhere one line every 10%.
void progress_at(Progress *p, int64_t done);

// Ends the line, if one was shown.
void progress_end(Progress *p);
