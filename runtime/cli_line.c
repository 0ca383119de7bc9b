// cli_line.c: lines that a person types: edited where the terminal and libedit allow it, else as they come.
#include "cli_line.h"
#include "interrupt.h"

#include <dlfcn.h>
#include <errno.h>
#include <locale.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

// ---- libedit: its functions and numbers, as its manual and histedit.h have them -----------------------------------

typedef struct EditLine EditLine;
typedef struct History History;
typedef struct HistEvent {
    int number;
    const char *text;
} HistEvent;

enum { EL_PROMPT = 0, EL_EDITOR = 2, EL_SIGNAL = 3, EL_BIND = 4, EL_SETTY = 8, EL_ADDFN = 9, EL_HIST = 10 };
enum { H_SETSIZE = 1, H_ENTER = 10, H_SETUNIQUE = 20 };
enum { CC_EOF = 2 };

typedef struct Libedit {
    void *library; // NULL: there is none
    EditLine *(*init)(const char *program, FILE *in, FILE *out, FILE *err);
    int (*set)(EditLine *, int what, ...);
    const char *(*gets)(EditLine *, int *bytes);
    void (*end)(EditLine *);
    History *(*history_init)(void);
    int (*history)(History *, HistEvent *, int what, ...);
    void (*history_end)(History *);
} Libedit;

enum { HISTORY_LINES = 500 };

struct LineReader {
    bool terminal;
    FILE *marks; // where a person sees the mark; NULL: there is none
    Libedit lib;
    EditLine *editor; // NULL: lines are read as they come
    History *history;
    const char *mark; // that the editor shows
    int signals;      // a descriptor that becomes readable at Ctrl-C; -1: none
    char *buffer;     // [room], of which [from, bytes) was read ahead
    size_t from, bytes, room;
    bool ended;
};

// libedit hands its callbacks nothing of ours, and a process has one terminal: the reader whose line is being edited.
static LineReader *editing;
static bool pressed; // Ctrl-C in this line

static const char *give_mark(EditLine *editor)
{
    (void)editor;
    return editing->mark;
}

static unsigned char on_interrupt(EditLine *editor, int key)
{
    (void)editor, (void)key;
    pressed = true;
    return CC_EOF;
}

