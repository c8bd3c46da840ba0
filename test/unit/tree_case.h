/* SPDX-License-Identifier: Apache-2.0 */
/* tree_case.h: points and trees for the tests of trees. */
#ifndef FARSUM_TEST_UNIT_TREE_CASE_H
#define FARSUM_TEST_UNIT_TREE_CASE_H

#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "check.h"
#include "points/tree/tree_set.h"

enum tree_dist {
    TREE_UNIFORM,
    TREE_CLUSTERS, /* around three points */
    TREE_STEEP,    /* the same, increasingly dense */
    TREE_ONE_BOX,
    TREE_LINE,
    TREE_FACES, /* multiples of 1/8 of the region: faces, edges, corners */
    TREE_SAME,  /* all coincide */
    TREE_DISTS,
};

static inline double tree_random(uint64_t *state)
{
    return (double)(random_next(state) >> 11) * 0x1p-53;
}

/* Fractions of a region, [n][3]. */
static inline void tree_fractions(enum tree_dist dist, int64_t n, uint64_t seed,
                                  double *x)
{
    uint64_t s = seed;
    for (int64_t i = 0; i < n; i++) {
        double u[3], c = tree_random(&s), along = tree_random(&s);
        for (int d = 0; d < 3; d++)
            u[d] = tree_random(&s);
        for (int d = 0; d < 3; d++) {
            double v = u[d], centre = c < 0.5 ? 0.1 : c < 0.9 ? 0.625 : 0.98;
            if (dist == TREE_CLUSTERS || dist == TREE_STEEP)
                v = centre
                    + (u[d] - 0.5) * 0.2
                          * pow(along, dist == TREE_STEEP ? 9 : 2);
            else if (dist == TREE_ONE_BOX)
                v = 0.3 + 0.01 * u[d];
            else if (dist == TREE_LINE)
                v = d == 1 ? along : 0.5;
            else if (dist == TREE_FACES)
                v = floor(9 * u[d]) / 8;
            else if (dist == TREE_SAME)
                v = 0.7;
            x[3 * i + d] = v < 0 ? 0 : v > 1 ? 1 : v;
        }
    }
}

/* Their positions in a region; returns the input of tree_set. */
static inline struct tree_given tree_positions(const struct tree_args *args,
                                               int64_t n, double *x)
{
    for (int64_t i = 0; i < n; i++)
        for (int d = 0; d < 3; d++) {
            double v = args->corner[d] + args->edge[d] * x[3 * i + d];
            double end = args->corner[d] + args->edge[d];
            x[3 * i + d] = v > end ? end : v;
        }
    return (struct tree_given){.n = n, .x = {x, x + 1, x + 2}, .step = 3};
}

/* Coordinate d of the k-th sorted point, in its leaf. */
static inline double tree_at(const struct tree *tree,
                             const struct tree_points *p, int d, int64_t k)
{
    return tree->precision == FARSUM_F32 ? (double)((float *)p->x[d])[k]
                                         : ((double *)p->x[d])[k];
}

static inline void tree_centre(const struct tree *tree, int level, int64_t box,
                               double centre[3])
{
    int64_t place[3];
    tree_place(tree, level, box, place);
    for (int d = 0; d < 3; d++)
        centre[d] =
            tree->corner[d]
            + ((double)place[d] + 0.5) * tree->box[d] * tree_h(tree, level);
}

static inline int tree_same(const char *what, int64_t found, int64_t wanted)
{
    return CHECK(found == wanted, "%s: %lld, not %lld", what, (long long)found,
                 (long long)wanted);
}

/* tree_cover.c: CHECKs that near and far lists cover each pair of points once,
 * including images whose root boxes are near. */
void tree_check_cover(const struct tree *tree, const struct tree_given *sources,
                      const struct tree_given *targets);
/* tree_same.c: CHECKs that all arrays of both are equal. */
void tree_check_same(const struct tree *one, const struct tree *other);
#endif
