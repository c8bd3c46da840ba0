/* SPDX-License-Identifier: Apache-2.0 */
/* count.h: operation counts of the pair kernels.  The functions of
 * math/pair.kh, math/pair_erfc.kh and math/pair_far.kh are run with a number
 * type that counts.
 *
 * A product that is then added counts as one multiply-add.  Values known when a
 * kernel is compiled cost nothing. */
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
/* Adds `times` operations of one kind. */
static inline void count_calls(struct count *count, int kind, double times)
{
    count->calls[kind] += times;
}

/* Adds `times` pairs of the named kernel, starting from the difference of the
 * points and 1/r. value, slope: which functions count.  terms[k]: number of
 * coefficients of polynomial k.  Returns 0 if there is no such kernel. */
int count_pair(const char *kernel, int value, int slope, const int *terms,
               double times, struct count *count);
/* The same for the Gaussian split in closed form.  Subexpressions that value
 * and slope have in common are evaluated once. */
int count_closed(const char *kernel, int value, int slope, double times,
                 struct count *count);
/* Adds `times` modes of the far field.  Returns 0 if there is no such
 * kernel. */
int count_mode(const char *kernel, double times, struct count *count);

#ifdef __cplusplus
}
#endif
#endif
