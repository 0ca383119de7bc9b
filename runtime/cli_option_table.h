// cli_option_table.h: every option of a program: its spellings, its value, what it belongs to.
#pragma once
#include "cli.h"

typedef enum OptionKind {
    OPTION_FLAG,
    OPTION_TEXT,
    OPTION_COUNT,    // a whole number from `least` on
    OPTION_OPTIONAL, // a number may follow
    OPTION_MAYBE,    // a text may follow
    OPTION_LIST,     // a CliList: may be given again
    OPTION_SAMPLING, // a number for the field `least` of Cli.sampling
    OPTION_LATER,    // not in this version, and refused; its variable, which may be llmc's, is not
} OptionKind;

// What an option asks the program to do; of the others: beside which of these it has an effect.
enum {
    ASKS = 1, // the option itself asks for it
    TEXT = 2,
    BENCH = 4,
    VERIFY = 8,
    CHECK = 16,
    FACTS = 32,   // --info, --version, --list-devices
    SECTION = 64, // --plan, --source, --license
    SERVE = 128,
    EXPLAIN = 256,
    RUNS = TEXT | BENCH | VERIFY | CHECK | SERVE | EXPLAIN,
    ANY = 511 - ASKS,
};

typedef struct Option {
    const char *names; // every spelling, one space apart
    const char *value; // "" or how the help calls it
    OptionKind kind;
    unsigned beside;
    size_t at; // in Cli
    int least;
    const char *help;
} Option;

// In the order of the help. -r stands twice: it belongs to --bench and --explain where one is given.
enum { OPTIONS_MOST = 96 };
extern const Option options[];
extern const int options_count; // at most OPTIONS_MOST

// The variable of a long spelling: LLMC_ARG_CTX_SIZE of --ctx-size. false: a short one, which has none.
enum { VARIABLE_BYTES = 64 };
bool option_variable(const char *name, size_t bytes, char variable[VARIABLE_BYTES]);
