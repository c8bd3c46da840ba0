/* SPDX-License-Identifier: Apache-2.0 */
/* driver.h: common code of the CUDA and HIP back ends.  HIP's driver API is
 * CUDA's with other names.  cuda.c and hip.c open the libraries, fill a struct
 * driver and implement the differences. */
#ifndef FARSUM_DEVICE_DRIVER_DRIVER_H
#define FARSUM_DEVICE_DRIVER_DRIVER_H

#include "device/device.h"

struct driver_api {
#define SYM(result, word, cuda, hip, parameters) result(*word) parameters;
#include "device/driver/driver.sym"
#undef SYM
};

/* Graph capture (driver_graph.c). */
struct driver_graphs {
#define SYM(result, word, cuda, hip, parameters) result(*word) parameters;
#include "device/driver/driver_graph.sym"
#undef SYM
};

/* Events inside graphs; NULL if the driver lacks them. */
struct driver_marks {
#define SYM(result, word, cuda, hip, parameters) result(*word) parameters;
#include "device/driver/driver_graph_marks.sym"
#undef SYM
};

/* Looks on while the host waits for the device, which is then asked again and
 * again. */
struct driver_watch {
    /* waited: seconds so far.  It may end what the device waits for. */
    void (*look)(struct driver_watch *watch, double waited);
    struct driver_watch *next;
};

/* The first member of a device's `inside`. */
struct driver {
    struct driver_api api;
    struct driver_graphs graphs;
    struct driver_marks marks;
    int has_graphs;
    const char *vendor; /* "CUDA" */
    int device;         /* the vendor's device number */
    void *queue;        /* a stream */
    void *capture;      /* owned; the stream for graph capture */
    void *queue_kept;   /* the device's own queue during a capture */
    int capturing;
    int queue_owned;
    struct driver_watch *watches; /* borrowed; NULL: waits block */
    int64_t threads_max; /* largest number of threads per launch; 0: only blocks
                            are limited */
    /* Makes the device current for this thread; leave restores the previous
     * one. */
    int (*enter)(struct driver *driver, int *before);
    int (*leave)(struct driver *driver, int before);
    /* Gets an error's name and description. */
    void (*words)(const struct driver *driver, int error, const char **name,
                  const char **text);
    /* Raises the shared memory that a kernel may use above the default; may be
     * NULL. */
    int (*grant)(struct driver *driver, void *function, int bytes);
};

/* The vendor's attribute numbers of a device's properties. */
struct driver_numbers {
    int units, group_max, subgroup, integrated, local, cache, clock;
    int memory_clock, bus; /* kHz, bits */
};

/* HIP reports the last one on machines without AMD's kernel module. */
enum {
    DRIVER_OUT_OF_MEMORY = 2,
    DRIVER_NO_DEVICE = 100,
    DRIVER_INVALID_DEVICE = 101,
    DRIVER_NOT_READY = 600
};

/* Converts an error to a status; 0 to OK.  what: the attempted action. */
farsum_status driver_status(const struct driver *driver, int error,
                            const char *what);
/* Counts the devices; 0 if the driver finds none. */
farsum_status driver_count(const struct driver *driver, int *n);
farsum_status driver_properties(struct driver *driver,
                                const struct driver_numbers *numbers,
                                struct device_properties *properties);
/* Make the device current, and restore the previous one.  leave returns the
 * status of the call between them. */
farsum_status driver_enter(struct driver *driver, int *before);
farsum_status driver_leave(struct driver *driver, int before, int error,
                           const char *what);
void driver_watch_add(struct driver *driver, struct driver_watch *watch);
void driver_watch_remove(struct driver *driver,
                         const struct driver_watch *watch);
/* Create and destroy a stream of our own. */
farsum_status driver_queue_create(struct driver *driver);
void driver_queue_destroy(struct driver *driver);
/* Find the graph functions.  symbols, marks: from driver_graph.sym and
 * driver_graph_marks.sym.  Never fails.  Without the first, there are no
 * graphs.  Without the second, events in a graph delay the work after them. */
void driver_graphs_open(struct driver *driver, void *library,
                        const char *const *symbols, const char *const *marks);
void driver_graphs_close(struct driver *driver);

/* Writes what distinguishes the device from the machine's others, of any back
 * end. */
void driver_place(const struct device *device, char *place, int64_t capacity);

/* The back end's functions, as described in device.h. */
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
farsum_status driver_second_stream_create(struct device *device, void **aside);
void driver_second_stream_destroy(struct device *device, void *aside);
farsum_status driver_second_stream_fork(struct device *device, void *aside);
void driver_second_stream_enter(struct device *device, void *aside);
farsum_status driver_second_stream_leave(struct device *device, void *aside);
farsum_status driver_second_stream_join(struct device *device, void *aside);
/* These functions, as CUDA and HIP share them in their tables. */
#define DRIVER_FUNCTIONS                                                       \
    .alloc = driver_alloc,                                                     \
    .release = driver_release,                                                 \
    .view = driver_view,                                                       \
    .release_view = driver_release_view,                                       \
    .upload = driver_upload,                                                   \
    .download = driver_download,                                               \
    .copy = driver_copy,                                                       \
    .fill = driver_fill,                                                       \
    .load = driver_load,                                                       \
    .unload = driver_unload,                                                   \
    .kernel = driver_kernel,                                                   \
    .release_kernel = driver_release_kernel,                                   \
    .launch = driver_launch,                                                   \
    .finish = driver_finish,                                                   \
    .mark_create = driver_mark_create,                                         \
    .mark = driver_mark,                                                       \
    .seconds = driver_seconds,                                                 \
    .mark_destroy = driver_mark_destroy,                                       \
    .look = driver_look,                                                       \
    .record_begin = driver_record_begin,                                       \
    .record_end = driver_record_end,                                           \
    .replay = driver_replay,                                                   \
    .forget = driver_forget,                                                   \
    .second_stream_create = driver_second_stream_create,                       \
    .second_stream_destroy = driver_second_stream_destroy,                     \
    .second_stream_fork = driver_second_stream_fork,                           \
    .second_stream_enter = driver_second_stream_enter,                         \
    .second_stream_leave = driver_second_stream_leave,                         \
    .second_stream_join = driver_second_stream_join
#endif
