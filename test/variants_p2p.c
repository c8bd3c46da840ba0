/* SPDX-License-Identifier: Apache-2.0 */
/* variants_p2p.c: cases of the pairs of near leaves. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "points/tree/tree_device_set.h"
#include "tree_copy.h"
#include "stage/p2p/p2p.h"
#include "unit/tree_case.h"
#include "variants.h"

enum {
    POT = FARSUM_POTENTIAL,
    FIELD = FARSUM_FIELD,
    BOTH = FARSUM_POTENTIAL | FARSUM_FIELD,
};

/* m separate targets, every third of them at a source; leaf 0: dense. */
static const struct {
    int depth, leaf, ws, periodic;
    int64_t root[3];
    double edge[3];
    enum tree_dist dist;
    int64_t n, m;
    int rhs;
    unsigned outputs;
    double softening;
} cases[] = {
    {2, 0, 1, 7, {1, 1, 1}, {1, 1, 1}, TREE_UNIFORM, 900, 0, 1, BOTH, 0},
    {2, 0, 1, 0, {1, 1, 1}, {5, 5, 5}, TREE_UNIFORM, 700, 333, 1, BOTH, 0},
    {20, 10, 1, 0, {1, 1, 1}, {3, 3, 3}, TREE_CLUSTERS, 900, 0, 1, BOTH, 0},
    {20, 3, 1, 0, {1, 1, 1}, {9, 9, 9}, TREE_CLUSTERS, 600, 411, 3, BOTH, .02},
    {0, 0, 1, 7, {1, 1, 1}, {1, 1, 1}, TREE_UNIFORM, 70, 0, 1, BOTH, 0},
    {0, 0, 1, 0, {1, 1, 1}, {1, 1, 1}, TREE_UNIFORM, 1300, 0, 1, BOTH, 0},
    {1, 0, 2, 7, {3, 2, 1}, {3.3, 1.9, 1}, TREE_UNIFORM, 400, 0, 2, BOTH, 0},
    {0, 0, 1, 7, {7, 5, 6}, {1.1, 1, 0.7}, TREE_UNIFORM, 800, 100, 1, BOTH, 0},
    {1, 0, 1, 5, {2, 2, 2}, {1, 2, 3}, TREE_UNIFORM, 300, 0, 5, BOTH, 0},
    {2, 0, 1, 0, {1, 1, 1}, {1, 1, 1}, TREE_FACES, 400, 0, 1, BOTH, 0},
    {3, 0, 1, 7, {1, 1, 1}, {1, 1, 1}, TREE_FACES, 400, 200, 1, BOTH, 1e-3},
    {20, 4, 1, 0, {1, 1, 1}, {1, 1, 1}, TREE_FACES, 300, 0, 4, BOTH, 0},
    {3, 0, 1, 0, {1, 1, 1}, {1, 1, 1}, TREE_ONE_BOX, 300, 0, 1, BOTH, 0},
    {20, 7, 2, 0, {1, 1, 1}, {1, 1, 1}, TREE_LINE, 500, 0, 1, BOTH, 0},
    {20, 5, 1, 0, {1, 1, 1}, {1, 1, 1}, TREE_SAME, 50, 20, 1, BOTH, 0},
    {6, 5, 1, 7, {1, 1, 1}, {1, 1, 1}, TREE_UNIFORM, 500, 0, 1, BOTH, 0},
    {2, 0, 1, 7, {1, 1, 1}, {1, 1, 1}, TREE_UNIFORM, 900, 0, 1, POT, 0},
    {2, 0, 1, 7, {1, 1, 1}, {1, 1, 1}, TREE_UNIFORM, 900, 0, 9, FIELD, 0},
    {1, 0, 1, 0, {1, 1, 1}, {1, 1, 1}, TREE_UNIFORM, 1, 0, 1, BOTH, 0},
    {1, 0, 1, 7, {1, 1, 1}, {1, 1, 1}, TREE_UNIFORM, 1, 2, 1, BOTH, .1},
    {20, 1, 1, 0, {1, 1, 1}, {1, 1, 1}, TREE_UNIFORM, 2, 0, 1, BOTH, 0},
    {2, 0, 1, 0, {1, 1, 1}, {1, 1, 1}, TREE_UNIFORM, 0, 3, 1, BOTH, 0},
    {2, 0, 1, 0, {1, 1, 1}, {1e9, 1e9, 1e9}, TREE_UNIFORM, 500, 9, 1, BOTH, 0},
    {2, 0, 1, 7, {1, 1, 1}, {1, 1, 1}, TREE_UNIFORM, 90, 0, 1, BOTH, 0},
    {20, 8, 1, 0, {1, 1, 1}, {3, 3, 3}, TREE_UNIFORM, 90, 50, 3, BOTH, 0},
    {2, 0, 1, 7, {3, 2, 1}, {2, 2, 1}, TREE_UNIFORM, 800, 0, 2, BOTH, 0},
};

