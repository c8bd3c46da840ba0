/* SPDX-License-Identifier: Apache-2.0 */
/* exclude.c: subtraction of excluded pairs, (3.7), in units of the cutoff and
 * in f64, separately from near and far field. */
#include "method/spectral/exclude.h"

#include <math.h>
#include <string.h>

#include "base/par.h"
#include "method/spectral/each/each.h"
#include "base/arrays.h"
#include "math/pair_quadrupole.h"
#include "math/poly.h"
#include "stage/near/near.h"
#include "stage/near/one_pair.h"

#define FN static inline
#define BARE_REAL double
#include "math/pair_bare.kh"
#define PAIR_REAL double
#include "math/pair_moments.kh"
#define SOFTEN_REAL double
#include "math/soften_pair.kh"

enum { BLOCKS = 64 };

_Static_assert(sizeof(struct bare_cell) == sizeof(struct exclude_cell),
               "the same on both sides");

typedef void bare_value(double kappa, const double *d, double r2,
                        const double *q, double *value);
typedef double bare_slope(double kappa, double r2);

static const struct bare_row {
    const char *name;
    bare_value *value;
    bare_slope *slope; /* NULL: a flow */
} bare_rows[] = {
#define SCALAR(name, polys, note) {#name, bare_##name, bare_##name##_slope},
#define FLOW(name, strengths, channels, polys, note) {#name, bare_##name, NULL},
#include "math/pair.def"
#undef SCALAR
#undef FLOW
};

struct exclude_cell exclude_cell(const struct task *task,
                                 const struct cell *cell)
{
    struct exclude_cell made = {.sure = INFINITY};
    const struct near_args args = {.precision = task->pairs,
                                   .cell = cell,
                                   .pair = &task->pair};
    double skip = near_skip(&args);
    memcpy(made.a, cell->a, sizeof made.a);
    for (int d = 0; d < 3; d++) {
        const double *a = cell->a + 3 * d;
        made.sure =
            fmin(made.sure, (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]) / 4);
    }
    made.sure *= TIED_SURE;
    made.skip = skip * skip;
    return made;
}

/* Input of one pass over the list. */
struct pass {
    const struct task *task;
    const struct spectral *s;
    const struct bare_row *row;
    const struct one_pair *near; /* the kernel's near field, of a part */
    const struct exclude_sides *sides;
    struct bare_cell cell;
    int potential, field, gradient, third, sums; /* 1: wanted */
    int each; /* 1: so are the particles' shares of the virial */
    double soft; /* radius of softening, (3.11); 0: none */
};

/* Energy and virial of the pairs in a part of the rows. */
struct part {
    double energy, virial[9];
};

/* 1: the pair's kernel in a part is that of the whole sum, (3.9). */
static int part_is_whole(const struct pass *p, double r2)
{
    return p->task->part == FARSUM_WHOLE
           || (p->task->part == FARSUM_FAR && r2 >= 1);
}

/* 1/r for the near part; 0 for the far part, which has only the polynomials,
 * with the opposite sign. */
static double part_singular(const struct pass *p, double r2)
{
    int singular = p->task->part == FARSUM_NEAR && r2 >= p->cell.skip;
    return singular ? 1 / sqrt(r2) : 0;
}

static double part_sign(const struct pass *p)
{
    return p->task->part == FARSUM_FAR ? -1 : 1;
}

/* Adds the kernel of source q to v[values], with the factor `lost`. */
static void part_value(const struct pass *p, const double d[3], double r2,
                       double lost, const double q[], double v[])
{
    const struct parameters *t = &p->s->parameters;
    double one[PAIR_VALUES] = {0}, f[2] = {0};
    if (r2 < p->soft * p->soft) {
        soften_pair(r2, p->soft, f);
        one[0] = q[0] * f[0];
    } else if (part_is_whole(p, r2))
        p->row->value(t->pair.kappa, d, r2, q, one);
    else if (r2 < 1)
        p->near->value(&t->poly, d, part_singular(p, r2), 2 * r2, 2 * r2 - 1, q,
                       one);
    if (!part_is_whole(p, r2))
        lost *= part_sign(p);
    for (int a = 0; a < p->task->pair.values; a++)
        v[a] += lost * one[a];
}

/* The field over q d. */
static double part_slope(const struct pass *p, double r2)
{
    const struct parameters *t = &p->s->parameters;
    double f[2];
    if (r2 < p->soft * p->soft) {
        soften_pair(r2, p->soft, f);
        return f[1];
    }
    if (part_is_whole(p, r2))
        return p->row->slope(t->pair.kappa, r2);
    return r2 < 1 ? part_sign(p)
                        * p->near->slope(&t->poly, part_singular(p, r2), 2 * r2,
                                         2 * r2 - 1)
                  : 0;
}

