// cli_options.c: the options of a program, from LLMC_ARG_<OPTION> and the command line.
#include "cli.h"

#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef enum OptionKind {
    OPTION_FLAG,
    OPTION_TEXT,
    OPTION_COUNT,    // a whole number from `least` on
    OPTION_OPTIONAL, // a number may follow
    OPTION_LATER,    // not in this version
} OptionKind;

typedef struct Option {
    const char *names; // every spelling, one space apart
    const char *value; // "" or how the help calls it
    OptionKind kind;
    size_t at; // in Cli
    int least;
    const char *help;
} Option;

static const Option options[] = {
    { "-p --prompt", "TEXT", OPTION_TEXT, offsetof(Cli, prompt), 0, "text to continue" },
    { "-f --file", "FILE", OPTION_TEXT, offsetof(Cli, file), 0, "text to continue, from a file or - (stdin)" },
    { "--ids-in", "LIST|FILE", OPTION_TEXT, offsetof(Cli, ids_in), 0,
      "token ids to continue: 1,2,3, a file of them or -" },
    { "-n --predict --n-predict", "N", OPTION_COUNT, offsetof(Cli, n), -1,
      "tokens to make; default -1: until the text ends" },
    { "-c --ctx-size", "N", OPTION_COUNT, offsetof(Cli, context), 0,
      "context to use, at most the compiled one; 0: that" },
    { "--ids", "", OPTION_FLAG, offsetof(Cli, ids), 0, "print token ids instead of text" },
    { "--logits", "FILE", OPTION_TEXT, offsetof(Cli, logits), 0, "write raw float32 logits [position][vocab]" },
    { "--hash", "", OPTION_FLAG, offsetof(Cli, hash), 0, "print the hash of all ids and of all logits on stderr" },
    { "--ignore-eos", "", OPTION_FLAG, offsetof(Cli, ignore_eos), 0, "go on after the end of the text" },
    { "-e --escape", "", OPTION_FLAG, offsetof(Cli, escape), 0,
      "\\n \\t \\\\ \\\" \\' \\r \\xHH in the prompt mean what they do in C" },
    { "--temp --temperature", "0", OPTION_TEXT, offsetof(Cli, temperature), 0, "0 (greedy) is what this version has" },
    { "--weights", "FILE|random:SEED", OPTION_TEXT, offsetof(Cli, weights), 0,
      "default: the program's name with .llmw" },
    { "-dev --device", "D", OPTION_TEXT, offsetof(Cli, device), 0, "index, UUID or part of the name" },
    { "--tokens-per-launch", "N", OPTION_COUNT, offsetof(Cli, launch_tokens), 1, "at most so many" },
    { "--bench", "[N]", OPTION_OPTIONAL, offsetof(Cli, bench), 1, "time launches of N tokens (64)" },
    { "-r --repeats", "R", OPTION_COUNT, offsetof(Cli, repeats), 1, "of --bench: launches a context" },
    { "--ctx", "LIST", OPTION_TEXT, offsetof(Cli, contexts), 0, "of --bench and --verify: contexts" },
    { "-o --output", "md|jsonl|csv", OPTION_TEXT, offsetof(Cli, output), 0, "of --bench" },
    { "--verify", "[N]", OPTION_OPTIONAL, offsetof(Cli, verify), 1,
      "compare N positions (4) with the reference in plain C" },
    { "--self-check", "", OPTION_FLAG, offsetof(Cli, self_check), 0,
      "package, weights, device, repeated bits, reference" },
    { "--info", "", OPTION_FLAG, offsetof(Cli, info), 0, "what this program is" },
    { "--plan", "", OPTION_FLAG, offsetof(Cli, plan), 0, "print the plan (JSON)" },
    { "--source", "", OPTION_FLAG, offsetof(Cli, source), 0, "print the kernel's source" },
    { "--list-devices", "", OPTION_FLAG, offsetof(Cli, list_devices), 0, "index, name and UUID of each" },
    { "--json", "", OPTION_FLAG, offsetof(Cli, json), 0, "one JSON object on stdout" },
    { "--verbose-prompt", "", OPTION_FLAG, offsetof(Cli, verbose_prompt), 0, "ids of the prompt on stderr" },
    { "--no-display-prompt", "", OPTION_FLAG, offsetof(Cli, no_display_prompt), 0,
      "accepted; the prompt is never printed" },
    { "-q --quiet --log-disable", "", OPTION_FLAG, offsetof(Cli, quiet), 0, "no statistics, progress or notes" },
    { "-v --verbose", "", OPTION_FLAG, offsetof(Cli, verbose), 0, "say which device and schedule is used" },
    { "-h --help", "", OPTION_FLAG, offsetof(Cli, help), 0, "this text" },
    { "--version", "", OPTION_FLAG, offsetof(Cli, version), 0, "version and model" },
    { "--chat -cnv --conversation -sys --system-prompt -st --single-turn --chat-template", "", OPTION_LATER, 0, 0,
      "chat" },
    { "-s --seed --top-k --top-p --min-p --repeat-penalty --repeat-last-n --presence-penalty --frequency-penalty "
      "-l --logit-bias --logprobs",
      "", OPTION_LATER, 0, 0, "sampling" },
    { "--stop --reverse-prompt --special -i -mli", "", OPTION_LATER, 0, 0, "stop strings, special tokens in text" },
    { "--serve --host --port --api-key", "", OPTION_LATER, 0, 0, "the server" },
    { "--trace --explain --log-file --license", "", OPTION_LATER, 0, 0, "traces and logs" },
};

