/* SPDX-License-Identifier: Apache-2.0 */
/* host.h: what spread and interp, the rooms between particles and mesh,
 * have in common; each has args of its own. */
#ifndef FARSUM_STAGE_PARTICLES_HOST_H
#define FARSUM_STAGE_PARTICLES_HOST_H

#include "base/status.h"

#include <stddef.h>

struct device;

/* What a row of the host asks, by its name. */
farsum_status particles_host_fits(const char *row, const struct device *device,
                                  int parts, const int64_t mesh[3]);
/* What costs hang on, for a person. */
void particles_about(char *text, size_t size, int64_t n, const int64_t mesh[3],
                     double crowd, double repeats);
#endif
