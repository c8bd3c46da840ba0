/* SPDX-License-Identifier: Apache-2.0 */
/* domain.h: a cut of the mesh into slabs or pencils, one per rank.
 *
 * Part r of axis 0 has planes begin[r] <= k < begin[r + 1] of the whole cell's
 * mesh.  The parts of slabs are the ranks.  Pencils are cut along axis 1 in the
 * same way: `across` describes it, and rank r0 across->size + r1 has part r0 of
 * axis 0 and part r1 of axis 1.  A rank owns the points in its parts.  A part
 * may be empty.
 *
 * A rank computes in its own cell: the vectors of the whole cell, except for
 * one along a cut axis, which spans its part with `halo` more planes on each
 * side.  Images lie in it as points with positions of their own.  So a stage
 * sees open axes, and a halo may exceed the parts, and the whole cell.
 *
 * Functions treat one axis unless they say more; those of axis 1 get
 * `across`. */
#ifndef FARSUM_RANKS_DOMAIN_H
#define FARSUM_RANKS_DOMAIN_H

#include <stdint.h>

#include "base/status.h"
#include "points/cell.h"

struct domain {
    int rank, size; /* this rank's part, and their number */
    int64_t mesh0;  /* planes of the whole cell along the axis */
    int64_t halo;   /* planes on each side of a part */
    int64_t *begin; /* owned, [size + 1]; the same on all ranks */
    int open;       /* 1: axis 0 is not periodic, so points have no images; set
                       after create.  Slabs only */
    struct domain *across; /* owned: the cut of axis 1; NULL: slabs */
};

/* Cuts mesh0 planes.  begin [size + 1]: first planes of the slabs, from 0 to
 * mesh0; it is copied.  NULL: slabs that differ by at most one plane.  Not
 * collective; on failure nothing is owned. */
farsum_status domain_create(struct domain *domain, int rank, int size,
                            int64_t mesh0, int64_t halo, const int64_t *begin);
/* Cuts mesh[0] x mesh[1] planes into ranks[0] x ranks[1] pencils.  ranks[1] 1:
 * slabs, and the rest of axis 1 is not read.  begin[d]: as above. */
farsum_status domain_create_pencils(struct domain *domain, int rank,
                                    const int ranks[2], const int64_t mesh[2],
                                    const int64_t halo[2],
                                    const int64_t *const begin[2]);
void domain_destroy(struct domain *domain); /* a zeroed domain is legal */

/* The cut of axis 0 or 1; NULL: not cut. */
static inline const struct domain *domain_axis(const struct domain *domain,
                                               int axis)
{
    return axis == 0 ? domain : domain->across;
}
/* The rank with these parts. */
static inline int domain_rank(const struct domain *domain, int r0, int r1)
{
    return domain->across ? r0 * domain->across->size + r1 : r0;
}
/* 1: this rank owns no point. */
static inline int domain_empty(const struct domain *domain)
{
    const struct domain *across = domain->across;
    return domain->begin[domain->rank] == domain->begin[domain->rank + 1]
           || (across
               && across->begin[across->rank]
                      == across->begin[across->rank + 1]);
}

/* The part that has a plane.  Planes outside of 0 .. mesh0 - 1 are wrapped. */
int domain_owner(const struct domain *domain, int64_t plane);
/* The planes of part r and both halos. */
static inline int64_t domain_planes(const struct domain *domain, int r)
{
    return domain->begin[r + 1] - domain->begin[r] + 2 * domain->halo;
}
/* Sets *own to this rank's own cell, from the whole cell, along both axes: of
 * its domain_planes, or of one plane if there are none. */
void domain_cell(const struct domain *domain, const struct cell *whole,
                 struct cell *own);

/* The plane of a fraction s0 of the whole cell along the axis; -1 if s0 is not
 * in [0, 1).  s0 * mesh0 < mesh0 even when rounded: mesh0/2^53 is more than
 * half of the spacing of doubles just below mesh0. */
static inline int64_t domain_plane(const struct domain *domain, double s0)
{
    return s0 >= 0 && s0 < 1 ? (int64_t)(s0 * (double)domain->mesh0) : -1;
}

/* The fraction in part r's own cell of the point s0 + image, where s0 is a
 * fraction of the whole cell.  If the point's plane, moved by image * mesh0, is
 * one of the part's domain_planes, the result is in [0, 1).  Its exact product
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
/* Replaces fractions s0 [n] of the whole cell along the axis, of own points, by
 * those of this rank's own cell. */
void domain_place(const struct domain *domain, double *s0, int64_t n,
                  int threads);
/* Fractions of the whole cell along the axis are scale times those of this
 * rank's own cell, plus shift.  A ghost's may lie outside of [0, 1). */
static inline void domain_whole(const struct domain *domain, double *scale,
                                double *shift)
{
    double mesh = (double)domain->mesh0;
    *scale = (double)domain_planes(domain, domain->rank) / mesh;
    *shift = (double)(domain->begin[domain->rank] - domain->halo) / mesh;
}
#endif
