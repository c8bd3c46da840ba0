/* SPDX-License-Identifier: Apache-2.0 */
/* driver.h: what CUDA's and HIP's back ends share; HIP's driver is CUDA's with
 * other names.  cuda.c and hip.c open the libraries, fill a struct driver and
 * say what differs. */
#ifndef FARSUM_DEVICE_DRIVER_DRIVER_H
#define FARSUM_DEVICE_DRIVER_DRIVER_H

#include "device/device.h"

struct driver_api {
#define SYM(result, word, cuda, hip, parameters) result(*word) parameters;
#include "device/driver/driver.sym"
#undef SYM
};

/* For sequences that are kept (driver_graph.c). */
struct driver_graphs {
#define SYM(result, word, cuda, hip, parameters) result(*word) parameters;
#include "device/driver/driver_graph.sym"
#undef SYM
};

/* For marks in them; NULL where the driver has none. */
struct driver_marks {
#define SYM(result, word, cuda, hip, parameters) result(*word) parameters;
#include "device/driver/driver_graph_marks.sym"
#undef SYM
};

/* The first member of what a device has inside. */
struct driver {
    struct driver_api api;
    struct driver_graphs graphs;
    struct driver_marks marks;
    int has_graphs;
    const char *vendor; /* "CUDA" */
    int device;         /* the vendor's number */
    void *queue;        /* a stream */
    void *capture;      /* owned: the stream that sequences are captured on */
    void *queue_kept;   /* while one is: the device's own queue */
    int capturing;
    int queue_owned;
    int64_t threads_max; /* of one launch; 0: not bounded but by groups */
    /* Makes the device this thread's current one, and what was current that
     * again. */
    int (*enter)(struct driver *driver, int *before);
    int (*leave)(struct driver *driver, int before);
    /* The error's name and what it means. */
    void (*words)(const struct driver *driver, int error, const char **name,
                  const char **text);
    /* Lets a kernel have more group memory than is granted unasked; may be
     * NULL. */
    int (*grant)(struct driver *driver, void *function, int bytes);
};

/* The numbers by which a vendor asks for what is true of a device. */
struct driver_numbers {
    int units, group_max, subgroup, integrated, local, cache, clock;
    int memory_clock, bus; /* kHz, bits */
};

/* HIP says the last on a machine without AMD's kernel module. */
enum {
    DRIVER_OUT_OF_MEMORY = 2,
    DRIVER_NO_DEVICE = 100,
    DRIVER_INVALID_DEVICE = 101
};

/* A failure as a status; OK for 0.  `what` was being done. */
farsum_status driver_status(const struct driver *driver, int error,
                            const char *what);
/* How many devices there are; 0 if the driver finds none. */
farsum_status driver_count(const struct driver *driver, int *n);
farsum_status driver_facts(struct driver *driver,
                           const struct driver_numbers *numbers,
                           struct device_facts *facts);
/* The device is current between the two; leave gives the call's status. */
farsum_status driver_enter(struct driver *driver, int *before);
farsum_status driver_leave(struct driver *driver, int before, int error,
                           const char *what);
/* A stream of our own, and its end. */
farsum_status driver_queue_create(struct driver *driver);
void driver_queue_destroy(struct driver *driver);
/* symbols, marks: of graph.sym, mark.sym.  No failure: without the first,
 * sequences are not kept, without the others marks hold up what follows. */
void driver_graphs_open(struct driver *driver, void *library,
                        const char *const *symbols, const char *const *marks);
void driver_graphs_close(struct driver *driver);

/* As device.h says of the functions of a back end. */
farsum_status driver_alloc(struct device *device, int64_t bytes, void **handle);
void driver_release(struct device *device, void *handle);
farsum_status driver_view(struct device *device, void *handle, int64_t offset,
                          int64_t bytes, void **part);
void driver_release_view(struct device *device, void *part);
farsum_status driver_upload(struct device *device, void *to, int64_t offset,
                            const void *from, int64_t bytes);
farsum_status driver_download(struct device *device, void *to, void *from,
                              int64_t offset, int64_t bytes);
farsum_status driver_copy(struct device *device, void *to, int64_t to_offset,
                          void *from, int64_t from_offset, int64_t bytes);
farsum_status driver_fill(struct device *device, void *to, int64_t offset,
                          int byte, int64_t bytes);
farsum_status driver_load(struct device *device, const void *binary,
                          int64_t bytes, void **module);
void driver_unload(struct device *device, void *module);
farsum_status driver_kernel(struct device *device, void *module,
                            const char *name, int64_t arena, void **kernel);
void driver_release_kernel(struct device *device, void *kernel);
farsum_status driver_launch(struct device *device, const struct launch *what);
farsum_status driver_finish(struct device *device);
farsum_status driver_mark_create(struct device *device, void **mark);
farsum_status driver_mark(struct device *device, void *mark);
farsum_status driver_seconds(struct device *device, void *from, void *to,
                             double *seconds);
void driver_mark_destroy(struct device *device, void *mark);
void driver_look(struct device *device, const void *given,
                 struct device_pointer *found);
farsum_status driver_record_begin(struct device *device);
farsum_status driver_record_end(struct device *device, int keep, void **whole);
farsum_status driver_replay(struct device *device, void *whole);
void driver_forget(struct device *device, void *whole);
farsum_status driver_aside_create(struct device *device, void **aside);
void driver_aside_destroy(struct device *device, void *aside);
farsum_status driver_aside_fork(struct device *device, void *aside);
void driver_aside_enter(struct device *device, void *aside);
farsum_status driver_aside_leave(struct device *device, void *aside);
farsum_status driver_aside_join(struct device *device, void *aside);
#endif
