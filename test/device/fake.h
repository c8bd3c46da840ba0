/* SPDX-License-Identifier: Apache-2.0 */
/* fake.h: simulated driver on the host, for the loader's tests.
 *
 * fake_driver.c is compiled as CUDA's driver and as HIP's runtime, fake_rtc.c
 * as their compilers.  Names and parameters are those of the .sym files in
 * src/device.  Environment variables control the behaviour:
 *
 *     FAKE_FAIL=word=number  this call of driver.sym fails with this number
 *     FAKE_CAPABILITY=90     compute capability of the devices
 *     FAKE_LAYOUT=5 or 6     layout of the properties, by ROCm's version
 *     FAKE_MANAGED=2         managed memory, which the host may use while
 *                            kernels run; 1: not while they run; 0: none
 *     FAKE_STATIC=bytes      shared memory that kernels declare */
#ifndef FARSUM_TEST_DEVICE_FAKE_H
#define FARSUM_TEST_DEVICE_FAKE_H

#include <stddef.h>
#include <stdint.h>

enum { FAKE_DEVICES = 2, FAKE_LIVE = 64, FAKE_BYTES = 1 << 20 };

struct fake_context {
    int device, primary, held;
};
struct fake_stream {
    struct fake_context *context;
    int device;
};

/* State of the driver that the test reads. */
struct fake {
    int64_t bytes; /* bytes of device memory in use */
    int blocks, streams, events, modules, contexts; /* existing now */
    int managed; /* blocks requested as managed */
    int launches, granted, marks;
    int graphs, kept;   /* existing now: graphs, and executable graphs */
    int replays;
    int busy;                      /* 1: queries of streams and events say that
                                      they have not ended; set by a test */
    int leaves;                    /* events that no stream has waited for */
    unsigned groups, group, arena; /* of the last launch */
    /* What a launch does. */
    void (*run)(const char *kernel, const struct fake *fake, void **parameters);
    struct {
        char *from;
        size_t bytes;
    } block[FAKE_LIVE];
};

/* Exported by both drivers. */
struct fake *fake_state(void);
/* The thread's current CUDA context, whose device is *device; HIP: the
 * device. */
void *fake_current(int *device);
/* A context or stream as an application makes them. */
void *fake_make_context(int device);
void fake_end_context(void *context);
void *fake_make_stream(void *context, int device);
void fake_end_stream(void *stream);
#endif
