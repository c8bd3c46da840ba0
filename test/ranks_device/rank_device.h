/* SPDX-License-Identifier: Apache-2.0 */
/* rank_device.h: a device and a transport for each rank of a test.
 *
 * Each rank opens FARSUM_TEST_DEVICE (default: opencl:0) itself.  If the name
 * has no number, for example cuda, the ranks open different devices as far as
 * there are enough.  They use the transport FARSUM_TEST_TRANSPORT (default:
 * staged). */
#ifndef FARSUM_TEST_RANK_DEVICE_H
#define FARSUM_TEST_RANK_DEVICE_H

#include "farsum/device.h"
#include "ranks/device/transport.h"

struct rank_device {
    struct device *device;
    struct transport *transport;
};

const char *rank_device_name(void); /* FARSUM_TEST_DEVICE */
/* Collective: fails on all ranks or on none. */
farsum_status rank_device_open(struct rank_device *of, struct comm *comm);
/* Lets launches on an open device take turns, as rank_device_open does, because
 * PoCL needs it. */
void rank_device_turns(struct device *device);
/* Opens the rank's device as callers do, and lets its launches take turns. */
farsum_status rank_device_public(int rank, farsum_device **device);
/* CHECKs that the device holds no more buffers. */
void rank_device_close(struct rank_device *of);
/* Allocates a buffer of at least `bytes`, and fills it from the host. */
farsum_status rank_device_put(struct rank_device *of, struct buf *buf,
                              const void *from, int64_t bytes);

/* An array of a rank, on the host or as a copy on its device. */
struct rank_array {
    struct buf buf; /* owned */
    void *at;       /* NULL: no bytes */
};
/* Sets the array to the bytes at `here`, on the device if `there`. */
farsum_status rank_array_put(struct rank_device *of, int there,
                             struct rank_array *array, void *here,
                             int64_t bytes);
/* Copies it back to `here`, if it is on the device. */
farsum_status rank_array_get(const struct rank_array *array, void *here,
                             int64_t bytes);
#endif
