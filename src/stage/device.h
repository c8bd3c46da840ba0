/* SPDX-License-Identifier: Apache-2.0 */
/* device.h: common host code of variants on devices. */
#ifndef FARSUM_STAGE_DEVICE_H
#define FARSUM_STAGE_DEVICE_H

#include "device/compile/jit.h"
#include "math/window.h"

/* Defines SUPPORT, WINDOW_DEGREE_ and WINDOW_TABLE for
 * stage/particles/window.kh. */
void gpu_define_window(struct jit *jit, const struct window *window);
/* OK on a device; fails on the host. */
farsum_status gpu_wanted(const struct device *device);
/* OK on the host; fails on a device. */
farsum_status gpu_not_wanted(const struct device *device);
/* Fails if a kernel cannot have that many bytes of shared memory. */
farsum_status gpu_local_fits(const struct device *device, int64_t bytes);

/* Fails if the products of dialect/mma.h are not available: f64 on NVIDIA,
 * sm_80 or later. */
farsum_status gpu_tensor_fits(const struct device *device,
                              farsum_precision precision);
/* Rows of such a product, 8 or 16; kernels call it MMA. */
int gpu_tensor_rows(const struct device *device);

/* Host counterpart of the struct in points/device/mesh.kh. */
struct mesh_args {
    int64_t n;
    int64_t q_channel, q_point, mesh_channel;
    int32_t mesh[3], ldz;
    int32_t open[3];
    int32_t more;
};
_Static_assert(sizeof(struct mesh_args) == 64,
               "must match points/device/mesh.kh");

/* Bytes per real. */
static inline int gpu_real(farsum_precision precision)
{
    return precision == FARSUM_F32 ? 4 : 8;
}
#endif
