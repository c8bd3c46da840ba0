/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_table.h: the virial of each particle, by the only scale variant of
 * devices. */
#ifndef FARSUM_STAGE_SCALE_GPU_TABLE_H
#define FARSUM_STAGE_SCALE_GPU_TABLE_H

#include "stage/scale/scale.h"

/* Sets the spectrum to component c of the virial of the charges, (5.8): 0 .. 5
 * are xx xy xz yy yz zz.  charges: their spectrum, which is not `spectrum`.
 * state: of scale_gpu_table. */
farsum_status scale_gpu_component(void *state, struct buf *spectrum,
                                  const struct buf *charges, int c);
extern const struct variant scale_gpu_table;
#endif
