/* SPDX-License-Identifier: Apache-2.0 */
/* pairs.h: pairs closer than a cutoff in a periodic box, for the examples'
 * short-range forces.  Cells have the width of the cutoff; each pair is visited
 * once. */
#ifndef EXAMPLE_PAIRS_H
#define EXAMPLE_PAIRS_H

#include <math.h>
#include <stdlib.h>

/* d = x_i - x_j for the nearest image; r2 is its square. */
typedef void pairs_visit(void *data, int i, int j, const double d[3],
                         double r2);

static inline void pairs_one(const double *x, const double edge[3], double cut,
                             int i, int j, pairs_visit *visit, void *data)
{
    double d[3], r2 = 0;
    for (int k = 0; k < 3; k++) {
        d[k] = x[3 * i + k] - x[3 * j + k];
        d[k] -= edge[k] * nearbyint(d[k] / edge[k]);
        r2 += d[k] * d[k];
    }
    if (r2 < cut * cut)
        visit(data, i, j, d, r2);
}

/* x: n points [n][3], anywhere; cut: at most half the shortest edge.  0: no
 * memory. */
static inline int pairs_each(int n, const double *x, const double edge[3],
                             double cut, pairs_visit *visit, void *data)
{
    int c[3], all = 1, least = 1 << 20;
    for (int k = 0; k < 3; k++) {
        double most = cbrt((double)n) + 1, wide = floor(edge[k] / cut);
        c[k] = (int)fmin(wide, most);
        least = c[k] < least ? c[k] : least;
        all *= c[k];
    }
    if (least < 3) { /* a cell would be its own neighbour's neighbour */
        for (int i = 0; i < n; i++)
            for (int j = 0; j < i; j++)
                pairs_one(x, edge, cut, i, j, visit, data);
        return 1;
    }
    int *head = malloc(sizeof *head * (size_t)all);
    int *next = malloc(sizeof *next * (size_t)n);
    for (int k = 0; head && next && k < all; k++)
        head[k] = -1;
    for (int i = 0; head && next && i < n; i++) {
        int at[3];
        for (int k = 0; k < 3; k++) {
            double s = x[3 * i + k] / edge[k];
            at[k] = (int)((s - floor(s)) * c[k]) % c[k];
        }
        int cell = (at[0] * c[1] + at[1]) * c[2] + at[2];
        next[i] = head[cell];
        head[cell] = i;
    }
    for (int k = 0; head && next && k < all; k++)
        for (int s = 0; s < 27; s++) {
            int at[3] = {k / c[2] / c[1], k / c[2] % c[1], k % c[2]};
            int step[3] = {s / 9 - 1, s / 3 % 3 - 1, s % 3 - 1};
            for (int d = 0; d < 3; d++)
                at[d] = (at[d] + step[d] + c[d]) % c[d];
            int other = (at[0] * c[1] + at[1]) * c[2] + at[2];
            for (int i = head[k]; i >= 0; i = next[i])
                for (int j = head[other]; j >= 0; j = next[j])
                    if (j < i)
                        pairs_one(x, edge, cut, i, j, visit, data);
        }
    int good = head && next;
    free(head);
    free(next);
    return good;
}
#endif
