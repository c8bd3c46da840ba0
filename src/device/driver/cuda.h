/* SPDX-License-Identifier: Apache-2.0 */
/* cuda.h: kernels for CUDA without a device. */
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
extern const char *const nvrtc_folders[]; /* of a toolkit; ended by NULL */

struct nvlink_api {
#define SYM(result, name, parameters) result(*name) parameters;
#include "device/driver/nvlink.sym"
#undef SYM
};

/* What links kernels that launch kernels: two files, "" if they were not looked
 * for, and the library once it is loaded. */
struct nvlink {
    char path[1024];    /* of nvJitLink */
    char runtime[1024]; /* of libcudadevrt.a */
    struct nvlink_api api;
    int loaded;
    char name[32]; /* "nvJitLink 13.0" */
};

/* driver: the major version of CUDA that the driver can run, 0 if there is
 * none.  The library stays loaded. */
farsum_status nvrtc_open(struct nvrtc *nvrtc, int driver);
/* arch: "sm_90".  One that the library is too old for is given the text of the
 * newest that it knows, which the driver compiles further.  part 1: what will
 * be linked.  log, which may be NULL, gets the compiler's words, registers and
 * spills of each kernel too. */
farsum_status nvrtc_compile(const struct nvrtc *nvrtc, const char *arch,
                            const char *text, int part, void **binary,
                            int64_t *bytes, char **log);
/* 1 if the library makes binaries for "sm_90". */
int nvrtc_knows(const struct nvrtc *nvrtc, const char *arch);

/* The files of NVRTC's version of CUDA, or which one is missing; loads nothing,
 * for that takes time. */
farsum_status nvlink_find(struct nvlink *link, const struct nvrtc *nvrtc);
/* Kernels that launch kernels; `arch` must be one that NVRTC knows.  Loads the
 * library if it is not. */
farsum_status nvlink_compile(const struct nvrtc *nvrtc, struct nvlink *link,
                             const char *arch, const char *text, void **binary,
                             int64_t *bytes, char **log);

/* For an architecture by name; only NVRTC has to be there, and for kernels that
 * launch kernels what links them. */
farsum_status cuda_compile_for(const char *arch, const char *text,
                               void **binary, int64_t *bytes, char **log);
farsum_status cuda_compile_nested_for(const char *arch, const char *text,
                                      void **binary, int64_t *bytes,
                                      char **log);
#endif
