// cli_options.c: the options of a program, from LLMC_ARG_<OPTION> and the command line.
#include "cli_nearest.h"
#include "cli_option_table.h"
#include "cli_prompt.h"
#include "cli_sampling.h"
#include "utf8.h"

#include <ctype.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define AT(field) offsetof(Cli, field)

// A command line while it is read.
typedef struct Parse {
    Cli *cli;
    RtError *error;
    bool bench; // --bench or --explain is on the command line
    const char *how[OPTIONS_MOST]; // each option as the user wrote it; NULL: not on the command line
    const char *value[OPTIONS_MOST];
} Parse;

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
    for (int i = 0; i < options_count; ++i)
        if (has_name(&options[i], text, bytes))
            return &options[i];
    return NULL;
}

// The same where a spelling stands twice.
static const Option *find_meant(const Parse *p, const char *text, size_t bytes)
{
    for (int i = 0; i < options_count; ++i)
        if (has_name(&options[i], text, bytes) && p->bench == ((options[i].beside & BENCH) != 0))
            return &options[i];
    return find_option(text, bytes);
}

static RtStatus unknown_option(const char *text, size_t bytes, RtError *error)
{
    Nearest near = nearest_to(text, bytes);
    for (int i = 0; i < options_count; ++i)
        for (const char *name = options[i].names; *name && options[i].kind != OPTION_LATER;) {
            const size_t length = strcspn(name, " ");
            if (length > 2)
                nearest_look(&near, name, length);
            name += length + (name[length] == ' ');
        }
    rt_fail(error, ERR_OPTION_UNKNOWN, "unknown option %.*s", (int)(bytes < 100 ? bytes : 100), text);
    if (near.name)
        rt_advise(error, "did you mean %.*s? --help lists all", (int)near.name_bytes, near.name);
    else
        rt_advise(error, "--help lists all options");
    return RT_FAILED;
}

enum { MOST_COUNT = 1 << 30 };

// The largest value of an option that counts.
static int most_of(const Option *o)
{
    return o->at == AT(port) ? 65535 : o->at == AT(logprobs) ? LOGPROBS_MOST : o->at == AT(bench) ? REQUEST_TOKENS : MOST_COUNT;
}

static bool parse_count(const char *text, int least, int most, int *out)
{
    const char *digits = text + (*text == '-');
    const size_t bytes = strspn(digits, "0123456789");
    const long value = bytes && bytes < 11 && !digits[bytes] ? atol(text) : LONG_MIN;
    if (value < least || value > most)
        return false;
    *out = (int)value;
    return true;
}

static RtStatus add_text(CliList *list, const Option *o, const char *how, char *value, RtError *error)
{
    if (!*value)
        return rt_fail(error, ERR_OPTION_VALUE, "%s is empty: expected %s", how, o->value);
    if (list->n == CLI_LIST)
        return rt_fail(error, ERR_OPTION_VALUE, "%s is given more than %d times", how, CLI_LIST);
    list->at[list->n++] = value;
    return RT_OK;
}

// `how`: the option as the user wrote it, for messages.
static RtStatus set_option(Cli *cli, const Option *o, const char *how, char *value, RtError *error)
{
    char *field = (char *)cli + o->at;
    switch (o->kind) {
    case OPTION_FLAG:
        *(bool *)field = true;
        return RT_OK;
    case OPTION_TEXT:
        if (!*value && o->at != AT(prompt) && o->at != AT(ids_in))
            return rt_fail(error, ERR_OPTION_VALUE, "%s is empty: expected %s", how, o->value);
        *(const char **)field = value;
        return RT_OK;
    case OPTION_COUNT:
    case OPTION_OPTIONAL:
        if (parse_count(value, o->least, most_of(o), (int *)field))
            return RT_OK;
        return rt_fail(error, ERR_OPTION_VALUE, "%s is \"%.100s\": expected a whole number from %d to %d", how, value,
                       o->least, most_of(o));
    case OPTION_MAYBE:
        *(const char **)field = value;
        return RT_OK;
    case OPTION_SAMPLING:
        return cli_set_sampling(cli, (SamplingField)o->least, how, value, error);
    case OPTION_LIST:
        return add_text((CliList *)(void *)field, o, how, value, error);
    case OPTION_LATER:
        break;
    }
    return rt_fail(error, ERR_NOT_IN_THIS_VERSION, "%s is not in this version (%s)", how, o->help);
}

