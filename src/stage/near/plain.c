/* SPDX-License-Identifier: Apache-2.0 */
/* plain.c: reference variant of near.  Linked cells at least a cutoff wide;
 * all pairs within the cutoff, with every periodic image there, in double for
 * any array type and kernel. */
#include "stage/near/near.h"

#include <math.h>

#include "base/mem.h"
#include "math/pair_quadrupole.h"
#include "stage/device.h"
#include "stage/near/one_pair.h"

enum { CELLS_MAX = 64 }; /* along one axis */

struct plain {
    struct near_args args;
    const struct pair *pair;
    const struct one_pair *kernel;
    const struct points *sources, *targets; /* borrowed; targets may be NULL */
    int n[3];          /* cells along a, b, c */
    int reach[3];      /* cells searched on either side */
    int64_t n_heads, n_next;
    int64_t *head;     /* owned, [n0 n1 n2]: first source of a cell, or -1 */
    int64_t *next;     /* owned, [n_sources]: the next in the same cell */
};

static farsum_status plain_fits(const void *args)
{
    const struct near_args *a = args;
    return gpu_not_wanted(a->device);
}

static double plain_cost(const void *data)
{
    const struct near_args *args = data;
    int64_t n = args->n_targets ? args->n_targets : args->n_sources;
    /* The 27 cells, each as wide as the cutoff, hold 6.4 times the neighbours,
     * at 3 ns each.  Pairs within the cutoff also cost the root and
     * polynomials. */
    return (double)n * args->neighbours
           * (6.4 * 3e-9 + 12e-9
              + 1.1e-9 * near_kernel(args)->polys * args->poly->n
              + (near_kernel(args)->kind->moments > 1 ? 100e-9 : 0));
}

/* Counts the 27 cells, each as wide as the cutoff. */
static void plain_ops(const void *data, struct work *work)
{
    const struct near_args *args = data;
    double pairs = near_targets(args) * args->neighbours;
    near_ops_looked(args, pairs * 27 / (4 * M_PI / 3), work);
    near_ops_pairs(args, pairs, work);
    near_ops_arrays(args, work);
}

static int64_t plain_bytes(const void *data)
{
    const struct near_args *args = data;
    return (int64_t)sizeof(struct plain) + 8 * args->n_sources;
}

static farsum_status plain_create(const void *args, void **state)
{
    struct plain *plain = NULL;
    TRY(MEM_NEW(plain, 1));
    plain->args = *(const struct near_args *)args;
    plain->pair = near_kernel(args);
    plain->kernel = one_pair_find(plain->pair);
    if (!plain->kernel && !plain->pair->kind->moments) {
        mem_free(plain);
        FAIL(ERR_INTERNAL, "near plain: does not support kernel %s",
             near_kernel(args)->name);
    }
    *state = plain;
    return FARSUM_OK;
}

static int plain_axis(double s, int n)
{
    int b = (int)(s * n);
    return b < n ? b : n - 1;
}

static farsum_status plain_set(void *state, const struct points *sources,
                               const struct points *targets)
{
    struct plain *plain = state;
    const struct cell *cell = plain->args.cell;
    plain->sources = NULL; /* until everything is built */
    if (plain->args.distinct)
        TRY(points_distinct(sources, 1, plain->args.threads,
                            plain->args.exclusions));
    int64_t cells = 1;
    for (int d = 0; d < 3; d++) {
        double n = floor(cell->height[d]);
        plain->n[d] = n < 1 ? 1 : n < CELLS_MAX ? (int)n : CELLS_MAX;
        plain->reach[d] = (int)ceil(plain->n[d] / cell->height[d]);
        cells *= plain->n[d];
    }
    TRY(MEM_RESERVE(plain->head, &plain->n_heads, cells));
    TRY(MEM_RESERVE(plain->next, &plain->n_next, sources->n));
    for (int64_t k = 0; k < cells; k++)
        plain->head[k] = -1;
    for (int64_t j = sources->n - 1; j >= 0; j--) {
        int64_t k = 0;
        for (int d = 0; d < 3; d++)
            k = k * plain->n[d] + plain_axis(sources->s[d][j], plain->n[d]);
        plain->next[j] = plain->head[k];
        plain->head[k] = j;
    }
    plain->sources = sources;
    plain->targets = targets == sources ? NULL : targets;
    return FARSUM_OK;
}