/* In the last cases each second source is close to the one before, at about
 * this fraction of the edge. */
static double p2p_close(int k)
{
    static const double close[] = {1e-4, 3e-4, 3e-5};
    int few = sizeof close / sizeof *close;
    int first = (int)(sizeof cases / sizeof *cases) - few;
    return k < first ? 0 : close[k - first];
}

static void p2p_name(int k, char *text, size_t size)
{
    snprintf(text, size,
             "depth %d leaf %d ws %d periodic %d root %lldx%lldx%lld dist %d "
             "n=%lld m=%lld rhs %d outputs %u eps %g",
             cases[k].depth, cases[k].leaf, cases[k].ws, cases[k].periodic,
             (long long)cases[k].root[0], (long long)cases[k].root[1],
             (long long)cases[k].root[2], cases[k].dist, (long long)cases[k].n,
             (long long)cases[k].m, cases[k].rhs, cases[k].outputs,
             cases[k].softening);
}

struct p2p_work {
    struct tree tree;
    const struct trial *trial;
    double *x, *y;
    int64_t targets, sets;
    int fresh; /* 1: results start from nothing */
    void *q, *potential, *field;
    int64_t bytes; /* of a real */
    struct buf q_on, potential_on, field_on;
};

static void p2p_again(void *data)
{
    struct p2p_work *w = data;
    int64_t n = w->sets * w->targets * w->bytes;
    int there = w->fresh ? 0x42 : 0;
    memset(w->potential, there, (size_t)n);
    memset(w->field, there, 3 * (size_t)n);
    trial_send(w->trial, &w->potential_on, w->potential, n);
    trial_send(w->trial, &w->field_on, w->field, 3 * n);
}

static farsum_status p2p_tree(int k, struct p2p_work *w)
{
    int64_t n = cases[k].n, m = cases[k].m;
    struct tree_args args = {
        .dense = cases[k].leaf == 0,
        .depth = cases[k].depth,
        .ws = cases[k].ws,
        .leaf = cases[k].leaf,
        .precision = w->trial->precision,
        .threads = w->trial->threads,
    };
    for (int d = 0; d < 3; d++) {
        args.periodic[d] = cases[k].periodic >> d & 1;
        args.root[d] = cases[k].root[d];
        args.edge[d] = cases[k].edge[d];
        args.corner[d] = -args.edge[d] / 4;
    }
    w->x = check_memory((size_t)(3 * n + 1), sizeof *w->x);
    w->y = check_memory((size_t)(3 * m + 1), sizeof *w->y);
    tree_fractions(cases[k].dist, n, 10 + (uint64_t)k, w->x);
    tree_fractions(TREE_UNIFORM, m, 20 + (uint64_t)k, w->y);
    double close = p2p_close(k);
    for (int64_t i = 1; close > 0 && i < n; i += 2)
        for (int d = 0; d < 3; d++)
            w->x[3 * i + d] = w->x[3 * (i - 1) + d] * (1 - close) + 0.5 * close;
    for (int64_t i = 0; n > 0 && i < m; i += 3)
        memcpy(w->y + 3 * i, w->x + 3 * (i % n), 3 * sizeof *w->x);
    struct tree_given sources = tree_positions(&args, n, w->x);
    struct tree_given targets = tree_positions(&args, m, w->y);
    w->targets = m > 0 ? m : n;
    w->sets = cases[k].rhs;
    TRY(tree_set(&w->tree, &args, &sources, m > 0 ? &targets : NULL));
    return w->trial->device ? tree_copy(&w->tree, w->trial->device) : FARSUM_OK;
}

