/* SPDX-License-Identifier: Apache-2.0 */
/* run.h: parts of a sum on a device that one process and ranks have in
 * common. */
#ifndef FARSUM_METHOD_FMM_DEVICE_RUN_H
#define FARSUM_METHOD_FMM_DEVICE_RUN_H

#include "method/fmm/device/set_points.h"

/* Must equal the struct in method/fmm/device/sums.k. */
struct fmm_units {
    double coulomb, h, front, surface, per, none, axis[9], box[3], middle[3];
    int64_t n, targets, leaves, roots, first_q, first_out, rhs;
    int32_t root[3], level, wide, apart, potential, field, energy, virial,
        beside, periodic, sparse, gathered, exponent, length;
};
_Static_assert(sizeof(struct fmm_units) == 288, "as the kernels have it");

/* Sums of right-hand sides, in a form that a graph can capture. */
struct fmm_sum {
    const struct task *task;
    struct fmm *s;
    const struct gpu_ends *ends;
    struct fmm_units units;
    int rhs;
};

/* Units of the points of the tree. */
struct fmm_units fmm_gpu_units(const struct task *task, const struct fmm *s,
                               const struct gpu_ends *ends);
/* Runs a stage and times it. */
farsum_status fmm_gpu_stage(struct fmm *s, int stage, const void *io);
/* What near pairs, and the other stages, read and write. */
struct p2p_io fmm_gpu_near_io(const struct fmm_sum *sum);
struct boxes_io fmm_gpu_far_io(const struct fmm_sum *sum);
/* Zeroes the results to which far boxes add, if they are apart from those of
 * near pairs. */
farsum_status fmm_gpu_zero(const struct fmm_sum *sum);
/* Computes the facts of the results from their records; NULL: energy or virial
 * is not requested. */
farsum_status fmm_gpu_totals(struct fmm_gpu *g, const struct fmm_units *units,
                             const struct buf *energy,
                             const struct buf *virial);
/* Checks from the records whether the results of right-hand side r are in
 * range. */
farsum_status fmm_gpu_range(const struct task *task, const struct fmm *s,
                            int64_t r);
/* Stores what finish must know about the sums that begin. */
void fmm_gpu_begin(struct fmm_gpu *g, int rhs, const farsum_result *result);
/* Clears the failure that finish has reported, so that it is reported once. */
farsum_status fmm_gpu_told(struct fmm_gpu *g);
#endif
