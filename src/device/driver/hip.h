/* SPDX-License-Identifier: Apache-2.0 */
/* hip.h: kernels for HIP without a device. */
#ifndef FARSUM_DEVICE_DRIVER_HIP_H
#define FARSUM_DEVICE_DRIVER_HIP_H

#include "device/driver/rtc.h"

/* runtime: the major version of HIP's runtime, 0 if there is none.  The
 * library stays loaded. */
farsum_status hiprtc_open(struct rtc *rtc, int runtime);
/* 1 if the architecture, "gfx90a", is in the list of AMD's code object manager,
 * by which hipRTC compiles; 0 if not; -1 if there is no list. */
int hiprtc_knows(const char *arch);
farsum_status hiprtc_compile(const struct rtc *rtc, const char *arch,
                             const char *text, void **binary, int64_t *bytes,
                             char **log);

/* For an architecture by name; only hipRTC has to be there.  log may be
 * NULL. */
farsum_status hip_compile_for(const char *arch, const char *text, void **binary,
                              int64_t *bytes, char **log);

/* The architecture in what hipGetDeviceProperties filled, with its features:
 * "gfx90a:sramecc+:xnack-".  1 if one was found. */
int hip_arch(const char *properties, int64_t bytes, char *arch, int64_t room);
#endif
