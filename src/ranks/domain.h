/* SPDX-License-Identifier: Apache-2.0 */
/* domain.h: slabs of mesh planes, one per rank.
 *
 * Rank r owns planes begin[r] <= k < begin[r + 1] of the whole cell's mesh
 * along axis 0, and the points in them.  A slab may be empty.  A rank computes
 * in its own cell: the vectors b and c of the whole cell, and a vector a that
 * spans its slab with `halo` more planes on each side.  Images lie in it as
 * points with positions of their own.  So a stage sees an open axis 0, and a
 * halo may exceed the slabs, and the whole cell. */
#ifndef FARSUM_RANKS_DOMAIN_H
#define FARSUM_RANKS_DOMAIN_H

#include <stdint.h>

#include "base/status.h"
#include "points/cell.h"

struct domain {
    int rank, size;
    int64_t mesh0;  /* planes of the whole cell */
    int64_t halo;   /* planes on each side of a slab */
    int64_t *begin; /* owned, [size + 1]; the same on all ranks */
    int open;       /* 1: axis 0 is not periodic, so points have no images; set
                       after create */
};

/* Cuts mesh0 planes.  begin [size + 1]: first planes of the slabs, from 0 to
 * mesh0; it is copied.  NULL: slabs that differ by at most one plane.  Not
 * collective; on failure nothing is owned. */
farsum_status domain_create(struct domain *domain, int rank, int size,
                            int64_t mesh0, int64_t halo, const int64_t *begin);
void domain_destroy(struct domain *domain); /* a zeroed domain is legal */

/* The rank that owns a plane.  Planes outside of 0 .. mesh0 - 1 are wrapped. */
int domain_owner(const struct domain *domain, int64_t plane);
/* The planes that rank r computes on: its slab and both halos. */
static inline int64_t domain_planes(const struct domain *domain, int r)
{
    return domain->begin[r + 1] - domain->begin[r] + 2 * domain->halo;
}
/* Sets *own to this rank's own cell, from the whole cell: of its domain_planes,
 * or of one plane if there are none. */
void domain_cell(const struct domain *domain, const struct cell *whole,
                 struct cell *own);

/* The plane of a fraction s0 of the whole cell; -1 if s0 is not in [0, 1).
 * s0 * mesh0 < mesh0 even when rounded: mesh0/2^53 is more than half of the
 * spacing of doubles just below mesh0. */
static inline int64_t domain_plane(const struct domain *domain, double s0)
{
    return s0 >= 0 && s0 < 1 ? (int64_t)(s0 * (double)domain->mesh0) : -1;
}

/* The fraction in rank r's own cell of the point s0 + image, where s0 is a
 * fraction of the whole cell.  If the point's plane, moved by image * mesh0, is
 * one of the rank's domain_planes, the result is in [0, 1).  Its exact product
 * with domain_planes is rounded down: so a point on a plane, as crystals have
 * them, does not lie beyond it, and has the same window as in one process. */
static inline double domain_fraction(const struct domain *domain, int r,
                                     double s0, int64_t image)
{
    int64_t low = domain->begin[r] - domain->halo;
    double shift = (double)(image * domain->mesh0 - low);
    double planes = (double)domain_planes(domain, r);
    double at = s0 * (double)domain->mesh0 + shift, s = at / planes;
    if (__builtin_fma(s, planes, -at) > 0)
        s *= 1 - 0x1p-53; /* the next double below */
    if (s < 0) /* product and sum may be fused */
        return 0;
    return s < 1 ? s : 1 - 0x1p-53;
}
/* Replaces fractions s0 [n] of the whole cell, of own points, by those of this
 * rank's own cell. */
void domain_place(const struct domain *domain, double *s0, int64_t n,
                  int threads);
/* Fractions along axis 0 of the whole cell are scale times those of this rank's
 * own cell, plus shift.  A ghost's may lie outside of [0, 1). */
static inline void domain_whole(const struct domain *domain, double *scale,
                                double *shift)
{
    double mesh = (double)domain->mesh0;
    *scale = (double)domain_planes(domain, domain->rank) / mesh;
    *shift = (double)(domain->begin[domain->rank] - domain->halo) / mesh;
}
#endif
