/* SPDX-License-Identifier: Apache-2.0 */
/* device_coincident.h: coincident sources that a device found. */
#ifndef FARSUM_METHOD_STAGING_DEVICE_COINCIDENT_H
#define FARSUM_METHOD_STAGING_DEVICE_COINCIDENT_H

#include "task/units.h"
#include "points/device/set.h"

/* Sources i and j are at one place: fails, unless exclusions leave them out and
 * whoever else is.  With exclusions it waits for the positions and looks on the
 * host. */
farsum_status gpu_distinct(struct task *task, const struct points_gpu *points,
                           int64_t i, int64_t j);
#endif