enum { N_OPTIONS = sizeof options / sizeof *options };

// Does one of the option's spellings equal the first `bytes` of text?
static bool has_name(const Option *o, const char *text, size_t bytes)
{
    for (const char *name = o->names; *name;) {
        const size_t length = strcspn(name, " ");
        if (length == bytes && strncmp(name, text, bytes) == 0)
            return true;
        name += length + (name[length] == ' ');
    }
    return false;
}

static const Option *find_option(const char *text, size_t bytes)
{
    for (int i = 0; i < N_OPTIONS; ++i)
        if (has_name(&options[i], text, bytes))
            return &options[i];
    return NULL;
}

// Levenshtein distance; names are short.
static int edit_distance(const char *a, size_t n, const char *b, size_t m)
{
    enum { MOST = 40 };
    int row[MOST + 1];
    if (n > MOST || m > MOST)
        return MOST;
    for (size_t j = 0; j <= m; ++j)
        row[j] = (int)j;
    for (size_t i = 1; i <= n; ++i) {
        int diagonal = row[0];
        row[0] = (int)i;
        for (size_t j = 1; j <= m; ++j) {
            const int changed = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            int least = row[j] < row[j - 1] ? row[j] : row[j - 1];
            least = changed < least + 1 ? changed : least + 1;
            row[j] = least;
        }
    }
    return row[m];
}

static RtStatus unknown_option(const char *text, size_t bytes, RtError *error)
{
    const char *nearest = "";
    int nearest_bytes = 0, least = 4;
    for (int i = 0; i < N_OPTIONS; ++i)
        for (const char *name = options[i].names; *name;) {
            const size_t length = strcspn(name, " ");
            const int distance = edit_distance(text, bytes, name, length);
            if (distance < least && distance < (int)length) {
                least = distance;
                nearest = name;
                nearest_bytes = (int)length;
            }
            name += length + (name[length] == ' ');
        }
    rt_fail(error, ERR_OPTION_UNKNOWN, "unknown option %.*s", (int)(bytes < 100 ? bytes : 100), text);
    if (nearest_bytes)
        rt_advise(error, "did you mean %.*s? --help lists all", nearest_bytes, nearest);
    else
        rt_advise(error, "--help lists all options");
    return RT_FAILED;
}

