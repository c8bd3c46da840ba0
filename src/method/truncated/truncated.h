/* SPDX-License-Identifier: Apache-2.0 */
/* truncated.h: one periodic axis or none, by a kernel that is cut beyond the
 * points.
 *
 * The cell of the sum is more than twice as thick as the points along its open
 * axes.  Its influence function is that of the kernel cut at a radius which no
 * pair reaches, so that no image along an open axis is seen (math.md 9.8).
 * Stages other than scale see a periodic cell. */
#ifndef FARSUM_METHOD_TRUNCATED_TRUNCATED_H
#define FARSUM_METHOD_TRUNCATED_TRUNCATED_H

#include "method/spectral/spectral.h"

/* Fails unless the problem has one periodic axis, or none and a sample, and
 * nothing that is not summed there. */
farsum_status truncated_fits(const struct task *task);
/* Sets the open rows of a cell, in the task's units, to the lengths that they
 * have in the plan's cell. */
void truncated_rows(const struct task *task, const struct parameters *t,
                    double rows[9]);
/* grow.c: makes the stages again if the points in s->x and s->y extend over
 * more than the plan's cell allows; then the points must be wrapped again.  On
 * failure the plan keeps its stages.  make: creates the mesh and the stages for
 * s->parameters. */
typedef farsum_status truncated_make(const struct task *task,
                                     struct spectral *s);
farsum_status truncated_follow(struct task *task, struct spectral *s, int64_t n,
                               int64_t m, truncated_make *make, int *grown);
/* The virial requires field and energy. */
void truncated_wanted(const struct task *task, const struct spectral *s,
                      farsum_result *wanted);
/* Sets the virial from energy and field, and, of screened charges, from that of
 * near pairs and mesh along the periodic axis. */
void truncated_virial(const struct task *task, const struct spectral *s,
                      const farsum_result *wanted, struct spectral_sums *sums);
#endif
