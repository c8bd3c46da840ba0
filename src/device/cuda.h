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

/* driver: the major version of CUDA that the driver can run, 0 if there is
 * none.  The library stays loaded. */
farsum_status nvrtc_open(struct nvrtc *nvrtc, int driver);
/* arch: "sm_90".  One that the library is too old for is given the text of the
 * newest that it knows, which the driver compiles further.  log, which may be
 * NULL, gets the compiler's words, registers and spills of each kernel too. */
farsum_status nvrtc_compile(const struct nvrtc *nvrtc, const char *arch,
                            const char *text, void **binary, int64_t *bytes,
                            char **log);
/* 1 if the library makes binaries for "sm_90". */
int nvrtc_knows(const struct nvrtc *nvrtc, const char *arch);

/* For an architecture by name; only NVRTC has to be there. */
farsum_status cuda_compile_for(const char *arch, const char *text,
                               void **binary, int64_t *bytes, char **log);
#endif
