// options.h: the command line of llmc: one verb, its operand and its options.
#pragma once
#include "base/vec.h"
#include "plan/plan.h"
#include "build/build.h"

typedef enum Verb { VERB_NONE, VERB_COMPILE, VERB_PACK, VERB_CHECK, VERB_PLAN, VERB_RENDER, VERB_VERIFY, VERB_TARGETS,
                    VERB_EXPLAIN, VERB_HELP, VERB_VERSION } Verb;

typedef VEC(const char *) Names;

typedef struct Options {
    Verb verb;
    const char *operand;         // MODEL, PROGRAM, plan.json, E0412, target or verb name; NULL: none
    Names targets, emits, extra; // --target, --emit, -Xnvcc
    const char *out;             // -o
    const char *weights, *plan_file, *templates, *into, *model, *map;
    PlanOptions plan;
    BuildOptions build;
    bool no_build, force, json, line, time_report, tokens, help;
} Options;

// Errors: USAGE, OPTION_*, NOT_IN_THIS_VERSION, exit 2.
Options options_parse(Arena *a, int argc, char **argv);

// `llmc --help` (verb NONE) or `llmc help VERB`, to stdout.
void options_help(Verb verb);
