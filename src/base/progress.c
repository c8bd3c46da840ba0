/* SPDX-License-Identifier: Apache-2.0 */
/* progress.c: calls the user's function `progress` (the listener) on the thread
 * that made the call, at most ten times a second. */
#include "base/progress.h"

#include "base/c_locale.h"
#include "base/clock.h"
#include "base/fpenv.h"

/* minimum seconds between two calls */
static const double apart = 0.1;

static _Thread_local struct progress *current;

void progress_begin(struct progress *p)
{
    if (!p->call)
        return;
    p->outer = current;
    atomic_store(&p->stopped, 0);
    current = p;
}

farsum_status progress_end(struct progress *p, farsum_status status)
{
    if (!p->call)
        return status;
    current = p->outer;
    p->outer = NULL;
    return status == FARSUM_OK ? status
           : progress_stopped(p) ? progress_check(p)
                                 : status;
}

/* Calls the listener if it is due.  During the call this thread has no
 * listener, so that calls of other plans in it do not come back here. */
static void progress_tell(struct progress *p)
{
    double now = clock_seconds();
    if (progress_stopped(p) || now < p->next)
        return;
    current = NULL;
    int held = fp_suspend();
    int stop = p->call(atomic_load(&p->done), p->all, p->what, p->data);
    fp_resume(held);
    current = p;
    p->next = clock_seconds() + apart;
    if (stop)
        atomic_store(&p->stopped, 1);
}

static void progress_set(struct progress *p, int64_t done, int64_t all,
                         const char *format, va_list args)
{
    atomic_store(&p->done, done);
    p->all = all;
    c_locale_vtext(p->what, sizeof p->what, format, args);
    progress_tell(p);
}

farsum_status progress_step(int64_t done, int64_t all, const char *format, ...)
{
    if (!current)
        return FARSUM_OK;
    va_list args;
    va_start(args, format);
    progress_set(current, done, all, format, args);
    va_end(args);
    return progress_check(current);
}

struct progress *progress_phase(int64_t all, const char *format, ...)
{
    if (!current)
        return NULL;
    va_list args;
    va_start(args, format);
    progress_set(current, 0, all, format, args);
    va_end(args);
    return current;
}

void progress_add(struct progress *p, int64_t count)
{
    if (!p)
        return;
    atomic_fetch_add(&p->done, count);
    if (p == current)
        progress_tell(p);
}

void progress_wait(struct progress *p)
{
    const struct timespec nap = {0, 5000000};
    if (!p || p != current)
        return;
    while (!progress_stopped(p) && atomic_load(&p->done) < p->all) {
        nanosleep(&nap, NULL);
        progress_tell(p);
    }
}

farsum_status progress_check(struct progress *p)
{
    if (progress_stopped(p))
        FAIL(ERR_STATE, "stopped");
    return FARSUM_OK;
}
