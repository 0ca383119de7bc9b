// cleanup.c: the names of unfinished outputs, removed however the process ends.
// The one file with mutable state of its own: a signal handler can be given nothing. Two compilations side by side share
// the list, which is harmless: the process ends for both.
#include "cleanup.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

enum { UNFINISHED = 64 };
static const char *volatile unfinished[UNFINISHED];

void cleanup_add(const char *path)
{
    for (int i = 0; i < UNFINISHED; ++i)
        if (!unfinished[i]) {
            unfinished[i] = path;
            return;
        }
}

void cleanup_forget(const char *path)
{
    for (int i = 0; i < UNFINISHED; ++i)
        if (unfinished[i] == path)
            unfinished[i] = NULL;
}

// Files first: a folder goes when it is empty. Calls only what POSIX allows in a signal handler.
void cleanup_now(void)
{
    for (int i = 0; i < UNFINISHED; ++i)
        if (unfinished[i] && unlink(unfinished[i]) == 0)
            unfinished[i] = NULL;
    for (int i = 0; i < UNFINISHED; ++i)
        if (unfinished[i]) {
            rmdir(unfinished[i]);
            unfinished[i] = NULL;
        }
}

static void on_signal(int number)
{
    cleanup_now();
    signal(number, SIG_DFL);
    raise(number);
}

// A mapped input that another process cuts off.
static void on_bus_error(int number)
{
    static const char message[] = "llmc: error: an input was cut off while it was read [E0901]\n";
    const ssize_t written = write(STDERR_FILENO, message, sizeof message - 1);
    (void)number, (void)written;
    cleanup_now();
    _exit(9);
}

// A parent that had a signal ignored (nohup, a shell's background job) means it.
void cleanup_on_signals(void)
{
    static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
        if (signal(numbers[i], on_signal) == SIG_IGN)
            signal(numbers[i], SIG_IGN);
    signal(SIGBUS, on_bus_error);
}
