/* SPDX-License-Identifier: Apache-2.0 */
/* boxes.c: the plain variants of the far-field stages in sequence, over trees
 * of all kinds.  With near pairs summed here, the total is the direct sum or
 * the Ewald sum. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "reference/direct/direct_sum.h"
#include "reference/ewald/ewald_sum.h"
#include "points/wrap.h"
#include "stage/expansions/expansions.h"

struct chain {
    struct tree tree;
    struct boxes_args args;
    int64_t n;
    double *x, *q; /* [n][3], [n] */
    double *potential, *field; /* [n], [n][3], in caller's order */
};

static uint64_t seed = 5;
static double uniform(void)
{
    uint64_t z = seed += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static void points(struct chain *c, int64_t n, const double cell[3],
                   int charged)
{
    c->n = n;
    c->x = check_memory(3 * (size_t)n, sizeof *c->x);
    c->q = check_memory((size_t)n, sizeof *c->q);
    c->potential = check_memory((size_t)n, sizeof *c->potential);
    c->field = check_memory(3 * (size_t)n, sizeof *c->field);
    for (int64_t i = 0; i < 3 * n; i++)
        c->x[i] = cell[i % 3] * uniform();
    for (int64_t i = 0; i < n; i++)
        c->q[i] = charged || i % 2 ? 1 : -1;
}

static void chain_free(struct chain *c)
{
    tree_clear(&c->tree);
    free(c->x);
    free(c->q);
    free(c->potential);
    free(c->field);
}

static void tree_make(struct chain *c, struct tree_args *args, int p)
{
    const struct tree_given given = {c->n, {c->x, c->x + 1, c->x + 2}, 3, 0};
    args->precision = FARSUM_F64;
    args->threads = 1;
    if (!args->periodic[0])
        CHECK_OK(tree_region(args, &given, NULL));
    CHECK_OK(tree_set(&c->tree, args, &given, NULL));
    c->args = (struct boxes_args){.precision = FARSUM_F64,
                                  .threads = 1,
                                  .p = p,
                                  .ws = args->ws,
                                  .dense = args->dense,
                                  .isa = isa_best(),
                                  .depth = c->tree.depth,
                                  .n_boxes = c->tree.n_boxes,
                                  .n_leaves = c->tree.n_leaves,
                                  .n_sources = c->n,
                                  .n_targets = c->n};
    for (int d = 0; d < 3; d++) {
        c->args.periodic[d] = args->periodic[d];
        c->args.root[d] = args->root[d];
        c->args.box[d] = c->tree.box[d];
    }
}

/* Low orders with the plain variant, others with the chosen one. */
static void run(const struct stage *stage, const struct chain *c,
                const struct boxes_io *io)
{
    const struct points points = {.tree = &c->tree};
    const struct choose_options options = {0};
    struct choice choice;
    void *state = NULL;
    CHECK_OK(choose(stage, &c->args, &options, &choice));
    const struct variant *v = choice.row->variant;
    if (c->args.p <= 6)
        v = stage->rows->variant;
    CHECK_OK(v->create(&c->args, &state));
    if (v->set)
        CHECK_OK(v->set(state, &points, &points));
    CHECK_OK(v->run(state, io));
    v->destroy(state);
}

/* In the order of leaves. */
static void far_field(struct chain *c, double *phi, double *e)
{
    int64_t size = multipole_size(c->args.p), boxes = c->tree.n_boxes;
    double *q = check_memory((size_t)c->n, sizeof *q);
    double *multipole = check_memory((size_t)(size * boxes), sizeof *q);
    double *local = check_memory((size_t)(size * boxes), sizeof *q);
    struct boxes_io io = {&c->tree, q, multipole, local, boxes, phi, e, NULL};
    for (int64_t i = 0; i < c->n; i++)
        q[i] = c->q[c->tree.source.order[i]];
    run(&p2m_stage, c, &io);
    run(&m2m_stage, c, &io);
    run(&m2l_stage, c, &io);
    run(&lattice_stage, c, &io);
    run(&l2l_stage, c, &io);
    run(&l2p_stage, c, &io);
    free(q);
    free(multipole);
    free(local);
}

static void near_field(struct chain *c, double *phi, double *e)
{
    const struct tree *t = &c->tree;
    struct tree_near *near =
        check_memory((size_t)tree_near_most(t), sizeof *near);
    const double *const *x = (const double *const *)t->source.x;
    for (int64_t leaf = 0; leaf < t->n_leaves; leaf++) {
        int64_t n = tree_near(t, leaf, near);
        double unit = 1 / tree_h(t, tree_level(t, tree_leaf_box(t, leaf)));
        for (int64_t k = 0; k < n; k++)
            for (int64_t i = t->source.begin[leaf];
                 i < t->source.begin[leaf + 1]; i++)
                for (int64_t j = t->source.begin[near[k].leaf];
                     j < t->source.begin[near[k].leaf + 1]; j++) {
                    double d[3], r2 = 0;
                    for (int a = 0; a < 3; a++) {
                        d[a] = x[a][i] - near[k].offset[a]
                               - near[k].scale * x[a][j];
                        r2 += d[a] * d[a];
                    }
                    if (r2 == 0)
                        continue;
                    double f = c->q[t->source.order[j]] / sqrt(r2);
                    phi[i] += unit * f;
                    for (int a = 0; a < 3; a++)
                        e[a * c->n + i] += unit * unit * f * d[a] / r2;
                }
    }
    free(near);
}

static void chain_sum(struct chain *c)
{
    double *phi = check_memory((size_t)c->n, sizeof *phi);
    double *e = check_memory(3 * (size_t)c->n, sizeof *e);
    far_field(c, phi, e);
    near_field(c, phi, e);
    for (int64_t k = 0; k < c->n; k++) {
        int64_t i = c->tree.source.order[k];
        c->potential[i] = phi[k];
        for (int a = 0; a < 3; a++)
            c->field[3 * i + a] = e[a * c->n + k];
    }
    free(phi);
    free(e);
}

static double rms_error(int64_t n, const double *a, const double *b)
{
    double error = 0, size = 0;
    for (int64_t i = 0; i < n; i++) {
        error += (a[i] - b[i]) * (a[i] - b[i]);
        size += b[i] * b[i];
    }
    return sqrt(error / size);
}

/* The worst pairs converge as (sqrt(3)/2)/(ws + 1/2) to the power p + 1. */
static double bound(int p, int ws)
{
    return fmax(2e-2 * pow(sqrt(0.75) / (ws + 0.5), p), 1e-11);
}

static void compare_open(struct tree_args args, int p)
{
    double most = bound(p, args.ws);
    struct chain c = {0};
    const double cell[3] = {3, 2, 1};
    points(&c, 400, cell, 0);
    tree_make(&c, &args, p);
    chain_sum(&c);
    const struct direct_args direct = {1, ISA_BASE, c.n, 0, c.x, NULL, c.q, 0};
    double *phi = check_memory((size_t)c.n, sizeof *phi);
    double *e = check_memory(3 * (size_t)c.n, sizeof *e);
    CHECK_OK(direct_sum(&direct, phi, e, NULL, NULL));
    CHECK_NEAR(rms_error(c.n, c.potential, phi), 0, most);
    CHECK_NEAR(rms_error(3 * c.n, c.field, e), 0, 3 * most);
    free(phi);
    free(e);
    chain_free(&c);
}

static void open_is_direct(void)
{
    compare_open((struct tree_args){.dense = 1, .depth = 3, .ws = 1,
                                    .root = {1, 1, 1}}, 6);
    compare_open((struct tree_args){.dense = 1, .depth = 1, .ws = 1,
                                    .root = {6, 4, 2}}, 16);
    compare_open((struct tree_args){.depth = 10, .ws = 1, .leaf = 8,
                                    .root = {1, 1, 1}}, 16);
    compare_open((struct tree_args){.dense = 1, .depth = 3, .ws = 2,
                                    .root = {1, 1, 1}}, 14);
}

/* (10.14) with the conventions of Ewald's sum. */
static void compare_periodic(struct tree_args args, int p, int charged)
{
    double most = bound(p, args.ws);
    struct chain c = {0};
    double volume = args.edge[0] * args.edge[1] * args.edge[2];
    points(&c, 250, args.edge, charged);
    tree_make(&c, &args, p);
    chain_sum(&c);
    struct ewald_setup setup = {.accuracy = 1e-13, .n = c.n, .threads = 1};
    struct ewald *ewald = NULL;
    for (int d = 0; d < 3; d++)
        setup.cell[4 * d] = args.edge[d];
    double *phi = check_memory((size_t)c.n, sizeof *phi);
    double *e = check_memory(3 * (size_t)c.n, sizeof *e);
    double *u = check_memory(3 * (size_t)c.n, sizeof *u);
    CHECK_OK(ewald_create(&setup, &ewald));
    CHECK_OK(ewald_set_points(ewald, c.n, c.x, 0, NULL));
    CHECK_OK(ewald_run(ewald, c.q, phi, e, NULL, NULL));
    double net = 0, dipole[3] = {0}, trace = 0;
    for (int64_t i = 0; i < 3 * c.n; i++) {
        double box = args.edge[i % 3] / (double)args.root[i % 3];
        u[i] = c.x[i] - (floor(c.x[i] / box) + 0.5) * box;
        dipole[i % 3] += c.q[i / 3] * u[i];
        trace += c.q[i / 3] * u[i] * u[i];
        net += i % 3 ? 0 : c.q[i / 3];
    }
    for (int64_t i = 0; i < c.n; i++) {
        double more = trace, front = 2 * M_PI / (3 * volume);
        for (int d = 0; d < 3; d++) {
            double at = u[3 * i + d];
            more += net * at * at - 2 * at * dipole[d];
            c.field[3 * i + d] -= front * (2 * net * at - 2 * dipole[d]);
        }
        c.potential[i] += front * more;
    }
    CHECK_NEAR(rms_error(c.n, c.potential, phi), 0, most);
    CHECK_NEAR(rms_error(3 * c.n, c.field, e), 0, 3 * most);
    ewald_destroy(ewald);
    free(phi);
    free(e);
    free(u);
    chain_free(&c);
}

static void periodic_is_ewald(void)
{
    struct tree_args cube = {.dense = 1, .depth = 2, .ws = 1,
                             .periodic = {1, 1, 1}, .root = {1, 1, 1},
                             .edge = {1.7, 1.7, 1.7}};
    struct tree_args brick = {.dense = 1, .depth = 1, .ws = 1,
                              .periodic = {1, 1, 1}, .root = {4, 3, 2},
                              .edge = {4.1, 2.9, 2.2}};
    for (int charged = 0; charged < 2; charged++) {
        compare_periodic(cube, 6, charged);
        compare_periodic(cube, 20, charged);
        compare_periodic(brick, 20, charged);
    }
    cube.ws = 2;
    compare_periodic(cube, 14, 1);
    cube.depth = 0; /* only the lattice */
    compare_periodic(cube, 24, 1);
    brick.depth = 0;
    compare_periodic(brick, 16, 0);
}

int main(void)
{
    RUN(open_is_direct);
    RUN(periodic_is_ewald);
    return check_end();
}
