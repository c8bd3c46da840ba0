/* SPDX-License-Identifier: Apache-2.0 */
/* hip.h: compiling HIP kernels, also without a device. */
#ifndef FARSUM_DEVICE_DRIVER_HIP_H
#define FARSUM_DEVICE_DRIVER_HIP_H

#include "device/driver/rtc.h"

/* Opens hipRTC.  runtime: the major version of HIP's runtime, 0 without one.
 * The library stays loaded. */
farsum_status hiprtc_open(struct rtc *rtc, int runtime);
/* Returns 1 if the architecture, such as "gfx90a", is in the list of AMD's code
 * object manager, which hipRTC uses to compile.  0: it is not; -1: there is no
 * list. */
int hiprtc_knows(const char *arch);
farsum_status hiprtc_compile(const struct rtc *rtc, const char *arch,
                             const char *text, void **binary, int64_t *bytes,
                             char **log);

/* Compiles for an architecture by name; only hipRTC is required.  log may be
 * NULL. */
farsum_status hip_compile_for(const char *arch, const char *text, void **binary,
                              int64_t *bytes, char **log);

/* Finds the architecture with its features, "gfx90a:sramecc+:xnack-", in the
 * properties from hipGetDeviceProperties.  Returns 1 if it was found. */
int hip_arch(const char *properties, int64_t bytes, char *arch,
             int64_t capacity);
#endif
