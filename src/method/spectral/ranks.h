/* SPDX-License-Identifier: Apache-2.0 */
/* ranks.h: method `spectral` over ranks, on the host.
 *
 * A rank owns a slab or a pencil of the mesh and the points in it
 * (ranks/domain.h).  It computes in its own cell, which is open along the cut
 * axes: near pairs among own points, and of own points with ghosts; own points
 * to the mesh and back.  Halo planes and the transform's columns are exchanged.
 * Functions that exchange are collective. */
#ifndef FARSUM_METHOD_SPECTRAL_RANKS_H
#define FARSUM_METHOD_SPECTRAL_RANKS_H

#include "method/spectral/ranks_costs.h"
#include "method/spectral/ranks_exclude.h"
#include "method/spectral/spectral.h"
#include "ranks/ghosts.h"
#include "ranks/route.h"

struct spectral_ranks {
    struct comm *comm; /* borrowed */
    struct ranks_cut cut;
    struct ranks_balance balance;
    struct route route;        /* of the sources */
    struct route target_route; /* of separate targets */
    struct ghosts ghosts;
    struct excluded exclude;
    struct planes *planes[2]; /* halos along axes 0 and 1; slabs: NULL */
    struct pencil *pencil;    /* or the slab's transform */
    struct points given;   /* the caller's, in fractions of the whole cell */
    struct points ghost;   /* in the rank's own cell */
    void *near_ghosts;     /* owned: state of near with ghosts as sources */
    void *near_virial;     /* owned: the same for their virial, or NULL */
    struct choice virial;  /* the variant of near_virial */
    void *ghost_q;         /* owned, [ghosts][strengths], of the pairs'
                              precision */
    void *ghost_values;    /* owned: potentials by ghosts, as
                              spectral.potential */
    void *ghost_field;     /* owned: kernels with moments only: fields by
                              ghosts, as spectral.field */
    void *spectrum;        /* owned, [channels][ranks_cut_spectrum] */
    /* owned, the caller's type: strengths and results of own points */
    void *q, *potential, *field;
    void *gradient; /* kernels with moments only */
    void *particle_virial; /* if it is an output */
    int64_t have_q, have_ghosts, have_values, have_own, have_out;
    int64_t have_ghost_field, have_gradient, have_particle_virial;
};

static inline const struct variant *ranks_variant(const struct spectral *s,
                                                  int stage)
{
    return s->parameters.choice[stage].row->variant;
}

/* Makes the states of all stages and s->ranks. */
farsum_status spectral_ranks_create(const struct task *task,
                                    struct spectral *s);
void spectral_ranks_destroy(struct spectral *s);
/* Frees the near pairs if task->part does not have them. */
void spectral_ranks_part(const struct task *task, struct spectral *s);
/* Takes the cell of `trial`, before s->parameters does.  Makes new states if
 * the old ones exchange too little for it; on failure s is as before. */
farsum_status spectral_ranks_cell(const struct task *task, struct spectral *s,
                                  const struct parameters *trial);
/* Cuts the mesh again: planes begin [size + 1] of the slabs.  The points must
 * be set again.  On failure s is as before. */
farsum_status spectral_ranks_recut(const struct task *task, struct spectral *s,
                                   const int64_t *begin);
/* ranks_points.c */
farsum_status spectral_ranks_points(struct task *task, struct spectral *s,
                                    int64_t n, const void *x, int64_t m,
                                    const void *y);
/* ranks_sum.c */
farsum_status spectral_ranks_execute(struct task *task, struct spectral *s,
                                     int rhs, const void *q,
                                     farsum_result *result);
#endif
