// diag.c: messages to the user, with their place.
// How messages look is asked of the environment (NO_COLOR, and LLMC_ARG_* as main.c sets it from the options), so that
// a message needs no context to be printed.
#include "diag.h"

#include "cleanup.h"
#include "str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SOURCE_LINE_BYTES = 160, MESSAGE_BYTES = 4096 };

typedef struct ErrorEntry {
    int number, exit_code;
    const char *title, *advice;
} ErrorEntry;

#define ERROR_ENTRY(name, number, exit_code, title, advice) { number, exit_code, title, advice },
static const ErrorEntry entries[] = { ERROR_TABLE(ERROR_ENTRY) };
#undef ERROR_ENTRY

static const ErrorEntry *entry_of(int number)
{
    for (int i = 0; i < ARRAY_LEN(entries); ++i)
        if (entries[i].number == number)
            return &entries[i];
    return NULL;
}

const char *error_title(int number)
{
    const ErrorEntry *e = entry_of(number);
    return e ? e->title : NULL;
}

const char *error_advice(int number)
{
    const ErrorEntry *e = entry_of(number);
    return e ? e->advice : NULL;
}

int error_exit_code(int number)
{
    const ErrorEntry *e = entry_of(number);
    return e ? e->exit_code : 0;
}

Loc loc_file(const char *file)
{
    return (Loc){ .file = file };
}

Loc loc_offset(const char *file, int64_t offset)
{
    return (Loc){ .file = file, .offset = offset };
}

Loc loc_hint(Loc at, const char *hint)
{
    at.hint = hint;
    return at;
}

static bool option_is(const char *name, const char *value)
{
    const char *v = getenv(name);
    return v && strcmp(v, value) == 0;
}

static const char *colour(const char *code)
{
    const char *none = getenv("NO_COLOR"), *term = getenv("TERM");
    if (option_is("LLMC_ARG_COLOR", "always"))
        return code;
    if (option_is("LLMC_ARG_COLOR", "never") || (none && *none) || (term && strcmp(term, "dumb") == 0))
        return "";
    return isatty(STDERR_FILENO) ? code : "";
}

// Bytes of the character at `s`: 1 to 4 of UTF-8 (RFC 3629) that a terminal prints; 0: a control character (C0, C1) or
// no UTF-8.
static int printable_bytes(const char *s)
{
    const unsigned char *c = (const unsigned char *)s;
    if (c[0] < 0x80)
        return c[0] >= 0x20 && c[0] != 0x7f;
    const int n = c[0] >= 0xf0 ? 4 : c[0] >= 0xe0 ? 3 : 2;
    if (c[0] < 0xc2 || c[0] > 0xf4)
        return 0;
    for (int i = 1; i < n; ++i)
        if ((c[i] & 0xc0) != 0x80)
            return 0;
    const bool overlong = (c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xf0 && c[1] < 0x90);
    const bool outside = (c[0] == 0xed && c[1] > 0x9f) || (c[0] == 0xf4 && c[1] > 0x8f),
               c1 = c[0] == 0xc2 && c[1] < 0xa0;
    return overlong || outside || c1 ? 0 : n;
}

// Text of a hostile input may hold anything; the terminal sees printable characters, on lines only where `lines` says
// so.
static void print_clean(const char *text, bool lines)
{
    for (const char *s = text; *s;) {
        const int n = printable_bytes(s);
        if (n || (lines && (*s == '\n' || *s == '\t')))
            fwrite(s, 1, n ? (size_t)n : 1, stderr);
        else
            fprintf(stderr, "\\x%02x", (unsigned char)*s);
        s += n ? n : 1;
    }
}

static void print_json_string(const char *text)
{
    fputc('"', stderr);
    for (const char *s = text; *s;) {
        const int n = printable_bytes(s);
        if (*s == '"' || *s == '\\')
            fputc('\\', stderr);
        if (n)
            fwrite(s, 1, (size_t)n, stderr);
        else
            fprintf(stderr, "\\u%04x", (unsigned char)*s < 0x80 ? (unsigned char)*s : 0xfffd);
        s += n ? n : 1;
    }
    fputc('"', stderr);
}

// The line `at.line` of the input, its tabs as spaces, at most SOURCE_LINE_BYTES bytes around the column. Returns how
// many bytes were cut from its start, or -1 when the file can no longer be read.
static int source_line(Loc at, char *line)
{
    FILE *f = fopen(at.file, "rb");
    if (!f)
        return -1;
    int c, number = 1, col = 0, used = 0;
    const int cut = at.col > SOURCE_LINE_BYTES - 40 ? at.col - 40 : 0;
    while ((c = fgetc(f)) != EOF && number <= at.line) {
        if (c == '\n') {
            ++number;
        } else if (number == at.line && ++col > cut && used < SOURCE_LINE_BYTES - 1) {
            line[used++] = (char)(c < 0x20 || c == 0x7f ? ' ' : c);
        }
    }
    line[used] = 0;
    fclose(f);
    for (int i = 0, n; i < used; i += n ? n : 1)
        if ((n = printable_bytes(line + i)) == 0)
            line[i] = '?';
    return used ? cut : -1;
}

