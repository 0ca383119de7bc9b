// cli_environment.c: the variables LLMC_ARG_<OPTION>: what they are called, and those that nobody knows.
#include "cli_nearest.h"
#include "cli_option_table.h"

#include <ctype.h>
#include <string.h>
#include <unistd.h>

static const char start[] = "LLMC_ARG_";

// Of llmc: the variables that it reads; and its other long options, which it takes from the command line alone: whoever sets a
// variable for one of those means llmc and no program.
static const char llmc_reads[] = "color diagnostics-format max-errors no-warn quiet werror";
static const char llmc_options[] =
    "arch bundle chat-template ctx device emit feed force help into json kv-type license line map model no-build nvcc nvrtc output "
    "parts plan redzone save-temps sms sync target templates threads time-report trace verbose weights why workers";

bool option_variable(const char *name, size_t bytes, char variable[VARIABLE_BYTES])
{
    size_t at = sizeof start - 1;
    if (bytes < 3 || strncmp(name, "--", 2) != 0 || at + bytes - 2 >= VARIABLE_BYTES)
        return false;
    memcpy(variable, start, at);
    for (size_t i = 2; i < bytes; ++i)
        variable[at++] = (char)(name[i] == '-' ? '_' : toupper((unsigned char)name[i]));
    variable[at] = 0;
    return true;
}

// Looks at every name of a list, one space apart, for the nearest; with `dashes`, of those alone that begin with two, which do not count.
static void look_at(Nearest *near, const char *names, bool dashes)
{
    for (const char *name = names; *name;) {
        const size_t bytes = strcspn(name, " ");
        if (!dashes)
            nearest_look(near, name, bytes);
        else if (strncmp(name, "--", 2) == 0)
            nearest_look(near, name + 2, bytes - 2);
        name += bytes + (name[bytes] == ' ');
    }
}

static bool is_among(const char *text, const char *names, bool dashes)
{
    Nearest near = nearest_to(text, strlen(text));
    look_at(&near, names, dashes);
    return near.name && near.wrong == 0;
}

// Of the option that is refused by this name, the help; NULL: there is none.
static const char *refused(const char *option)
{
    for (int i = 0; i < options_count; ++i)
        if (options[i].kind == OPTION_LATER && is_among(option, options[i].names, true))
            return options[i].help;
    return NULL;
}

// `variable`: without its value. A name as no option has it is told with the nearest that one has.
static void judge(const Cli *cli, const char *variable)
{
    char option[VARIABLE_BYTES], meant[VARIABLE_BYTES + 2];
    const char *name = variable + sizeof start - 1;
    bool small = false;
    size_t bytes = 0;
    for (; name[bytes] && bytes < sizeof option - 1; ++bytes) {
        small |= islower((unsigned char)name[bytes]) || name[bytes] == '-';
        option[bytes] = (char)(name[bytes] == '_' ? '-' : tolower((unsigned char)name[bytes]));
    }
    option[bytes] = 0;
    Nearest near = nearest_to(option, bytes);
    for (int i = 0; i < options_count; ++i)
        if (options[i].kind != OPTION_LATER)
            look_at(&near, options[i].names, true);
    look_at(&near, llmc_reads, false);
    const bool known = (near.name && near.wrong == 0) || is_among(option, llmc_options, false);
    if (known && !small)
        return;
    const char *why = small ? NULL : refused(option);
    if (near.name) {
        snprintf(meant, sizeof meant, "--%.*s", (int)near.name_bytes, near.name);
        near.name = option_variable(meant, strlen(meant), option) ? option : NULL;
    }
    if (why)
        cli_warning(cli, "%s has no effect: the option is not in this version (%s)", variable, why);
    else
        cli_warning(cli, "%s has no effect: neither a program nor llmc knows it%s%s%s", variable, near.name ? "; did you mean " : "",
                    near.name ? near.name : "", near.name ? "?" : "");
}

void cli_check_environment(const Cli *cli)
{
    for (char **entry = environ; entry && *entry; ++entry) {
        char variable[128];
        if (strncmp(*entry, start, sizeof start - 1) != 0)
            continue;
        snprintf(variable, sizeof variable, "%.*s", (int)strcspn(*entry, "="), *entry);
        judge(cli, variable);
    }
}
