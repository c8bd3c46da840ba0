/* SPDX-License-Identifier: Apache-2.0 */
/* kernel.h: options that a pair kernel accepts, and the columns of its
 * strengths. */
#ifndef FARSUM_TOOLS_KERNEL_H
#define FARSUM_TOOLS_KERNEL_H

#include "options.h"
#include "strengths.h"

/* The settings' kernel (default: laplace). */
const char *kernel_name(const struct settings *s);
/* 1: its sums are velocities. */
int kernel_flow(const struct settings *s);
/* 1: sources have dipoles; 2: and quadrupoles. */
int kernel_moments(const struct settings *s);
/* Returns 0, or -1 with the reason and similar names if no such kernel
 * exists. */
int kernel_known(const char *name, char *error, size_t size);
/* Returns 0, or -1 with the option that this kernel does not accept. */
int kernel_check(const struct settings *s, const char *kernel, char *error,
                 size_t size);
/* HDF5 uses the names force and velocity for columns that other formats call
 * forces and velo.  For flows, restores the kernel's own names. */
int kernel_rename(const char *kernel, struct io_frame *frame);
/* The column of masses.  Returns 0, or -1 with the missing or invalid name. */
int kernel_masses(const struct io_frame *frame, const double **q, char *error,
                  size_t size);
/* A frame's strengths [n][count]: *q borrows from the frame, or from *own,
 * which the caller frees.  Returns 0, or -1 with the missing or invalid
 * name. */
int kernel_strengths(const char *kernel, const struct io_frame *frame,
                     const double **q, double **own, char *error, size_t size);
#endif