// The word behind an option is its value, unless it is an option itself. A prompt may look like one.
static bool is_value(const Option *o, const char *next)
{
    if (o->kind == OPTION_OPTIONAL)
        return *next != '-' || isdigit((unsigned char)next[1]);
    return o->at == AT(prompt) || *next != '-' || !find_option(next, strcspn(next, "="));
}

// Reads argv[*i], an option, and its value, which may be the next word.
static RtStatus take_option(Parse *p, const Option *o, const char *how, char *value, int argc, char **argv,
                            int *i)
{
    const int index = (int)(o - options);
    const bool wants = o->kind == OPTION_TEXT || o->kind == OPTION_COUNT || o->kind == OPTION_LIST || o->kind == OPTION_SAMPLING;
    if (value && o->kind == OPTION_FLAG)
        return rt_fail(p->error, ERR_OPTION_VALUE, "%s takes no value", how);
    const bool may = wants || o->kind == OPTION_OPTIONAL || o->kind == OPTION_MAYBE;
    if (!value && may && *i + 1 < argc && is_value(o, argv[*i + 1]))
        value = argv[++*i];
    if (!value && wants)
        return rt_fail(p->error, ERR_OPTION_VALUE, "%s needs a value: %s %s", how, how, o->value);
    if (o->kind != OPTION_FLAG && o->kind != OPTION_LIST && p->how[index] && strcmp(p->value[index], value ? value : "") != 0)
        return rt_fail(p->error, ERR_USAGE, "%s is given twice: \"%.100s\" and \"%.100s\"", how, p->value[index],
                       value ? value : "");
    p->how[index] = how;
    p->value[index] = value ? value : "";
    if (o->kind == OPTION_OPTIONAL && !value) {
        *(int *)((char *)p->cli + o->at) = -1;
        return RT_OK;
    }
    return set_option(p->cli, o, how, o->kind == OPTION_MAYBE && !value ? "" : value, p->error);
}

static RtStatus parse_arguments(Parse *p, int argc, char **argv)
{
    for (int i = 1; i < argc; ++i) {
        char *text = argv[i], *equals = text[0] == '-' ? strchr(text, '=') : NULL;
        const size_t bytes = equals ? (size_t)(equals - text) : strlen(text);
        if (strcmp(text, "--") == 0) {
            if (i + 1 == argc)
                return RT_OK;
            rt_fail(p->error, ERR_USAGE, "\"%.100s\" stands alone: a prompt is given with -p", argv[i + 1]);
            return RT_FAILED;
        }
        if (text[0] != '-' || !text[1]) {
            rt_fail(p->error, ERR_USAGE, "\"%.100s\" is no option: a prompt is given with -p", text);
            return RT_FAILED;
        }
        const Option *o = find_meant(p, text, bytes);
        if (!o)
            return unknown_option(text, bytes, p->error);
        if (equals)
            argv[i][bytes] = 0; // the option alone, for messages
        if (take_option(p, o, text, equals ? equals + 1 : NULL, argc, argv, &i) != RT_OK)
            return RT_FAILED;
    }
    return RT_OK;
}

// Of a flag: nothing, 0, false, off and no leave it off; anything else is on.
static bool is_off(const char *value)
{
    static const char *const words[] = { "", "0", "false", "off", "no" };
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
        if (strcasecmp(value, words[i]) == 0)
            return true;
    return false;
}

static RtStatus parse_environment(Cli *cli, RtError *error)
{
    for (int i = 0; i < options_count; ++i)
        for (const char *name = options[i].names; *name && options[i].kind != OPTION_LATER;) {
            const size_t length = strcspn(name, " ");
            char variable[VARIABLE_BYTES];
            char *value = option_variable(name, length, variable) ? getenv(variable) : NULL;
            const bool off = options[i].kind == OPTION_FLAG && value && is_off(value);
            if (value && !off && set_option(cli, &options[i], variable, value, error) != RT_OK)
                return RT_FAILED;
            name += length + (name[length] == ' ');
        }
    return RT_OK;
}

