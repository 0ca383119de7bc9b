// main.c: the command line of a compiled model: options, then the one thing they ask for.
#include "cli.h"
#include "serve/serve.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

static int run(Cli *cli)
{
    if (cli->list_devices)
        return cli_list_devices(cli);
    if (cli->plan || cli->source || cli->license)
        return cli_print_section(cli);
    if (cli->info || cli->version)
        return cli_info(cli);
    if (cli->self_check)
        return cli_self_check(cli);
    if (cli->verify != CLI_NOT_ASKED)
        return cli_verify(cli);
    if (cli->explain)
        return cli_explain(cli);
    if (cli->bench != CLI_NOT_ASKED)
        return cli_bench(cli);
    if (cli->serve)
        return cli_serve(cli);
    return cli->chat ? cli_chat(cli) : cli_generate(cli);
}

// A standard stream that the parent closed stays closed, to reads and writes, instead of becoming the next file opened.
static void keep_streams_closed(void)
{
    for (int fd = 0; fd <= 2; ++fd)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) < 0)
            return;
}

// Weights are mapped: another process that cuts the file off takes pages away.
static void on_bus_error(int number)
{
    static const char message[] = "error: a mapped file (the weights?) was cut off while it was read [E0901]\n";
    const ssize_t written = write(STDERR_FILENO, message, sizeof message - 1);
    (void)number, (void)written;
    _exit(9);
}

int main(int argc, char **argv)
{
    Cli cli;
    RtError error;
    keep_streams_closed();
    signal(SIGPIPE, SIG_DFL); // a parent may have left it ignored
    signal(SIGBUS, on_bus_error);
    signal(SIGXFSZ, SIG_IGN); // a file over the limit is a failed write, with a message
    const RtStatus parsed = cli_parse(&cli, argc, argv, &error);
    cli_check_environment(&cli);
    if (parsed != RT_OK)
        return cli_complain(&cli, &error);
    if (cli.help) {
        cli_usage(&cli, stdout);
        return cli_finish(&cli, 0);
    }
    if (argc == 1 && !cli_asked(&cli)) {
        cli_usage(&cli, stderr);
        return rt_exit_code(ERR_USAGE);
    }
    if (!cli_asked(&cli)) {
        rt_fail(&error, ERR_USAGE, "no prompt: give one of -p, -f and --ids-in");
        return cli_complain(&cli, &error);
    }
    return cli_finish(&cli, run(&cli));
}
