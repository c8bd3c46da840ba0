/* SPDX-License-Identifier: Apache-2.0 */
/* lattice.h: the stage lattice over ranks with devices, as ranks/lattice.h on
 * the host. */
#ifndef FARSUM_RANKS_DEVICE_LATTICE_H
#define FARSUM_RANKS_DEVICE_LATTICE_H

#include "ranks/device/transport.h"
#include "ranks/lattice.h"

struct gpu_ranks_lattice;

/* args->boxes.device is the rank's device; transport is borrowed.  Collective:
 * fails on all ranks or on none.  Runs do not allocate.
 *
 * It stores the meshes of all coefficients twice: the rank's layers, which
 * along open axes other than 0 are padded, and its rows of the spectrum, for
 * large orders two copies of them. */
farsum_status gpu_ranks_lattice_create(const struct ranks_lattice_args *args,
                                       struct transport *transport,
                                       struct gpu_ranks_lattice **lattice);
void gpu_ranks_lattice_destroy(struct gpu_ranks_lattice *lattice); /* NULL is
                                                                      legal */

/* Collective, as ranks_lattice_run; multipole and local are buffers of the
 * device.  Enqueues its work, except for exchanges through the host. */
farsum_status gpu_ranks_lattice_run(struct gpu_ranks_lattice *lattice,
                                    const struct boxes_io *io);
/* As ranks_lattice_sent. */
farsum_status gpu_ranks_lattice_sent(const struct ranks_lattice_args *args,
                                     struct lattice_sent *sent);
#endif
