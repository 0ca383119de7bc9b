// line.c: prints what cli_line.c reads, one line each: [text], INTERRUPTED, CLOSED; "all" reads all at once. For cli_line.sh.
#include "../../runtime/cli_line.h"
#include "../../runtime/interrupt.h"

#include <stdio.h>
#include <string.h>

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
