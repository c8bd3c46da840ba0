/* SPDX-License-Identifier: Apache-2.0 */
/* device.h: a device: memory, one in-order queue, compiled kernels.
 *
 * A back end is one struct of functions and a line in backends.def.  It calls
 * its vendor's library, which is opened at run time; the build needs no vendor
 * header.  All calls work on the device's own queue, in order.  Copies between
 * host and device, and device_finish, wait until they are done; all other calls
 * may return early. */
#ifndef FARSUM_DEVICE_DEVICE_H
#define FARSUM_DEVICE_DEVICE_H

#include "base/mem.h"

struct device;
struct jit_late;
struct trace;

/* One argument of a kernel: a buffer, or bytes by value. */
struct buf;
struct arg {
    const void *value; /* a struct buf, or the address of the value */
    int32_t bytes;     /* 0: a buffer */
};

struct launch {
    void *kernel;      /* handle of the back end */
    int64_t groups;    /* thread blocks, 1 .. the back end's limit */
    int32_t group;     /* threads per block */
    int64_t arena;     /* dynamic shared memory, bytes */
    int n_args;
    const struct arg *args;
};

/* Properties of a caller's pointer or handle: 1: yes, 0: no, -1: unknown. */
struct device_pointer {
    int here;      /* this device's kernels can use it */
    int host;      /* the host can use it */
    int64_t bytes; /* size of its buffer; 0: unknown */
};

struct device_backend {
    const char *name;  /* "cuda": devices are "cuda:0", ... */
    const char *words; /* the dialect's file: "dialect/cuda.h" */
    /* Counts the devices.  Fails if the vendor's library is missing. */
    farsum_status (*count)(int *n);
    /* Fills the device's properties and `inside`.  context and queue: the
     * caller's, both NULL or neither (CUDA: CUcontext or NULL, CUstream). */
    farsum_status (*open)(struct device *device, int index, void *context,
                          void *queue);
    void (*close)(struct device *device);
    farsum_status (*alloc)(struct device *device, int64_t bytes,
                           void **handle);
    void (*release)(struct device *device, void *handle);
    /* Makes a handle of the bytes from `offset` on, to be released by
     * release_view. */
    farsum_status (*view)(struct device *device, void *handle, int64_t offset,
                          int64_t bytes, void **part);
    void (*release_view)(struct device *device, void *part);
    farsum_status (*upload)(struct device *device, void *to, int64_t offset,
                            const void *from, int64_t bytes);
    farsum_status (*download)(struct device *device, void *to, void *from,
                              int64_t offset, int64_t bytes);
    farsum_status (*copy)(struct device *device, void *to, int64_t to_offset,
                          void *from, int64_t from_offset, int64_t bytes);
    /* Sets every byte to `byte`. */
    farsum_status (*fill)(struct device *device, void *to, int64_t offset,
                          int byte, int64_t bytes);
    /* Compiles one self-contained source.  binary: allocated by mem_alloc,
     * owned by the caller.  On failure the message has the compiler's log. */
    farsum_status (*compile)(struct device *device, const char *text,
                             void **binary, int64_t *bytes);
    int apart; /* 1: several threads may compile simultaneously, and it is
                  faster */
    farsum_status (*load)(struct device *device, const void *binary,
                          int64_t bytes, void **module);
    void (*unload)(struct device *device, void *module);
    farsum_status (*kernel)(struct device *device, void *module,
                            const char *name, int64_t arena, void **kernel);
    void (*release_kernel)(struct device *device, void *kernel);
    farsum_status (*launch)(struct device *device, const struct launch *what);
    farsum_status (*finish)(struct device *device);
    /* Marks: events in the queue, for timing. */
    farsum_status (*mark_create)(struct device *device, void **mark);
    farsum_status (*mark)(struct device *device, void *mark);
    farsum_status (*seconds)(struct device *device, void *from, void *to,
                             double *seconds);
    void (*mark_destroy)(struct device *device, void *mark);
    /* Inspects a caller's pointer.  Reads no more than one word at `given`. */
    void (*look)(struct device *device, const void *given,
                 struct device_pointer *found);
    /* Graph capture (device/graph.h); all four are NULL if unsupported.  Calls
     * between begin and end are captured, not executed.  If `keep` is set, they
     * become a graph, which replay launches. */
    farsum_status (*record_begin)(struct device *device);
    farsum_status (*record_end)(struct device *device, int keep, void **whole);
    farsum_status (*replay)(struct device *device, void *whole);
    void (*forget)(struct device *device, void *whole);
    /* A second queue, "aside" in names (device/second_stream.h).  Between enter
     * and leave it is the device's queue. */
    farsum_status (*second_stream_create)(struct device *device, void **aside);
    void (*second_stream_destroy)(struct device *device, void *aside);
    farsum_status (*second_stream_fork)(struct device *device, void *aside);
    void (*second_stream_enter)(struct device *device, void *aside);
    farsum_status (*second_stream_leave)(struct device *device, void *aside);
    farsum_status (*second_stream_join)(struct device *device, void *aside);
    /* Kernels that launch kernels; both NULL if unsupported.  OK: they can be
     * compiled here, and properties.linker and .pending are set. */
    farsum_status (*nested)(struct device *device);
    farsum_status (*compile_nested)(struct device *device, const char *text,
                                    void **binary, int64_t *bytes);
    /* Managed memory, which the host accesses at *host while no kernel uses it;
     * all three are NULL if unsupported.  OK: the device has it. */
    farsum_status (*managed)(struct device *device);
    farsum_status (*alloc_managed)(struct device *device, int64_t bytes,
                                   void **handle, void **host);
    void (*release_managed)(struct device *device, void *handle, void *host);
};

