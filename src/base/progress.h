/* SPDX-License-Identifier: Apache-2.0 */
/* progress.h: reports the progress of a long call to the caller, and stops it.
 *
 * A public function of a plan calls begin and end.  Between them any code can
 * report its progress without being passed an argument, because the listener
 * belongs to the calling thread.  On other threads, or without a listener, a
 * step only reads one pointer.
 *
 *     TRY(progress_step(r, rhs, "summing by %s", name));
 *
 * In a parallel loop, or while other threads work for this one:
 *
 *     struct progress *p = progress_phase(n, "compiling kernels");
 *     PAR_FOR(threads, schedule(dynamic))
 *     for (i = 0; i < n; i++) {
 *         if (progress_stopped(p))
 *             continue;
 *         ...
 *         progress_add(p, 1);
 *     }
 *     TRY(progress_check(p));
 *
 * The caller's function runs only on its own thread, at most ten times a
 * second. */
#ifndef FARSUM_BASE_PROGRESS_H
#define FARSUM_BASE_PROGRESS_H

#include <stdatomic.h>

#include "base/status.h"

typedef int progress_call(int64_t done, int64_t all, const char *what,
                          void *data);

struct progress {
    progress_call *call; /* NULL: no listener */
    void *data;
    double next;            /* earliest time of the next call, in seconds of the
                               clock; kept between calls of progress_begin */
    struct progress *outer; /* this thread's listener before begin */
    _Atomic int64_t done;   /* steps done in this phase */
    int64_t all;
    _Atomic int stopped; /* 1: call requested a stop since begin */
    char what[120];      /* name of the phase */
};

/* Sends this thread's steps to p until progress_end.  If p->call is NULL, they
 * go where they went before. */
void progress_begin(struct progress *p);
/* Returns status; but if it is a failure and p was stopped, FARSUM_ERR_STATE
 * "stopped". */
farsum_status progress_end(struct progress *p, farsum_status status);

/* Reports that `done` of `all` steps are done and names the next one by
 * `format`.  all = 0: the number is unknown.  Returns OK, or FARSUM_ERR_STATE
 * "stopped". */
farsum_status progress_step(int64_t done, int64_t all, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same at the start of a loop whose threads count by progress_add.  Returns
 * NULL if nobody listens; the functions below accept NULL. */
struct progress *progress_phase(int64_t all, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Counts `count` more steps.  Any thread may call it; only the caller's thread
 * reports. */
void progress_add(struct progress *p, int64_t count);
/* The caller's thread reports until the other threads have done all steps.  On
 * the other threads it returns immediately. */
void progress_wait(struct progress *p);
/* Returns 1 if the remaining work should be skipped.  Any thread may call
 * it. */
static inline int progress_stopped(struct progress *p)
{
    return p && atomic_load_explicit(&p->stopped, memory_order_relaxed);
}
farsum_status progress_check(struct progress *p);
#endif
