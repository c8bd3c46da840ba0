/* SPDX-License-Identifier: Apache-2.0 */
/* segment.h: sums of a group of points with a segment of its list. */
#ifndef FARSUM_STAGE_NEAR_HOST_CLUSTER_SEGMENT_H
#define FARSUM_STAGE_NEAR_HOST_CLUSTER_SEGMENT_H

#include "stage/near/host_cluster/pair.h"

enum { CHUNK = 127 }; /* entries that are decoded together */

/* A group of points and a segment of its list, all of one image. */
struct segment {
    const struct pair_table *table;
    void (*kernel)(struct segment *s);
    uint32_t k[3];           /* the image, and the shift of its sources */
    double shift[3];
    int moved;               /* 1: k is not 0 */
    const uint32_t *entry;   /* [count] */
    int64_t count;
    const coord *x;          /* the sources' clusters, from the base on */
    real *f;                 /* sums of the sources */
    struct pair_point point[CLUSTER_GROUP]; /* moved opposite to the image */
    int slow;                /* 1: only these lanes of the sources, and some
                                pair coincides */
    vmask lanes[CLUSTER_GROUP];
    /* sums of this image, and of the images before */
    vreal acc[CLUSTER_GROUP][CLUSTER_PARTS];
    vreal total[CLUSTER_GROUP][CLUSTER_PARTS];
    double wide[CLUSTER_GROUP][CLUSTER_PARTS][W]; /* used instead of `total`, if
                                         requested */
    int64_t terms;                    /* terms that a lane of acc may hold */
};

/* Lists, for each point of the group, the clusters that it meets. */
SIMD_FN void segment_open(const uint32_t *entry, int count,
                          uint32_t to[CLUSTER_GROUP][CHUNK + 1],
                          int n[CLUSTER_GROUP])
{
    int n0 = 0, n1 = 0, n2 = 0, n3 = 0;
    for (int m = 0; m < count; m++) {
        uint32_t e = entry[m], c = e >> CLUSTER_GROUP;
        to[0][n0] = c;
        n0 += e & 1;
        to[1][n1] = c;
        n1 += e >> 1 & 1;
        if (G == 2)
            continue;
        to[2][n2] = c;
        n2 += e >> 2 & 1;
        to[3][n3] = c;
        n3 += e >> 3 & 1;
    }
    n[0] = n0;
    n[1] = n1;
    n[2] = n2;
    n[3] = n3;
    for (int i = 0; i < G; i++)
        to[i][n[i]] = 0; /* read but not used */
}

SIMD_FN void segment_close(const struct pair_how how, const int special,
                           const struct pair_table *t,
                           const struct pair_point *point,
                           const struct pair_half half, const coord *x, real *f,
                           vmask lanes, vreal acc[CLUSTER_PARTS])
{
    if (how.slope)
        pair_close(how, special, t, point, half, x, f, lanes, acc);
    else if (!how.value)
        pair_close_moments(how, special, t, point, half, x, f, lanes, acc);
    else
        pair_close_flow(how, special, t, point, half, x, f, lanes, acc);
}

/* Sums one point with the clusters of its list. */
SIMD_FN void segment_fast(const struct segment *s, const uint32_t *list,
                          const int n, const struct pair_how how,
                          const struct pair_point *point,
                          vreal acc[CLUSTER_PARTS])
{
    const vmask all = {0};
    const int size = (3 + how.strengths) * W, sums = PART(how.output) * W;
    struct pair_half next = pair_open(point, s->x + (int64_t)list[0] * size);
    for (int m = 0; m < n; m++) {
        struct pair_half half = next;
        const coord *x = s->x + (int64_t)list[m] * size;
        real *f = s->f + (int64_t)list[m] * sums;
        next = pair_open(point, s->x + (int64_t)list[m + 1] * size);
        segment_close(how, 0, s->table, point, half, x, f, all, acc);
    }
}

SIMD_FN void segment_pairs(struct segment *s, const struct pair_how how)
{
    const int size = (3 + how.strengths) * W, sums = PART(how.output) * W;
    uint32_t list[CLUSTER_GROUP][CHUNK + 1];
    int n[CLUSTER_GROUP];
    for (int64_t from = 0; from < s->count; from += CHUNK) {
        int64_t left = s->count - from;
        segment_open(s->entry + from, left < CHUNK ? (int)left : CHUNK, list,
                     n);
        for (int i = 0; i < G; i++) {
            const struct pair_point point = s->point[i];
            vreal acc[CLUSTER_PARTS];
            for (int j = 0; j < SUMS(how.output); j++)
                acc[j] = s->acc[i][j];
            if (!s->slow)
                segment_fast(s, list[i], n[i], how, &point, acc);
            for (int m = 0; s->slow && m < n[i]; m++) {
                const coord *x = s->x + (int64_t)list[i][m] * size;
                segment_close(how, 1, s->table, &point, pair_open(&point, x), x,
                              s->f + (int64_t)list[i][m] * sums, s->lanes[i],
                              acc);
            }
            for (int j = 0; j < SUMS(how.output); j++)
                s->acc[i][j] = acc[j];
        }
    }
}

/* Kernels are compiled for these numbers of coefficients. */
#define COEFS(X, name, strengths)                                              \
    X(name, strengths, 6)                                                      \
    X(name, strengths, 8)                                                      \
    X(name, strengths, 10)                                                     \
    X(name, strengths, 12)                                                     \
    X(name, strengths, 14)                                                     \
    X(name, strengths, 16)                                                     \
    X(name, strengths, 18)                                                     \
    X(name, strengths, 20)                                                     \
    X(name, strengths, 22)                                                     \
    X(name, strengths, 24)                                                     \
    X(name, strengths, 28)                                                     \
    X(name, strengths, 32)                                                     \
    X(name, strengths, 40)                                                     \
    X(name, strengths, 48)
/* As COEFS, for kernels that are summed less often.  Up to 24 coefficients the
 * next longer kernel is used: three more FMA per polynomial.  Each length takes
 * half a second of compile time per instruction set and precision. */
#define COEFS_FEW(X, name, strengths)                                          \
    X(name, strengths, 8)                                                      \
    X(name, strengths, 12)                                                     \
    X(name, strengths, 16)                                                     \
    X(name, strengths, 20)                                                     \
    X(name, strengths, 24)                                                     \
    X(name, strengths, 32)                                                     \
    X(name, strengths, 48)

struct pair_kernel {
    int n;
    void (*sum[2][4])(struct segment *s); /* [newton][output]; for a flow kernel
                                             the output is CLUSTER_FIELD */
};
/* The functions of one kernel of pair.def. */
struct pair_kernels {
    const char *name; /* NULL: end of the table */
    int raw;          /* see pair_how */
    const struct pair_kernel *kernel;
};

/* stage/near/host_cluster/flow_kern.c */
extern const struct pair_kernels ISA_NAME(near_host_cluster_flow)[];
/* stage/near/host_cluster/moments_kern.c */
extern const struct pair_kernels ISA_NAME(near_host_cluster_moments)[];
#endif
