/* SPDX-License-Identifier: Apache-2.0 */
/* cpu_clock.c: library for LD_PRELOAD that replaces the wall clock by the
 * processor time of the process.  The times that a program with one thread
 * measures then do not depend on other load of the machine.
 *
 *     cc -O2 -shared -fPIC -o cpu_clock.so cpu_clock.c -ldl
 *     LD_PRELOAD=./cpu_clock.so versus.py ... --threads 1 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/time.h>
#include <time.h>

typedef int gettime(clockid_t clock, struct timespec *t);

int clock_gettime(clockid_t clock, struct timespec *t)
{
    static gettime *theirs;
    if (!theirs)
        *(void **)&theirs = dlsym(RTLD_NEXT, "clock_gettime");
    if (clock == CLOCK_MONOTONIC || clock == CLOCK_REALTIME
        || clock == CLOCK_MONOTONIC_RAW)
        clock = CLOCK_PROCESS_CPUTIME_ID;
    return theirs(clock, t);
}

int timespec_get(struct timespec *t, int base)
{
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, t);
    return base;
}

int gettimeofday(struct timeval *restrict t, void *restrict zone)
{
    struct timespec now;
    (void)zone;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    t->tv_sec = now.tv_sec;
    t->tv_usec = now.tv_nsec / 1000;
    return 0;
}

double MPI_Wtime(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
