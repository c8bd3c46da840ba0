/* SPDX-License-Identifier: Apache-2.0 */
/* keep_kern.c: updates moved points in the existing clusters and lists. */
#include "stage/near/host_cluster/pairs_kern.h"

static double keep_move(const struct cluster_grid *grid,
                        const struct cluster_set *set, int64_t begin,
                        int64_t end)
{
    double most = 0;
    for (int64_t c = begin; c < end; c++) {
        const int64_t *order = set->order + c * W;
        coord *x = cluster_x(set, c);
        int64_t at = order[0];
        for (int l = 0; l < W; l++) {
            double r[3];
            at = order[l] >= 0 ? order[l] : at; /* or a copy of the point
                                                   before */
            double square = cluster_kept(grid, set, W, c, l, at, r);
            most = square > most ? square : most;
            for (int j = 0; j < 3; j++)
                x[j * W + l] = coord_of(coord_round(r[j]));
        }
    }
    return most;
}

/* Mask of the existing points of cluster c. */
static unsigned keep_there(const struct cluster_set *set, int64_t c)
{
    unsigned there = 0;
    for (int l = 0; l < W; l++)
        there |= (unsigned)(set->order[c * W + l] >= 0) << l;
    return there;
}

/* Mask of the points of a cluster whose squared distance from a point is at
 * most `square`. */
SIMD_FN unsigned keep_within(const coord at[3], const coord *x, vreal square)
{
    vreal d[3];
    for (int j = 0; j < 3; j++)
        d[j] = v_real(c_set(at[j]) - c_load(x + j * W));
    return v_bits(d[0] * d[0] + d[1] * d[1] + d[2] * d[2] <= square);
}

static int keep_watched(const struct cluster_grid *grid,
                        const struct cluster_set *targets,
                        const struct cluster_set *sources,
                        const uint32_t *block, double close)
{
    const vreal square = v_set((real)(close * close));
    unsigned meets = 0;
    for (uint32_t m = 0; m < block[0]; m++) {
        const uint32_t *e = block + 1 + m * WATCH_ENTRY;
        int64_t g = (int64_t)(e[0] | (uint64_t)e[1] << 32);
        int64_t c = (int64_t)(e[2] | (uint64_t)e[3] << 32);
        const int64_t first = g * G;
        coord shift[3];
        for (int j = 0; j < 3; j++)
            shift[j] = coord_of((double)(int32_t)e[4] * grid->p[0][j]
                                + (double)(int32_t)e[5] * grid->p[1][j]
                                + (double)(int32_t)e[6] * grid->p[2][j]);
        for (int64_t k = first; k < first + G; k++) {
            const coord *x = cluster_x(targets, k / W) + k % W;
            const coord at[3] = {x[0] - shift[0], x[W] - shift[1],
                                 x[2 * W] - shift[2]};
            if (targets->order[k] >= 0)
                meets |= keep_within(at, cluster_x(sources, c), square);
        }
    }
    return meets != 0;
}

static int keep_own(const struct cluster_set *set, int64_t begin, int64_t end,
                    double close)
{
    const vreal square = v_set((real)(close * close));
    unsigned meets = 0;
    for (int64_t c = begin; c < end; c++) {
        const coord *x = cluster_x(set, c);
        unsigned there = keep_there(set, c);
        for (int l = 0; l + 1 < W && there >> (l + 1) != 0; l++) {
            const coord at[3] = {x[l], x[W + l], x[2 * W + l]};
            meets |= keep_within(at, x, square) & there & (~1u << l);
        }
    }
    return meets != 0;
}

const struct cluster_keep_kern ISA_NAME(near_host_cluster_keep) = {
    keep_move, keep_watched, keep_own};
