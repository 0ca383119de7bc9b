// interrupt.c: Ctrl-C without a signal handler.
#include "interrupt.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <time.h>

static sigset_t only_sigint(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    return set;
}

// A parent that had SIGINT ignored (nohup, a shell's background job) means it.
static bool is_ignored(void)
{
    struct sigaction action;
    return sigaction(SIGINT, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

void interrupt_hold(void)
{
    const sigset_t set = only_sigint();
    if (is_ignored())
        return;
    sigprocmask(SIG_BLOCK, &set, NULL);
}

void interrupt_release(void)
{
    const sigset_t set = only_sigint();
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}

bool interrupt_pending(void)
{
    const sigset_t set = only_sigint();
    const struct timespec now = { 0, 0 };
    if (sigtimedwait(&set, NULL, &now) != SIGINT)
        return false;
    interrupt_release();
    return true;
}

void interrupt_leave(void)
{
    interrupt_release();
    raise(SIGINT);
    _Exit(130);
}

int interrupt_descriptor(void)
{
    const sigset_t set = only_sigint();
    return is_ignored() ? -1 : signalfd(-1, &set, SFD_CLOEXEC);
}
