/* SPDX-License-Identifier: Apache-2.0 */
/* device.h: list of devices, one device for several plans, work on the
 * caller's queue, device memory, and the cache of compiled kernels.
 *
 *     farsum_device *device = NULL;
 *     farsum_device_open("cuda:0", &device);
 *     options.device.handle = device;
 *     problem.memory = FARSUM_DEVICE;      positions, strengths and results
 *     farsum_plan_create(&problem, &options, &plan);
 *     farsum_plan_set_points(plan, n, x, 0, NULL);      x: a device pointer
 *     farsum_plan_execute(plan, 1, q, &result);         returns immediately
 *     ... more work on the same queue may use the results ...
 *     farsum_plan_finish(plan);
 *     farsum_plan_destroy(plan);
 *     farsum_device_close(device);
 *
 * Farsum opens the vendors' libraries at run time; a build needs none of them.
 * farsum_list_devices() reports missing ones.  A plan that only names its
 * device (options.device.name) opens and closes it itself.
 *
 * A device has one in-order queue.  One thread at a time may use the plans on a
 * device.  docs/api.md, 6, explains blocking and borrowed arrays. */
#ifndef FARSUM_DEVICE_H
#define FARSUM_DEVICE_H

#include "farsum/farsum.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Opens a device.  name: "cuda:0", "hip:1", "opencl:0"; without a number the
 * first.  device: out; the caller owns *device and closes it after it has
 * destroyed all plans on it.  Errors: ERR_ARGUMENT, ERR_DEVICE, ERR_MEMORY. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_device_open(const char *name, farsum_device **device);
/* Opens a device on the caller's context and queue, which must outlive it.
 * Name, device and errors as for farsum_device_open().
 *   CUDA: a CUcontext, or NULL for the primary context, and a CUstream
 *   HIP: NULL and a hipStream_t
 *   OpenCL: a cl_context and its in-order cl_command_queue */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_device_adopt(const char *name, void *context, void *queue,
                    farsum_device **device);
/* Closes a device.  Its plans, meshes and arrays must be freed before.  NULL is
 * legal. */
FARSUM_API void farsum_device_close(farsum_device *device);

/* Allocates device memory for an array of `bytes` > 0 bytes.  from: initial
 * contents in host memory, copied; NULL: undefined contents.  array: out, an
 * address of CUDA or HIP, or a cl_mem; the caller owns *array and frees it
 * before it closes the device.  Errors: ERR_ARGUMENT, ERR_MEMORY,
 * ERR_DEVICE. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_device_alloc(farsum_device *device, int64_t bytes, const void *from,
                    void **array);
/* Frees device memory.  array: NULL is legal. */
FARSUM_API void farsum_device_free(farsum_device *device, void *array);

/* A device that exists, or a vendor without one. */
typedef struct farsum_device_info {
    size_t size;         /* set by FARSUM_DEVICE_INFO_INIT */
    char name[32];       /* "cuda:0"; "cuda" if the vendor has no device */
    int available;       /* 1: the device can be opened */
    char missing[512];   /* reason if not, such as a library not found */
    char model[128];     /* the vendor's name of the model */
    char arch[64];       /* architecture that kernels are compiled for: "sm_90"
                            */
    char compiler[160];  /* compiler of the kernels */
    int units;           /* multiprocessors or compute units; host: threads that
                            it can run */
    int f64;             /* 1: double precision, which every plan needs */
    uint64_t memory;     /* bytes of device memory */
    uint64_t used, peak; /* bytes in Farsum's buffers, current and maximum.
                            Open devices only */
} farsum_device_info;
#define FARSUM_DEVICE_INFO_INIT {.size = sizeof(farsum_device_info)}
/* Gets the properties of an open device.  info: start from
 * FARSUM_DEVICE_INFO_INIT.  Errors: ERR_ARGUMENT. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_device_get_info(const farsum_device *device, farsum_device_info *info);
/* Gets device `index`: 0 is the host, then 1, 2, ...; one entry for each vendor
 * without a device states the reason.  Errors: ERR_ARGUMENT past the last.
 * Opens the device for a moment. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_list_devices(int index, farsum_device_info *info);

/* Receives one file of the cache: its path, its architecture ("times": the
 * timing cache; "left over": the remains of a killed process) and its size.
 * data: as passed to farsum_cache_list().  Texts are valid during the call. */
typedef void farsum_cache_visit(const char *file, const char *arch,
                                int64_t bytes, void *data);
/* Lists the cache on disk: compiled kernels, and one file of measured times.
 * visit: called for each file; NULL is legal.  folder: out, [capacity]
 * characters, the folder's path, "" if the cache is off; NULL is legal.  files,
 * bytes: out, their number and size.
 *
 * The folder is FARSUM_CACHE_DIR, else XDG_CACHE_HOME/farsum, else
 * HOME/.cache/farsum.  An empty FARSUM_CACHE_DIR switches the cache off; a
 * relative XDG_CACHE_HOME or HOME is ignored.  Folder and files must belong to
 * the process's user or to root, and nobody else may be able to write to them.
 * Otherwise they are not used, a plan reports it once to options.log, and this
 * call and farsum_cache_clear() fail. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_cache_list(farsum_cache_visit *visit, void *data, char *folder,
                  size_t capacity, int64_t *files, int64_t *bytes);
/* Removes all files of the cache.  files: out, their number. */
FARSUM_API FARSUM_MUST_CHECK farsum_status farsum_cache_clear(int64_t *files);

#ifdef __cplusplus
}
#endif
#endif
