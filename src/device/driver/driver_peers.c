/* SPDX-License-Identifier: Apache-2.0 */
/* driver_peers.c: several devices of one machine. */
#include "device/driver/driver.h"

#include "device/dl.h"

#include <stdio.h>

void driver_peers_open(struct driver *driver, void *library,
                       const char *const *symbols)
{
    if (!dl_more(library, symbols, (void **)&driver->peers))
        driver->peers = (struct driver_peers){0};
}

void driver_place(const struct device *device, char *place, int64_t capacity)
{
    const struct driver *d = device->inside;
    /* numbers depend on the process, as its environment may hide devices */
    if (device->backend->launch != driver_launch || !d->peers.bus
        || d->peers.bus(place, (int)capacity, d->device) != 0)
        snprintf(place, (size_t)capacity, "%s", device->name);
}
