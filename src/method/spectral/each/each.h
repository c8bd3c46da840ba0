/* SPDX-License-Identifier: Apache-2.0 */
/* each.h: the virial of each particle, math.md 5.1, on one host. */
#ifndef FARSUM_METHOD_SPECTRAL_EACH_EACH_H
#define FARSUM_METHOD_SPECTRAL_EACH_EACH_H

#include "method/spectral/spectral.h"

struct spectral_each; /* state of it; NULL in a plan without this output */

farsum_status spectral_each_fits(const struct task *task);
/* Sets s->each if the problem requests the output.  After the stages. */
farsum_status spectral_each_create(const struct task *task, struct spectral *s);
void spectral_each_destroy(struct spectral_each *each); /* NULL is legal */
/* Takes the points that s->source has. */
farsum_status spectral_each_set(const struct task *task, struct spectral *s);
/* Takes the cell that s->parameters has. */
void spectral_each_cell(struct spectral *s);
/* Steps of a sum: the near pairs; a copy of the charges' spectrum; and, after
 * the other outputs, the modes. */
farsum_status spectral_each_near(struct spectral *s);
void spectral_each_keep(const struct task *task, struct spectral *s);
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