static void print_source(Loc at)
{
    char line[SOURCE_LINE_BYTES];
    const int cut = source_line(at, line);
    if (cut < 0)
        return;
    const int room = (int)strlen(line) - (at.col - 1 - cut);
    const int width = at.width > room ? room : at.width;
    fprintf(stderr, "%5d | %s\n      | %*s^", at.line, line, at.col - 1 - cut, "");
    for (int i = 1; i < width; ++i)
        fputc('~', stderr);
    fputs(at.hint ? " " : "", stderr);
    print_clean(at.hint ? at.hint : "", false);
    fputc('\n', stderr);
}

static void print_place(Loc at)
{
    print_clean(!at.file ? "llmc" : *at.file ? at.file : "\"\"", false);
    if (at.offset > 0)
        fprintf(stderr, "@0x%llx", (unsigned long long)at.offset);
    else if (at.line > 0)
        fprintf(stderr, ":%d:%d", at.line, at.col);
}

static bool wants_json(void)
{
    return option_is("LLMC_ARG_DIAGNOSTICS_FORMAT", "json");
}

static void print_json(Loc at, const char *severity, const char *code, const char *text)
{
    fprintf(stderr, "{\"file\":");
    print_json_string(at.file ? at.file : "");
    fprintf(stderr, ",\"line\":%d,\"column\":%d,\"offset\":%lld,\"severity\":\"%s\",\"code\":\"%s\",\"message\":",
            at.line, at.col, (long long)at.offset, severity, code);
    print_json_string(text);
    if (at.hint) {
        fprintf(stderr, ",\"note\":");
        print_json_string(at.hint);
    }
    if (at.below) {
        fprintf(stderr, ",\"below\":");
        print_json_string(at.below);
    }
    fprintf(stderr, "}\n");
}

static void print_message(Loc at, const char *severity, const char *code, const char *text)
{
    if (wants_json()) {
        print_json(at, severity, code, text);
        return;
    }
    print_place(at);
    fprintf(stderr, ": %s%s:%s ", colour(strcmp(severity, "error") ? "\033[1;35m" : "\033[1;31m"), severity,
            colour("\033[0m"));
    print_clean(text, false);
    fprintf(stderr, *code ? " [%s]\n" : "\n", code);
    if (at.file && at.line > 0) {
        print_source(at);
    } else if (at.hint) {
        fputs("note: ", stderr);
        print_clean(at.hint, false);
        fputc('\n', stderr);
    }
    if (at.below)
        print_clean(at.below, true);
}

static void print_error(Loc at, ErrorId id, const char *text)
{
    char code[8];
    snprintf(code, sizeof code, "E%04d", (int)id % 10000);
    print_message(at, "error", code, text);
}

void error_at(Loc at, ErrorId id, const char *fmt, ...)
{
    char text[MESSAGE_BYTES];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    print_error(at, id, text);
    cleanup_now();
    exit(error_exit_code(id));
}

void warning_at(Loc at, const char *flag, const char *fmt, ...)
{
    char text[MESSAGE_BYTES], name[64];
    const char *off = getenv("LLMC_ARG_NO_WARN");
    snprintf(name, sizeof name, ",%s,", flag);
    if (off && strstr(off, name))
        return;
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    snprintf(name, sizeof name, "-W%s", flag);
    const bool fatal = option_is("LLMC_ARG_WERROR", "1");
    print_message(at, fatal ? "error" : "warning", name, text);
    if (fatal) {
        cleanup_now();
        exit(3);
    }
}

void note(const char *fmt, ...)
{
    char text[MESSAGE_BYTES];
    if (option_is("LLMC_ARG_QUIET", "1"))
        return;
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (wants_json()) {
        print_json(NOWHERE, "note", "", text);
        return;
    }
    fprintf(stderr, "note: ");
    print_clean(text, false);
    fputc('\n', stderr);
}

void diag_add(Diags *d, Loc at, ErrorId id, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    const Diag diag = { at, id, str_vformat(d->arena, fmt, args) };
    va_end(args);
    vec_push(d->arena, &d->list, diag);
}

int diag_report(const Diags *d)
{
    const char *max = getenv("LLMC_ARG_MAX_ERRORS");
    const int limit = max ? atoi(max) : 20;
    for (int i = 0; i < d->list.n && i < limit; ++i)
        print_error(d->list.at[i].at, d->list.at[i].id, d->list.at[i].text);
    char more[32];
    snprintf(more, sizeof more, "%d errors more", d->list.n - limit);
    if (d->list.n > limit && wants_json())
        print_json(NOWHERE, "note", "", more);
    else if (d->list.n > limit)
        fprintf(stderr, "llmc: %s\n", more);
    return d->list.n;
}

void diag_exit_if_any(const Diags *d)
{
    if (diag_report(d) == 0)
        return;
    cleanup_now();
    exit(error_exit_code(d->list.at[0].id));
}
