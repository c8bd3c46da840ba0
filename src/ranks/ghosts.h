/* SPDX-License-Identifier: Apache-2.0 */
/* ghosts.h: copies of points that other ranks need, images included.
 *
 * A rank needs each image whose planes, moved by whole periods, are among the
 * rank's domain_planes along all cut axes.  Its own points are no ghosts, but
 * their images are.  A point may have several images on one rank.  Ranks with
 * an empty part need none.  Ghosts are ordered by sending rank, then by the
 * sender's own index, then by image along axis 0, then along axis 1. */
#ifndef FARSUM_RANKS_GHOSTS_H
#define FARSUM_RANKS_GHOSTS_H

#include "ranks/sends.h"

struct ghosts {
    struct sends sends;     /* sends.to and .from: ghosts per rank */
    struct targets targets[2]; /* who needs the planes of the own parts */
    int64_t n;              /* ghosts on this rank */
    double *s[3];           /* owned, [n]: fractions of this rank's own cell, in
                               [0, 1) */
    int64_t capacity[3];
};

/* Sets the targets of the planes of the own part of an axis.  with_own: 1: that
 * part is among them.  Not collective. */
farsum_status ghosts_targets(struct targets *targets,
                             const struct domain *domain, int with_own);

/* bytes_most: the largest value, in bytes, that ghosts_send will move per
 * point.  Not collective, and it owns nothing on failure.  All ranks must agree
 * (comm_agree) before the first set. */
farsum_status ghosts_create(struct ghosts *ghosts, const struct comm *comm,
                            int64_t bytes_most, int threads);
void ghosts_destroy(struct ghosts *ghosts); /* zeroed ghosts are legal */

/* Finds who needs the own points and exchanges ghosts.  s [3][n_own]: fractions
 * of the whole cell in [0, 1); all points must lie in the own parts.  n_own may
 * be 0, and s[d] may be NULL then.  Memory never shrinks.  Collective: it
 * returns the same status on all ranks, and after a failure no rank has
 * ghosts. */
farsum_status ghosts_set(struct ghosts *ghosts, struct comm *comm,
                         const struct domain *domain, int64_t n_own,
                         double *const s[3]);
/* Sends a value of bytes_each per own point, own [n_own], to its ghosts: values
 * [n].  Collective; it allocates nothing. */
farsum_status ghosts_send(struct ghosts *ghosts, struct comm *comm,
                          const void *own, int64_t bytes_each, void *values);
#endif