static bool find(void *library, const char *name, void *function)
{
    void *symbol = dlsym(library, name); // POSIX lets it be a function's address
    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

static bool load_libedit(Libedit *lib)
{
    static const char *const names[] = { "libedit.so.2", "libedit.so.0", "libedit.so" };
    for (size_t i = 0; i < sizeof names / sizeof *names && !lib->library; ++i)
        lib->library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    void *l = lib->library;
    return l && find(l, "el_init", &lib->init) && find(l, "el_set", &lib->set) && find(l, "el_gets", &lib->gets) &&
           find(l, "el_end", &lib->end) && find(l, "history_init", &lib->history_init) &&
           find(l, "history", &lib->history) && find(l, "history_end", &lib->history_end);
}

// Ctrl-C is a key while a line is edited; what the terminal was set to comes back with each line's end.
static void open_editor(LineReader *r)
{
    const Libedit *lib = &r->lib;
    HistEvent event;
    const char *term = getenv("TERM");
    if (!r->terminal || !term || !*term || strcmp(term, "dumb") == 0 || !load_libedit(&r->lib))
        return;
    setlocale(LC_CTYPE, "C.UTF-8"); // of this program's own texts; numbers stay as they are
    r->editor = lib->init("llmc", stdin, stdout, stderr);
    r->history = lib->history_init();
    if (!r->editor || !r->history)
        return;
    lib->history(r->history, &event, H_SETSIZE, HISTORY_LINES);
    lib->history(r->history, &event, H_SETUNIQUE, 1);
    lib->set(r->editor, EL_PROMPT, give_mark);
    lib->set(r->editor, EL_EDITOR, "emacs");
    lib->set(r->editor, EL_SIGNAL, 1);
    lib->set(r->editor, EL_HIST, lib->history, r->history);
    lib->set(r->editor, EL_ADDFN, "llmc-interrupt", "Leaves the line", on_interrupt);
    lib->set(r->editor, EL_BIND, "^C", "llmc-interrupt", (char *)NULL);
    lib->set(r->editor, EL_BIND, "^R", "em-inc-search-prev", (char *)NULL);
    lib->set(r->editor, EL_SETTY, "-d", "intr=", (char *)NULL);
}

LineReader *line_open(void)
{
    LineReader *r = calloc(1, sizeof *r);
    if (!r)
        return NULL;
    r->terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
    r->marks = r->terminal ? stdout : isatty(STDIN_FILENO) && isatty(STDERR_FILENO) ? stderr : NULL;
    r->signals = interrupt_descriptor();
    open_editor(r);
    return r;
}

void line_close(LineReader *r)
{
    if (!r)
        return;
    if (r->editor)
        r->lib.end(r->editor);
    if (r->history)
        r->lib.history_end(r->history); // the library stays: it holds what the terminal can do, and never gives it back
    if (r->signals >= 0)
        close(r->signals);
    free(r->buffer);
    free(r);
}

bool line_terminal(const LineReader *r)
{
    return r->terminal;
}

static LineEnd edit_line(LineReader *r, const char *mark, const char **text, size_t *bytes)
{
    int count = 0;
    HistEvent event;
    struct termios before, quiet;
    if (interrupt_pending()) { // pressed before Ctrl-C was a key
        interrupt_hold();
        return LINE_INTERRUPTED;
    }
    r->mark = mark;
    editing = r;
    pressed = false;
    tcgetattr(STDIN_FILENO, &before);
    quiet = before;
    // The editor shows the mark before it takes every key as it is: Ctrl-C would be a signal, Ctrl-D a null byte.
    quiet.c_cc[VINTR] = _POSIX_VDISABLE;
    quiet.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    quiet.c_cc[VMIN] = 1;
    quiet.c_cc[VTIME] = 0;
    tcsetattr(STDIN_FILENO, TCSADRAIN, &quiet);
    const char *line = r->lib.gets(r->editor, &count);
    tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
    editing = NULL;
    if (pressed || !line || count <= 0) {
        fputc('\n', stdout);
        fflush(stdout);
        return pressed ? LINE_INTERRUPTED : LINE_CLOSED;
    }
    if (line[strspn(line, " \t\r\n")])
        r->lib.history(r->history, &event, H_ENTER, line);
    *text = line;
    *bytes = (size_t)count - (line[count - 1] == '\n');
    return LINE_READ;
}

// ---- without libedit ----------------------------------------------------------------------------------------------

// More bytes behind what is there.
static LineEnd read_more(LineReader *r)
{
    struct pollfd fds[] = { { .fd = STDIN_FILENO, .events = POLLIN }, { .fd = r->signals, .events = POLLIN } };
    if (r->from) {
        memmove(r->buffer, r->buffer + r->from, r->bytes -= r->from);
        r->from = 0;
    }
    if (r->bytes == r->room) {
        char *more = realloc(r->buffer, r->room + 65536);
        if (!more)
            return LINE_FAILED;
        r->buffer = more;
        r->room += 65536;
    }
    while (poll(fds, r->signals >= 0 ? 2 : 1, -1) < 0)
        if (errno != EINTR)
            return LINE_FAILED;
    if (r->signals >= 0 && fds[1].revents && interrupt_pending()) {
        interrupt_hold();
        r->bytes = 0;
        return LINE_INTERRUPTED;
    }
    const ssize_t got = read(STDIN_FILENO, r->buffer + r->bytes, r->room - r->bytes);
    if (got < 0)
        return errno == EINTR ? LINE_READ : LINE_FAILED;
    r->ended = got == 0;
    r->bytes += (size_t)got;
    return LINE_READ;
}

static void show_mark(const LineReader *r, const char *mark)
{
    if (!r->marks)
        return;
    fputs(mark, r->marks);
    fflush(r->marks);
}

static LineEnd plain_line(LineReader *r, const char *mark, const char **text, size_t *bytes)
{
    show_mark(r, mark);
    for (size_t seen = 0;;) {
        const char *start = r->buffer + r->from, *end = NULL;
        const size_t have = r->bytes - r->from;
        if (have > seen)
            end = memchr(start + seen, '\n', have - seen);
        if (end || (r->ended && have)) {
            *text = start;
            *bytes = end ? (size_t)(end - start) : have;
            r->from += *bytes + (end != NULL);
            return LINE_READ;
        }
        if (r->ended) {
            show_mark(r, "\n");
            return LINE_CLOSED;
        }
        seen = have;
        const LineEnd more = read_more(r);
        if (more != LINE_READ) {
            show_mark(r, "\n");
            return more;
        }
    }
}

LineEnd line_read(LineReader *r, const char *mark, const char **text, size_t *bytes)
{
    return r->editor ? edit_line(r, mark, text, bytes) : plain_line(r, mark, text, bytes);
}

LineEnd line_read_all(LineReader *r, const char **text, size_t *bytes)
{
    while (!r->ended) {
        const LineEnd more = read_more(r);
        if (more != LINE_READ)
            return more;
    }
    *text = r->buffer + r->from;
    *bytes = r->bytes - r->from;
    r->from = r->bytes;
    return LINE_READ;
}
