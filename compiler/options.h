// options.h: the command line of llmc: one verb, its operand and its options.
#pragma once
#include "base/vec.h"
#include "plan/plan.h"
#include "build/build.h"

typedef enum Verb { VERB_NONE, VERB_COMPILE, VERB_PACK, VERB_CHECK, VERB_PLAN, VERB_RENDER, VERB_VERIFY, VERB_TARGETS,
                    VERB_PROBE, VERB_EXPLAIN, VERB_HELP, VERB_VERSION } Verb;

typedef VEC(const char *) Names;
typedef VEC(char *) Words;

typedef struct Options {
    Verb verb;
    const char *operand;         // MODEL, PROGRAM, plan.json, E0412, target or verb name; NULL: none
    Names targets, emits, extra; // --target, --emit, -Xnvcc
    const char *out;             // -o
    const char *weights, *plan_file, *templates, *into, *model, *map, *trace, *license, *chat_template;
    int device;                  // --device
    int contexts[16], contexts_n; // --ctx
    PlanOptions plan;
    BuildOptions build;
    bool no_build, bundle, force, json, line, time_report, tokens, why, help;
} Options;

// Errors: USAGE, OPTION_*, NOT_IN_THIS_VERSION, exit 2.
Options options_parse(Arena *a, int argc, char **argv);

// A verb by its name. Errors: USAGE, NOT_IN_THIS_VERSION.
Verb verb_named(Arena *a, const char *name);

// The command line with each @FILE replaced by the words of the file. Errors: FILE_MISSING, USAGE.
Words response_expand(Arena *a, int argc, char **argv);

// Options that say how messages look (-q, --color, -Wno-NAME ...), from the environment and from words->at[*i], which
// moves to the option's last word; false: another option. Errors: OPTION_VALUE, OPTION_UNKNOWN.
void message_environment(void);
bool message_option(Arena *a, const Words *words, int *i);
void message_help(void);
// Their variables, without LLMC_ARG_.
Names message_variables(Arena *a);

// Warns of each variable LLMC_ARG_.. that neither llmc nor a program reads. options: the names of llmc's.
void environment_check(Arena *a, const Names *options);

// `llmc --help` (verb NONE) or `llmc help VERB`, to stdout.
void options_help(Verb verb);