/* The radial functions of sources with moments. */
static void part_moments(const struct pass *p, double r2, double f[4])
{
    const struct near_poly *poly = &p->s->parameters.poly;
    double kappa = p->s->parameters.pair.kappa;
    memset(f, 0, 4 * sizeof *f);
    if (part_is_whole(p, r2)) {
        one_pair_moments(kappa, 1 / sqrt(r2), f);
        return;
    }
    if (part_singular(p, r2) > 0)
        one_pair_moments(kappa, part_singular(p, r2), f);
    for (int k = 0; k < 4; k++)
        f[k] = r2 < 1
                   ? part_sign(p)
                         * (f[k] - poly_eval(poly->c[k], poly->n, 2 * r2 - 1))
                   : 0;
}

/* The points that hold source *j, which becomes its index there. */
static const struct exclude_points *source_of(const struct pass *p, int64_t *j)
{
    const struct exclude_points *sources = p->sides->sources;
    if (*j < sources[0].n)
        return &sources[0];
    *j -= sources[0].n;
    return &sources[1];
}

static void load_strengths(const struct pass *p,
                           const struct exclude_points *from, int64_t j,
                           double *q)
{
    int width = p->task->pair.strengths;
    for (int a = 0; a < width; a++)
        q[a] = array_get(from->q, p->task->problem.precision, j * width + a);
}

/* Fractions of the whole cell. */
static void load_place(const struct exclude_points *from, int64_t i, double *f)
{
    for (int d = 0; d < 2; d++)
        f[d] = from->scale[d] * from->s[d][i] + from->shift[d];
    f[2] = from->s[2][i];
}

/* The values subtracted from one target, and the part's sums. */
struct row {
    double value[PAIR_VALUES], field[3], gradient[6], third[10];
    struct part *part;
};

/* Adds half of the energy and virial of i and j at distance d to the part.  c:
 * q_j times the lost share. */
static void exclude_sums(const double d[3], const double q[], double c,
                         double value, double slope, struct part *part)
{
    part->energy += 0.5 * q[0] * value;
    for (int a = 0; a < 9; a++)
        part->virial[a] += 0.5 * q[0] * c * slope * d[a / 3] * d[a % 3];
}

