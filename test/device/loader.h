/* SPDX-License-Identifier: Apache-2.0 */
/* loader.h: common functions of the loader's tests. */
#ifndef FARSUM_TEST_DEVICE_LOADER_H
#define FARSUM_TEST_DEVICE_LOADER_H

#include "check.h"

#include "device/buf.h"
#include "device/fake.h"

/* One of the two vendors, and the expected results. */
struct vendor {
    const char *name, *driver, *compiler;
    const char *arch, *key, *options;
    const char *played; /* failure 719, in a message */
};
extern const struct vendor *vendor;

/* The functions of fake.h in the mock library. */
struct player {
    struct fake *fake;
    void *(*current)(int *device);
    void *(*make_context)(int device);
    void (*end_context)(void *context);
    void *(*make_stream)(void *context, int device);
    void (*end_stream)(void *stream);
    int (*programs)(void);
};
extern struct player player;

/* Sets a variable of the environment; NULL: unsets it. */
void tell(const char *variable, const char *value);
/* Opens the vendor's device. */
struct device *opened(int index);
/* CHECKs that the driver holds nothing of ours, and that the current context is
 * the old one. */
void nothing_left(const char *after);

/* loader_kernels.c, loader_graphs.c, loader_nested.c, loader_managed.c */
void loader_kernels(void);
void loader_graphs(void);
void loader_nested(void);
void loader_managed(void);
#endif