static bool parse_count(const char *text, int least, int *out)
{
    char *end = NULL;
    errno = 0;
    const long value = strtol(text, &end, 10);
    if (end == text || *end || errno || value < least || value > 1 << 30)
        return false;
    *out = (int)value;
    return true;
}

// `how`: the option as the user wrote it, for messages.
static RtStatus set_option(Cli *cli, const Option *o, const char *how, const char *value, RtError *error)
{
    char *field = (char *)cli + o->at;
    switch (o->kind) {
    case OPTION_FLAG:
        *(bool *)field = true;
        return RT_OK;
    case OPTION_TEXT:
        *(const char **)field = value;
        return RT_OK;
    case OPTION_COUNT:
    case OPTION_OPTIONAL:
        if (parse_count(value, o->least, (int *)field))
            return RT_OK;
        return rt_fail(error, ERR_OPTION_VALUE, "%s is \"%.100s\": expected a whole number, %d or more", how, value,
                       o->least);
    case OPTION_LATER:
        break;
    }
    return rt_fail(error, ERR_NOT_IN_THIS_VERSION, "%s is not in this version (%s)", how, o->help);
}

static RtStatus parse_arguments(Cli *cli, int argc, char **argv, RtError *error)
{
    for (int i = 1; i < argc; ++i) {
        const char *text = argv[i], *equals = strncmp(text, "--", 2) == 0 ? strchr(text, '=') : NULL;
        const size_t bytes = equals ? (size_t)(equals - text) : strlen(text);
        if (strcmp(text, "--") == 0) {
            if (i + 1 == argc)
                return RT_OK;
            rt_fail(error, ERR_USAGE, "\"%.100s\" stands alone: a prompt is given with -p", argv[i + 1]);
            return RT_FAILED;
        }
        if (text[0] != '-' || !text[1]) {
            rt_fail(error, ERR_USAGE, "\"%.100s\" is no option: a prompt is given with -p", text);
            return RT_FAILED;
        }
        const Option *o = find_option(text, bytes);
        if (!o)
            return unknown_option(text, bytes, error);
        char how[64];
        snprintf(how, sizeof how, "%.*s", (int)bytes, text);
        const char *value = equals ? equals + 1 : NULL;
        int ignored;
        if (!value && (o->kind == OPTION_TEXT || o->kind == OPTION_COUNT)) {
            if (i + 1 == argc)
                return rt_fail(error, ERR_OPTION_VALUE, "%s needs a value: %s %s", how, how, o->value);
            value = argv[++i];
        }
        if (!value && o->kind == OPTION_OPTIONAL) {
            if (i + 1 < argc && parse_count(argv[i + 1], o->least, &ignored))
                value = argv[++i];
            else
                *(int *)((char *)cli + o->at) = -1;
        }
        if (equals && o->kind == OPTION_FLAG)
            return rt_fail(error, ERR_OPTION_VALUE, "%s takes no value", how);
        if ((value || o->kind == OPTION_FLAG || o->kind == OPTION_LATER) &&
            set_option(cli, o, how, value, error) != RT_OK)
            return RT_FAILED;
    }
    return RT_OK;
}

// LLMC_ARG_CTX_SIZE for --ctx-size. Flags: anything but nothing and 0.
static RtStatus parse_environment(Cli *cli, RtError *error)
{
    for (int i = 0; i < N_OPTIONS; ++i)
        for (const char *name = options[i].names; *name;) {
            const size_t length = strcspn(name, " ");
            char variable[64];
            int n = snprintf(variable, sizeof variable, "LLMC_ARG_");
            for (size_t j = 2; j < length; ++j)
                n += snprintf(variable + n, sizeof variable - (size_t)n, "%c",
                              name[j] == '-' ? '_' : toupper((unsigned char)name[j]));
            const char *value = strncmp(name, "--", 2) == 0 ? getenv(variable) : NULL;
            const bool off = options[i].kind == OPTION_FLAG && value && (!*value || strcmp(value, "0") == 0);
            if (value && !off && set_option(cli, &options[i], variable, value, error) != RT_OK)
                return RT_FAILED;
            name += length + (name[length] == ' ');
        }
    return RT_OK;
}

