// render.h: Source: specialised CUDA C made from a plan and the templates, and where each line came from.
#pragma once
#include "../plan/plan.h"

#include <stdbool.h>

typedef struct Source {
    const char *text;
    size_t bytes;
    const char *const *from_file; // [lines] template of each line
    const int *from_line;         // [lines] line in it
    int lines;
} Source;

typedef struct RenderOptions {
    bool line;             // emit #line where the numbering breaks
    const char *templates; // folder that replaces the templates built in, or NULL
} RenderOptions;

// Error: TEMPLATE at the template's file and line, with the chain of includes.
Source render_decode(Arena *a, const Plan *p, RenderOptions o);

// A plan as a picture (SVG): the whole token, a layer and what is behind the layers, a row a worker; with `measured`, a token of a
// trace (measured.h), drawn over it. Error: TEMPLATE.
struct Measured;
Str render_timeline(Arena *a, const Plan *p, const struct Measured *measured, const char *templates);

// decode.map: "12 templates/gemv_rows.cu:7", one line of the text each.
void render_write_map(const Source *s, Str *out);
