/* SPDX-License-Identifier: Apache-2.0 */
/* count.h: operations of the pair kernels' functions, counted by running them
 * (math/pair.kh, math/pair_erfc.kh, math/pair_far.kh) with numbers that count.
 *
 * A product that is added to something is a multiply-add, what is known when a
 * kernel is compiled costs nothing. */
#ifndef FARSUM_MATH_COUNT_H
#define FARSUM_MATH_COUNT_H

enum {
    COUNT_FMA,
    COUNT_ADD,
    COUNT_MUL,
    COUNT_DIV,
    COUNT_RSQRT,
    COUNT_EXP,
    COUNT_ERFC,
    COUNT_KINDS
};

#ifdef __cplusplus
extern "C" {
#endif

extern const char *const count_names[COUNT_KINDS]; /* "fma", ... */

struct count {
    double calls[COUNT_KINDS];
};
/* Adds `times` calls. */
static inline void count_calls(struct count *count, int kind, double times)
{
    count->calls[kind] += times;
}

/* Adds `times` pairs of the kernel of that name, from the difference of the
 * points and 1/r on: its value, its slope.  terms[k]: coefficients of
 * polynomial k.  0: there is no such kernel. */
int count_pair(const char *kernel, int value, int slope, const int *terms,
               double times, struct count *count);
/* The same of the Gaussian split in closed form; what value and slope have in
 * common is evaluated once. */
int count_closed(const char *kernel, int value, int slope, double times,
                 struct count *count);
/* The same of a mode of the far field. */
int count_mode(const char *kernel, double times, struct count *count);

#ifdef __cplusplus
}
#endif
#endif
