/* SPDX-License-Identifier: Apache-2.0 */
/* each.h: the virial of each particle, math.md 5.1, on hosts. */
#ifndef FARSUM_METHOD_SPECTRAL_EACH_EACH_H
#define FARSUM_METHOD_SPECTRAL_EACH_EACH_H

#include "method/spectral/spectral.h"

enum { EACH_COMPONENTS = 6 }; /* xx xy xz yy yz zz */

struct spectral_each; /* state of it; NULL in a plan without this output */

farsum_status spectral_each_fits(const struct task *task);
/* Sets s->each if the problem requests the output.  args: those of the stages.
 * The spectrum has so many rows along its axis 0, and so many reals. */
farsum_status spectral_each_create(const struct task *task, struct spectral *s,
                                   const union stage_args args[STAGE_COUNT],
                                   int64_t rows, int64_t numbers);
void spectral_each_destroy(struct spectral_each *each); /* NULL is legal */
/* Takes the points that s->source has, and the cell of the stages. */
farsum_status spectral_each_set(const struct task *task, struct spectral *s);
/* Steps of a sum: the near pairs, with the strengths of the near stage; and a
 * copy of the charges' spectrum. */
farsum_status spectral_each_near(const struct task *task, struct spectral *s,
                                 const void *q, const void *ghost_q);
void spectral_each_keep(const struct task *task, struct spectral *s,
                        const void *spectrum);
/* After the other outputs, for each component: sets the spectrum to component c
 * of the charges' spectrum, (5.8); transforms it back; and adds it to the
 * shares, from the mesh.  channel: reals of the mesh. */
void spectral_each_component(const struct task *task, const struct spectral *s,
                             int c, void *spectrum);
farsum_status spectral_each_interp(const struct task *task, struct spectral *s,
                                   int c, int64_t channel);
/* All of this on one host. */
farsum_status spectral_each_far(const struct task *task, struct spectral *s);
/* Subtracts a virial, in units of the cutoff, from the share of particle i. */
void spectral_each_less(struct spectral_each *each, int64_t i,
                        const double virial[9]);
/* Adds the terms of the whole cell and writes row r.  out = 0: writes nothing,
 * and fails if the shares are not in the range of their type. */
farsum_status spectral_each_out(const struct task *task,
                                const struct spectral *s,
                                const struct spectral_terms *terms, int r,
                                const farsum_result *result, int out);
#endif
