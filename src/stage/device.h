/* SPDX-License-Identifier: Apache-2.0 */
/* device.h: what rows that work on a device have in common. */
#ifndef FARSUM_STAGE_DEVICE_H
#define FARSUM_STAGE_DEVICE_H

#include "device/compile/jit.h"
#include "math/window.h"

/* SUPPORT, WINDOW_DEGREE_, WINDOW_TABLE for stage/particles/window.kh. */
void gpu_define_window(struct jit *jit, const struct window *window);
/* OK on a device; on the host a message that names what it needs. */
farsum_status gpu_wanted(const struct device *device);
/* OK on the host. */
farsum_status gpu_not_wanted(const struct device *device);
/* OK if a kernel may have that many bytes of group memory. */
farsum_status gpu_local_fits(const struct device *device, int64_t bytes);

/* OK if dialect/mma.h's products are there: f64 on NVIDIA from sm_80 on. */
farsum_status gpu_tensor_fits(const struct device *device,
                              farsum_precision precision);
/* Rows of one of those products: 8 or 16, what the kernels call MMA. */
int gpu_tensor_rows(const struct device *device);

/* The host's twin of points/device/mesh.kh's struct. */
struct mesh_args {
    int64_t n;
    int64_t q_channel, q_point, mesh_channel;
    int32_t mesh[3], ldz;
    int32_t open[3];
    int32_t more;
};
_Static_assert(sizeof(struct mesh_args) == 64,
               "must match points/device/mesh.kh");

/* Bytes of a real. */
static inline int gpu_real(farsum_precision precision)
{
    return precision == FARSUM_F32 ? 4 : 8;
}
#endif
