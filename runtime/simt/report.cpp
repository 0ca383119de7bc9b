// report.cpp: what went wrong, in the text's own lines, and the end of the process.
#include "grid.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

namespace simt
{

enum { EXIT_DOES_NOT_FIT = 6, EXIT_NUMERIC_FAULT = 8, REPORT_BYTES = 16 << 10, REPORT_GROUPS = 64 };

SiteText site_text(const Site &s)
{
    SiteText t;
    const int used = snprintf(t.text, sizeof t.text, "%s:%d in %s", s.at.file, s.at.line, s.op);
    if (s.caller.line && used > 0 && (size_t)used < sizeof t.text)
        snprintf(t.text + used, sizeof t.text - (size_t)used, ", called from %s:%d", s.caller.file, s.caller.line);
    return t;
}

[[noreturn]] static void end(const char *text, size_t bytes, int code)
{
    fflush(stdout); // what the program said so far
    while (bytes) {
        const ssize_t wrote = write(STDERR_FILENO, text, bytes);
        if (wrote <= 0)
            break;
        text += wrote;
        bytes -= (size_t)wrote;
    }
    _exit(code);
}

[[noreturn]] static void say(int code, const char *fmt, va_list args)
{
    char text[2048] = "simt: ";
    const int used = vsnprintf(text + 6, sizeof text - 7, fmt, args);
    size_t bytes = 6 + (used < 0 ? 0 : (size_t)used);
    if (bytes > sizeof text - 2)
        bytes = sizeof text - 2;
    text[bytes++] = '\n';
    end(text, bytes, code);
}

void fault(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    say(EXIT_NUMERIC_FAULT, fmt, args);
}

void no_memory(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    say(EXIT_DOES_NOT_FIT, fmt, args);
}

struct Report {
    char text[REPORT_BYTES];
    size_t bytes;
    int groups;
};

__attribute__((format(printf, 2, 3))) static void add(Report *r, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    const int used = vsnprintf(r->text + r->bytes, sizeof r->text - r->bytes, fmt, args);
    va_end(args);
    if (used > 0)
        r->bytes = r->bytes + (size_t)used < sizeof r->text ? r->bytes + (size_t)used : sizeof r->text - 1;
}

static bool same_place(const Fiber *a, const Fiber *b)
{
    if (a->done || b->done)
        return a->done == b->done;
    return a->at.line == b->at.line && a->caller.line == b->caller.line && a->op == b->op &&
           strcmp(a->at.file, b->at.file) == 0;
}

static bool same_block(const Block *a, const Block *b)
{
    for (unsigned i = 0; i < a->threads; ++i)
        if (!same_place(&a->fibers[i], &b->fibers[i]))
            return false;
    return true;
}

static void add_range(Report *r, const char *what, unsigned first, unsigned last)
{
    if (first == last)
        add(r, "%s %u", what, first);
    else
        add(r, "%ss %u..%u", what, first, last);
}

static void add_block(Report *r, const Block *b)
{
    for (unsigned first = 0, last; first < b->threads; first = last + 1) {
        const Fiber *f = &b->fibers[first];
        for (last = first; last + 1 < b->threads && same_place(f, &b->fibers[last + 1]); ++last) {
        }
        if (++r->groups > REPORT_GROUPS)
            return;
        add(r, "    ");
        add_range(r, "thread", first, last);
        if (f->done)
            add(r, " returned\n");
        else
            add(r, " at %s\n", site_text({ f->at, f->caller, f->op }).text);
    }
}

void report_deadlock()
{
    static Report r; // not on the stack of a fiber
    add(&r, "simt: deadlock: every thread has returned, waits for another, or polls for what nobody writes\n");
    for (unsigned first = 0, last; first < grid.blocks; first = last + 1) {
        for (last = first; last + 1 < grid.blocks && same_block(&grid.block[first], &grid.block[last + 1]); ++last) {
        }
        if (r.groups >= REPORT_GROUPS)
            break;
        add(&r, "  ");
        add_range(&r, "block", first, last);
        add(&r, "\n");
        add_block(&r, &grid.block[first]);
    }
    if (r.groups >= REPORT_GROUPS)
        add(&r, "  and more\n");
    end(r.text, r.bytes, EXIT_NUMERIC_FAULT);
}

} // namespace simt
