// stop.c: stop strings: text up to the first of them, wherever the pieces it comes in are cut.
#include "stop.h"

#include <stdlib.h>
#include <string.h>

bool stop_open(StopFilter *f, const StopStrings *stops, StopSink *sink, void *context)
{
    size_t longest = 1;
    *f = (StopFilter){ .stops = stops && stops->n ? stops : NULL, .sink = sink, .context = context, .found = -1 };
    for (int i = 0; f->stops && i < stops->n; ++i)
        longest = strlen(stops->at[i]) > longest ? strlen(stops->at[i]) : longest;
    f->held = malloc(longest);
    return f->held != NULL;
}

void stop_close(StopFilter *f)
{
    free(f->held);
    f->held = NULL;
}

// What may go on, collected so that the sink gets a piece at once; cut only where a code point begins.
typedef struct Passing {
    StopFilter *filter;
    size_t bytes;
    char text[512];
} Passing;

static void pass_all(Passing *p)
{
    if (p->bytes)
        p->filter->sink(p->filter->context, p->text, p->bytes);
    p->bytes = 0;
}

static void pass(Passing *p, const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; ++i) {
        const bool begins = ((unsigned char)text[i] & 0xc0) != 0x80;
        if (p->bytes == sizeof p->text || (begins && p->bytes > sizeof p->text - 4))
            pass_all(p);
        p->text[p->bytes++] = text[i];
    }
}

// The longest stop string at the end of what is held, or -1.
static int find_end(const StopFilter *f)
{
    int found = -1;
    size_t longest = 0;
    for (int i = 0; i < f->stops->n; ++i) {
        const size_t bytes = strlen(f->stops->at[i]);
        if (bytes > longest && bytes <= f->held_bytes &&
            memcmp(f->held + f->held_bytes - bytes, f->stops->at[i], bytes) == 0) {
            found = i;
            longest = bytes;
        }
    }
    return found;
}

static bool begins_a_stop(const StopFilter *f, const char *text, size_t bytes)
{
    for (int i = 0; i < f->stops->n; ++i)
        if (strncmp(f->stops->at[i], text, bytes) == 0)
            return true;
    return false;
}

// Lets go of the front of what is held until the rest may be the beginning of a stop string.
static void release(StopFilter *f, Passing *p)
{
    size_t from = 0;
    while (from < f->held_bytes && !begins_a_stop(f, f->held + from, f->held_bytes - from))
        ++from;
    pass(p, f->held, from);
    f->held_bytes -= from;
    memmove(f->held, f->held + from, f->held_bytes);
}

bool stop_add(StopFilter *f, const char *text, size_t bytes)
{
    Passing passing = { .filter = f };
    if (!f->stops && bytes)
        f->sink(f->context, text, bytes);
    for (size_t i = 0; f->stops && i < bytes && f->found < 0; ++i) {
        f->held[f->held_bytes++] = text[i];
        f->found = find_end(f);
        if (f->found >= 0)
            pass(&passing, f->held, f->held_bytes - strlen(f->stops->at[f->found]));
        else
            release(f, &passing);
    }
    pass_all(&passing);
    return f->found >= 0;
}

void stop_end(StopFilter *f)
{
    if (f->found < 0 && f->held_bytes)
        f->sink(f->context, f->held, f->held_bytes);
    f->held_bytes = 0;
}
