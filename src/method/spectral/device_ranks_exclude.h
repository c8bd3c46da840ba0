/* SPDX-License-Identifier: Apache-2.0 */
/* device_ranks_exclude.h: excluded pairs of `spectral` over ranks with a device
 * each, as ranks_exclude.h for the host. */
#ifndef FARSUM_METHOD_SPECTRAL_DEVICE_RANKS_EXCLUDE_H
#define FARSUM_METHOD_SPECTRAL_DEVICE_RANKS_EXCLUDE_H

#include "method/spectral/device.h"
#include "method/staging/ranks_exclusions.h"

/* ranks_exclusions_set. */
farsum_status gpu_ranks_exclusions(struct task *task, struct spectral *s);
/* As gpu_exclude_run, from the mesh's results of own targets.  Energy and
 * virial are this rank's part.  Not collective. */
farsum_status gpu_ranks_exclude_run(const struct task *task, struct spectral *s,
                                    const struct spectral_units *units);
#endif
