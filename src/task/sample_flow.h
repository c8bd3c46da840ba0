/* SPDX-License-Identifier: Apache-2.0 */
/* sample_flow.h: sample statistics of flows, of potentials other than 1/r, and
 * of dipoles. */
#ifndef FARSUM_TASK_SAMPLE_FLOW_H
#define FARSUM_TASK_SAMPLE_FLOW_H

#include "farsum/farsum.h"
#include "math/pair.h"
#include "task/sample.h"

/* Works as sample_take.  For a potential, `force` and `close` are those of its
 * kernel.  For a flow, the root of square() replaces the charge, and `force` is
 * the RMS velocity of uncorrelated sources (math.md (9.14)). */
farsum_status sample_take_flow(struct sample *sample, const struct pair *pair,
                               const struct cell *cell,
                               const farsum_problem *problem,
                               const struct exclusions *exclusions,
                               enum isa isa, int threads);
/* sample_dipoles.c: for sources with charge and dipole.  The root of
 * pair_square(), with random signs, replaces the charge.  Sets the pair's
 * reach, charge and dipole.  volume: task_volume(). */
farsum_status sample_take_dipoles(struct sample *sample, struct pair *pair,
                                  double volume, const struct cell *cell,
                                  const farsum_problem *problem,
                                  const struct exclusions *exclusions,
                                  enum isa isa, int threads);
#endif
