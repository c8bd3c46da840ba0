/* SPDX-License-Identifier: Apache-2.0 */
/* cuda.h: compiling CUDA kernels, also without a device. */
#ifndef FARSUM_DEVICE_DRIVER_CUDA_H
#define FARSUM_DEVICE_DRIVER_CUDA_H

#include "device/driver/rtc.h"

struct nvrtc_api {
#define SYM(result, name, parameters) result(*name) parameters;
#include "device/driver/nvrtc.sym"
#undef SYM
};

struct nvrtc {
    struct rtc rtc;
    struct nvrtc_api own;
    void *library; /* stays loaded */
};
extern const char *const nvrtc_folders[]; /* folders of a toolkit; ended by
                                             NULL */

struct nvlink_api {
#define SYM(result, name, parameters) result(*name) parameters;
#include "device/driver/nvlink.sym"
#undef SYM
};

/* The linker of kernels that launch kernels: two files, "" until found, and the
 * library once it is loaded. */
struct nvlink {
    char path[1024];    /* nvJitLink */
    char runtime[1024]; /* libcudadevrt.a */
    struct nvlink_api api;
    int loaded;
    char name[32]; /* "nvJitLink 13.0" */
};

/* Opens NVRTC.  driver: the major version of CUDA that the driver supports, 0
 * without a driver.  The library stays loaded. */
farsum_status nvrtc_open(struct nvrtc *nvrtc, int driver);
/* Compiles for arch, such as "sm_90".  If the library is too old for arch, it
 * compiles for the newest architecture that it knows.  The driver then
 * compiles the result further. part 1: the result will be linked. log, which
 * may be NULL, gets the compiler's log with the registers and spills of each
 * kernel. */
farsum_status nvrtc_compile(const struct nvrtc *nvrtc, const char *arch,
                            const char *text, int part, void **binary,
                            int64_t *bytes, char **log);
/* Returns 1 if the library compiles for arch, such as "sm_90". */
int nvrtc_knows(const struct nvrtc *nvrtc, const char *arch);

/* Finds the linker's files for NVRTC's CUDA version; fails with the name of a
 * missing one.  Loads nothing, because loading is slow. */
farsum_status nvlink_find(struct nvlink *link, const struct nvrtc *nvrtc);
/* Compiles kernels that launch kernels; NVRTC must know `arch`.  Loads the
 * linker if needed. */
farsum_status nvlink_compile(const struct nvrtc *nvrtc, struct nvlink *link,
                             const char *arch, const char *text, void **binary,
                             int64_t *bytes, char **log);

/* Compile for an architecture by name.  Only NVRTC is required, and for kernels
 * that launch kernels the linker. */
farsum_status cuda_compile_for(const char *arch, const char *text,
                               void **binary, int64_t *bytes, char **log);
farsum_status cuda_compile_nested_for(const char *arch, const char *text,
                                      void **binary, int64_t *bytes,
                                      char **log);
#endif
