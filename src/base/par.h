/* SPDX-License-Identifier: Apache-2.0 */
/* par.h: threads.  The library's loops are OpenMP regions that name their
 * number of threads.  So a plan's choice never changes the caller's.
 *
 *     PAR_FOR(threads, schedule(dynamic) reduction(max : most))
 *     for (...)
 *
 *     PAR_TEAM(threads)
 *     {
 * #pragma omp for
 *         ...
 *
 * The library uses these two and no other kind of region.  Each thread of the
 * team computes in the library's floating-point environment (fpenv.h) and gets
 * its own back at the end.  A forked child, whose parent's threads are gone,
 * runs one thread.  So a team may be smaller than requested.  A reduction must
 * be a clause of the loop, not of the team: the team's clauses are evaluated
 * outside the library's environment. */
#ifndef FARSUM_BASE_PAR_H
#define FARSUM_BASE_PAR_H

#include <omp.h>
#include <stdint.h>

#include "base/fork.h"
#include "base/fpenv.h"

static inline int par_threads(int wanted)
{
    if (fork_alone())
        return 1;
    return wanted > 0 ? wanted : omp_get_max_threads();
}

/* Returns the start of part t when 0..n is cut into `parts` nearly equal
 * parts. */
static inline int64_t par_start(int64_t n, int parts, int t)
{
    return n / parts * t + (n % parts * t) / parts;
}

/* Starts the threads of a team in the caller's environment, which a new
 * thread inherits from the thread that starts it.  So they get the
 * environment that they would have without the library.  Not inline:
 * compilers move arithmetic, and pow(), across calls, and none of it may run
 * in the caller's environment. */
void par_start_threads(int threads);

struct par_team {
    int threads, open;
};

static inline struct par_team par_open(int threads)
{
    struct par_team team = {fork_alone() ? 1 : threads, 1};
    if (team.threads > 1)
        par_start_threads(team.threads);
    return team;
}
static inline void par_close(struct par_team *team)
{
    team->open = 0;
}
static inline int par_enter(void)
{
    fp_hold();
    return 1;
}
static inline int par_leave(void)
{
    fp_release();
    return 0;
}

/* Lends threads to a library that runs its own regions of the default size.
 * The default becomes `threads`, and these threads compute in the library's
 * environment. par_return undoes it; its argument is the result of par_lend. */
int par_lend(int threads);
void par_return(int before);

#define PAR_PRAGMA(...) _Pragma(#__VA_ARGS__)
#define PAR_TEAM(n)                                                            \
    for (struct par_team par_team = par_open(n); par_team.open;                \
         par_close(&par_team))                                                 \
        PAR_PRAGMA(omp parallel num_threads(par_team.threads))                 \
        for (int par_on = par_enter(); par_on; par_on = par_leave())
/* nowait: the end of the team waits for all threads. */
#define PAR_FOR(n, ...)                                                        \
    PAR_TEAM(n)                                                                \
    PAR_PRAGMA(omp for nowait __VA_ARGS__)
#endif
