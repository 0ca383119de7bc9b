// message_options.c: the options that say how messages look. They are kept in the environment, where diag.c finds them.
#include "options.h"

#include "base/diag.h"
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A value is one of `choices`, or a whole number from 1 on where there are none.
typedef struct MessageOption {
    const char *name, *variable, *choices, *help;
} MessageOption;

static const MessageOption message_options[] = {
    { "--color", "LLMC_ARG_COLOR", "auto always never", "--color=auto|always|never" },
    { "--diagnostics-format", "LLMC_ARG_DIAGNOSTICS_FORMAT", "text json", "--diagnostics-format=text|json" },
    { "--max-errors", "LLMC_ARG_MAX_ERRORS", NULL, "--max-errors=N (20)" },
};

// What -Wno-NAME can silence.
static const char *const warnings[] = { "balance", "default", "environment", "probe", "tied", "tokenizer-bos", "tokenizer-lost" };

static bool is_one_of(const char *word, const char *words)
{
    const size_t bytes = strlen(word);
    for (const char *at = words; *at; at += strcspn(at, " "), at += *at == ' ')
        if (strcspn(at, " ") == bytes && memcmp(at, word, bytes) == 0)
            return true;
    return false;
}

// `how`: the option or the variable, for the message.
static void check_value(const MessageOption *o, const char *how, const char *value)
{
    if (o->choices && !is_one_of(value, o->choices))
        error_at(NOWHERE, ERR_OPTION_VALUE, "%s is \"%s\": must be one of %s", how, value, o->choices);
    if (!o->choices && (strspn(value, "0123456789") != strlen(value) || strlen(value) > 6 || atoi(value) < 1))
        error_at(NOWHERE, ERR_OPTION_VALUE, "%s is \"%s\": must be a whole number from 1 to 999999", how, value);
}

// A flag in the environment is on unless it is empty or 0, as in a program's LLMC_ARG_*.
static void normalise_flag(const char *variable)
{
    const char *value = getenv(variable);
    if (value && (!*value || str_equal(value, "0")))
        unsetenv(variable);
    else if (value)
        setenv(variable, "1", 1);
}

Names message_variables(Arena *a)
{
    static const char *const flags[] = { "QUIET", "WERROR", "NO_WARN" };
    Names names = { 0 };
    for (int i = 0; i < ARRAY_LEN(flags); ++i)
        vec_push(a, &names, flags[i]);
    for (int i = 0; i < ARRAY_LEN(message_options); ++i) {
        const char *name = message_options[i].variable + strlen("LLMC_ARG_");
        vec_push(a, &names, name);
    }
    return names;
}

void message_environment(void)
{
    normalise_flag("LLMC_ARG_QUIET");
    normalise_flag("LLMC_ARG_WERROR");
    for (int i = 0; i < ARRAY_LEN(message_options); ++i) {
        const MessageOption o = message_options[i];
        char value[64];
        if (!getenv(o.variable))
            continue;
        snprintf(value, sizeof value, "%s", getenv(o.variable));
        unsetenv(o.variable); // the message of a bad value looks as by default
        check_value(&o, o.variable, value);
        setenv(o.variable, value, 1);
    }
}

static void silence(Arena *a, const char *name)
{
    bool known = false;
    for (int i = 0; i < ARRAY_LEN(warnings); ++i)
        known |= str_equal(warnings[i], name);
    if (!known) {
        const char *near = str_nearest(name, warnings, ARRAY_LEN(warnings));
        error_at(loc_hint(NOWHERE, near ? str_format(a, "did you mean -Wno-%s?", near)
                                        : "warnings are balance default environment probe tied tokenizer-bos tokenizer-lost"),
                 ERR_OPTION_UNKNOWN, "unknown warning \"%s\"", name);
    }
    const char *off = getenv("LLMC_ARG_NO_WARN");
    setenv("LLMC_ARG_NO_WARN", str_format(a, "%s%s,", off ? off : ",", name), 1);
}

bool message_option(Arena *a, const Words *words, int *i)
{
    const char *word = words->at[*i];
    for (int k = 0; k < ARRAY_LEN(message_options); ++k) {
        const MessageOption *o = &message_options[k];
        const size_t n = strlen(o->name);
        if (strncmp(word, o->name, n) != 0 || (word[n] && word[n] != '='))
            continue;
        if (!word[n] && *i + 1 >= words->n)
            error_at(NOWHERE, ERR_OPTION_VALUE, "%s needs a value: %s", o->name, o->help);
        const char *value = word[n] ? word + n + 1 : words->at[++*i];
        check_value(o, o->name, value);
        setenv(o->variable, value, 1);
        return true;
    }
    if (str_equal(word, "-q") || str_equal(word, "--quiet"))
        setenv("LLMC_ARG_QUIET", "1", 1);
    else if (str_equal(word, "-Werror") || str_equal(word, "--strict"))
        setenv("LLMC_ARG_WERROR", "1", 1);
    else if (str_starts(word, "-Wno-"))
        silence(a, word + 5);
    else
        return false;
    return true;
}

void message_help(void)
{
    printf("Messages: -q  -Werror  -Wno-NAME (of");
    for (int i = 0; i < ARRAY_LEN(warnings); ++i)
        printf(" %s", warnings[i]);
    printf(")\n         ");
    for (int i = 0; i < ARRAY_LEN(message_options); ++i)
        printf("  %s", message_options[i].help);
    printf("\n           the same by LLMC_ARG_QUIET, LLMC_ARG_WERROR");
    for (int i = 0; i < ARRAY_LEN(message_options); ++i)
        printf(", %s", message_options[i].variable);
    printf("\n");
}
