// diagmap.c: compilers' messages back to template lines.
#include "build.h"

#include <stdlib.h>

static const char text_name[] = "decode.cu"; // as the tools are given it

// A place in a log: "[FOLDER/]decode.cu(67)", "[FOLDER/]decode.cu:67" or "[FOLDER/]decode.cu:67:5".
typedef struct Place {
    const char *from, *to;
    long line;
} Place;

static bool in_path(char c)
{
    return c > ' ' && !strchr("\"'`()<>,;=", c);
}

// Digits at `at`: their end in *to, 0 when there are none.
static long digits(const char *at, const char **to)
{
    char *end;
    *to = at;
    if (*at < '0' || *at > '9')
        return 0;
    const long value = strtol(at, &end, 10);
    *to = end;
    return value;
}

// The place whose file name stands at `name`; line 0: it is not one. `log` is where the text begins.
static Place place_at(const char *log, const char *name)
{
    Place p = { name, name + sizeof text_name - 1, 0 };
    const char *end;
    if (name > log && in_path(name[-1]) && name[-1] != '/')
        return p; // my_decode.cu is another file
    while (p.from > log && in_path(p.from[-1]))
        --p.from;
    if (*p.to == '(') {
        p.line = digits(p.to + 1, &end);
        if (*end != ')')
            p.line = 0;
        p.to = end + 1;
    } else if (*p.to == ':') {
        p.line = digits(p.to + 1, &end);
        p.to = end;
        if (*end == ':' && digits(end + 1, &end)) // the column is the text's, not the template's
            p.to = end;
    }
    return p;
}

const char *build_map_log(Arena *a, const Source *s, const char *log)
{
    Str out = str_new(a);
    const char *at = log, *done = log;
    while ((at = strstr(at, text_name))) {
        const Place p = place_at(log, at);
        at += sizeof text_name - 1;
        if (p.line < 1 || p.line > s->lines || !s->from_file[p.line - 1])
            continue;
        str_add_bytes(&out, done, (size_t)(p.from - done));
        str_add(&out, "%s:%d", s->from_file[p.line - 1], s->from_line[p.line - 1]);
        done = at = p.to;
    }
    str_add_bytes(&out, done, strlen(done));
    return out.text;
}
