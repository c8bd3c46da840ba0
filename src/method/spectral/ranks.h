/* SPDX-License-Identifier: Apache-2.0 */
/* ranks.h: method `spectral` over ranks, on the host.
 *
 * A rank owns a slab of mesh planes and the points in it (ranks/domain.h).  It
 * computes in its own cell, whose axis 0 is open: near pairs among own points,
 * and of own points with ghosts; own points to the mesh and back.  Halo planes
 * and the transform's columns are exchanged.  Functions that exchange are
 * collective. */
#ifndef FARSUM_METHOD_SPECTRAL_RANKS_H
#define FARSUM_METHOD_SPECTRAL_RANKS_H

#include "method/spectral/ranks_exclude.h"
#include "method/spectral/spectral.h"
#include "ranks/domain.h"
#include "ranks/ghosts.h"
#include "ranks/planes.h"
#include "ranks/route.h"
#include "ranks/slab.h"

struct spectral_ranks {
    struct comm *comm; /* borrowed */
    struct domain domain;
    struct route route;        /* of the sources */
    struct route target_route; /* of separate targets */
    struct ghosts ghosts;
    struct ranks_exclude exclude;
    struct planes *planes;
    struct slab *slab;
    struct cell own;       /* the rank's own cell, in units of the cutoff */
    struct cell exchanged; /* of the spectrum, whose axes 0 and 1 are
                              exchanged */
    struct points given;   /* the caller's, in fractions of the whole cell */
    struct points ghost;   /* in the rank's own cell */
    void *near_ghosts;     /* owned: state of near with ghosts as sources */
    void *near_virial;     /* owned: the same for their virial, or NULL */
    struct choice virial;  /* the variant of near_virial */
    void *ghost_q;         /* owned, [ghosts][strengths], of the pairs'
                              precision */
    void *ghost_values;    /* owned: potentials by ghosts, as
                              spectral.potential */
    void *spectrum;        /* owned, [channels][rows][mesh0][ldz] */
    /* owned, the caller's type: strengths and results of own points */
    void *q, *potential, *field;
    int64_t have_q, have_ghosts, have_values, have_own, have_out;
    int64_t rows;          /* of the spectrum on this rank */
    int64_t *begin1;       /* owned, [size + 1]: first rows of the ranks */
    int64_t *columns;      /* owned, [mesh1]: those that travel (slab.h) */
};

static inline const struct variant *ranks_variant(const struct spectral *s,
                                                  int stage)
{
    return s->parameters.choice[stage].row->variant;
}

/* Fails if the problem needs what ranks do not have. */
farsum_status spectral_ranks_fits(const struct task *task);
/* Makes the states of all stages and s->ranks. */
farsum_status spectral_ranks_create(const struct task *task,
                                    struct spectral *s);
void spectral_ranks_destroy(struct spectral *s);
/* Cuts the mesh and its spectrum for the rank and size of k->comm: sets domain,
 * own, exchanged, begin1, rows and columns.  slack: 1, or a factor on the
 * planes of the cutoff and the modes that count.  Not collective;
 * spectral_ranks_uncut frees what it made, also after a failure. */
farsum_status spectral_ranks_cut(const struct task *task,
                                 const struct parameters *t, double slack,
                                 struct spectral_ranks *k);
void spectral_ranks_uncut(struct spectral_ranks *k);
/* The exchanges of this cut. */
struct planes_args spectral_ranks_planes(const struct task *task,
                                         const struct parameters *t,
                                         const struct spectral_ranks *k);
struct slab_args spectral_ranks_slab(const struct task *task,
                                     const struct parameters *t,
                                     const struct spectral_ranks *k);
/* The args of the stages in this rank's own cell. */
void spectral_ranks_args(const struct task *task, struct spectral *s,
                         union stage_args args[STAGE_COUNT]);
/* Takes the cell of `trial`, before s->parameters does.  Makes new states if
 * the old ones exchange too little for it; on failure s is as before. */
farsum_status spectral_ranks_cell(const struct task *task, struct spectral *s,
                                  const struct parameters *trial);
/* ranks_points.c */
farsum_status spectral_ranks_points(struct task *task, struct spectral *s,
                                    int64_t n, const void *x, int64_t m,
                                    const void *y);
/* ranks_sum.c */
farsum_status spectral_ranks_execute(struct task *task, struct spectral *s,
                                     int rhs, const void *q,
                                     farsum_result *result);
#endif
