// line.c: prints what cli_line.c reads, one line each: [text], INTERRUPTED, CLOSED; "all" reads all at once. For line.sh.
#include "../../runtime/cli_line.h"
#include "../../runtime/interrupt.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

// In front of the C library's, for libedit too: a slow one, so that keys come between a mark and the terminal's new settings.
int tcsetattr(int fd, int when, const struct termios *settings)
{
    int (*real)(int, int, const struct termios *);
    void *symbol = dlsym(RTLD_NEXT, "tcsetattr"); // POSIX lets it be a function's address
    memcpy(&real, &symbol, sizeof symbol);
    usleep(30000);
    return real(fd, when, settings);
}

int main(int argc, char **argv) // argv[1]: "all"
{
    (void)argv;
    const char *text;
    size_t bytes;
    LineEnd end = LINE_READ;
    interrupt_hold();
    LineReader *r = line_open();
    for (int interrupted = 0; r && end != LINE_CLOSED && end != LINE_FAILED && interrupted < 2;) {
        end = argc > 1 ? line_read_all(r, &text, &bytes) : line_read(r, "> ", &text, &bytes);
        if (end == LINE_READ)
            printf("[%.*s]\n", (int)bytes, text);
        else
            puts(end == LINE_INTERRUPTED ? "INTERRUPTED" : end == LINE_CLOSED ? "CLOSED" : "FAILED");
        fflush(stdout);
        interrupted = end == LINE_INTERRUPTED ? interrupted + 1 : 0;
        interrupt_hold();
        if (argc > 1)
            break;
    }
    line_close(r);
    return 0;
}
