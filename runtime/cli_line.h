// cli_line.h: lines that a person types: edited where the terminal and libedit allow it, else as they come.
#pragma once
#include <stdbool.h>
#include <stddef.h>

typedef enum LineEnd {
    LINE_READ,
    LINE_CLOSED,      // the end of standard input, or Ctrl-D
    LINE_INTERRUPTED, // Ctrl-C; what stood in the line is gone
    LINE_FAILED,      // errno says why
} LineEnd;

typedef struct LineReader LineReader;

// Reads standard input. SIGINT must be held (interrupt.h). NULL: no memory.
LineReader *line_open(void);
void line_close(LineReader *r);

// Is a person at a terminal? Then `mark` is shown in front of each line; on stderr where stdout goes elsewhere.
bool line_terminal(const LineReader *r);

// The next line without its end, in *text until the next call; it may hold any bytes.
LineEnd line_read(LineReader *r, const char *mark, const char **text, size_t *bytes);

// All lines that are left.
LineEnd line_read_all(LineReader *r, const char **text, size_t *bytes);
