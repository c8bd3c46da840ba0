/* SPDX-License-Identifier: Apache-2.0 */
/* modes_device.h: modes of one vector, as modes.h, between ranks with devices.
 * The spectra are lines of ranks/device/slab.h. */
#ifndef FARSUM_MESH_RANKS_MODES_DEVICE_H
#define FARSUM_MESH_RANKS_MODES_DEVICE_H

#include "mesh/ranks/modes.h"
#include "ranks/device/transport.h"

struct rank_modes_gpu;

/* Collective: fails on all ranks or on none.  Runs do not allocate. */
farsum_status rank_modes_gpu_create(const struct rank_modes_args *args,
                                    struct device *device,
                                    struct transport *transport,
                                    struct rank_modes_gpu **modes);
void rank_modes_gpu_destroy(struct rank_modes_gpu *modes); /* NULL is legal */

/* spectra: [2][lines][mesh0] complex, of the real and the imaginary part, whose
 * first reals are `first` and first + step.  f: [own modes][N1][N2] from
 * complex number `base` on.  Type 1 sets f, type 2 the spectra.  Collective; a
 * rank that fails takes part in the exchange.  Asynchronous. */
farsum_status rank_modes_gpu_run(struct rank_modes_gpu *modes,
                                 struct buf *spectra, int64_t first,
                                 int64_t step, struct buf *f, int64_t base);
#endif