static double plain_get(const struct plain *plain, const void *x, int64_t k)
{
    return plain->args.precision == FARSUM_F32 ? (double)((const float *)x)[k]
                                               : ((const double *)x)[k];
}

static void plain_add(const struct plain *plain, void *x, int64_t k, double y)
{
    if (plain->args.precision == FARSUM_F32 && !plain->args.wide)
        ((float *)x)[k] = (float)((double)((float *)x)[k] + y);
    else
        ((double *)x)[k] += y;
}

/* Adds the sources of one cell, moved by `shift` lattice vectors, to target
 * s. */
static void plain_cell(const struct plain *plain, const void *q,
                       const double *own, const double s[3], int64_t self,
                       int64_t head, const int64_t shift[3],
                       struct one_pair_sum *sum)
{
    const struct cell *cell = plain->args.cell;
    double skip = near_skip(&plain->args), soft = plain->args.soft;
    int home = !shift[0] && !shift[1] && !shift[2];
    for (int64_t j = head; j >= 0; j = plain->next[j]) {
        double ds[3], d[3];
        for (int a = 0; a < 3; a++)
            ds[a] = s[a] - plain->sources->s[a][j] - (double)shift[a];
        for (int a = 0; a < 3; a++)
            d[a] = ds[0] * cell->a[a] + ds[1] * cell->a[3 + a]
                   + ds[2] * cell->a[6 + a];
        double d2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        if (!(d2 < 1))
            continue;
        int singular = !(home && j == self) && d2 >= skip * skip;
        double strength[PAIR_STRENGTHS];
        for (int a = 0; a < plain->pair->strengths; a++)
            strength[a] = plain_get(plain, q, j * plain->pair->strengths + a);
        if (plain->pair->kind->moments > 1)
            one_pair_add_quadrupole(plain->args.poly, d, strength, own,
                                    singular, sum);
        else if (plain->pair->kind->moments)
            one_pair_add_moments(plain->args.poly, plain->pair->kappa, d,
                                 strength, own, singular, sum);
        else if (singular && d2 < soft * soft)
            one_pair_add_soft(plain->kernel, plain->args.poly, d, strength,
                              soft, sum);
        else
            one_pair_add(plain->kernel, plain->args.poly, d, strength, singular,
                         sum);
    }
}

/* Floor of k / n. */
static int64_t plain_floor(int64_t k, int64_t n)
{
    return k >= 0 ? k / n : -((n - 1 - k) / n);
}

/* Adds all cells within reach of target i, including their images.  own: as in
 * plain_moments. */
static void plain_target(const struct plain *plain, const void *q,
                         const double *own, int64_t i, struct one_pair_sum *sum)
{
    const struct points *p = plain->targets ? plain->targets : plain->sources;
    const int *n = plain->n, *reach = plain->reach;
    double s[3] = {p->s[0][i], p->s[1][i], p->s[2][i]};
    int64_t home[3], at[3], shift[3];
    for (int d = 0; d < 3; d++)
        home[d] = plain_axis(s[d], n[d]);
    for (int da = -reach[0]; da <= reach[0]; da++)
        for (int db = -reach[1]; db <= reach[1]; db++)
            for (int dc = -reach[2]; dc <= reach[2]; dc++) {
                const int step[3] = {da, db, dc};
                for (int d = 0; d < 3; d++) {
                    shift[d] = plain_floor(home[d] + step[d], n[d]);
                    at[d] = home[d] + step[d] - shift[d] * n[d];
                }
                int64_t k = (at[0] * n[1] + at[1]) * n[2] + at[2];
                plain_cell(plain, q, own, s, plain->targets ? -1 : i,
                           plain->head[k], shift, sum);
            }
}

