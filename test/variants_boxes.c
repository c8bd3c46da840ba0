/* SPDX-License-Identifier: Apache-2.0 */
/* variants_boxes.c: cases of the far-field stages: trees of all kinds, random
 * expansions. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "points/wrap.h"
#include "points/tree/tree_device_set.h"
#include "tree_copy.h"
#include "stage/expansions/expansions.h"
#include "variants.h"

struct boxes_case {
    const char *name;
    int p, n;
    struct tree_args tree;
};

static const struct boxes_case cases[] = {
    {"dense, open, p 6", 6, 400,
     {.dense = 1, .depth = 3, .ws = 1, .root = {1, 1, 1}, .edge = {1, 1, 1}}},
    {"dense, bricks, periodic, p 9", 9, 300,
     {.dense = 1, .depth = 1, .ws = 1, .periodic = {1, 1, 1},
      .root = {5, 3, 4}, .edge = {5.5, 3, 3.6}}},
    {"dense, cube, periodic, p 13", 13, 200,
     {.dense = 1, .depth = 2, .ws = 1, .periodic = {1, 1, 1},
      .root = {1, 1, 1}, .edge = {2, 2, 2}}},
    {"sparse, p 5", 5, 500,
     {.depth = 12, .ws = 1, .leaf = 6, .root = {2, 1, 3}, .edge = {2, 1, 3}}},
    {"dense, ws 2, p 4", 4, 400,
     {.dense = 1, .depth = 2, .ws = 2, .root = {2, 3, 1}, .edge = {2, 3, 1}}},
    {"dense, p 0", 0, 100,
     {.dense = 1, .depth = 2, .ws = 1, .root = {1, 1, 1}, .edge = {1, 1, 1}}},
    {"one box, p 3", 3, 50,
     {.dense = 1, .depth = 0, .ws = 1, .root = {1, 1, 1}, .edge = {1, 1, 1}}},
    {"dense, x periodic, p 20", 20, 100,
     {.dense = 1, .depth = 1, .ws = 1, .periodic = {1, 0, 0},
      .root = {1, 1, 1}, .edge = {1, 0.9, 0.8}}},
    {"dense, few bricks, periodic, p 7", 7, 60,
     {.dense = 1, .depth = 1, .ws = 1, .periodic = {1, 1, 1},
      .root = {1, 2, 1}, .edge = {1.2, 1.9, 1}}},
    {"a grid, open, p 4", 4, 90,
     {.dense = 1, .depth = 0, .ws = 1, .root = {5, 3, 4}, .edge = {5, 3, 4}}},
    {"a grid, periodic, p 5", 5, 90,
     {.dense = 1, .depth = 0, .ws = 1, .periodic = {1, 1, 1},
      .root = {4, 6, 5}, .edge = {4.4, 6, 5}}},
    {"sparse, bricks, periodic, p 6", 6, 400,
     {.depth = 11, .ws = 1, .leaf = 5, .periodic = {1, 1, 1},
      .root = {3, 2, 4}, .edge = {3.3, 2, 4}}},
    {"sparse, one box, periodic, ws 2, p 4", 4, 300,
     {.depth = 9, .ws = 2, .leaf = 7, .periodic = {1, 1, 1},
      .root = {1, 1, 1}, .edge = {2, 2, 2}}},
    {"a grid, periodic, p 8", 8, 90,
     {.dense = 1, .depth = 0, .ws = 1, .periodic = {1, 1, 1},
      .root = {6, 3, 4}, .edge = {6, 3, 4}}},
};
enum { CASES = sizeof cases / sizeof *cases };
/* sparse, ws 2, p 0, one box, p 20, few bricks, grids, sparse in cells: cases
 * that a CPU's OpenCL device runs in seconds */
#define ON_DEVICE (2047ull << 3)

static void boxes_name(int k, char *text, size_t size)
{
    snprintf(text, size, "%s", cases[k].name);
}

/* In f32 rounding grows with the number of terms: 875 boxes at ws = 2, 189 at
 * 1. */
static double boxes_bound(int k, farsum_precision precision)
{
    if (precision == FARSUM_F32)
        return cases[k].tree.ws > 1 ? 3e-6 : 2e-6;
    return 1e-13;
}

/* Input of a stage, in a trial's precision. */
struct given {
    const struct trial *trial;
    struct tree tree;
    struct boxes_io io;
    int64_t numbers; /* of an array of expansions */
    void *multipole, *local, *q, *potential, *field; /* on the host */
    struct buf multipole_on, local_on, q_on, potential_on, field_on;
};

static int64_t given_real(const struct given *g)
{
    return g->trial->precision == FARSUM_F32 ? 4 : 8;
}

static int64_t given_bytes(const struct given *g)
{
    return g->numbers * given_real(g);
}

/* Copies expansions to a device, where boxes of a sparse tree have another
 * order, or from there. */
