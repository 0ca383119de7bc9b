// environment.c: the variables LLMC_ARG_.. that have no effect: of options that are taken from the command line alone, and unknown ones.
#include "options.h"

#include "base/diag.h"
#include "base/str.h"

#include <ctype.h>
#include <unistd.h>

static const char start[] = "LLMC_ARG_";

// What programs read: each of their long options that is in this version.
static const char *const of_programs[] = {
    "API_KEY", "BENCH", "CHAT", "COLOR", "COLOUR", "CONVERSATION", "CORS", "CTX", "CTX_SIZE", "DEVICE", "ESCAPE", "EXPLAIN", "FILE",
    "FREQUENCY_PENALTY", "HASH", "HELP", "HOST", "IDS", "IDS_IN", "IGNORE_EOS", "INFO", "JSON", "LICENCE", "LICENSE", "LIST_DEVICES",
    "LOGIT_BIAS", "LOGITS", "LOGPROBS", "LOG_COLORS", "LOG_DISABLE", "MIN_P", "N_PREDICT", "NO_CONVERSATION", "NO_DISPLAY_PROMPT",
    "OUTPUT", "PLAN", "PORT", "PREDICT", "PRESENCE_PENALTY", "PROMPT", "QUIET", "REPEAT_LAST_N", "REPEAT_PENALTY", "REPEATS",
    "REVERSE_PROMPT", "SEED", "SELF_CHECK", "SERVE", "SINGLE_TURN", "SOURCE", "SPECIAL", "STOP", "SYSTEM_PROMPT", "TEMP",
    "TEMPERATURE", "TIMEOUT", "TOKENS_PER_LAUNCH", "TOP_K", "TOP_P", "TRACE", "VERBOSE", "VERBOSE_PROMPT", "VERIFY", "VERSION",
    "WEIGHTS",
};

// Is LLMC_ARG_<name> the variable that a long option would have?
static bool is_of(const char *option, const char *name)
{
    if (!str_starts(option, "--"))
        return false;
    for (option += 2; *option && *name; ++option, ++name)
        if (*name != (*option == '-' ? '_' : toupper((unsigned char)*option)))
            return false;
    return !*option && !*name;
}

static void judge(Arena *a, const char *name, const Names *known, const Names *options)
{
    for (int i = 0; i < known->n; ++i)
        if (str_equal(known->at[i], name))
            return;
    for (int i = 0; i < options->n; ++i)
        if (is_of(options->at[i], name)) {
            warning_at(NOWHERE, "environment", "%s%s has no effect: %s is taken from the command line alone", start, name, options->at[i]);
            return;
        }
    const char *near = str_nearest(name, known->at, known->n);
    warning_at(near ? loc_hint(NOWHERE, str_format(a, "did you mean %s%s?", start, near)) : NOWHERE, "environment",
               "%s%s has no effect: neither llmc nor a program knows it", start, name);
}

void environment_check(Arena *a, const Names *options)
{
    Names known = message_variables(a);
    for (int i = 0; i < ARRAY_LEN(of_programs); ++i)
        vec_push(a, &known, of_programs[i]);
    for (char **entry = environ; *entry; ++entry)
        if (str_starts(*entry, start)) {
            const char *name = *entry + strlen(start);
            judge(a, str_copy(a, name, strcspn(name, "=")), &known, options);
        }
}
