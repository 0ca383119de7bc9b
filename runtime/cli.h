// cli.h: the command line of a program: its options and what each of them starts.
#pragma once
#include "rt_state.h"
#include "sampling.h"

#include <stdio.h>

enum { CLI_CONTEXTS = 32, CLI_LIST = 16, CLI_NOT_ASKED = -2 };

typedef struct CliList {
    char *at[CLI_LIST];
    int n;
} CliList;

typedef enum TableFormat { TABLE_MD, TABLE_JSONL, TABLE_CSV } TableFormat;

typedef struct Cli {
    const char *name; // how the program was called, without folders
    const char *prompt, *file, *ids_in;
    const char *logits, *trace, *weights, *device, *contexts, *output, *seed;
    int n;       // -1: until the text ends
    int context; // 0: the compiled one
    int logprobs; // -1: not asked
    int launch_tokens, repeats;
    const char *serve; // HOST:PORT or ""; NULL: not asked
    const char *host, *api_key, *cors;
    int port;    // -1: not given
    int timeout; // seconds
    int bench, verify; // CLI_NOT_ASKED; -1: asked without a number
    CliList stop, logit_bias;
    Sampling sampling;       // how ids are chosen; its biases are bias[]
    unsigned sampling_asked; // bit SamplingField: that option is given
    SamplingBias bias[CLI_LIST];
    char *system; // of --chat
    bool chat, single_turn, no_chat;
    bool special;
    bool ids, ignore_eos, hash, escape, quiet, verbose, json, verbose_prompt;
    bool explain, help, version, info, self_check, list_devices, plan, source, license;
    bool no_display_prompt; // accepted: the prompt is never echoed
    const char *colour_when;       // of --color; NULL: auto
    int list[CLI_CONTEXTS], lists; // of --ctx
    TableFormat table;             // of -o
    const char *table_file;        // of -o NAME.md, .jsonl or .csv; NULL: standard output
} Cli;

// Environment, then arguments. Errors: OPTION_UNKNOWN with the nearest option, OPTION_VALUE, NOT_IN_THIS_VERSION, USAGE.
RtStatus cli_parse(Cli *cli, int argc, char **argv, RtError *error);
// Warns of each variable LLMC_ARG_.. that neither a program nor llmc knows.
void cli_check_environment(const Cli *cli);
// Is there a prompt, or anything else to do?
bool cli_asked(const Cli *cli);
// The help: what the program was compiled for, its options.
void cli_usage(const Cli *cli, FILE *out);

// What main starts; each returns the exit code. Opening the package, device and weights is part of them.
int cli_generate(Cli *cli);
int cli_chat(Cli *cli);
int cli_verify(Cli *cli);
int cli_bench(Cli *cli);
int cli_explain(Cli *cli);
int cli_info(Cli *cli);
int cli_self_check(Cli *cli);
int cli_list_devices(Cli *cli);
int cli_print_section(Cli *cli); // --plan, --source, --license

// Prints the message on stderr; returns the exit code of the error.
int cli_tell(const Cli *cli, const RtError *error);
// The same, and with --json an error object on stdout.
int cli_complain(const Cli *cli, const RtError *error);

// The escape sequence `code` where colours are shown on this stream (STDERR_FILENO, STDOUT_FILENO), else "".
const char *cli_colour(const Cli *cli, int stream, const char *code);
#define COLOUR_ERROR "\033[1;31m"
#define COLOUR_NOTE "\033[1;35m"
#define COLOUR_WARNING COLOUR_NOTE
#define COLOUR_END "\033[0m"

void cli_note(const Cli *cli, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
// The same of what would else be ignored in silence, so whether -q or not; at most 512 bytes, of any text. Any thread.
void cli_warning(const Cli *cli, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

// Everything printed has arrived; else the error WRITE and its exit code.
int cli_finish(const Cli *cli, int exit_code);

// rt_open with the options of the command line, progress on stderr and Ctrl-C held back; package: open already, or NULL.
// NULL: *exit_code, already told.
Rt *cli_open(const Cli *cli, const Package *package, int *exit_code);
// The package alone.
bool cli_package(const Cli *cli, Package *package, int *exit_code);
