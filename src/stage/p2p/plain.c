/* SPDX-License-Identifier: Apache-2.0 */
/* plain.c: reference variant.  One thread, one pair at a time, in double for
 * any array type. */
#include <math.h>

#include "base/mem.h"
#include "stage/device.h"
#include "stage/p2p/p2p.h"

#define FN static inline
#define PAIR_REAL double
#include "stage/p2p/pairs.kh"
#define SOFTEN_REAL double
#include "math/soften_pair.kh"

static p2p_pair *const pairs[] = {
#define ROW(name, strengths, values) p2p_##name,
    P2P_KERNELS(ROW)
#undef ROW
};

struct plain {
    struct p2p_args args;
    struct tree_near *near; /* owned */
};

static farsum_status plain_fits(const void *args)
{
    const struct p2p_args *a = args;
    TRY(gpu_not_wanted(a->device));
    return p2p_check(a);
}

static double plain_cost(const void *data)
{
    const struct p2p_args *args = data;
    return p2p_targets(args) * args->neighbours * (6e-9 + 4e-9 * args->rhs);
}

static int64_t plain_bytes(const void *args)
{
    return (int64_t)sizeof(struct plain)
           + p2p_near_most(args) * (int64_t)sizeof(struct tree_near);
}

static farsum_status plain_create(const void *args, void **state)
{
    farsum_status status = FARSUM_OK;
    struct plain *plain = NULL;
    GO(MEM_NEW(plain, 1));
    plain->args = *(const struct p2p_args *)args;
    GO(MEM_RAW(plain->near, p2p_near_most(args)));
    *state = plain;
    return FARSUM_OK;
done:
    mem_free(plain);
    return status;
}

static double plain_get(const struct plain *plain, const void *x, int64_t k)
{
    return plain->args.precision == FARSUM_F32 ? (double)((const float *)x)[k]
                                               : ((const double *)x)[k];
}

static void plain_add(const struct plain *plain, void *x, int64_t k, double y)
{
    if (plain->args.precision == FARSUM_F32)
        ((float *)x)[k] = (float)((double)((float *)x)[k] + y);
    else
        ((double *)x)[k] += y;
}

/* The distance of target i from source j of an entry of its leaf's near list.
 * Returns its square. */
static double plain_distance(const struct plain *plain, const struct p2p_io *io,
                             const struct tree_near *near, int own, int64_t i,
                             int64_t j, double d[3])
{
    const struct tree_points *s = &io->tree->source;
    const struct tree_points *t = tree_targets(io->tree);
    double d2 = 0;
    for (int a = 0; a < 3; a++) {
        d[a] = plain_get(plain, t->x[a], i)
               - (plain_get(plain, s->x[a], j) * near->scale + near->offset[a]);
        if (own)
            d[a] += (double)tree_low_part(t->low[i], a)
                    - (double)tree_low_part(s->low[j], a);
        d2 += d[a] * d[a];
    }
    return d2;
}

/* 1/r and 1/r^3, softened; eps is in the leaf's unit. */
static void plain_soft(const struct p2p_args *args, double d2, double eps,
                       double f[2])
{
    double y = 1 / sqrt(args->balls ? d2 : d2 + eps * eps);
    f[0] = y;
    f[1] = y * y * y;
    if (args->balls && d2 < eps * eps)
        soften_pair(d2, eps, f);
}

/* Sums of target i in a leaf of edge h, for one set of strengths. */
static void plain_target(const struct plain *plain, const struct p2p_io *io,
                         int64_t leaf, int64_t n_near, double h, int64_t i,
                         const void *q, int64_t first, double sum[4])
{
    const struct tree_points *s = &io->tree->source;
    double eps = plain->args.softening / h, skip = p2p_skip(&plain->args, h);
    for (int64_t e = 0; e < n_near; e++) {
        const struct tree_near *near = &plain->near[e];
        int own = p2p_own(io->tree, near, leaf);
        for (int64_t j = s->begin[near->leaf]; j < s->begin[near->leaf + 1];
             j++) {
            double d[3], d2 = plain_distance(plain, io, near, own, i, j, d);
            if (d2 <= skip)
                continue;
            double f[2], c = plain_get(plain, q, first + j);
            plain_soft(&plain->args, d2, eps, f);
            sum[3] += c * f[0];
            for (int a = 0; a < 3; a++)
                sum[a] += c * f[1] * d[a];
        }
    }
    sum[3] /= h;
    for (int a = 0; a < 3; a++)
        sum[a] /= h * h;
}

/* The same for another kernel than 1/r; adds to its outputs. */
static void plain_pair(const struct plain *plain, const struct p2p_io *io,
                       int64_t n_near, double h, int64_t i)
{
    const struct tree_points *s = &io->tree->source;
    double skip = p2p_skip(&plain->args, h), sum[P2P_VALUES] = {0};
    double *to[P2P_VALUES] = {NULL}, unit[P2P_VALUES], strength[P2P_STRENGTHS];
    int strengths = p2p_strengths(&plain->args);
    p2p_pair *pair = pairs[p2p_kernel(&plain->args)];
    p2p_outputs(&plain->args, io, h, to, unit, strength);
    for (int64_t e = 0; e < n_near; e++) {
        const struct tree_near *near = &plain->near[e];
        for (int64_t j = s->begin[near->leaf]; j < s->begin[near->leaf + 1];
             j++) {
            double d[3], q[P2P_STRENGTHS];
            double d2 = plain_distance(plain, io, near, 0, i, j, d);
            if (d2 <= skip)
                continue;
            for (int c = 0; c < strengths; c++)
                q[c] = strength[c] * ((const double *)io->q)[c * s->n + j];
            pair(d, 1 / sqrt(d2), q, sum);
        }
    }
    for (int a = 0; a < P2P_VALUES; a++)
        if (to[a])
            to[a][i] += unit[a] * sum[a];
}

static farsum_status plain_run(void *state, const void *data)
{
    struct plain *plain = state;
    const struct p2p_io *io = data;
    const struct tree *tree = io->tree;
    TRY(p2p_check_io(&plain->args, io));
    p2p_clear(&plain->args, io);
    const struct tree_points *t = tree_targets(tree);
    for (int64_t leaf = 0; leaf < tree->n_leaves; leaf++) {
        int64_t n_near = tree_near(tree, leaf, plain->near);
        double h = tree_h(tree, tree_level(tree, tree_leaf_box(tree, leaf)));
        for (int64_t i = t->begin[leaf]; i < t->begin[leaf + 1]; i++) {
            if (plain->args.pair) {
                plain_pair(plain, io, n_near, h, i);
                continue;
            }
            for (int64_t r = 0; r < plain->args.rhs; r++) {
                double sum[4] = {0};
                plain_target(plain, io, leaf, n_near, h, i, io->q,
                             r * tree->source.n, sum);
                if (io->potential)
                    plain_add(plain, io->potential, r * t->n + i, sum[3]);
                for (int a = 0; io->field && a < 3; a++)
                    plain_add(plain, io->field, (3 * r + a) * t->n + i, sum[a]);
            }
        }
    }
    return FARSUM_OK;
}

static void plain_destroy(void *state)
{
    struct plain *plain = state;
    if (!plain)
        return;
    mem_free(plain->near);
    mem_free(plain);
}

const struct variant p2p_plain = {
    .fits = plain_fits,
    .cost = plain_cost,
    .bytes = plain_bytes,
    .create = plain_create,
    .run = plain_run,
    .destroy = plain_destroy,
    .deterministic = 1,
    .needs = "",
};
