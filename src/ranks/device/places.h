/* SPDX-License-Identifier: Apache-2.0 */
/* places.h: points on devices from the ranks that give them to the ranks that
 * own them, and their ghosts, as ranks/route.h and ranks/ghosts.h do on the
 * host.  Owners and orders are the same.  So are the bits of fractions, unless
 * a compiler fuses a product and a sum on only one side (domain_fraction). */
#ifndef FARSUM_RANKS_DEVICE_PLACES_H
#define FARSUM_RANKS_DEVICE_PLACES_H

#include "ranks/device/sends.h"
#include "ranks/route.h"

struct gpu_route {
    struct gpu_sends sends;
    int64_t n, n_own; /* points that this rank gives, and owns */
    int64_t first, n_all; /* global number of its point 0; all ranks' points */
    int64_t *given;   /* owned, [size]: points that each rank gives */
    struct route_share share;
    struct gpu_route_inside *inside; /* owned */
};

/* most: numbers of type precision per point that gpu_sends_there and
 * gpu_sends_back will move.  Not collective; on failure it owns nothing. */
farsum_status gpu_route_create(struct gpu_route *route, struct comm *comm,
                               struct device *device,
                               struct transport *transport, int most,
                               farsum_precision precision);
void gpu_route_clear(struct gpu_route *route); /* a zeroed one is legal */
/* Finds the owners of the points that this rank gives, in fractions of the
 * whole cell (points->s), and brings their fractions there: own [n_own][3] f64,
 * reallocated if necessary.  points NULL: this rank gives none.  A bad point
 * (points_gpu_check) gets some owner.  Collective: returns the same status on
 * all ranks, and after a failure no rank has points. */
farsum_status gpu_route_set(struct gpu_route *route, struct comm *comm,
                            const struct domain *domain,
                            struct points_gpu *points, struct buf *own);

/* The rank that gives the point of this global number, which becomes the
 * rank's own. */
int gpu_route_giver(const struct gpu_route *route, int size, int64_t *number);
/* Sets *number to the global number of this rank's own point i, which it asks
 * of the rank that gives the point.  i < 0: it asks for none, and *number is
 * -1.  Collective. */
farsum_status gpu_route_number(const struct gpu_route *route, struct comm *comm,
                               int64_t i, int64_t *number);

/* Makes the same route on the host, for numbers of points, on which only lists
 * of pairs depend.  Waits for the device.  Not collective; on failure *host is
 * empty.  It need not be initialised. */
farsum_status gpu_route_host(const struct gpu_route *route,
                             const struct comm *comm, struct route *host);

struct gpu_ghosts {
    struct gpu_sends sends;
    struct targets targets; /* who needs the planes of the own slab */
    int64_t n;              /* ghosts on this rank */
    struct gpu_ghosts_inside *inside; /* owned */
};

farsum_status gpu_ghosts_create(struct gpu_ghosts *ghosts, struct comm *comm,
                                struct device *device,
                                struct transport *transport, int most,
                                farsum_precision precision);
void gpu_ghosts_clear(struct gpu_ghosts *ghosts); /* a zeroed one is legal */
/* Finds who needs the own points, own [n_own][3] f64 in fractions of the whole
 * cell, and exchanges ghosts.  s [n_own + n][3] f64: positions of own points,
 * then of ghosts, in fractions of this rank's own cell (domain_fraction);
 * reallocated if necessary.  keys: any points_gpu of the device, whose scratch
 * sorts.  Collective, as gpu_route_set. */
farsum_status gpu_ghosts_set(struct gpu_ghosts *ghosts, struct comm *comm,
                             const struct domain *domain,
                             struct points_gpu *keys, int64_t n_own,
                             const struct buf *own, struct buf *s);
/* Writes n own points, own [n][3] f64 in fractions of the whole cell, to s
 * [n][3] in fractions of this rank's own cell.  Not collective; it allocates
 * nothing. */
farsum_status gpu_ghosts_own(const struct gpu_ghosts *ghosts,
                             const struct domain *domain, int64_t n,
                             const struct buf *own, struct buf *s);

/* Sets n > 0 points from fractions, x [n][3] f64 in [0, 1), which are borrowed
 * until the next set. */
farsum_status gpu_points_in_cube(struct points_gpu *points, int64_t n,
                                 const struct buf *x, const char *what);
#endif
