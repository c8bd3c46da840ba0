/* SPDX-License-Identifier: Apache-2.0 */
/* fpenv.c: the library's floating-point environment. */
#include "base/fpenv.h"

#include <fenv.h>
#include <stdint.h>

#if defined(__x86_64__)
#include <xmmintrin.h>

/* A call of the C library's functions takes 0.4 us, one of these 0.03 us. */
struct environment {
    unsigned sse;
    uint16_t control, status; /* of x87, which long double uses */
};

/* Values at the start of a process. */
enum { SSE_OWN = 0x1f80, X87_OWN = 0x037f };
/* The status word's exception bits, and the bits that mark an exception whose
 * trap is pending. */
enum { X87_FLAGS = 0x007f, X87_WAITS = 0x8080 };

static void save(struct environment *e)
{
    e->sse = _mm_getcsr();
    __asm__ volatile("fnstcw %0\n\tfnstsw %1"
                     : "=m"(e->control), "=m"(e->status));
}

static void load(const struct environment *e)
{
    uint16_t now;
    __asm__ volatile("fnstsw %0" : "=m"(now));
    if ((now ^ e->status) & (X87_FLAGS | X87_WAITS)) {
        uint16_t all[14]; /* control and status are words 0 and 2 */
        __asm__ volatile("fnstenv %0" : "=m"(all));
        all[0] = e->control;
        all[2] = (uint16_t)((now & ~(X87_FLAGS | X87_WAITS))
                            | (e->status & (X87_FLAGS | X87_WAITS)));
        __asm__ volatile("fldenv %0" : : "m"(all));
    } else {
        __asm__ volatile("fldcw %0" : : "m"(e->control));
    }
    _mm_setcsr(e->sse);
}

static void load_own(void)
{
    const uint16_t control = X87_OWN;
    uint16_t now;
    _mm_setcsr(SSE_OWN);
    __asm__ volatile("fnstsw %0" : "=m"(now));
    if (now & X87_WAITS) /* fldcw would trap */
        __asm__ volatile("fnclex");
    __asm__ volatile("fldcw %0" : : "m"(control));
}
#else
struct environment {
    fenv_t all;
};

static void load(const struct environment *e)
{
    fesetenv(&e->all);
}

static void save(struct environment *e)
{
    fegetenv(&e->all);
}

static void load_own(void)
{
    fesetenv(FE_DFL_ENV);
}
#endif

static _Thread_local struct environment callers;
static _Thread_local int depth;
static _Thread_local int team; /* size of the last team */

void fp_hold(void)
{
    if (depth++ > 0)
        return;
    save(&callers);
    load_own();
    team = 0;
}

void fp_release(void)
{
    if (depth > 0 && --depth == 0)
        load(&callers);
}

int fp_started(int threads)
{
    int enough = depth == 0 || threads <= team;
    team = threads;
    return enough;
}

int fp_suspend(void)
{
    int held = depth;
    if (held > 0)
        load(&callers);
    depth = 0;
    return held;
}

void fp_resume(int held)
{
    if (held > 0)
        load_own();
    depth = held;
}
