/* SPDX-License-Identifier: Apache-2.0 */
/* mesh.h: meshes over ranks, on hosts or with a device each.
 *
 * A rank owns a slab of mesh planes and the points in it (ranks/domain.h).  It
 * spreads and interpolates in its own cell, whose axis 0 is open, on an
 * extended mesh: its slab and `halo` planes on each side.  Halo planes are
 * exchanged.  Functions that exchange are collective. */
#ifndef FARSUM_MESH_RANKS_MESH_H
#define FARSUM_MESH_RANKS_MESH_H

#include "comm/exported.h"
#include "mesh/mesh.h"
#include "ranks/planes.h"
#include "ranks/route.h"

struct mesh_ranks {
    struct comm *comm; /* borrowed, unless owns_comm */
    int owns_comm;
    struct domain domain;
    int64_t n, n_all;           /* points that this rank, and all ranks, pass */
    int64_t own;                /* points in the own slab */
    int64_t plane;              /* reals per plane */
    int64_t channel;            /* reals per channel of an extended mesh */
    double imbalance;           /* most own points of a rank over the mean */
    struct mesh_ranks_gpu *gpu; /* owned; NULL: the host, of the following */
    struct route route;
    struct planes *planes;
    struct points given; /* the caller's, in fractions of the whole cell */
    void *grid;          /* owned: extended meshes of all channels; NULL: the
                             mesh is a NUFFT's, which has its own */
    void *value;         /* owned: strengths or values of own points,
                             [channel][n] */
    void *gradient;      /* owned: [channel][n][3] */
    int64_t have_value, have_gradient;
};

/* Planes of the whole mesh that this rank owns. */
static inline int64_t mesh_ranks_own(const struct mesh_ranks *ranks)
{
    return domain_planes(&ranks->domain, ranks->comm->rank)
           - 2 * ranks->domain.halo;
}
/* Reals from the start of an extended mesh to the own planes. */
static inline int64_t mesh_ranks_skip(const struct mesh_ranks *ranks)
{
    return ranks->domain.halo * ranks->plane;
}
/* Returns comm_agree of the status, which fails after the communication has
 * failed. */
farsum_status mesh_ranks_agree(const struct farsum_mesh *mesh,
                               farsum_status status);

/* create.c */
/* Makes a mesh of what each rank passes.  transport: between devices, or NULL.
 * comm is borrowed.  Collective; returns the same status on all ranks. */
farsum_status mesh_over_ranks(struct comm *comm,
                              const farsum_mesh_problem *problem,
                              const farsum_mesh_options *options,
                              const char *transport, struct farsum_mesh **mesh);
/* The same for a problem and options that were compared already (same.h), and
 * whose n_points is the number that all ranks expect.  device: borrowed; NULL:
 * the host.  modes: as for mesh_think.  of_nufft: 1: the caller has extended
 * meshes. */
farsum_status mesh_ranks_create(struct comm *comm,
                                const farsum_mesh_problem *problem,
                                const farsum_mesh_options *options,
                                struct device *device, const char *transport,
                                const int64_t *modes, int of_nufft,
                                struct farsum_mesh **mesh);
/* What exchanges the halo planes. */
struct planes_args mesh_ranks_planes(const struct farsum_mesh *mesh);
/* Not collective: sets everything but states, exchanges and memory, and chooses
 * for rank comm->rank.  m->ranks is zeroed, except for its comm, of which
 * rank and size are read.  The caller destroys m->ranks->domain. */
farsum_status mesh_ranks_dry(struct farsum_mesh *m,
                             const farsum_mesh_problem *problem,
                             const farsum_mesh_options *options,
                             struct device *device, const int64_t *modes);
/* Opens this rank's device, or borrows it; NULL: the host. */
farsum_status mesh_ranks_device(struct comm *comm,
                                const farsum_mesh_options *options,
                                struct device **device, int *owned);
void mesh_ranks_destroy(struct mesh_ranks *ranks); /* NULL is legal */

/* run.c: the public functions over ranks.  With devices too they return
 * completed results. */
farsum_status mesh_ranks_points(struct farsum_mesh *mesh, int64_t n,
                                const void *x);
farsum_status mesh_ranks_spread(struct farsum_mesh *mesh, const void *q,
                                void *grid);
farsum_status mesh_ranks_interp(struct farsum_mesh *mesh, const void *grid,
                                void *value, void *gradient);
/* The same with values of own points and with extended meshes; they do not
 * agree on failures.  spread: sets the own planes of io->mesh.  interp: grid is
 * io->mesh, whose own planes are set. */
farsum_status mesh_ranks_spread_run(struct farsum_mesh *mesh,
                                    const struct spread_io *io);
farsum_status mesh_ranks_interp_run(struct farsum_mesh *mesh, void *grid,
                                    const struct interp_io *io);
/* run.c, for both: */
/* Checks this rank's arguments of a spread on host or device.  largest: out:
 * strengths, infinite if they are on a device. */
farsum_status mesh_ranks_spread_given(const struct farsum_mesh *mesh,
                                      const void *q, const void *grid,
                                      double *largest);
/* Collective: checks the arguments of an interp.  want: out: above 0 if any
 * rank requests values, gradients.  A rank with points must pass what others
 * pass. */
farsum_status mesh_ranks_interp_given(const struct farsum_mesh *mesh,
                                      const void *grid, const void *value,
                                      const void *gradient, double want[2]);
/* Collective: sets the number of points and the imbalance, and agrees. */
farsum_status mesh_ranks_placed(struct farsum_mesh *mesh, int64_t n,
                                int64_t n_all, farsum_status status);
/* The planes of an extended mesh that lie beyond the whole mesh along an open
 * axis 0, where parts of windows are dropped: *count at its start, or at its
 * end, whichever `end` says. */
void mesh_ranks_beyond(const struct farsum_mesh *mesh, int end, int64_t *first,
                       int64_t *count);
/* Fills *info. */
void mesh_ranks_info(const struct mesh_ranks *ranks, struct ranks_info *info);
#endif
