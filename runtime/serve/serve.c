// serve.c: --serve: opens everything, answers until it is told to stop, closes everything.
#include "serve.h"
#include "http.h"
#include "model.h"
#include "../cli_prompt.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

enum { STACK_BYTES = 512 << 10, HEADER_BYTES = 64 << 10 };
static const double goodbye_seconds = 1; // for answers that are under way when the server stops

// ---- opening -----------------------------------------------------------------------------------------------------

// Before any thread is started: they inherit the mask.
static void hold_terminate(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN); // a client that goes ends its own request alone
}

static RtStatus open_tokenizer(Server *s, RtError *error)
{
    RtStatus status;
    if (prompt_tokenizer(&s->package, &s->view, &status, error) || status != RT_OK)
        return status;
    rt_fail(error, ERR_WEIGHTS_MISSING, "this program has no tokenizer: it cannot serve text");
    weights_advise(error, s->package.plan, s->cli->name);
    return RT_FAILED;
}

// All that can be refused before the weights are loaded.
static RtStatus open_first(Server *s, RtError *error)
{
    const Cli *cli = s->cli;
    const PackageBytes chat = s->package.chat_template;
    if (chat.at && !template_open(&s->chat, chat.at, chat.bytes))
        return rt_fail(error, ERR_PACKAGE, "the program's chat template is damaged");
    return open_tokenizer(s, error) != RT_OK || mhd_open(&s->mhd, error) != RT_OK ||
                   listener_parse(&s->listener, cli->serve, cli->host, cli->port, error) != RT_OK ||
                   listener_bind(&s->listener, error) != RT_OK
               ? RT_FAILED
               : RT_OK;
}

static RtStatus open_signals(Server *s, RtError *error)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    s->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return s->signals >= 0 ? RT_OK : rt_fail(error, ERR_INTERNAL, "signalfd: %s", strerror(errno));
}

static RtStatus open_daemon(Server *s, RtError *error)
{
    const unsigned flags = MHD_THREAD_PER_CONNECTION | MHD_INTERNAL_POLLING_THREAD | MHD_POLL | MHD_ITC;
    if (listener_listen(&s->listener, error) != RT_OK)
        return RT_FAILED;
    s->daemon =
        s->mhd.start(flags, 0, NULL, NULL, http_access, s, MHD_OPTION_LISTEN_SOCKET, s->listener.socket,
                     MHD_OPTION_CONNECTION_LIMIT, (unsigned)PEERS_MOST, MHD_OPTION_MEMORY_LIMIT, (size_t)HEADER_BYTES,
                     MHD_OPTION_STACK_BYTES, (size_t)STACK_BYTES, MHD_OPTION_COMPLETED, http_completed, (void *)s,
                     MHD_OPTION_CONNECTIONS, http_connections, (void *)s, MHD_OPTION_END);
    return s->daemon ? RT_OK : rt_fail(error, ERR_ADDRESS, "libmicrohttpd %s does not start", s->mhd.version());
}

static RtStatus open_server(Server *s, RtError *error)
{
    const Cli *cli = s->cli;
    s->model = s->package.plan->name;
    s->context = s->rt->context;
    s->started = (int64_t)time(NULL);
    s->guard =
        (Guard){ .key = cli->api_key, .cors = cli->cors, .host = s->listener.host, .loopback = s->listener.loopback };
    metrics_open(&s->metrics);
    if (!queue_open(&s->queue) || !peers_open(&s->peers, cli->timeout))
        return rt_fail(error, ERR_MEMORY, "no memory to serve");
    return open_signals(s, error) == RT_OK ? open_daemon(s, error) : RT_FAILED;
}

static void say_address(const Server *s)
{
    if (!s->cli->quiet)
        fprintf(stderr, "llmc: %s serves at %s, context %d\n", s->model, s->listener.url, s->context);
    if (!s->listener.loopback && !s->guard.key)
        cli_note(s->cli, "%s is open to other machines and there is no --api-key", s->listener.url);
}

// ---- serving -----------------------------------------------------------------------------------------------------

// Sleeps until there is a job or a signal. The exit code of the signal; 0: none yet.
static int wait_for_work(Server *s)
{
    struct pollfd wait[] = { { .fd = s->signals, .events = POLLIN }, { .fd = s->queue.wake, .events = POLLIN } };
    struct signalfd_siginfo info;
    if (poll(wait, 2, -1) < 0 || !(wait[0].revents & POLLIN))
        return 0;
    const bool interrupt = read(s->signals, &info, sizeof info) == sizeof info && info.ssi_signo == SIGINT;
    return interrupt ? 130 : 143;
}

static int serve(Server *s)
{
    for (;;) {
        const int code = wait_for_work(s);
        if (code)
            return code == 143 ? 0 : code; // told to stop, it stopped
        Job *job = queue_take(&s->queue);
        if (job && model_answer(s, job) != RT_OK)
            return cli_tell(s->cli, rt_error(s->rt));
    }
}

// ---- closing -----------------------------------------------------------------------------------------------------

// Whoever waits is told; what is under way has a moment to arrive.
static void say_goodbye(Server *s)
{
    const struct timespec nap = { 0, 5000000 };
    queue_stop(&s->queue);
    s->mhd.quiesce(s->daemon);
    listener_close(&s->listener);
    for (const double until = now_seconds() + goodbye_seconds; peers_busy(&s->peers) && now_seconds() < until;)
        nanosleep(&nap, NULL);
    s->mhd.stop(s->daemon);
}

static void close_server(Server *s)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_UNBLOCK, &set, NULL); // a second one ends it at once
    if (s->daemon)
        say_goodbye(s);
    listener_close(&s->listener);
    peers_close(&s->peers);
    queue_close(&s->queue);
    metrics_close(&s->metrics);
    if (s->signals >= 0)
        close(s->signals);
}

int cli_serve(Cli *cli)
{
    Server s = { .cli = cli, .signals = -1, .listener = { .socket = -1 } };
    RtError error;
    int code = 0;
    hold_terminate();
    if (!cli_package(cli, &s.package, &code))
        return code;
    if (open_first(&s, &error) != RT_OK) {
        code = cli_complain(cli, &error);
    } else if ((s.rt = cli_open(cli, &s.package, &code))) {
        const bool opened = open_server(&s, &error) == RT_OK;
        if (opened)
            say_address(&s);
        code = opened ? serve(&s) : cli_complain(cli, &error);
        close_server(&s);
    }
    listener_close(&s.listener);
    rt_close(s.rt);
    package_close(&s.package);
    return code;
}
