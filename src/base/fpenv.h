/* SPDX-License-Identifier: Apache-2.0 */
/* fpenv.h: the library's floating-point environment.
 *
 * Every public function computes in one environment: round to nearest, no
 * traps, subnormal numbers kept.  It first saves the caller's environment
 * (rounding, traps, flush to zero, sticky flags) and restores it last:
 *
 *     farsum_status farsum_...(...)
 *     {
 *         FP_GUARD;
 *
 * Each thread has its own environment.  base/par.h guards those of a team. */
#ifndef FARSUM_BASE_FPENV_H
#define FARSUM_BASE_FPENV_H

/* Saves the thread's environment and loads the library's.  Calls nest. */
void fp_hold(void);
/* Ends one fp_hold.  The last call restores the saved environment. */
void fp_release(void);
/* Restores the caller's environment for a while: for a callback, or for new
 * threads, which inherit it.  Returns the argument of fp_resume. */
int fp_suspend(void);
void fp_resume(int held);

/* Returns 1 if this thread needs to start no threads in the caller's
 * environment: its last team had at least `threads` threads, or no environment
 * is saved.  A smaller team ends the threads beyond its size. */
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
