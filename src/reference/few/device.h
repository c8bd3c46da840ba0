/* SPDX-License-Identifier: Apache-2.0 */
/* device.h: a reference's sum at a few targets, over sources on a device.
 *
 * In a periodic cell it is Ewald's sum as in reference/ewald/ewald_any.h, in
 * open space the sum of all pairs.  The device computes the sums over all
 * sources: pairs within the cutoff, and the channels times e^{-ik.y}.  The host
 * sums the modes at the targets.  The cutoff minimises the total time. */
#ifndef FARSUM_REFERENCE_FEW_DEVICE_H
#define FARSUM_REFERENCE_FEW_DEVICE_H

#include "device/buf.h"
#include "device/compile/jit.h"
#include "task/units.h"

/* Below this tolerance references need more digits than f64 has. */
#define FEW_DEVICE_BEST 1e-12

struct few_device {
    const struct task *task; /* device, kernel, cell, units, threads */
    int64_t n, m;
    int64_t share_of; /* as task.share_of */
    const struct buf *x, *q; /* sources as passed in, type `arrays` */
    const double *y;         /* [m][3] targets as passed in */
    double accuracy;         /* as in struct ewald_setup; open: ignored */
    int width;               /* 1: potentials, 4: and fields, 3: velocities */
};

/* Compiled for a kernel, a width, and a cell or open space. */
struct few_device_kernels {
    struct jit jit; /* owned */
    struct kernel near, modes, moments, fold, rows;
    int width; /* 0: not compiled */
};

/* Returns OK if the plan's device can compute the sum, else the reason. */
farsum_status few_device_fits(const struct task *task, double accuracy);
farsum_status few_device_open(const struct task *task, int width,
                              struct few_device_kernels *kernels);
void few_device_close(struct few_device_kernels *kernels);
/* Sets values [m][width], in internal units, C = 1, excluded pairs included.
 * Waits for the device. */
farsum_status few_device_sum(const struct few_device *sum,
                             const struct few_device_kernels *kernels,
                             double *values);
/* Sets to [m][width]: rows `index` of an array of type `arrays`.  Waits for the
 * device. */
farsum_status few_device_rows(const struct task *task,
                              const struct few_device_kernels *kernels,
                              const struct buf *from, int width, int64_t m,
                              const int64_t *index, double *to);
#endif
