/* SPDX-License-Identifier: Apache-2.0 */
/* slab_direct.h: kernels that use other ranks' spectra. */
#ifndef FARSUM_TEST_SLAB_DIRECT_H
#define FARSUM_TEST_SLAB_DIRECT_H

#include "device/device.h"

struct gpu_case;
void slab_direct(const struct gpu_case *t, struct device *device);
#endif
