/* SPDX-License-Identifier: Apache-2.0 */
/* device.h: the device of each rank. */
#ifndef FARSUM_PLAN_RANKS_DEVICE_H
#define FARSUM_PLAN_RANKS_DEVICE_H

#include "comm/comm.h"
#include "cost/links.h"
#include "device/device.h"

/* A rank's device, which all plans share that are made on the way to one. */
struct ranks_device {
    struct farsum_device handle;
    int opened; /* 1: here, so that somebody must close it */
};

/* Opens the device that the options name, and sets their handle instead of the
 * name; `device` must outlive the options.  A name without a number means the
 * device of the rank's number on its machine, modulo the number of devices.
 * The host, and a caller's handle, stay as they are.  Not collective. */
farsum_status ranks_device_open(const struct comm *comm,
                                farsum_options *options,
                                struct ranks_device *device);
/* Closes it, if it was opened here; all 0 is legal. */
void ranks_device_close(struct ranks_device *device);

/* The back end of a rank's options: "host", "cuda", ..., [size] characters. */
void ranks_device_kind(const farsum_options *options, char *kind, size_t size);

/* Links between ranks with these options, which may name a transport. */
struct links ranks_links(const farsum_options *options, const char *transport,
                         int ranks, int nodes);
/* The same for the ranks of comm.  Collective. */
farsum_status ranks_links_of(struct comm *comm, const farsum_options *options,
                             const char *transport, struct links *links);

/* Sets *to to the static text of the same name; NULL stays NULL. */
farsum_status ranks_transport(const char *name, const farsum_options *options,
                              const char **to);
#endif
