/* SPDX-License-Identifier: Apache-2.0 */
/* ranks_cut.h: how `spectral` over ranks cuts its mesh, and what follows for
 * the stages of a rank.  Only ranks_cut_follow is collective. */
#ifndef FARSUM_METHOD_SPECTRAL_RANKS_CUT_H
#define FARSUM_METHOD_SPECTRAL_RANKS_CUT_H

#include "method/spectral/spectral.h"
#include "ranks/domain.h"
#include "ranks/pencil.h"
#include "ranks/planes.h"

struct ranks_cut {
    struct domain domain;  /* slabs or pencils */
    int ranks[2];          /* along axes 0 and 1; slabs: ranks[1] = 1 */
    struct cell own;       /* the rank's own cell, in units of the cutoff */
    struct cell exchanged; /* of a spectrum on the host, whose axes 0 and 1 are
                              exchanged */
    int64_t *columns;      /* owned, [mesh1]: those that travel (slab.h) */
    int64_t *begin1;       /* owned, [ranks[0] + 1]: first rows of the parts */
    int64_t *begin2; /* owned, [ranks[1] + 1]: first modes k2 of pencils */
    int64_t rows;    /* of the spectrum on this rank; 0 if it has no modes */
    double slack;    /* as ranks_cut_set had it */
};

/* A plan whose cell changes exchanges what cells need whose reciprocal vectors
 * are shorter by this factor.  So few changes need new states. */
#define RANKS_SLACK 1.03

/* ranks: along axes 0 and 1.  slack: 1, or a factor on the planes of the cutoff
 * and the modes that count.  begin: first planes of the parts of axis 0,
 * [ranks[0] + 1]; NULL: even ones, as those of axis 1 are.  On failure
 * ranks_cut_clear still frees what it made. */
farsum_status ranks_cut_set(struct ranks_cut *cut, const struct task *task,
                            const struct parameters *t, int rank,
                            const int ranks[2], double slack,
                            const int64_t *begin);
void ranks_cut_clear(struct ranks_cut *cut);
/* Reals of this rank's mesh, with halos: per plane, per channel, and before the
 * first own number; and of a channel of its spectrum on the host. */
int64_t ranks_cut_plane(const struct ranks_cut *cut,
                        const struct parameters *t);
int64_t ranks_cut_channel(const struct ranks_cut *cut,
                          const struct parameters *t);
int64_t ranks_cut_first(const struct ranks_cut *cut,
                        const struct parameters *t);
int64_t ranks_cut_spectrum(const struct ranks_cut *cut,
                           const struct parameters *t);
/* The exchanges of this cut.  ranks_cut_rows: the halo along axis 1 of
 * pencils. */
struct planes_args ranks_cut_rows(const struct ranks_cut *cut,
                                  const struct task *task,
                                  const struct parameters *t,
                                  struct comm *comm);
struct pencil_args ranks_cut_pencil(const struct ranks_cut *cut,
                                    const struct task *task,
                                    const struct parameters *t,
                                    struct comm *comm);
struct planes_args ranks_cut_planes(const struct ranks_cut *cut,
                                    const struct task *task,
                                    const struct parameters *t,
                                    struct comm *comm);
struct slab_args ranks_cut_slab(const struct ranks_cut *cut,
                                const struct task *task,
                                const struct parameters *t, struct comm *comm);
/* The args of the stages in this rank's own cell. */
void ranks_cut_args(const struct ranks_cut *cut, const struct task *task,
                    const struct parameters *t,
                    union stage_args args[STAGE_COUNT]);
/* If this cut exchanges all that the cell of `trial` needs, takes that cell and
 * sets *follows to 1; else new states are needed.  The same on all ranks. */
farsum_status ranks_cut_follow(struct ranks_cut *cut, const struct task *task,
                               const struct parameters *trial, int *follows);
/* Takes another cell that the cut covers, and reports this rank's part. */
void ranks_cut_cell(struct ranks_cut *cut, const struct task *task,
                    const struct parameters *t, const struct cell *cell);
#endif
