// cli_report.c: what the command line says besides its product: errors, notes, progress; opening with them.
#include "cli.h"
#include "cli_json.h"
#include "cli_text.h"
#include "interrupt.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double quiet_seconds = 1; // what takes no longer needs no progress

static bool term_is_dumb(void)
{
    const char *term = getenv("TERM");
    return !term || !*term || strcmp(term, "dumb") == 0;
}

const char *cli_colour(const Cli *cli, int stream, const char *code)
{
    const char *none = getenv("NO_COLOR"), *when = cli->colour_when ? cli->colour_when : "auto";
    if (strcmp(when, "auto") != 0)
        return strcmp(when, "always") == 0 ? code : "";
    return !(none && *none) && !term_is_dumb() && isatty(stream) ? code : "";
}

static void print_label(const Cli *cli, const char *colour, const char *label)
{
    fprintf(stderr, "%s%s:%s ", cli_colour(cli, STDERR_FILENO, colour), label,
            cli_colour(cli, STDERR_FILENO, COLOUR_END));
}

int cli_tell(const Cli *cli, const RtError *error)
{
    fflush(stdout);
    print_clean(stderr, cli->name, strlen(cli->name));
    fputs(": ", stderr);
    print_label(cli, COLOUR_ERROR, "error");
    print_clean(stderr, error->text, strlen(error->text));
    fprintf(stderr, " [E%04d]\n", (int)error->id);
    if (error->advice[0]) {
        print_label(cli, COLOUR_NOTE, "note");
        print_clean(stderr, error->advice, strlen(error->advice));
        fputc('\n', stderr);
    }
    return rt_exit_code(error->id);
}

int cli_complain(const Cli *cli, const RtError *error)
{
    cli_tell(cli, error);
    if (cli->json) {
        printf("{\"error\":{\"code\":\"E%04d\",\"message\":", (int)error->id);
        json_text(stdout, error->text);
        printf(",\"note\":");
        json_text(stdout, error->advice);
        printf("}}\n");
    }
    return rt_exit_code(error->id);
}

void cli_note(const Cli *cli, const char *fmt, ...)
{
    va_list args;
    if (cli->quiet)
        return;
    print_label(cli, COLOUR_NOTE, "note");
    va_start(args, fmt);
    vfprintf(stderr, fmt, args);
    va_end(args);
    fputc('\n', stderr);
}

void cli_warning(const Cli *cli, const char *fmt, ...)
{
    char text[512];
    va_list args;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    flockfile(stderr);
    print_label(cli, COLOUR_WARNING, "warning");
    print_clean(stderr, text, strlen(text));
    fputc('\n', stderr);
    funlockfile(stderr);
}

int cli_finish(const Cli *cli, int exit_code)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return exit_code;
    RtError error;
    rt_fail(&error, ERR_WRITE, "standard output: %s", strerror(errno ? errno : EIO));
    return cli_tell(cli, &error);
}

typedef struct Progress {
    bool tty, quiet; // tty: one line is written over
    int shown; // percent
    double start;
} Progress;

static void show_progress(void *context, const char *what, uint64_t done, uint64_t total)
{
    Progress *p = context;
    if (interrupt_pending())
        interrupt_leave();
    const int percent = total ? (int)(done * 100 / total) : 100;
    if (p->quiet || now_seconds() - p->start < quiet_seconds || percent == p->shown ||
        (!p->tty && percent / 10 == p->shown / 10))
        return;
    p->shown = percent;
    if (p->tty)
        fprintf(stderr, percent < 100 ? "\r%s %3d%%" : "\r\033[K", what, percent);
    else
        fprintf(stderr, "llmc: %s %d%%\n", what, percent - percent % 10);
}

// The name of --device is part of several devices' names.
static void note_first_of(const Cli *cli, const Rt *rt)
{
    cli_note(cli, "--device %s is %d devices here; the first is used: %d, %s%s%s", cli->device, rt->named_devices,
             rt->info.index, device_text(&rt->info).text, *rt->info.uuid ? ", " : "", rt->info.uuid);
}

static void say_device(const DeviceInfo *info)
{
    fprintf(stderr, "llmc: device %d, %s", info->index, device_text(info).text);
    if (info->driver)
        fprintf(stderr, ", %s; driver %d.%d", info->uuid, info->driver / 1000, info->driver % 1000 / 10);
    fputc('\n', stderr);
}

Rt *cli_open(const Cli *cli, const Package *package, int *exit_code)
{
    Progress progress = { .tty = isatty(STDERR_FILENO) && !term_is_dumb(), .quiet = cli->quiet, .start = now_seconds() };
    RtOptions options = { .package = package,
                          .weights = cli->weights,
                          .device = cli->device,
                          .context = cli->context,
                          .ignore_eos = cli->ignore_eos,
                          .launch_tokens = cli->launch_tokens,
                          .progress = show_progress,
                          .progress_context = &progress };
    Rt *rt;
    interrupt_hold();
    if (rt_open(&rt, &options) != RT_OK) {
        if (progress.tty && progress.shown % 100)
            fputs("\r\033[K", stderr);
        *exit_code = cli_complain(cli, rt_error(rt));
        rt_close(rt);
        return NULL;
    }
    rt->options.progress = NULL;
    if (interrupt_pending())
        interrupt_leave();
    if (rt->named_devices > 1)
        note_first_of(cli, rt);
    if (cli->verbose)
        say_device(&rt->info);
    return rt;
}

bool cli_package(const Cli *cli, Package *package, int *exit_code)
{
    RtError error;
    if (package_open(package, "/proc/self/exe", cli->name, &error) == RT_OK)
        return true;
    *exit_code = cli_complain(cli, &error);
    return false;
}