static RtStatus parse_contexts(Cli *cli, RtError *error)
{
    for (const char *p = cli->contexts; p && *p; ++cli->lists) {
        char number[16];
        const size_t length = strcspn(p, ",");
        snprintf(number, sizeof number, "%.*s", (int)length, p);
        if (cli->lists == CLI_CONTEXTS || !parse_count(number, 1, &cli->list[cli->lists]))
            return rt_fail(error, ERR_OPTION_VALUE,
                           "--ctx is \"%.100s\": expected at most %d contexts, as in 1,1024,4096", cli->contexts,
                           CLI_CONTEXTS);
        p += length + (p[length] == ',');
    }
    return RT_OK;
}

// What several options say together.
static RtStatus check_options(Cli *cli, RtError *error)
{
    static const char *const formats[] = { [TABLE_MD] = "md", [TABLE_JSONL] = "jsonl", [TABLE_CSV] = "csv" };
    char *end = NULL;
    if (cli->temperature && (strtod(cli->temperature, &end) != 0 || end == cli->temperature || *end))
        return rt_fail(error, ERR_NOT_IN_THIS_VERSION, "--temp %.40s is not in this version: it has --temp 0, greedy",
                       cli->temperature);
    if (!!cli->prompt + !!cli->file + !!cli->ids_in > 1)
        return rt_fail(error, ERR_USAGE, "give one of -p, -f and --ids-in, not several");
    if (cli->json && cli->logits && strcmp(cli->logits, "-") == 0)
        return rt_fail(error, ERR_USAGE, "--logits - and --json both need standard output");
    if (cli->output) {
        int format = -1;
        for (int i = 0; i < 3; ++i)
            if (strcmp(cli->output, formats[i]) == 0)
                format = i;
        if (format < 0)
            return rt_fail(error, ERR_OPTION_VALUE, "-o is \"%.100s\": expected md, jsonl or csv", cli->output);
        cli->table = (TableFormat)format;
    } else if (cli->json) {
        cli->table = TABLE_JSONL;
    }
    return parse_contexts(cli, error);
}

RtStatus cli_parse(Cli *cli, int argc, char **argv, RtError *error)
{
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
    memset(cli, 0, sizeof *cli);
    cli->name = slash ? slash + 1 : argc > 0 ? argv[0] : "program";
    cli->n = -1;
    cli->bench = cli->verify = CLI_NOT_ASKED;
    if (parse_environment(cli, error) != RT_OK || parse_arguments(cli, argc, argv, error) != RT_OK)
        return RT_FAILED;
    return check_options(cli, error);
}

bool cli_asked(const Cli *cli)
{
    return cli->prompt || cli->file || cli->ids_in || cli->list_devices || cli->plan || cli->source || cli->info ||
           cli->version || cli->self_check || cli->verify != CLI_NOT_ASKED || cli->bench != CLI_NOT_ASKED;
}

void cli_usage(const Cli *cli, FILE *out)
{
    fprintf(out, "%s: a language model compiled for one GPU by llmc %s\n\n", cli->name, LLMC_VERSION_TEXT);
    fprintf(out, "  %s -p \"The capital of France is\" -n 64\n\n", cli->name);
    for (int i = 0; i < N_OPTIONS; ++i) {
        const Option *o = &options[i];
        if (o->kind == OPTION_LATER)
            continue;
        char left[64];
        snprintf(left, sizeof left, "%s %s", o->names, o->value);
        fprintf(out, "  %-34s %s\n", left, o->help);
    }
    fprintf(out, "\n--opt value and --opt=value mean the same; LLMC_ARG_<OPTION> in the environment is read first.\n");
}
