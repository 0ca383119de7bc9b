// verbs.h: the verbs beside compile, and the steps of compile that are not passes.
#pragma once
#include "options.h"
#include "package/package_write.h"

// What a compilation leaves beside the program, as texts.
typedef struct Output {
    const char *name; // of the program
    const char *plan_json, *table, *source, *map, *report;
} Output;

// A verb by its name. Error: USAGE.
Verb verb_named(const char *name);
bool verb_is_one_of(const char *word, const char *const *words, int n);

// --weights: replaces the model's own.
void verb_open_weights(Arena *a, const Options *o, Model *m);
// The weights hold exactly what the graph wants.
void verb_check_weights(Arena *a, const Graph *g, const Model *m, Diags *d);

// -o, or the model's name; with several targets the target's name behind it.
const char *verb_output_name(Arena *a, const Options *o, const Plan *p, const char *target);
void verb_write_report(const Plan *p, const Artifact *art, const Options *o, Str *out);
void verb_write_folder(Arena *a, const Output *out);
// Error: USAGE when the output exists and llmc did not make it.
void verb_write_program(Arena *a, const Options *o, const Plan *p, const Output *out, const Artifact *art, const Model *m);
void verb_say_made(const Options *o, const Plan *p, const Output *out, const Artifact *art, const Model *m);

void verb_pack(Arena *a, const Options *o);
void verb_check(Arena *a, const Options *o);
void verb_render(Arena *a, const Options *o);
int verb_verify(Arena *a, const Options *o);
void verb_targets(Arena *a, const Options *o);
void verb_explain(const Options *o);