static void given_move(const struct given *g, struct buf *on, void *array,
                       int back)
{
    const struct tree *t = &g->tree;
    const struct trial *trial = g->trial;
    if (!trial->device || t->dense) {
        if (back)
            trial_fetch(trial, on, array, given_bytes(g));
        else
            trial_send(trial, on, array, given_bytes(g));
        return;
    }
    void *moved = trial_array(trial, g->numbers);
    int32_t *at = check_memory((size_t)t->n_boxes, sizeof *at);
    CHECK_OK(buf_download(&t->gpu->sparse.at, 0, at, 4 * t->n_boxes));
    if (back)
        trial_fetch(trial, on, moved, given_bytes(g));
    for (int64_t i = 0; i < g->numbers; i++) {
        int64_t b = i % g->io.stride;
        int64_t to = i - b + (b < t->n_boxes ? at[b] : b);
        if (back)
            trial_put(trial, array, i, trial_get(trial, moved, to));
        else
            trial_put(trial, moved, to, trial_get(trial, array, i));
    }
    if (!back)
        trial_send(trial, on, moved, given_bytes(g));
    free(moved);
    free(at);
}

/* Random numbers like the expansions of charges in a box: degree n scales as
 * 2^-n. */
static void given_again(void *data)
{
    struct given *g = data;
    uint64_t state = 7;
    for (int64_t i = 0; i < g->numbers; i++) {
        double size = ldexp(1, -multipole_degree((int)(i / g->io.stride)));
        trial_put(g->trial, g->multipole, i,
                  size * (trial_random(&state) - 0.5));
        trial_put(g->trial, g->local, i,
                  size * (trial_random(&state) - 0.5));
    }
    given_move(g, &g->multipole_on, g->multipole, 0);
    given_move(g, &g->local_on, g->local, 0);
    int64_t n = tree_targets(&g->tree)->n;
    for (int64_t i = 0; i < n; i++)
        trial_put(g->trial, g->potential, i, 0.25);
    for (int64_t i = 0; i < 3 * n; i++)
        trial_put(g->trial, g->field, i, 0.5);
    trial_send(g->trial, &g->potential_on, g->potential, n * given_real(g));
    trial_send(g->trial, &g->field_on, g->field, 3 * n * given_real(g));
}

static void given_tree(const struct boxes_case *c, struct given *g)
{
    struct tree_args args = c->tree;
    double *x = check_memory(3 * (size_t)c->n, sizeof *x);
    uint64_t state = 3;
    for (int i = 0; i < 3 * c->n; i++) {
        double u = trial_random(&state);
        x[i] = (args.dense ? u : u * u * u) * args.edge[i % 3];
    }
    const struct tree_given points = {c->n, {x, x + 1, x + 2}, 3, 0};
    args.precision = g->trial->precision;
    args.threads = g->trial->threads;
    if (tree_set(&g->tree, &args, &points, NULL) != FARSUM_OK)
        check_stop("tree: %s", farsum_message());
    if (g->trial->device && tree_copy(&g->tree, g->trial->device) != FARSUM_OK)
        check_stop("tree to the device: %s", farsum_message());
    free(x);
}

static void given_make(const struct boxes_case *c, struct given *g)
{
    given_tree(c, g);
    g->io.tree = &g->tree;
    g->io.stride = g->tree.n_boxes + 3;
    g->numbers = multipole_size(c->p) * g->io.stride;
    g->multipole = trial_array(g->trial, g->numbers);
    g->local = trial_array(g->trial, g->numbers);
    g->io.multipole = trial_io(g->trial, &g->multipole_on, g->multipole);
    g->io.local = trial_io(g->trial, &g->local_on, g->local);
    g->potential = trial_array(g->trial, c->n);
    g->field = trial_array(g->trial, 3 * c->n);
    g->io.potential = trial_io(g->trial, &g->potential_on, g->potential);
    g->io.field = trial_io(g->trial, &g->field_on, g->field);
    g->q = trial_array(g->trial, c->n);
    for (int i = 0; i < c->n; i++)
        trial_put(g->trial, g->q, i,
                  g->tree.source.order[i] % 3 == 0 ? -1.0 : 0.75);
    trial_send(g->trial, &g->q_on, g->q, c->n * given_real(g));
    g->io.q = trial_io(g->trial, &g->q_on, g->q);
}

static void given_free(struct given *g)
{
    tree_clear(&g->tree);
    free(g->q);
    free(g->multipole);
    free(g->local);
    free(g->potential);
    free(g->field);
    buf_clear(&g->multipole_on);
    buf_clear(&g->local_on);
    buf_clear(&g->q_on);
    buf_clear(&g->potential_on);
    buf_clear(&g->field_on);
}

