/* SPDX-License-Identifier: Apache-2.0 */
/* par.c: threads that another library runs. */
#include "base/par.h"

void par_start_threads(int threads)
{
    if (fp_started(threads))
        return;
    int held = fp_suspend(), n = 0;
#pragma omp parallel num_threads(threads)
#pragma omp atomic
    n++;
    fp_resume(held);
}

/* Runs work() on all threads of a default team except the first.  The next
 * region without a number of threads gets the same team. */
static void workers(void (*work)(void))
{
    int held = fp_suspend();
#pragma omp parallel
    if (omp_get_thread_num() > 0)
        work();
    fp_resume(held);
}

int par_lend(int threads)
{
    if (threads == 1)
        return 0;
    int before = omp_get_max_threads();
    threads = fork_alone() ? 1 : threads;
    if (before != threads)
        omp_set_num_threads(threads);
    if (threads > 1)
        workers(fp_hold);
    return before;
}

void par_return(int before)
{
    if (before == 0)
        return;
    int threads = omp_get_max_threads();
    if (threads > 1)
        workers(fp_release);
    if (before != threads)
        omp_set_num_threads(before);
}