// What the environment asks for does not count beside what the command line asks for.
static void forget(Cli *cli, const Option *o)
{
    char *field = (char *)cli + o->at;
    if (o->kind == OPTION_TEXT || o->kind == OPTION_MAYBE)
        *(const char **)field = NULL;
    else if (o->kind == OPTION_OPTIONAL)
        *(int *)field = CLI_NOT_ASKED;
    else
        *(bool *)field = false;
}

static const char *belongs_to(unsigned beside)
{
    return beside == TEXT               ? "a prompt (-p, -f or --ids-in)"
           : beside == BENCH            ? "--bench"
           : beside == (BENCH | EXPLAIN)          ? "--bench and --explain"
           : beside == (BENCH | VERIFY | EXPLAIN) ? "--bench, --verify and --explain"
           : beside == (TEXT | EXPLAIN)           ? "a prompt (-p, -f or --ids-in) and --explain"
           : beside == (TEXT | SERVE)   ? "a prompt (-p, -f or --ids-in) and --serve"
           : beside == SERVE            ? "--serve"
                                        : "what runs the model";
}

// The command line asks for one thing, and each of its options has an effect there.
static RtStatus check_asked(const Parse *p)
{
    int asks = -1;
    for (int i = 0; i < options_count; ++i) {
        if (!p->how[i] || !(options[i].beside & ASKS))
            continue;
        if (asks >= 0 && options[i].beside == options[asks].beside && (options[i].beside & TEXT))
            return rt_fail(p->error, ERR_USAGE, "give one of -p, -f and --ids-in, not several");
        if (asks >= 0)
            return rt_fail(p->error, ERR_USAGE, "%s and %s are two things to do: give one of them", p->how[asks],
                           p->how[i]);
        asks = i;
    }
    if (asks < 0 || p->cli->help)
        return RT_OK;
    for (int i = 0; i < options_count; ++i) {
        if (p->how[i] && !(options[i].beside & options[asks].beside & ~(unsigned)ASKS))
            return rt_fail(p->error, ERR_USAGE, "%s has no effect beside %s: it belongs to %s", p->how[i], p->how[asks],
                           belongs_to(options[i].beside));
        if (!p->how[i] && (options[i].beside & ASKS))
            forget(p->cli, &options[i]);
    }
    return RT_OK;
}

static RtStatus parse_contexts(Cli *cli, RtError *error)
{
    for (const char *p = cli->contexts; p; ++cli->lists) {
        char number[16];
        const size_t length = strcspn(p, ",");
        snprintf(number, sizeof number, "%.*s", (int)length, p);
        if (cli->lists == CLI_CONTEXTS || !parse_count(number, 1, MOST_COUNT, &cli->list[cli->lists]))
            return rt_fail(error, ERR_OPTION_VALUE,
                           "--ctx is \"%.100s\": expected at most %d contexts, as in 1,1024,4096", cli->contexts,
                           CLI_CONTEXTS);
        p = p[length] ? p + length + 1 : NULL;
    }
    return RT_OK;
}

// -e holds for them too; what no text can hold is refused.
static RtStatus check_stops(Cli *cli, RtError *error)
{
    for (int i = 0; i < cli->stop.n; ++i) {
        char *text = cli->stop.at[i];
        const size_t bytes = cli->escape ? unescape(text, strlen(text)) : strlen(text);
        uint32_t code;
        text[bytes] = 0;
        for (size_t at = 0, n; at < bytes; at += n) {
            const int taken = utf8_take((const uint8_t *)text + at, bytes - at, &code);
            if (taken <= 0 || !code)
                return rt_fail(error, ERR_OPTION_VALUE, "--stop \"%.100s\": byte %zu is %s", text, at + 1,
                               taken <= 0 ? "no UTF-8, so no text holds it" : "zero");
            n = (size_t)taken;
        }
    }
    return RT_OK;
}

// -sys and -st mean a conversation, too.
static RtStatus check_chat(Cli *cli, RtError *error)
{
    const char *other = cli->ids_in                           ? "--ids-in"
                        : cli->logits                         ? "--logits"
                        : cli->hash                           ? "--hash"
                        : cli->trace                          ? "--trace"
                        : cli->no_chat                        ? "-no-cnv"
                        : cli->json && !cli->single_turn ? "--json without -st"
                                                              : NULL;
    cli->chat = cli->chat || cli->system || cli->single_turn;
    if (cli->system && cli->escape) {
        const size_t bytes = unescape(cli->system, strlen(cli->system));
        cli->system[bytes] = 0;
        if (strlen(cli->system) != bytes)
            return rt_fail(error, ERR_OPTION_VALUE, "-sys \"%.100s\": byte %zu is zero", cli->system,
                           strlen(cli->system) + 1);
    }
    return cli->chat && other ? rt_fail(error, ERR_USAGE, "%s has no place in a conversation (--chat)", other) : RT_OK;
}

