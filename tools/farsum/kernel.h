/* SPDX-License-Identifier: Apache-2.0 */
/* kernel.h: what a pair kernel means to the command: which options go with it,
 * and where in a frame its strengths are. */
#ifndef FARSUM_TOOLS_KERNEL_H
#define FARSUM_TOOLS_KERNEL_H

#include "options.h"
#include "strengths.h"

/* The settings' kernel, laplace if there is none. */
const char *kernel_name(const struct settings *s);
/* 1: its sums are velocities. */
int kernel_flow(const struct settings *s);
/* 0, or -1 with the reason and the names near it: there is no such kernel. */
int kernel_known(const char *name, char *error, size_t size);
/* 0, or -1 with the option that does not go with this kernel. */
int kernel_check(const struct settings *s, const char *kernel, char *error,
                 size_t size);
/* HDF5 calls the columns force and velocity what others call forces and velo:
 * a flow's keep the names that the kernel has for them. */
int kernel_rename(const char *kernel, struct io_frame *frame);
/* The column of masses.  0, or -1 with what is missing or bad. */
int kernel_masses(const struct io_frame *frame, const double **q, char *error,
                  size_t size);
/* A frame's strengths [n][count]: *q borrows from the frame, or from *own,
 * which is to be freed.  0, or -1 with what is missing or bad. */
int kernel_strengths(const char *kernel, const struct io_frame *frame,
                     const double **q, double **own, char *error, size_t size);
#endif
