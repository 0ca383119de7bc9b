// capture.h: runs a function in a process of its own and gives back what it said on stderr and how it ended.
#pragma once
#include "../test.h"

#include <sys/wait.h>
#include <unistd.h>

typedef struct Captured {
    char text[8192];
    int code; // exit code; -1: it was killed
} Captured;

static inline Captured capture(void (*run)(void *what), void *what)
{
    Captured got = { .code = -1 };
    int ends[2], status = 0;
    size_t used = 0;
    fflush(stdout);
    if (pipe(ends) != 0)
        return got;
    const pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        run(what);
        fflush(stderr);
        _exit(0);
    }
    close(ends[1]);
    for (ssize_t n; used < sizeof got.text - 1 && (n = read(ends[0], got.text + used, sizeof got.text - 1 - used)) > 0;)
        used += (size_t)n;
    close(ends[0]);
    waitpid(child, &status, 0);
    got.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return got;
}
