/* SPDX-License-Identifier: Apache-2.0 */
/* progress.h: tells a caller how far a long call has come, and stops it.
 *
 * A public function of a plan begins and ends it; between them any code of any
 * room says how far it is, without being handed anything: what listens belongs
 * to the calling thread.  On other threads, and where nobody listens, a step is
 * one look at a pointer.
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
 * The caller's function runs on its own thread only, at most ten times a
 * second. */
#ifndef FARSUM_BASE_PROGRESS_H
#define FARSUM_BASE_PROGRESS_H

#include <stdatomic.h>

#include "base/status.h"

typedef int progress_call(int64_t done, int64_t all, const char *what,
                          void *data);

struct progress {
    progress_call *call; /* NULL: nobody listens */
    void *data;
    double next;            /* seconds of the clock from which it may be called
                               again: kept from one begin to the next */
    struct progress *outer; /* this thread's, before begin */
    _Atomic int64_t done;   /* of the phase */
    int64_t all;
    _Atomic int stopped; /* 1: call asked for it, since begin */
    char what[120];      /* of the phase */
};

/* From here on this thread's steps go to p, until end; without a call they go
 * where they went before. */
void progress_begin(struct progress *p);
/* status, or FARSUM_ERR_STATE "stopped" if it is a failure and p was stopped.
 */
farsum_status progress_end(struct progress *p, farsum_status status);

/* `done` of `all` are done, and `format` comes next; all = 0: nobody knows how
 * many.  OK: go on; else FARSUM_ERR_STATE "stopped". */
farsum_status progress_step(int64_t done, int64_t all, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same at the begin of a loop whose threads count by progress_add; NULL,
 * which all that follow take: nobody listens. */
struct progress *progress_phase(int64_t all, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Of any thread: `count` more are done.  The caller's thread tells. */
void progress_add(struct progress *p, int64_t count);
/* Of any thread: the caller's tells until all are done, by the others; they
 * return at once. */
void progress_wait(struct progress *p);
/* Of any thread: 1: leave the rest undone. */
static inline int progress_stopped(struct progress *p)
{
    return p && atomic_load_explicit(&p->stopped, memory_order_relaxed);
}
farsum_status progress_check(struct progress *p);
#endif
