/* SPDX-License-Identifier: Apache-2.0 */
/* device_ranks.h: `spectral` over ranks with a device each.
 *
 * A rank converts strengths and results of the points that it gives, as one
 * process does (device_run.c).  In between, numbers of type real travel: scaled
 * strengths to the owners, and results back (gpu_ranks_sum).  The owner sums
 * near pairs of own targets with own sources and ghosts in one run of the
 * stage, concurrently with the exchanges of the mesh.
 *
 * As with comm.h, a rank that failed takes part in all exchanges until the
 * ranks agree. */
#ifndef FARSUM_METHOD_SPECTRAL_DEVICE_RANKS_H
#define FARSUM_METHOD_SPECTRAL_DEVICE_RANKS_H

#include "method/spectral/device.h"
#include "method/spectral/device_ranks_exclude.h"
#include "method/spectral/ranks_costs.h"
#include "ranks/device/places.h"
#include "ranks/device/planes.h"
#include "ranks/device/slab.h"

/* What depends on the cut. */
struct gpu_ranks_mesh {
    struct ranks_cut cut;
    struct ranks_balance balance;
    struct buf bins;     /* as balance.load.sources */
    struct gpu_planes *planes;
    struct gpu_slab *slab;
    struct buf mesh;     /* [channels][domain_planes][mesh1][ldz] */
    struct buf spectrum; /* complex [channels][lines][mesh0] (slab.h) */
    int64_t lines;
};

struct gpu_ranks {
    struct comm_guard guard; /* drops the graph; the first member */
    struct graph *recording; /* borrowed: the graph of a sum */
    struct comm *comm;       /* borrowed */
    struct transport *transport;
    struct gpu_ranks_mesh mesh;
    struct gpu_route route, target_route;
    struct gpu_ghosts ghosts;
    struct gpu_ranks_exclude exclude;
    struct points given; /* in the whole cell */
    struct points all;   /* own sources, then ghosts, in the rank's own cell */
    struct buf arrived, target_arrived; /* own points, [n][3] f64, in fractions
                                           of the whole cell */
    struct buf x, y;    /* of `all` and of own targets, [n][3] f64, in fractions
                            of the rank's own cell */
    struct buf q;       /* [own and ghosts][strengths] */
    struct buf channel; /* [own][channels]; kernels with moments: [own][4] */
    /* results of own targets, in units of the cutoff */
    struct buf potential, field, near_potential, near_field;
    struct buf gradient, near_gradient; /* kernels with moments only */
    struct buf near_energy, near_virial;
    struct buf records;     /* [size][of a rank] */
    struct buf part, parts; /* energy and virial: of this rank, [10]; of all,
                               [size][10] */
    struct buf spare;       /* results that other ranks request */
    struct jit jit;
    struct kernel part_of, total, bins;
};

/* Makes g->ranks, with the states of all stages.  Collective. */
farsum_status gpu_ranks_create(const struct task *task, struct spectral *s);
void gpu_ranks_destroy(struct gpu_ranks *ranks); /* NULL is legal */
/* As spectral_ranks_cell. */
farsum_status gpu_ranks_cell(const struct task *task, struct spectral *s,
                             const struct parameters *trial);
/* As spectral_ranks_recut. */
farsum_status gpu_ranks_recut(const struct task *task, struct spectral *s,
                              const int64_t *begin);
/* device_ranks_points.c */
farsum_status gpu_ranks_points(struct task *task, struct spectral *s, int64_t n,
                               const void *x, int64_t m, const void *y);
/* device_ranks_sum.c: sums one right-hand side, from the scaled strengths of
 * given sources to values of given targets in units of the cutoff.  Energy and
 * virial are those of all ranks. */
farsum_status gpu_ranks_sum(const struct task *task, struct spectral *s,
                            const struct spectral_units *units);
#endif