static struct boxes_args given_args(const struct boxes_case *c,
                                    const struct given *g)
{
    const struct trial *trial = g->trial;
    struct boxes_args args = {
        .precision = trial->precision,
        .isa = trial->isa,
        .threads = trial->threads,
        .device = trial->device,
        .p = c->p,
        .ws = c->tree.ws,
        .dense = c->tree.dense,
        .depth = g->tree.depth,
        .n_boxes = g->tree.n_boxes,
        .n_leaves = g->tree.n_leaves,
        .n_sources = c->n,
        .n_targets = c->n,
    };
    for (int d = 0; d < 3; d++) {
        args.periodic[d] = c->tree.periodic[d];
        args.root[d] = c->tree.root[d];
        args.box[d] = g->tree.box[d];
    }
    return args;
}

/* Adds expansions of the boxes begin .. end - 1 to the results. */
static void found_boxes(const struct given *g, const void *array,
                        int64_t begin, int64_t end, const char *name,
                        struct outcome *outcome)
{
    int64_t size = g->numbers / g->io.stride, n = end > begin ? end - begin : 0;
    double *v = outcome_part(outcome, name, n * size, 0);
    for (int64_t k = 0; k < size; k++)
        for (int64_t b = 0; b < n; b++)
            v[b * size + k] =
                trial_get(g->trial, array, k * g->io.stride + begin + b);
}

/* Potentials of the locals of the boxes from `begin` on, at one point of each:
 * a variant's error by design is measured in these. */
static void found_potentials(const struct given *g, int p, int64_t begin,
                             struct outcome *outcome)
{
    int64_t n = g->tree.n_boxes > begin ? g->tree.n_boxes - begin : 0;
    double *v = outcome_part(outcome, "potentials", n, 0);
    double local[MULTIPOLE_SIZE], r[MULTIPOLE_SIZE], x[3];
    uint64_t state = 11;
    for (int64_t b = 0; b < n; b++) {
        for (int k = 0; k < multipole_size(p); k++)
            local[k] = trial_get(g->trial, g->local,
                                 k * g->io.stride + begin + b);
        for (int d = 0; d < 3; d++)
            x[d] = (trial_random(&state) - 0.5) * g->tree.box[d];
        multipole_regular(p, x, r);
        v[b] = multipole_dot(p, local, r);
    }
}

static void found_all(const struct given *g, const char *stage, int p,
                      struct outcome *outcome)
{
    const struct tree *t = &g->tree;
    int64_t below = t->first[1], n = tree_targets(t)->n;
    if (strcmp(stage, "p2m") == 0 || strcmp(stage, "m2m") == 0)
        found_boxes(g, g->multipole, 0, t->n_boxes, "multipoles", outcome);
    else if (strcmp(stage, "lattice") == 0)
        found_boxes(g, g->local, 0, below, "locals", outcome);
    else if (strcmp(stage, "l2p") != 0)
        found_boxes(g, g->local, below, t->n_boxes, "locals", outcome);
    if (strcmp(stage, "m2l") == 0)
        found_potentials(g, p, below, outcome);
    if (strcmp(stage, "l2p") != 0)
        return;
    double *phi = outcome_part(outcome, "potential", n, 0);
    double *e = outcome_part(outcome, "field", 3 * n, 0);
    for (int64_t k = 0; k < n; k++)
        phi[t->source.order[k]] = trial_get(g->trial, g->potential, k);
    for (int64_t k = 0; k < 3 * n; k++)
        e[3 * t->source.order[k % n] + k / n] =
            trial_get(g->trial, g->field, k);
}

static farsum_status boxes_run(const char *stage, int k,
                               const struct trial *trial,
                               struct outcome *outcome)
{
    const struct boxes_case *c = &cases[k];
    struct given g = {.trial = trial};
    given_make(c, &g);
    struct boxes_args args = given_args(c, &g);
    const struct points points = {.tree = &g.tree};
    farsum_status status =
        trial_run(trial, &args, &points, &points, &g.io, given_again, &g);
    if (status == FARSUM_OK && trial->variant->error)
        outcome->error = trial->variant->error(&args);
    if (status == FARSUM_OK) {
        given_move(&g, &g.multipole_on, g.multipole, 1);
        given_move(&g, &g.local_on, g.local, 1);
        trial_fetch(trial, &g.potential_on, g.potential,
                    c->n * given_real(&g));
        trial_fetch(trial, &g.field_on, g.field, 3 * c->n * given_real(&g));
        found_all(&g, stage, c->p, outcome);
    }
    given_free(&g);
    return status;
}

#define STAGE(x)                                                               \
    static farsum_status run_##x(int k, const struct trial *trial,             \
                                    struct outcome *outcome)                   \
    {                                                                          \
        return boxes_run(#x, k, trial, outcome);                               \
    }                                                                          \
    const struct harness harness_##x = {.stage = #x,                           \
                                           .cases = CASES,                     \
                                           .name = boxes_name,                 \
                                           .run = run_##x,                     \
                                           .bound = boxes_bound,               \
                                           .on_device = ON_DEVICE};
STAGE(p2m)
STAGE(m2m)
STAGE(m2l)
STAGE(lattice)
STAGE(l2l)
STAGE(l2p)
