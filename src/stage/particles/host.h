/* SPDX-License-Identifier: Apache-2.0 */
/* host.h: common host code of spread and interp, the stages between particles
 * and mesh; each stage has its own args. */
#ifndef FARSUM_STAGE_PARTICLES_HOST_H
#define FARSUM_STAGE_PARTICLES_HOST_H

#include "base/status.h"

#include <stddef.h>

struct device;

/* Common predicate of the host variants. */
farsum_status particles_host_fits(const struct device *device, int parts,
                                  const int64_t mesh[3]);
/* Describes the inputs of the costs, for a person. */
void particles_about(char *text, size_t size, int64_t n, const int64_t mesh[3],
                     double clustering, double repeats);
#endif
