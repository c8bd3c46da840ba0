/* SPDX-License-Identifier: Apache-2.0 */
/* driver_peers.c: several devices of one machine. */
#include "device/driver/driver.h"

#include "device/buf.h"
#include "device/dl.h"

#include <stdio.h>

/* Numbers equal in both APIs. */
enum { PEERS_ALREADY = 704, MAP_FOR_PEERS = 1 };

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

/* The driver of a device that shares memory. */
static farsum_status sharing(const struct device *device,
                             struct driver **driver)
{
    struct driver *d = device->inside;
    if (device->backend->launch != driver_launch)
        FAIL(ERR_UNSUPPORTED, "%s shares no memory with other devices",
             device->name);
    if (!d->peers.share)
        FAIL(ERR_UNSUPPORTED, "%s: the driver shares no memory", device->name);
    *driver = d;
    return FARSUM_OK;
}

/* Every failure means that the memory must be exchanged in another way. */
static farsum_status shared(farsum_status status)
{
    return status == FARSUM_OK
               ? FARSUM_OK
               : status_prefix(FARSUM_ERR_UNSUPPORTED, "shared memory");
}

farsum_status driver_peer_give(const struct buf *own, struct driver_peer *peer)
{
    struct driver *d = NULL;
    struct driver_peer p = {.bytes = own->bytes, .address = own->handle};
    void *start = NULL;
    size_t bytes = 0;
    int before = 0;
    TRY(sharing(own->device, &d));
    TRY(shared(driver_enter(d, &before)));
    int error = d->peers.address_range(&start, &bytes, own->handle);
    if (error == 0)
        error = d->peers.share(&p.shared, start);
    TRY(shared(driver_leave(d, before, error, "naming memory to others")));
    p.name = d->peer;
    p.offset = (char *)own->handle - (char *)start;
    *peer = p;
    return FARSUM_OK;
}

farsum_status driver_peer_open(struct device *device,
                               const struct driver_peer *peer, int same_process,
                               void **address, void **mapped)
{
    struct driver *d = NULL;
    void *start = NULL;
    int before = 0, error = 0;
    TRY(sharing(device, &d));
    TRY(shared(driver_enter(d, &before)));
    if (same_process) {
        if (d->peer != peer->name)
            error = d->peers.peer_access(peer->name, 0);
        error = error == PEERS_ALREADY ? 0 : error;
    } else {
        error = d->peers.shared_open(&start, peer->shared, MAP_FOR_PEERS);
    }
    TRY(shared(driver_leave(d, before, error, "using another's memory")));
    *address = same_process ? peer->address : (char *)start + peer->offset;
    *mapped = start;
    return FARSUM_OK;
}

void driver_peer_close(struct device *device, void *mapped)
{
    struct driver *d = device->inside;
    int before = 0;
    if (!mapped || d->enter(d, &before) != 0)
        return;
    d->peers.shared_close(mapped);
    d->leave(d, before);
}
