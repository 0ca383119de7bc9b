// interrupt.c: Ctrl-C without a signal handler.
#include "interrupt.h"

#include <signal.h>
#include <stdlib.h>
#include <time.h>

static sigset_t only_sigint(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    return set;
}

void interrupt_hold(void)
{
    const sigset_t set = only_sigint();
    sigprocmask(SIG_BLOCK, &set, NULL);
}

void interrupt_release(void)
{
    const sigset_t set = only_sigint();
    signal(SIGINT, SIG_DFL);
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
