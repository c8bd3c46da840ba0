/* SPDX-License-Identifier: Apache-2.0 */
/* device_coincident.h: check of coincident sources that a device found. */
#ifndef FARSUM_METHOD_STAGING_DEVICE_COINCIDENT_H
#define FARSUM_METHOD_STAGING_DEVICE_COINCIDENT_H

#include "task/units.h"
#include "points/device/set.h"

/* Called for coincident sources i and j.  Fails unless exclusions name this
 * pair and all other coincident pairs.  If there are exclusions, waits for the
 * positions and checks them on the host. */
farsum_status gpu_distinct(struct task *task, const struct points_gpu *points,
                           int64_t i, int64_t j);
#endif
