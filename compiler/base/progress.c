// progress.c: one line that says how far a long step is; nothing for steps under two seconds.
#include "progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

Progress progress_start(const char *what, int64_t total)
{
    return (Progress){ what, total, now(), 0, 0 };
}

void progress_at(Progress *p, int64_t done)
{
    const double t = now();
    if (t - p->started < 2.0 || p->total <= 0 || getenv("LLMC_ARG_QUIET"))
        return;
    const int tenth = (int)(done * 10 / p->total);
    if (isatty(STDERR_FILENO)) {
        if (t - p->shown < 0.2)
            return;
        fprintf(stderr, "\r%s: %3d%% of %.1f GB, %.1f s", p->what, (int)(done * 100 / p->total), (double)p->total / 1e9,
                t - p->started);
    } else if (tenth > p->tenth || !p->shown) {
        fprintf(stderr, "%s: %d%% of %.1f GB, %.1f s\n", p->what, (int)(done * 100 / p->total), (double)p->total / 1e9,
                t - p->started);
    } else {
        return;
    }
    p->tenth = tenth;
    p->shown = t;
}

void progress_end(Progress *p)
{
    if (p->shown && isatty(STDERR_FILENO))
        fprintf(stderr, "\r%s: done, %.1f GB in %.1f s   \n", p->what, (double)p->total / 1e9, now() - p->started);
}