static void p2p_part(const struct trial *trial, const void *from, int64_t n,
                     const char *name, double floor, struct outcome *outcome)
{
    double *v = outcome_part(outcome, name, n, floor);
    for (int64_t i = 0; i < n; i++)
        v[i] = trial_get(trial, from, i);
}

static farsum_status p2p_run(int k, const struct trial *trial,
                             struct outcome *outcome)
{
    farsum_status status = FARSUM_OK;
    struct p2p_work *w = check_memory(1, sizeof *w);
    memset(w, 0, sizeof *w);
    w->trial = trial;
    w->bytes = trial->precision == FARSUM_F32 ? 4 : 8;
    w->fresh = k % 2;
    GO(p2p_tree(k, w));
    uint64_t seed = 30 + (uint64_t)k;
    int64_t n = w->sets * cases[k].n, m = w->sets * w->targets;
    w->q = trial_array(trial, n);
    w->potential = trial_array(trial, m);
    w->field = trial_array(trial, 3 * m);
    for (int64_t i = 0; i < n; i++)
        trial_put(trial, w->q, i, 2 * trial_random(&seed) - 1);
    struct p2p_args args = {
        .precision = trial->precision,
        .isa = trial->isa,
        .threads = trial->threads,
        .outputs = cases[k].outputs,
        .rhs = cases[k].rhs,
        .softening = cases[k].softening,
        .skip = cases[k].periodic ? 1e-14 : 0,
        .n_sources = cases[k].n,
        .n_targets = cases[k].m,
        .neighbours = 100,
        .filling = 10,
        .dense = cases[k].leaf == 0,
        .ws = cases[k].ws,
        .device = trial->device,
    };
    trial_send(trial, &w->q_on, w->q, n * w->bytes);
    struct p2p_io io = {
        .tree = &w->tree,
        .q = trial_io(trial, &w->q_on, w->q),
        .potential = cases[k].outputs & POT
                         ? trial_io(trial, &w->potential_on, w->potential)
                         : NULL,
        .field = cases[k].outputs & FIELD
                     ? trial_io(trial, &w->field_on, w->field)
                     : NULL,
        .fresh = w->fresh,
    };
    GO(trial_run(trial, &args, NULL, NULL, &io, p2p_again, w));
    trial_fetch(trial, &w->potential_on, w->potential, m * w->bytes);
    trial_fetch(trial, &w->field_on, w->field, 3 * m * w->bytes);
    double edge = cases[k].edge[0];
    if (io.potential)
        p2p_part(trial, w->potential, m, "potential", 1 / edge, outcome);
    if (io.field)
        p2p_part(trial, w->field, 3 * m, "field", 1 / edge / edge, outcome);
done:
    buf_clear(&w->q_on);
    buf_clear(&w->potential_on);
    buf_clear(&w->field_on);
    tree_clear(&w->tree);
    free(w->x);
    free(w->y);
    free(w->q);
    free(w->potential);
    free(w->field);
    free(w);
    return status;
}

/* f32: a coordinate rounds by 3e-8 of a box's h.  The nearest pairs, which
 * dominate the RMS of fields, are some hundredths of h apart, thousandths for
 * clustered points. */
static double p2p_bound(int k, farsum_precision precision)
{
    if (precision == FARSUM_F32 && p2p_close(k) > 0)
        return 4e-6; /* pairs of one box have ten bits more */
    int clustered =
        cases[k].dist == TREE_CLUSTERS || cases[k].dist == TREE_LINE;
    return precision != FARSUM_F32 ? 1e-13 : clustered ? 5e-5 : 1e-5;
}

const struct harness harness_p2p = {
    .stage = "p2p",
    .cases = sizeof cases / sizeof *cases,
    .name = p2p_name,
    .run = p2p_run,
    .bound = p2p_bound,
    .on_device = 15 | 1 << 6 | 1 << 17 | 1 << 19 | 7 << 23,
};
