/* SPDX-License-Identifier: Apache-2.0 */
/* device.h: where a plan works: memory, one in-order queue, compiled kernels.
 *
 * A back end is one struct of functions and a row in device.c.  It talks to its
 * vendor's library, which is opened at run time; no vendor header is needed to
 * build.  Every call works on the device's own queue, in order; copies to and
 * from the host and device_finish wait, all others may return early. */
#ifndef FARSUM_DEVICE_DEVICE_H
#define FARSUM_DEVICE_DEVICE_H

#include "base/mem.h"

struct device;
struct jit_late;
struct trace;

/* One argument of a kernel: a buffer, or bytes by value. */
struct buf;
struct arg {
    const void *value; /* a struct buf, or the value's address */
    int32_t bytes;     /* 0: a buffer */
};

struct launch {
    void *kernel;      /* the back end's */
    int64_t groups;    /* 1 .. the back end's limit */
    int32_t group;     /* threads of a group */
    int64_t arena;     /* bytes of group memory beyond what is declared */
    int n_args;
    const struct arg *args;
};

/* What can be told of a pointer or handle that a caller gives: 1: yes, 0: no,
 * -1: not known. */
struct device_pointer {
    int here;      /* kernels of this device can use it */
    int host;      /* the host can */
    int64_t bytes; /* of its buffer; 0: not known */
};

struct device_backend {
    const char *name;  /* "cuda": devices are "cuda:0", ... */
    const char *words; /* the dialect's file: "dialect/cuda.h" */
    /* How many there are; fails if the vendor's library is not there. */
    farsum_status (*count)(int *n);
    /* Fills device's description and `inside`.  context and queue: the
     * caller's, both or neither NULL (CUDA: CUcontext or NULL, CUstream). */
    farsum_status (*open)(struct device *device, int index, void *context,
                          void *queue);
    void (*close)(struct device *device);
    farsum_status (*alloc)(struct device *device, int64_t bytes,
                           void **handle);
    void (*release)(struct device *device, void *handle);
    /* A handle for the bytes from `offset` on; released by release_view. */
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
    /* text is one self-contained source.  binary: by mem_alloc, the caller's.
     * The compiler's words are in the message when it fails. */
    farsum_status (*compile)(struct device *device, const char *text,
                             void **binary, int64_t *bytes);
    int apart; /* 1: several threads may compile at once, and it pays */
    farsum_status (*load)(struct device *device, const void *binary,
                          int64_t bytes, void **module);
    void (*unload)(struct device *device, void *module);
    farsum_status (*kernel)(struct device *device, void *module,
                            const char *name, int64_t arena, void **kernel);
    void (*release_kernel)(struct device *device, void *kernel);
    farsum_status (*launch)(struct device *device, const struct launch *what);
    farsum_status (*finish)(struct device *device);
    /* Marks in the queue, to time what lies between. */
    farsum_status (*mark_create)(struct device *device, void **mark);
    farsum_status (*mark)(struct device *device, void *mark);
    farsum_status (*seconds)(struct device *device, void *from, void *to,
                             double *seconds);
    void (*mark_destroy)(struct device *device, void *mark);
    /* Reads no more than a word that `given` points at. */
    void (*look)(struct device *device, const void *given,
                 struct device_pointer *found);
    /* Sequences that are kept (device/graph.h); NULL, all four, where there are
     * none.  What is asked for between begin and end is not done but, if `keep`
     * says so, kept; replay asks for it. */
    farsum_status (*record_begin)(struct device *device);
    farsum_status (*record_end)(struct device *device, int keep, void **whole);
    farsum_status (*replay)(struct device *device, void *whole);
    void (*forget)(struct device *device, void *whole);
    /* A second queue (device/second_stream.h).  Between enter and leave it is
     * the device's. */
    farsum_status (*aside_create)(struct device *device, void **aside);
    void (*aside_destroy)(struct device *device, void *aside);
    farsum_status (*aside_fork)(struct device *device, void *aside);
    void (*aside_enter)(struct device *device, void *aside);
    farsum_status (*aside_leave)(struct device *device, void *aside);
    farsum_status (*aside_join)(struct device *device, void *aside);
    /* Kernels that launch kernels; NULL, both: there are none.  OK: they can be
     * compiled here, and facts.linker and facts.pending are set. */
    farsum_status (*nested)(struct device *device);
    farsum_status (*compile_nested)(struct device *device, const char *text,
                                    void **binary, int64_t *bytes);
    /* Memory that the host reads and writes too, at *host, while nothing that
     * uses it runs; NULL, all three: there is none.  OK: there is. */
    farsum_status (*managed)(struct device *device);
    farsum_status (*alloc_managed)(struct device *device, int64_t bytes,
                                   void **handle, void **host);
    void (*release_managed)(struct device *device, void *handle, void *host);
};

