/* SPDX-License-Identifier: Apache-2.0 */
/* par.h: threads.  The library's loops are OpenMP regions that name their
 * number of threads, so that a plan's choice never touches the caller's.
 *
 *     PAR_FOR(threads, schedule(dynamic) reduction(max : most))
 *     for (...)
 *
 *     PAR_TEAM(threads)
 *     {
 * #pragma omp for
 *         ...
 *
 * These two, and no region of another kind: each thread of the team computes
 * in the library's floating-point environment (fpenv.h) and has its own back
 * at the end, and a forked child, whose parent's threads are gone, runs one
 * thread.  So a team may be smaller than it was asked to be.  A reduction is
 * a clause of the loop, not of the team, which is outside of the environment.
 */
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

/* Start of part t of `parts` nearly equal parts of 0..n. */
static inline int64_t par_start(int64_t n, int parts, int t)
{
    return n / parts * t + (n % parts * t) / parts;
}

/* A new thread inherits the environment of the one that starts it.  Starts
 * those of a team in the caller's, as if the library had not been there.  Not
 * inline: compilers move arithmetic, and pow(), across calls, and none may come
 * to lie where the caller's environment is. */
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

/* For a library that runs regions of its own, of the default size: the default
 * becomes `threads`, and they compute as those of our teams.  par_return, with
 * the number that par_lend returned, undoes it. */
int par_lend(int threads);
void par_return(int before);

#define PAR_PRAGMA(...) _Pragma(#__VA_ARGS__)
#define PAR_TEAM(n)                                                            \
    for (struct par_team par_team = par_open(n); par_team.open;                \
         par_close(&par_team))                                                 \
        PAR_PRAGMA(omp parallel num_threads(par_team.threads))                 \
        for (int par_on = par_enter(); par_on; par_on = par_leave())
/* The team's end waits for all. */
#define PAR_FOR(n, ...)                                                        \
    PAR_TEAM(n)                                                                \
    PAR_PRAGMA(omp for nowait __VA_ARGS__)
#endif