/* Properties of a device, filled by the back end. */
struct device_properties {
    char model[128];    /* the vendor's name of the model */
    char arch[64];      /* architecture that kernels are compiled for:
                           "sm_90" */
    char compiler[160]; /* compiler with version; cut if too long */
    const char *makers; /* everything besides the text that determines a binary:
                           platform, driver, compiler, their versions, the
                           options; owned by the back end */
    const char *linker; /* library that links kernels that launch kernels; owned
                           by the back end, NULL: not requested */
    int64_t pending;    /* limit of launched child kernels that have not
                           started */
    int units;          /* multiprocessors or compute units */
    int group_max;      /* largest block size, threads */
    int subgroup;       /* threads per warp; 1: unknown */
    int shuffles;       /* 1: the dialect can exchange values within a warp */
    int f64;            /* 1: supports double precision */
    int integrated;     /* 1: shares the host's memory */
    int64_t local;      /* shared memory per kernel, bytes */
    int64_t memory;     /* bytes */
    int64_t alloc_max;  /* largest buffer, bytes */
    int64_t cache;      /* last-level cache, bytes */
    double clock;       /* Hz; 0: unknown */
    double bandwidth;   /* memory bandwidth, bytes/s, computed from its clock
                           and bus width; 0: unknown */
};

struct device {
    const struct device_backend *backend;
    char name[32];      /* "cuda:0" */
    struct device_properties properties;
    int64_t bytes, peak; /* bytes of our buffers: current and maximum */
    int64_t limit;       /* for tests: allocations beyond this fail; 0: none */
    struct mem_limit ceiling; /* the same limit for a plan that works on it */
    int64_t unloaded;    /* number of times that kernels were unloaded */
    int forks;           /* fork_count() at opening */
    int gathers;         /* 1: other threads may compile its kernels */
    struct jit_late *late; /* first of the modules that other threads compile */
    struct trace *trace; /* set while graph.c only records the calls */
    void *inside;        /* owned; data of the back end */
};

/* Opens a device by name: "cuda:0", "opencl:1", or "cuda" for its first one.
 * "host" has no struct device; see device_is_host. */
