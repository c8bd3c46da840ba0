/* SPDX-License-Identifier: Apache-2.0 */
/* life_device.h: lives of plans over ranks with a device each. */
#ifndef FARSUM_TEST_RANKS_LIFE_DEVICE_H
#define FARSUM_TEST_RANKS_LIFE_DEVICE_H

#include "ranks/life_faults.h"

/* Opens a device for each of `ranks` ranks, on which launches take turns. */
farsum_status life_devices_open(int ranks);
void life_devices_close(void);
/* The life's ranks take these devices, which must hold no memory after it. */
void life_on_devices(struct life *life);
/* Makes the device of each rank in turn too small.  Sizes grow by size /
 * part. */
void life_small_device(struct life *life, int part);
#endif
