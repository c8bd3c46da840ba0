/* SPDX-License-Identifier: Apache-2.0 */
/* kernels.h: kernels other than 1/r on the host, math.md section 10: in open
 * space, and charges with dipoles in periodic cells, too.
 * Near pairs are summed as the kernel says.  The far field is that of one sum
 * over charges with dipoles, or of several sums of 1/r that make a flow. */
#ifndef FARSUM_METHOD_FMM_KERNELS_H
#define FARSUM_METHOD_FMM_KERNELS_H

#include "method/fmm/fmm.h"

/* kernels_fit.c: the kernel that fmm sums; FMM_NONE: it does not. */
enum fmm_kernel fmm_kernel_of(const struct task *task);
/* Fails if fmm does not sum this problem of another kernel than 1/r. */
farsum_status fmm_kernel_fits(const struct task *task);
/* Passes of the far stages per sum. */
int fmm_kernel_passes(enum fmm_kernel kernel);
/* 1: the passes have sources with dipoles; charge_dipole: the outputs beyond
 * the field are wanted. */
int fmm_kernel_moments(enum fmm_kernel kernel);
int fmm_kernel_gradient(const struct task *task);

/* kernels.c: allocates the arrays that 1/r does not need.  sum: sums
 * s->caller.q, and sets the report's estimate. */
farsum_status fmm_kernel_arrays(const struct task *task, struct fmm *s);
void fmm_kernel_clear(struct fmm *s);
farsum_status fmm_kernel_sum(const struct task *task, struct fmm *s,
                             const struct host_sums *sums);

/* run.c: copies sums to the caller's order, with (10.14). */
void fmm_kernel_out(const struct task *task, const struct fmm *s);

/* kernels_norms.c: means of strengths q [n][strengths]. */
void fmm_kernel_means(const struct task *task, int64_t n, const double *q,
                      struct fmm_input *f);
/* Periodic cells: means and norms from the plan's sample. */
farsum_status fmm_kernel_cell(const struct task *task, struct fmm_input *f);
/* Norms of points of which nothing is known but their number and volume. */
void fmm_kernel_guess(struct fmm_input *f, double n);
/* Sums of the sample [n] at some of its particles. */
farsum_status fmm_kernel_sample(const struct task *task, struct fmm_input *f,
                                int64_t n, const double *x, const double *q,
                                int64_t targets);
/* Norms of the current points: the sample's, in the plan's present unit of
 * length; at separate targets at most those at the sources. */
void fmm_kernel_norms(const struct task *task, struct fmm *s);
/* The force q E - G p; its square.  gradient NULL: a dipole counts as
 * pair_square() says. */
void fmm_kernel_force(const double q[4], const double e[3],
                      const double gradient[6], double force[3]);
double fmm_kernel_square(const struct fmm_input *f, const double q[4],
                         const double e[3], const double *gradient);
#endif