/* Adds the loss of a target by a source with moments, at one image. */
static void exclude_moments(const struct pass *p, const double d[3], double r2,
                            double lost, const double q[], const double own[],
                            struct row *row)
{
    static const int symmetric[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
    double f[4], v[4] = {0}, w[6] = {0}, of[4];
    for (int a = 0; a < 4; a++)
        of[a] = lost * q[a];
    part_moments(p, r2, f);
    moments_field(f, d, of, v, v + 1);
    row->value[0] += v[0];
    for (int a = 0; a < 3; a++)
        row->field[a] += v[1 + a];
    if (p->gradient)
        moments_gradient(f, d, of, row->gradient);
    if (!p->sums)
        return;
    moments_virial(f, d, of, own, w);
    row->part->energy += 0.5 * own[0] * v[0];
    for (int a = 0; a < 3; a++)
        row->part->energy -= 0.5 * own[1 + a] * v[1 + a];
    for (int a = 0; a < 9; a++)
        row->part->virial[a] += 0.5 * w[symmetric[a]];
}

/* The same with quadrupoles. */
static void exclude_quadrupole(const struct pass *p, const double d[3],
                               double r2, double lost, const double q[],
                               const double own[], struct row *row)
{
    double f[6], v[QUADRUPOLE_VALUES] = {0}, of[PAIR_STRENGTHS], force[3] = {0};
    for (int a = 0; a < 10; a++)
        of[a] = lost * q[a];
    one_pair_quadrupole(1 / sqrt(r2), f);
    pair_quadrupole_values(f, d, of, v);
    row->value[0] += v[0];
    for (int a = 0; a < 3; a++)
        row->field[a] += v[QUADRUPOLE_FIELD + a];
    for (int a = 0; a < 6; a++)
        row->gradient[a] += v[QUADRUPOLE_GRADIENT + a];
    for (int a = 0; a < 10; a++)
        row->third[a] += v[QUADRUPOLE_THIRD + a];
    if (!p->sums)
        return;
    row->part->energy += pair_quadrupole_energy(own, v);
    pair_quadrupole_force(own, v, force);
    pair_quadrupole_turn(own, v, row->part->virial);
    for (int a = 0; a < 9; a++)
        row->part->virial[a] += 0.5 * force[a / 3] * d[a % 3];
}

/* Adds the loss of a target with strengths `own` by a source with strengths q:
 * the share `lost` of each nearest image. */
static void exclude_pair(const struct pass *p, const struct bare_images *images,
                         double lost, const double q[], const double own[],
                         struct row *row)
{
    double d[3], r2;
    int values = p->task->pair.values;
    for (int n = 0; n < images->tries; n++) {
        double v[PAIR_VALUES] = {0};
        if (!bare_image(&p->cell, images, n, d, &r2))
            continue;
        if (p->task->pair.kind->moments > 1) {
            exclude_quadrupole(p, d, r2, lost, q, own, row);
            continue;
        }
        if (p->task->pair.kind->moments) {
            exclude_moments(p, d, r2, lost, q, own, row);
            continue;
        }
        part_value(p, d, r2, lost, q, v);
        for (int a = 0; a < values; a++)
            row->value[a] += v[a];
        if (!p->field && !p->sums)
            continue;
        double slope = part_slope(p, r2);
        for (int a = 0; a < 3; a++)
            row->field[a] += lost * q[0] * slope * d[a];
        if (p->sums)
            exclude_sums(d, own, lost * q[0], v[0], slope, row->part);
    }
}

static void exclude_row(const struct pass *p, int64_t r, struct part *part)
{
    const struct exclusions *e = &p->task->exclusions;
    farsum_precision type = p->task->problem.precision;
    double own[PAIR_STRENGTHS] = {0}, at[3];
    struct part mine = {0};
    struct row row = {.part = &mine};
    int64_t i = e->target[r];
    int values = p->task->pair.values;
    load_place(&p->sides->targets, i, at);
    if (p->sums)
        load_strengths(p, &p->sides->targets, i, own);
    for (int64_t k = e->start[r]; k < e->start[r + 1]; k++) {
        double f[3], q[PAIR_STRENGTHS];
        struct bare_images images;
        int64_t j = e->source[k];
        const struct exclude_points *from = source_of(p, &j);
        load_place(from, j, f);
        for (int a = 0; a < 3; a++)
            f[a] = at[a] - f[a];
        bare_nearest(&p->cell, f, &images);
        if (images.least < p->cell.skip && p->task->part == FARSUM_WHOLE)
            continue; /* the sum does not have this pair */
        load_strengths(p, from, j, q);
        exclude_pair(p, &images, e->lost[k] * images.share, q, own, &row);
    }
    for (int a = 0; p->potential && a < values; a++) {
        int64_t to = a * p->sides->targets.n + i;
        array_put(p->s->potential, type, to,
                  array_get(p->s->potential, type, to) - row.value[a]);
    }
    for (int a = 0; p->field && a < 3; a++)
        array_put(p->s->field, type, 3 * i + a,
                  array_get(p->s->field, type, 3 * i + a) - row.field[a]);
    for (int a = 0; p->gradient && a < 6; a++)
        array_put(p->s->gradient, type, 6 * i + a,
                  array_get(p->s->gradient, type, 6 * i + a) - row.gradient[a]);
    for (int a = 0; p->third && a < 10; a++)
        array_put(p->s->third, type, 10 * i + a,
                  array_get(p->s->third, type, 10 * i + a) - row.third[a]);
    part->energy += mine.energy;
    for (int a = 0; a < 9; a++)
        part->virial[a] += mine.virial[a];
    if (p->each)
        spectral_each_less(p->s->each, i, mine.virial);
}

static struct exclude_points points_of(const struct points *points,
                                       const void *q)
{
    return (struct exclude_points){
        .n = points->n,
        .s = {points->s[0], points->s[1], points->s[2]},
        .scale = {1, 1},
        .q = q};
}

void spectral_exclude(const struct task *task, struct spectral *s,
                      const farsum_result *result, struct spectral_sums *sums)
{
    const struct exclude_sides sides = {
        .targets = points_of(spectral_apart(s) ? &s->target : &s->source, s->q),
        .sources = {points_of(&s->source, s->q)},
        .cell = exclude_cell(task, &s->parameters.cell),
    };
    spectral_exclude_sides(task, s, &sides, result, sums);
}

void spectral_exclude_sides(const struct task *task, struct spectral *s,
                            const struct exclude_sides *sides,
                            const farsum_result *result,
                            struct spectral_sums *sums)
{
    const struct exclusions *e = &task->exclusions;
    struct part part[BLOCKS];
    if (e->rows == 0)
        return;
    struct pass p = {
        .task = task,
        .s = s,
        .sides = sides,
        .potential = result->potential || result->velocity,
        .field = result->field != NULL,
        .gradient = result->gradient != NULL,
        .third = result->third != NULL,
        .sums = result->energy || result->virial || result->particle_virial,
        .each = result->particle_virial != NULL,
        .soft = task->problem.softening / s->parameters.rc,
    };
    memcpy(&p.cell, &sides->cell, sizeof p.cell);
    for (size_t k = 0; k < sizeof bare_rows / sizeof *bare_rows; k++)
        if (strcmp(bare_rows[k].name, task->pair.name) == 0)
            p.row = &bare_rows[k];
    p.near = one_pair_find(&task->pair);
    memset(part, 0, sizeof part);
    /* fixed parts, added in order: independent of the number of threads */
    PAR_FOR(task->threads, schedule(static))
    for (int b = 0; b < BLOCKS; b++)
        for (int64_t r = par_start(e->rows, BLOCKS, b);
             r < par_start(e->rows, BLOCKS, b + 1); r++)
            exclude_row(&p, r, &part[b]);
    for (int b = 0; b < BLOCKS; b++) {
        sums->energy -= part[b].energy;
        for (int a = 0; a < 9; a++)
            sums->virial[a] -= part[b].virial[a];
    }
}
