/* par.h: threads.  The library's loops are OpenMP regions that name their
 * number of threads, so that a plan's choice never touches the caller's. */
#ifndef FARSUM_BASE_PAR_H
#define FARSUM_BASE_PAR_H

#include <omp.h>
#include <stdint.h>

static inline int par_threads(int wanted)
{
    return wanted > 0 ? wanted : omp_get_max_threads();
}

/* Start of part t of `parts` nearly equal parts of 0..n. */
static inline int64_t par_start(int64_t n, int parts, int t)
{
    return n / parts * t + (n % parts * t) / parts;
}
#endif
