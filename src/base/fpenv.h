/* SPDX-License-Identifier: Apache-2.0 */
/* fpenv.h: the library's floating-point environment.
 *
 * Every public function computes in one environment: round to nearest, no
 * traps, subnormal numbers kept.  It puts the caller's environment (rounding,
 * traps, flush to zero, sticky flags) aside first and restores it last:
 *
 *     farsum_status farsum_...(...)
 *     {
 *         FP_GUARD;
 *
 * Threads have an environment each; base/par.h guards those of a team. */
#ifndef FARSUM_BASE_FPENV_H
#define FARSUM_BASE_FPENV_H

/* Puts the thread's environment aside; calls nest. */
void fp_hold(void);
/* Ends fp_hold; the last end restores the environment that was put aside. */
void fp_release(void);
/* Restores the caller's environment for a while, for a callback or for threads
 * that start, which inherit it.  Returns what fp_resume takes. */
int fp_suspend(void);
void fp_resume(int held);

/* 1: since the environment was put aside this thread has started as large a
 * team, or there is none to put aside; smaller ones end the threads beyond. */
int fp_started(int threads);

static inline int fp_guard_begin(void)
{
    fp_hold();
    return 1;
}
static inline void fp_guard_end(const int *guard)
{
    (void)guard;
    fp_release();
}
#define FP_GUARD                                                               \
    __attribute__((cleanup(fp_guard_end), unused)) const int fp_guard =        \
        fp_guard_begin()
#endif
