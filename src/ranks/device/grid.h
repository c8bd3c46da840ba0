/* SPDX-License-Identifier: Apache-2.0 */
/* grid.h: the stage lattice over ranks with devices by the passes of the
 * variant gpu_grid (stage/lattice/gpu_grid.h).
 *
 * A rank transforms its layers along axes 1 and 2.  Then an exchange gives each
 * rank the modes of some |k_1| for all layers.  It transforms along axis 0,
 * multiplies, and all goes back the same way. */
#ifndef FARSUM_RANKS_DEVICE_GRID_H
#define FARSUM_RANKS_DEVICE_GRID_H

#include "ranks/device/transport.h"
#include "ranks/lattice.h"

struct gpu_ranks_grid;

/* As gpu_ranks_lattice_create.  It stores the modes of all coefficients of its
 * layers, and two times those of its |k_1|, for large orders three times. */
farsum_status gpu_ranks_grid_create(const struct ranks_lattice_args *args,
                                    struct transport *transport,
                                    struct gpu_ranks_grid **grid);
void gpu_ranks_grid_destroy(struct gpu_ranks_grid *grid); /* NULL is legal */
/* As ranks_lattice_sent. */
farsum_status gpu_ranks_grid_sent(const struct ranks_lattice_args *args,
                                  struct lattice_sent *sent);
/* As gpu_ranks_lattice_run. */
farsum_status gpu_ranks_grid_run(struct gpu_ranks_grid *grid,
                                 const struct boxes_io *io);
#endif