/* Adds energy and the own terms of the virial of a target with quadrupole; the
 * caller halves the virial. */
static double plain_quadrupole(const double *own, struct one_pair_sum *sum)
{
    double v[QUADRUPOLE_VALUES] = {sum->value[0]}, turn[9] = {0};
    for (int a = 0; a < 3; a++)
        v[QUADRUPOLE_FIELD + a] = sum->field[a];
    for (int a = 0; a < 6; a++)
        v[QUADRUPOLE_GRADIENT + a] = sum->gradient[a];
    pair_quadrupole_turn(own, v, turn);
    for (int a = 0; a < 9; a++)
        sum->virial[a] += 2 * turn[a];
    return pair_quadrupole_energy(own, v);
}

static farsum_status plain_run(void *state, const void *data)
{
    struct plain *plain = state;
    const struct near_io *io = data;
    if (!plain->sources)
        FAIL(ERR_STATE, "near plain: no points are set; call set first");
    const void *own = plain->targets ? io->q_targets : io->q;
    if (!own && (io->energy || io->virial || io->each))
        FAIL(ERR_ARGUMENT, "near plain: energy and virial require targets "
                           "that are the sources, or q_targets");
    const struct points *p = plain->targets ? plain->targets : plain->sources;
    int width = plain->pair->strengths, moments = plain->pair->kind->moments;
    double energy = 0, virial[9] = {0};
    for (int64_t i = 0; i < p->n; i++) {
        struct one_pair_sum sum = {0};
        double q[PAIR_STRENGTHS];
        for (int a = 0; own && a < width; a++)
            q[a] = plain_get(plain, own, i * width + a);
        plain_target(plain, io->q, own && (io->virial || io->each) ? q : NULL,
                     i, &sum);
        for (int a = 0; io->potential && a < plain->pair->values; a++)
            plain_add(plain, io->potential, a * p->n + i, sum.value[a]);
        for (int a = 0; io->field && a < 3; a++)
            plain_add(plain, io->field, 3 * i + a, sum.field[a]);
        for (int a = 0; io->gradient && a < 6; a++)
            plain_add(plain, io->gradient, 6 * i + a, sum.gradient[a]);
        for (int a = 0; io->third && a < 10; a++)
            plain_add(plain, io->third, 10 * i + a, sum.third[a]);
        if (!own || !plain->pair->kind->gradient)
            continue;
        double half = moments ? 0.5 : 0.5 * q[0];
        energy +=
            moments > 1 ? plain_quadrupole(q, &sum) : 0.5 * q[0] * sum.value[0];
        for (int a = 0; moments == 1 && a < 3; a++)
            energy -= 0.5 * q[1 + a] * sum.field[a];
        for (int a = 0; a < 9; a++)
            virial[a] += half * sum.virial[a];
        for (int a = 0; io->each && a < 9; a++)
            io->each[9 * i + a] += half * sum.virial[a];
    }
    if (io->energy)
        *(double *)io->energy += energy;
    for (int a = 0; io->virial && a < 9; a++)
        ((double *)io->virial)[a] += virial[a];
    return FARSUM_OK;
}

static void plain_destroy(void *state)
{
    struct plain *plain = state;
    if (!plain)
        return;
    mem_free(plain->head);
    mem_free(plain->next);
    mem_free(plain);
}

const struct variant near_plain = {
    .fits = plain_fits,
    .cost = plain_cost,
    .bytes = plain_bytes,
    .create = plain_create,
    .set = plain_set,
    .run = plain_run,
    .destroy = plain_destroy,
    .deterministic = 1,
    .needs = "",
    .work = plain_ops,
};