/* What is true of a device; the back end fills it. */
struct device_facts {
    char model[128];    /* as the vendor calls it */
    char arch[64];      /* what kernels are compiled for: "sm_90" */
    char compiler[160]; /* and by what, with its version; cut if it is long */
    const char *makers; /* the whole of what a binary depends on beside its
                           text: platform, driver, compiler, their versions, the
                           options; the back end's */
    const char *linker; /* the library that links kernels that launch kernels;
                           the back end's, NULL: not asked for */
    int64_t pending;    /* kernels that these may have launched and that have
                           not begun */
    int units;          /* multiprocessors, compute units */
    int group_max;      /* threads */
    int subgroup;       /* threads that run in step; 1: not known */
    int shuffles;       /* 1: the dialect has words between them */
    int f64;            /* 1: has double precision */
    int integrated;     /* 1: its memory is the host's */
    int64_t local;      /* bytes of group memory a kernel may have */
    int64_t memory;     /* bytes */
    int64_t alloc_max;  /* of one buffer */
    int64_t cache;      /* of its last level, bytes */
    double clock;       /* Hz; 0: not known */
    double bandwidth;   /* of its memory, bytes a second, as its clock and bus
                           say; 0: not known */
};

struct device {
    const struct device_backend *backend;
    char name[32];      /* "cuda:0" */
    struct device_facts facts;
    int64_t bytes, peak; /* of our buffers: now, and the most so far */
    int64_t limit;       /* for the tests: allocations beyond fail; 0: none */
    struct mem_limit ceiling; /* the same for a plan that works on it */
    int64_t unloaded;    /* how often kernels were */
    int forks;           /* fork_count() where it was opened */
    int gathers;         /* 1: kernels may be compiled by other threads */
    struct jit_late *late; /* of what these are at: the first */
    struct trace *trace; /* set while it only looks on (device/graph.c) */
    void *inside;        /* owned: the back end's */
};

/* By name: "cuda:0", "opencl:1", or "cuda", which is its first.  "host" has no
 * struct device; see device_is_host. */
farsum_status device_open(const char *name, struct device **device);
/* The same with the caller's context and queue, which must outlive it. */
farsum_status device_adopt(const char *name, void *context, void *queue,
                           struct device **device);
void device_close(struct device *device); /* NULL is legal */
/* OK, also for NULL: this process opened it.  A driver's contexts and threads
 * do not follow a fork: a child leaves alone what is on such a device. */
farsum_status device_usable(const struct device *device);
/* back end's count(); refused where a driver is a forked parent's. */
farsum_status device_count(const struct device_backend *backend, int *n);
int device_is_host(const char *name);     /* also for NULL */

/* The back ends, ended by NULL, and how many devices each has. */
extern const struct device_backend *const device_backends[];
/* Waits until everything that was asked for is done; a kernel's failure
 * arrives here. */
farsum_status device_finish(struct device *device);

/* OK: it has kernels that launch kernels; else why not. */
farsum_status device_nested(struct device *device);
/* OK: it has memory that the host uses too; else why not. */
farsum_status device_managed(struct device *device);

/* From gather to settle what is asked of the compiler may be done by other
 * threads.  Settle gives back a status that is bad; else it waits, and fails as
 * the first text did that does not compile.  Both take NULL: the host. */
void device_gather(struct device *device);
farsum_status device_settle(struct device *device, farsum_status status);

/* A kernel that is loaded, and its group size. */
enum { KERNEL_NAME = 48 }; /* bytes */
struct kernel {
    struct device *device; /* borrowed */
    void *handle;
    int32_t group;
    int64_t arena;         /* bytes that its launches will ask for */
    char name[KERNEL_NAME];
    struct jit_late *late; /* borrowed; NULL: handle is the back end's */
    int slot;              /* which of late's kernels it is */
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
/* Groups of `group` threads for n items. */
static inline int64_t kernel_groups(const struct kernel *kernel, int64_t n)
{
    return n > 0 ? (n + kernel->group - 1) / kernel->group : 1;
}

/* Times what is asked for between start and stop. */
struct stopwatch {
    struct device *device;
    void *from, *to; /* owned, but for a borrowed from */
    int borrows;     /* 1: it starts when another starts or stops */
};
farsum_status stopwatch_create(struct stopwatch *watch, struct device *device);
/* Its start does nothing: from is a mark of another, which lives as long. */
farsum_status stopwatch_create_from(struct stopwatch *watch,
                                    struct device *device, void *from);
void stopwatch_clear(struct stopwatch *watch);
farsum_status stopwatch_start(struct stopwatch *watch);
farsum_status stopwatch_stop(struct stopwatch *watch);
/* Waits. */
farsum_status stopwatch_seconds(struct stopwatch *watch, double *seconds);

/* A device that a caller has opened (device.h of the interface). */
struct farsum_device {
    struct device *device; /* owned */
};
#endif
