/* SPDX-License-Identifier: Apache-2.0 */
/* signals.c: removal of temporary files before a signal ends the process. */
#include "signals.h"

#include "io/temporary.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>

/* A stack for the handler, since a stack that overflowed has no space left. */
enum { STACK = 1 << 16 };
static char stack[STACK];

static void remove_temporaries(int number)
{
    temporary_remove();
    /* the handler was for one signal only: raising it again ends the process */
    raise(number);
}

/* The interrupted call fails with EPIPE or EFBIG.  SIG_IGN is not used, because
 * programs that we start would inherit it. */
static volatile sig_atomic_t cause;
static void go_on(int number)
{
    cause = number == SIGPIPE ? EPIPE : EFBIG;
}

int signals_cause(void)
{
    return cause;
}

/* Installs a handler, unless a sanitizer or other code has done so before. */
static void handle(int number, void (*handler)(int), int flags)
{
    struct sigaction now, old;
    if (sigaction(number, NULL, &old) != 0 || old.sa_handler != SIG_DFL)
        return;
    memset(&now, 0, sizeof now);
    now.sa_handler = handler;
    now.sa_flags = flags;
    sigfillset(&now.sa_mask);
    sigaction(number, &now, NULL);
}

void signals_catch(void)
{
    static const int fatal[] = {
        SIGHUP,  SIGINT,  SIGQUIT, SIGILL,    SIGTRAP, SIGABRT,   SIGBUS,
        SIGFPE,  SIGSEGV, SIGUSR1, SIGUSR2,   SIGALRM, SIGTERM,   SIGXCPU,
        SIGPROF, SIGIO,   SIGPWR,  SIGVTALRM, SIGSYS,  SIGSTKFLT,
    };
    const int end = (int)(SA_RESETHAND | SA_ONSTACK);
    const stack_t own = {.ss_sp = stack, .ss_size = sizeof stack};
    sigaltstack(&own, NULL);
    for (size_t k = 0; k < sizeof fatal / sizeof *fatal; k++)
        handle(fatal[k], remove_temporaries, end);
    for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
        handle(number, remove_temporaries, end);
    handle(SIGPIPE, go_on, SA_RESTART);
    handle(SIGXFSZ, go_on, SA_RESTART);
}
