// verbs.h: the verbs beside compile, and the steps of compile that are not passes.
#pragma once
#include "options.h"
#include "package/package_write.h"

// What a compilation leaves beside the program, as texts.
typedef struct Output {
    const char *name; // of the program
    const char *plan_json, *table, *source, *map, *report;
    const ChatTemplate *chat;
} Output;

bool verb_is_one_of(const char *word, const char *const *words, int n);

// --weights: replaces the model's own.
void verb_open_weights(Arena *a, const Options *o, Model *m);
// The weights hold exactly what the graph wants.
// Ends the process where the plan breaks a rule; `advice`: what to do about it, or NULL.
void verb_want_sound(Arena *a, const Plan *p, const char *advice);
void verb_check_weights(Arena *a, const Graph *g, const Model *m, Diags *d);

// The model has every fact that what was made (a program, a plan file) was made for. Error: FINGERPRINT, with the first
// fact that differs.
void verb_check_facts(Arena *a, const Model *m, const Plan *p, const char *made);

// `name`, with several targets the target's name behind it.
const char *verb_target_name(Arena *a, const Options *o, const char *name, const char *target);
// The same of -o or the model's name: the program, behind any link. Error: WRITE.
const char *verb_output_name(Arena *a, const Options *o, const char *model, const char *target);
// Where the text of a target goes: -o, with several targets the target's name behind it, or "-". It is checked.
const char *verb_text_output(Arena *a, const Options *o, const char *target);

// Checked before any work: a program and its folder may be written under this name. Errors: USAGE when the name is not
// possible, is an input, or names what llmc did not make; WRITE when its folder is missing or not writable.
// Without `program` the name alone counts: nothing is written over a file that has it.
void verb_check_output(Arena *a, const Options *o, const char *name, bool program, bool weights);
// The same for libNAME.so, libNAME.a and NAME.h.
void verb_check_library(Arena *a, const Options *o, const char *name);
// dir/libNAME + suffix of dir/NAME.
const char *verb_library_name(Arena *a, const char *name, const char *suffix);
// NAME.llmw of a program NAME or a library libNAME.so.
const char *verb_weights_name(Arena *a, const char *program, bool library);
// A text may be written to `path`: it is no input, no program and no weights. Error: USAGE.
void verb_check_text_output(Arena *a, const Options *o, const char *path);

// Outputs that are complete but for their names: all get them, or none.
typedef struct Outputs {
    VEC(OutFile *) files;
    const char *folder; // made for them, or NULL
} Outputs;

void verb_write_report(const Plan *p, const Artifact *art, const Options *o, Str *out);
void verb_write_folder(Arena *a, const Options *o, const Output *out, Outputs *to);
void verb_write_program(Arena *a, const Options *o, const Plan *p, const Output *out, const Artifact *art,
                        const Model *m, const Tokenizer *t, Outputs *to);
void verb_write_library(Arena *a, const Options *o, const Plan *p, const Output *out, const Artifact *art,
                        const Model *m, const Tokenizer *t, Outputs *to);
void verb_commit(const Outputs *outputs);
// Says so where a weights file beside a program that carries its own is left.
void verb_note_unread(Arena *a, bool bundled, const char *program);
void verb_say_made(Arena *a, const Options *o, const Plan *p, const Output *out, const Artifact *art, const Model *m,
                   const Tokenizer *t, bool program);

// --workers within the target's multiprocessors; --arch and the tools' options fit the target. Errors: USAGE,
// OPTION_VALUE.
void verb_check_target(const Options *o, const Target *t);

void verb_pack(Arena *a, const Options *o);
void verb_check(Arena *a, const Options *o);
void verb_render(Arena *a, const Options *o);
int verb_verify(Arena *a, const Options *o);
void verb_targets(Arena *a, const Options *o);
void verb_probe(Arena *a, const Options *o);
void verb_explain(const Options *o);
