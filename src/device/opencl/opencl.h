/* SPDX-License-Identifier: Apache-2.0 */
/* opencl.h: internals of the OpenCL back end.  Types and numbers are those of
 * the OpenCL 1.2 specification; no vendor's header is needed. */
#ifndef FARSUM_DEVICE_OPENCL_OPENCL_H
#define FARSUM_DEVICE_OPENCL_OPENCL_H

#include "device/buf.h"

typedef int32_t cl_int;
typedef uint32_t cl_uint;
typedef uint64_t cl_bits;
typedef void *cl_id; /* any object of the API */

enum {
    CL_BUILD_PROGRAM_FAILURE = -11,
    CL_OUT_OF_HOST_MEMORY = -6,
    CL_OUT_OF_RESOURCES = -5,
    CL_MEM_OBJECT_ALLOCATION_FAILURE = -4,
    CL_DEVICE_NOT_FOUND = -1,
    CL_PLATFORM_NOT_FOUND_KHR = -1001,
    CL_INVALID_BUFFER_SIZE = -61,
    CL_PLATFORM_VERSION = 0x0901,
    CL_PLATFORM_NAME = 0x0902,
    CL_DEVICE_MAX_COMPUTE_UNITS = 0x1002,
    CL_DEVICE_MAX_WORK_GROUP_SIZE = 0x1004,
    CL_DEVICE_MAX_CLOCK_FREQUENCY = 0x100C,
    CL_DEVICE_MAX_MEM_ALLOC_SIZE = 0x1010,
    CL_DEVICE_GLOBAL_MEM_CACHE_SIZE = 0x101E,
    CL_DEVICE_GLOBAL_MEM_SIZE = 0x101F,
    CL_DEVICE_LOCAL_MEM_SIZE = 0x1023,
    CL_DEVICE_NAME = 0x102B,
    CL_DRIVER_VERSION = 0x102D,
    CL_DEVICE_VERSION = 0x102F,
    CL_DEVICE_EXTENSIONS = 0x1030,
    CL_DEVICE_DOUBLE_FP_CONFIG = 0x1032,
    CL_DEVICE_SVM_CAPABILITIES = 0x1053,
    CL_DEVICE_SVM_FINE_GRAIN_BUFFER = 2,
    CL_MEM_USE_HOST_PTR = 8,
    CL_MEM_SVM_FINE_GRAIN_BUFFER = 1024,
    CL_DEVICE_HOST_UNIFIED_MEMORY = 0x1035,
    CL_MEM_SIZE = 0x1102,
    CL_MEM_REFERENCE_COUNT = 0x1105,
    CL_MEM_CONTEXT = 0x1106,
    CL_CONTEXT_PLATFORM = 0x1084,
    CL_QUEUE_PROPERTIES = 0x1093,
    CL_QUEUE_PROFILING_ENABLE = 2,
    CL_MEM_READ_WRITE = 1,
    CL_BUFFER_CREATE_TYPE_REGION = 0x1220,
    CL_PROGRAM_BINARY_SIZES = 0x1165,
    CL_PROGRAM_BINARIES = 0x1166,
    CL_PROGRAM_BUILD_LOG = 0x1183,
    CL_KERNEL_NUM_ARGS = 0x1191,
    CL_KERNEL_LOCAL_MEM_SIZE = 0x11B2,
    CL_PROFILING_COMMAND_END = 0x1283,
};

struct opencl_api {
#define SYM(result, name, parameters) result(*name) parameters;
#include "device/opencl/opencl.sym"
#undef SYM
};

struct opencl_shared {
#define SYM(result, name, parameters) result(*name) parameters;
#include "device/opencl/opencl_managed.sym"
#undef SYM
};

struct opencl {
    struct opencl_api api;
    struct opencl_shared shared; /* loaded at first use */
    void *loader;
    cl_id device, context, queue;
    cl_id probe; /* one of our buffers, which shows how the driver's objects
                    begin */
    int profiling;
    int keeps; /* 1: the driver caches compiled programs by their text, which
                  then replaces the binary */
    int64_t local; /* shared memory in bytes, including the driver's own */
    const char *words; /* options for texts with dialect/opencl_words.h; empty:
                          texts need none of it */
    char *options; /* owned; options of the compiler */
    char *makers;  /* owned; properties.makers */
};

/* Lists every device of every platform, in the loader's order.  devices may be
 * NULL. */
farsum_status opencl_devices(const struct opencl_api *api, cl_id *devices,
                             cl_id *platforms, int capacity, int *n);
farsum_status opencl_library(struct opencl *cl);
farsum_status opencl_properties(struct opencl *cl, cl_id platform,
                                struct device_properties *properties);
/* Gets the binary of a program built for one device.  By mem_alloc; the caller
 * owns it. */
farsum_status opencl_binary(struct opencl *cl, cl_id program, void **binary,
                            int64_t *bytes);
/* opencl_program.c */
/* Builds a program.  PoCL fails without a message if another process stores the
 * same program in its cache at that time (pocl issue 1480): it is asked
 * again. */
cl_int opencl_build(const struct opencl *cl, cl_id program,
                    const char *options);
farsum_status opencl_compile(struct device *device, const char *text,
                             void **binary, int64_t *bytes);
farsum_status opencl_load(struct device *device, const void *binary,
                          int64_t bytes, void **module);
/* device/opencl/opencl_kept.c: programs of drivers that cache by text.  A
 * returned context or program is a new reference, owned by the caller; NULL if
 * none is stored. */
void opencl_kept_context(struct opencl *cl);
void opencl_keep_context(struct opencl *cl);
cl_id opencl_kept_program(struct opencl *cl, const char *text);
void opencl_keep_program(struct opencl *cl, const char *text, cl_id program);
/* device/opencl/opencl_stream.c */
farsum_status opencl_second_stream_create(struct device *device, void **aside);
void opencl_second_stream_destroy(struct device *device, void *aside);
farsum_status opencl_second_stream_fork(struct device *device, void *aside);
void opencl_second_stream_enter(struct device *device, void *aside);
farsum_status opencl_second_stream_leave(struct device *device, void *aside);
farsum_status opencl_second_stream_join(struct device *device, void *aside);
/* opencl_managed.c */
farsum_status opencl_managed(struct device *device);
farsum_status opencl_alloc_managed(struct device *device, int64_t bytes,
                                   void **handle, void **host);
void opencl_release_managed(struct device *device, void *handle, void *host);
farsum_status opencl_failed(cl_int error, const char *call);
#define CL_TRY(call, name)                                                     \
    do {                                                                       \
        cl_int cl_error = (call);                                              \
        if (cl_error != 0)                                                     \
            return opencl_failed(cl_error, name);                              \
    } while (0)
#endif
