/* SPDX-License-Identifier: Apache-2.0 */
/* load.h: the work of a sum in each mesh plane, estimated from counts of points
 * in bins.
 *
 * A bin is one plane thick, and about a cutoff wide along axes 1 and 2.  The
 * sources near a target have its bin's density times a factor of its plane: the
 * mean of the planes within half a cutoff over the plane's own.  So clusters
 * count with their density, and the estimate does not depend on the cut. */
#ifndef FARSUM_RANKS_LOAD_H
#define FARSUM_RANKS_LOAD_H

#include "ranks/domain.h"

/* Modelled seconds. */
struct load_costs {
    double plane; /* of a plane of the mesh */
    double slab;  /* of a slab that is not empty: its halos */
    double source, target, pair;
};

struct load {
    int split;          /* layers that count as planes here, per plane of the
                           domain: 1, or the leaves of a root box */
    int64_t planes;     /* of the own slab */
    int64_t mesh0;      /* of the whole cell */
    int64_t window;     /* planes of a cutoff */
    int32_t nb[2];      /* bins along axes 1 and 2 */
    double low[2], edge[2]; /* where coordinates of points along these axes
                               begin, and how far they reach: 0, 1 */
    double neighbours;  /* sources within the cutoff of a target, for one source
                           per bin */
    int32_t *sources;   /* owned, [planes][nb0][nb1]: own sources */
    int32_t *targets;   /* owned: own separate targets, or NULL */
};

/* The points of a plane. */
struct load_plane {
    double sources, targets;
    double pairs; /* of a target and another point, a source, in one bin */
};

/* cell: the whole cell in units of the cutoff; mesh: of the whole cell.  apart:
 * 1: separate targets.  Not collective; on failure load_clear still frees what
 * it made. */
farsum_status load_create(struct load *load, const struct domain *domain,
                          const struct cell *cell, const int64_t mesh[3],
                          int apart);
/* The same with the leaves of a dense tree as bins, whose near lists reach
 * `reach` leaves to each side.  leaves: along each axis of the whole cell; the
 * domain cuts axis 0 by `split` of them. */
farsum_status load_create_leaves(struct load *load, const struct domain *domain,
                                 int split, const int64_t leaves[3], int reach,
                                 int apart);
void load_clear(struct load *load); /* a zeroed one is legal */
/* The number of bins. */
static inline int64_t load_bins(const struct load *load)
{
    return load->planes * load->nb[0] * load->nb[1];
}
/* Counts own points, s [3][n], in bins: fractions of the whole cell along axis
 * 0, and along the others what low and edge say. */
void load_count(const struct load *load, const struct domain *domain, int64_t n,
                double *const s[3], int threads, int32_t *bins);
/* Sums the bins of own planes: plane [planes].  apart: 0: the targets are the
 * sources. */
void load_planes(const struct load *load, int apart, struct load_plane *plane);
/* Sets seconds [mesh0] from all planes, plane [mesh0]. */
void load_seconds(const struct load *load, const struct load_costs *costs,
                  const struct load_plane *plane, double *seconds);
#endif
