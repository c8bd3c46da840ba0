/* SPDX-License-Identifier: Apache-2.0 */
/* device.h: devices, beside farsum.h: which there are, opening one for several
 * plans, working on a queue of the caller's.
 *
 *     farsum_device *device = NULL;
 *     farsum_device_open("cuda:0", &device);
 *     options.on_device = device;
 *     problem.memory = FARSUM_DEVICE;      positions, strengths and results
 *     farsum_plan_create(&problem, &options, &plan);
 *     farsum_plan_set_points(plan, n, x, 0, NULL);      x: a device pointer
 *     farsum_plan_execute(plan, 1, q, &result);         returns at once
 *     ... more work on the same queue may use the results ...
 *     farsum_plan_finish(plan);
 *     farsum_plan_destroy(plan);
 *     farsum_device_close(device);
 *
 * The vendor's libraries are opened at run time; a build needs none of them,
 * and what is missing is said by farsum_list_devices.  A plan that only names
 * its device (options.device) opens and closes it by itself.
 *
 * A device has one in-order queue.  Plans on one device are used by one thread
 * at a time. */
#ifndef FARSUM_DEVICE_H
#define FARSUM_DEVICE_H

#include "farsum/farsum.h"

#ifdef __cplusplus
extern "C" {
#endif

/* "cuda:0", "hip:1", "opencl:0"; without a number the first.  *device is the
 * caller's, to be closed after all plans on it. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_device_open(const char *name, farsum_device **device);
/* The same on the caller's context and queue, which must outlive the device.
 *   CUDA: a CUcontext, or NULL for the device's primary one, and a CUstream
 *   HIP: NULL, and a hipStream_t
 *   OpenCL: a cl_context and an in-order cl_command_queue of it  */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_device_adopt(const char *name, void *context, void *queue,
                    farsum_device **device);
FARSUM_API void farsum_device_close(farsum_device *device); /* NULL is legal */

/* Memory of the device for an array of `bytes` bytes, as plans take it: of CUDA
 * and HIP an address, of OpenCL a cl_mem.  from: its contents, on the host;
 * NULL: they are undefined.  *array is the caller's, to be freed before the
 * device is closed. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_device_alloc(farsum_device *device, int64_t bytes, const void *from,
                    void **array);
FARSUM_API void farsum_device_free(farsum_device *device,
                                   void *array); /* NULL is legal */

typedef struct farsum_device_info {
    size_t size;         /* set by FARSUM_DEVICE_INFO_INIT */
    char name[32];       /* "cuda:0"; "cuda" where there is none at all */
    int available;       /* 1: it can be opened */
    char missing[512];   /* why not: which library was not found, ... */
    char model[128];     /* as the vendor calls it */
    char arch[64];       /* what kernels are compiled for: "sm_90" */
    char compiler[160];  /* and by what */
    int units;           /* multiprocessors, compute units; of the host, the
                            threads that it can run */
    int f64;             /* 1: has double precision, which every plan needs */
    uint64_t memory;     /* bytes */
    uint64_t used, peak; /* bytes in our buffers, now and the most so far; of a
                            device that is open */
} farsum_device_info;
#define FARSUM_DEVICE_INFO_INIT {.size = sizeof(farsum_device_info)}
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_device_get_info(const farsum_device *device, farsum_device_info *info);
/* What there is, and for each vendor of whom there is nothing, why: index 0 is
 * the host, then 1, 2, ...; FARSUM_ERR_ARGUMENT past the last.  Opens the
 * device for a moment. */
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_list_devices(int index, farsum_device_info *info);

/* Compiled kernels are kept on disk, in FARSUM_CACHE_DIR or else
 * XDG_CACHE_HOME/farsum or else HOME/.cache/farsum (an empty FARSUM_CACHE_DIR
 * keeps none; a relative XDG_CACHE_HOME or HOME does not count), and beside
 * them times of variants and machines as measured, one file, whose arch is
 * "times".  What a process left that was killed while it wrote has the arch
 * "left over".  Each file goes to visit, which may be NULL; folder, which may
 * be NULL, gets where they are, "" if nowhere.  The folder and its files must
 * belong to this process's user or to root, and nobody else may be able to
 * write to them.  Else they are not used, a plan says so once to options.log,
 * and these two calls fail. */
typedef void farsum_cache_visit(const char *file, const char *arch,
                                int64_t bytes, void *data);
FARSUM_API FARSUM_MUST_CHECK farsum_status
farsum_cache_list(farsum_cache_visit *visit, void *data, char *folder,
                  size_t room, int64_t *files, int64_t *bytes);
/* Removes all of them; *files: how many they were. */
FARSUM_API FARSUM_MUST_CHECK farsum_status farsum_cache_clear(int64_t *files);

#ifdef __cplusplus
}
#endif
#endif
