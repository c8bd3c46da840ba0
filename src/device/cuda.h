/* cuda.h: kernels for CUDA without a device. */
#ifndef FARSUM_DEVICE_CUDA_H
#define FARSUM_DEVICE_CUDA_H

#include "device/rtc.h"

struct nvrtc_api {
#define SYM(result, name, parameters) result(*name) parameters;
#include "device/nvrtc.sym"
#undef SYM
};

struct nvrtc {
    struct rtc rtc;
    struct nvrtc_api own;
};
extern const char *const nvrtc_folders[]; /* of a toolkit; ended by NULL */

struct nvlink_api {
#define SYM(result, name, parameters) result(*name) parameters;
#include "device/nvlink.sym"
#undef SYM
};

struct nvlink {
    struct nvlink_api api;
    char name[32];      /* "nvJitLink 13.0" */
    char runtime[1024]; /* the path of libcudadevrt.a */
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

/* The linker of that version of CUDA, and the runtime beside it. */
farsum_status nvlink_open(struct nvlink *link, int major);
/* Kernels that launch kernels; `arch` must be one that both know. */
farsum_status nvlink_compile(const struct nvrtc *nvrtc,
                             const struct nvlink *link, const char *arch,
                             const char *text, void **binary, int64_t *bytes,
                             char **log);
/* A compiled part into a binary with the device's runtime. */
farsum_status nvlink_link(const struct nvlink *link, const char *arch,
                          const void *part, int64_t part_bytes, void **binary,
                          int64_t *bytes);

/* For an architecture by name; only NVRTC has to be there, and for kernels that
 * launch kernels what links them. */
farsum_status cuda_compile_for(const char *arch, const char *text,
                               void **binary, int64_t *bytes, char **log);
farsum_status cuda_compile_nested_for(const char *arch, const char *text,
                                      void **binary, int64_t *bytes,
                                      char **log);
#endif