farsum_status device_open(const char *name, struct device **device);
/* Opens a device with the caller's context and queue, which must outlive it. */
farsum_status device_adopt(const char *name, void *context, void *queue,
                           struct device **device);
void device_close(struct device *device); /* NULL is legal */
/* Returns OK if this process opened the device, or for NULL.  A driver's
 * contexts and threads do not survive a fork, so a child must not touch such a
 * device. */
farsum_status device_usable(const struct device *device);
/* Calls the back end's count(); refused if a forked parent used a driver. */
farsum_status device_count(const struct device_backend *backend, int *n);
int device_is_host(const char *name);     /* NULL counts as the host */

/* The back ends, ended by NULL. */
extern const struct device_backend *const device_backends[];
/* Waits until all enqueued work is done.  Reports the failures of kernels. */
farsum_status device_finish(struct device *device);

/* Returns OK if its kernels can launch kernels; otherwise fails with the
 * reason. */
farsum_status device_nested(struct device *device);
/* Returns OK if it has managed memory; otherwise fails with the reason. */
farsum_status device_managed(struct device *device);

/* Between gather and settle, other threads may compile.  Settle returns
 * `status` if it is a failure.  Otherwise it waits and returns the failure of
 * the first text that does not compile.  Both accept NULL, the host. */
void device_gather(struct device *device);
farsum_status device_settle(struct device *device, farsum_status status);

/* A loaded kernel and its block size. */
enum { KERNEL_NAME = 48 }; /* bytes */
struct kernel {
    struct device *device; /* borrowed */
    void *handle;
    int32_t group;
    int64_t arena;         /* largest dynamic shared memory of its launches,
                              bytes */
    char name[KERNEL_NAME];
    struct jit_late *late; /* borrowed; NULL: handle is valid */
    int slot;              /* index of the kernel in `late` */
};
farsum_status kernel_launch(const struct kernel *kernel, int64_t groups,
                            int n_args, const struct arg *args);
#define LAUNCH(kernel, groups, ...)                                            \
    kernel_launch(kernel, groups,                                              \
                  (int)(sizeof((struct arg[]){__VA_ARGS__})                    \
                        / sizeof(struct arg)),                                 \
                  (struct arg[]){__VA_ARGS__})
#define ARG_BUF(b) ((struct arg){(b), 0})
#define ARG_I32(v) ((struct arg){&(int32_t){(int32_t)(v)}, 4})
#define ARG_I64(v) ((struct arg){&(int64_t){(int64_t)(v)}, 8})
#define ARG_F32(v) ((struct arg){&(float){(float)(v)}, 4})
#define ARG_F64(v) ((struct arg){&(double){(double)(v)}, 8})
#define ARG_STRUCT(s) ((struct arg){&(s), (int32_t)sizeof(s)})
/* Number of blocks for one thread per item, at least 1. */
static inline int64_t kernel_groups(const struct kernel *kernel, int64_t n)
{
    return n > 0 ? (n + kernel->group - 1) / kernel->group : 1;
}

/* Times the device's work between start and stop. */
struct stopwatch {
    struct device *device;
    void *from, *to; /* owned, except for a borrowed `from` */
    int borrows;     /* 1: it starts with another stopwatch's event */
};
farsum_status stopwatch_create(struct stopwatch *watch, struct device *device);
/* A stopwatch whose start does nothing: `from` is an event of another
 * stopwatch, which must live as long. */
farsum_status stopwatch_create_from(struct stopwatch *watch,
                                    struct device *device, void *from);
void stopwatch_clear(struct stopwatch *watch);
farsum_status stopwatch_start(struct stopwatch *watch);
farsum_status stopwatch_stop(struct stopwatch *watch);
/* Waits for both events. */
farsum_status stopwatch_seconds(struct stopwatch *watch, double *seconds);

/* A device opened by a caller (public header device.h). */
struct farsum_device {
    struct device *device; /* owned */
};
#endif