static RtStatus check_colour(const Cli *cli, RtError *error)
{
    static const char *const whens[] = { "auto", "always", "never" };
    for (int i = 0; i < 3; ++i)
        if (!cli->colour_when || strcmp(cli->colour_when, whens[i]) == 0)
            return RT_OK;
    return rt_fail(error, ERR_OPTION_VALUE, "--color is \"%.100s\": expected auto, always or never", cli->colour_when);
}

// -o FORMAT, or a file whose name ends in .FORMAT.
static RtStatus check_output(Cli *cli, RtError *error)
{
    static const char *const formats[] = { [TABLE_MD] = "md", [TABLE_JSONL] = "jsonl", [TABLE_CSV] = "csv" };
    const char *dot = cli->output ? strrchr(cli->output, '.') : NULL;
    cli->table = cli->json ? TABLE_JSONL : TABLE_MD;
    if (!cli->output)
        return RT_OK;
    for (int i = 0; i < 3; ++i)
        if (strcmp(dot ? dot + 1 : cli->output, formats[i]) == 0) {
            cli->table = (TableFormat)i;
            cli->table_file = dot ? cli->output : NULL;
            return RT_OK;
        }
    return rt_fail(error, ERR_OPTION_VALUE, "-o is \"%.100s\": expected md, jsonl or csv, or a file that ends so",
                   cli->output);
}

// What several options say together.
static RtStatus check_options(Cli *cli, RtError *error)
{
    if (cli_check_sampling(cli, error) != RT_OK || check_colour(cli, error) != RT_OK)
        return RT_FAILED;
    if (check_chat(cli, error) != RT_OK)
        return RT_FAILED;
    if (!!cli->prompt + !!cli->file + !!cli->ids_in > 1)
        return rt_fail(error, ERR_USAGE, "give one of -p, -f and --ids-in, not several");
    if (cli->json && cli->logits && strcmp(cli->logits, "-") == 0)
        return rt_fail(error, ERR_USAGE, "--logits - and --json both need standard output");
    if (check_output(cli, error) != RT_OK)
        return RT_FAILED;
    return check_stops(cli, error) == RT_OK ? parse_contexts(cli, error) : RT_FAILED;
}

static RtStatus parse(Cli *cli, int argc, char **argv, RtError *error)
{
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL;
    memset(cli, 0, sizeof *cli);
    cli->name = slash ? slash + 1 : argc > 0 ? argv[0] : "program";
    cli->n = cli->port = cli->logprobs = -1;
    cli->sampling = sampling_default();
    cli->timeout = 60;
    cli->bench = cli->verify = CLI_NOT_ASKED;
    Parse p = { .cli = cli, .error = error };
    for (int i = 1; i < argc; ++i)
        p.bench |= strncmp(argv[i], "--bench", 7) == 0 || strcmp(argv[i], "--explain") == 0;
    if (parse_environment(cli, error) != RT_OK || parse_arguments(&p, argc, argv) != RT_OK || check_asked(&p) != RT_OK)
        return RT_FAILED;
    return check_options(cli, error);
}

RtStatus cli_parse(Cli *cli, int argc, char **argv, RtError *error)
{
    const RtStatus status = parse(cli, argc, argv, error);
    for (int i = 1; i < argc && status != RT_OK; ++i)
        cli->json |= strcmp(argv[i], "--json") == 0; // what is wrong is said as JSON too, wherever it stands
    return status;
}

bool cli_asked(const Cli *cli)
{
    return cli->prompt || cli->file || cli->chat || cli->ids_in || cli->serve || cli->list_devices || cli->plan || cli->source ||
           cli->license || cli->info || cli->explain ||
           cli->version || cli->self_check || cli->verify != CLI_NOT_ASKED || cli->bench != CLI_NOT_ASKED;
}
