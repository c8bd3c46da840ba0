/* SPDX-License-Identifier: Apache-2.0 */
/* variants_near.c: cases of the near field. */
#include <stdlib.h>
#include <string.h>

#include "case.h"
#include "check.h"
#include "math/pair.h"
#include "stage/near/near.h"
#include "variants.h"

enum {
    ALL = FARSUM_POTENTIAL | FARSUM_FIELD | FARSUM_ENERGY | FARSUM_VIRIAL,
    BOTH = FARSUM_POTENTIAL | FARSUM_FIELD,
    SUMS = FARSUM_ENERGY | FARSUM_VIRIAL,
    VELOCITY = FARSUM_VELOCITY,
    GRADIENT = FARSUM_GRADIENT,
};

#define LAPLACE "laplace"
#define SCREEN 3 /* times the cutoff */
/* Two sources so close that v = 2 r^2 - 1 has no digit of r^2 left in f32.
 * Their positions are exact in fixed point, in a cell whose edge is a power of
 * 2. */
#define CLOSE "close"
/* Cells for a flow: large, rotated, thin, within the cutoff and smaller;
 * separate targets; coincident sources; few coefficients and many. */
#define FLOW_CASES(name)                                                       \
    {"cubic", "uniform", 64, 600, 0, "prolate", 12, VELOCITY, 0, name},        \
    {"triclinic", "uniform", 30, 300, 150, "prolate", 28, VELOCITY, 0, name},  \
    {"rhombic", "clustered", 500, 1000, 300, "prolate", 24, VELOCITY, 0,       \
     name},                                                                    \
    {"tilted", "uniform", 100, 500, 0, "gaussian", 30, VELOCITY, 0, name},     \
    {"1x1x10", "uniform", 3, 60, 0, "prolate", 16, VELOCITY, 0, name},         \
    {"3x1x2", "dense", 200, 800, 0, "prolate", 9, VELOCITY, 0, name},          \
    {"tilted", "uniform", 2, 30, 17, "prolate", 9, VELOCITY, 0, name},         \
    {"cubic", "uniform", 0.02, 3, 0, "prolate", 20, VELOCITY, 0, name},        \
    {"triclinic", "uniform", 0.1, 2, 0, "prolate", 12, VELOCITY, 0, name},     \
    {"triclinic", "uniform", 27, 101, 0, "prolate", 10, VELOCITY, 7, name},    \
    {"cubic", "uniform", 5, 1, 0, "prolate", 14, VELOCITY, 0, name},           \
    {"tilted", "uniform", 40, 1, 200, "prolate", 10, VELOCITY, 0, name},

/* Fewer cases for scalar kernels other than 1/r: all outputs, separate targets,
 * images, coincident particles. */
#define SCALAR_CASES(name)                                                     \
    {"triclinic", "uniform", 30, 300, 0, "prolate", 18, ALL, 0, name},         \
    {"rhombic", "uniform", 300, 600, 300, "prolate", 24, BOTH, 0, name},       \
    {"cubic", "uniform", 64, 600, 0, "gaussian", 30, ALL, 0, name},            \
    {"1x1x10", "uniform", 3, 60, 0, "prolate", 16, ALL, 0, name},              \
    {"cubic", "uniform", 27, 101, 0, "prolate", 10, ALL, 7, name},

/* Charges with dipoles: all outputs, each of them, separate targets, images,
 * coincident particles, few coefficients and many.  Values jump at the cutoff,
 * so no pair of the lattice may be there. */
#define MOMENTS "charge_dipole"
#define MOMENTS_CASES                                                          \
    {"triclinic", "uniform",      30, 300,    0, "prolate",                    \
     18,          ALL | GRADIENT, 0,  MOMENTS},                                \
        {"rhombic", "uniform",       300, 600,    300, "prolate",              \
         28,        BOTH | GRADIENT, 0,   MOMENTS},                            \
        {"cubic", "uniform", 64, 600, 0, "gaussian", 30, ALL, 0, MOMENTS},     \
        {"tilted", "uniform",       60, 300,    0, "prolate",                  \
         8,        SUMS | GRADIENT, 0,  MOMENTS},                              \
        {"cubic", "lattice", 20, 216, 0, "prolate", 12, FARSUM_ENERGY | BOTH,  \
         0,       MOMENTS},                                                    \
        {"tilted", "uniform",        2, 30,     17, "prolate",                 \
         9,        FARSUM_POTENTIAL, 0, MOMENTS},                              \
        {"1x1x10", "uniform",      3, 60,     0, "prolate",                    \
         16,       ALL | GRADIENT, 0, MOMENTS},                                \
        {"cubic", "uniform",      27, 101,    0, "prolate",                    \
         10,      ALL | GRADIENT, 7,  MOMENTS},                                \
        {"cubic", "dense",        200, 800,    0, "prolate",                   \
         22,      ALL | GRADIENT, 0,   MOMENTS},

/* The same, screened: few coefficients and many, separate targets, each split,
 * coincident particles. */
#define SCREENED "yukawa_dipole"
#define SCREENED_CASES                                                         \
    {"triclinic", "uniform",      30, 300,     0, "prolate",                   \
     18,          ALL | GRADIENT, 0,  SCREENED},                               \
        {"rhombic", "uniform",       300, 600,     300, "prolate",             \
         28,        BOTH | GRADIENT, 0,   SCREENED},                           \
        {"cubic", "uniform",       64, 500,     0, "gaussian",                 \
         30,      BOTH | GRADIENT, 0,  SCREENED},                              \
        {"tilted", "uniform",        2, 30,      17, "prolate",                \
         9,        FARSUM_POTENTIAL, 0, SCREENED},                             \
        {"cubic", "uniform",      27, 101,     0, "prolate",                   \
         10,      ALL | GRADIENT, 7,  SCREENED},

/* volume in cubes of the cutoff; m separate targets, every third of them on a
 * source; pairs of sources that coincide. */
static const struct {
    const char *cell, *dist;
    double volume;
    int64_t n, m;
    const char *split;
    double c;
    unsigned outputs;
    int coincident;
    const char *kernel;
} cases[] = {
    {"cubic", "uniform", 64, 600, 0, "prolate", 12, ALL, 0, LAPLACE},
    {"cubic", "uniform", 64, 600, 0, "gaussian", 30, ALL, 0, LAPLACE},
    {"cubic", "uniform", 0.5, 40, 0, "prolate", 12, ALL, 0, LAPLACE},
    {"cubic", "uniform", 0.02, 3, 0, "prolate", 20, ALL, 0, LAPLACE},
    {"tilted", "uniform", 100, 500, 0, "prolate", 20, ALL, 0, LAPLACE},
    {"tilted", "uniform", 2, 30, 17, "prolate", 9, BOTH, 0, LAPLACE},
    {"triclinic", "uniform", 30, 300, 150, "prolate", 28, BOTH, 0, LAPLACE},
    {"1x1x10", "uniform", 80, 400, 0, "prolate", 8, ALL, 0, LAPLACE},
    {"1x1x10", "uniform", 3, 60, 0, "prolate", 16, ALL, 0, LAPLACE},
    {"cubic", "dense", 200, 800, 0, "prolate", 16, ALL, 0, LAPLACE},
    {"rhombic", "clustered", 500, 1000, 300, "prolate", 24, BOTH, 0, LAPLACE},
    {"cubic", "uniform", 5, 1, 0, "prolate", 14, ALL, 0, LAPLACE},
    {"triclinic", "uniform", 0.1, 2, 0, "prolate", 12, ALL, 0, LAPLACE},
    {"cubic", "uniform", 1e6, 17, 0, "prolate", 12, ALL, 0, LAPLACE},
    {"cubic", "lattice", 27, 216, 0, "prolate", 18, FARSUM_POTENTIAL, 0,
     LAPLACE},
    {"triclinic", "uniform", 27, 333, 0, "prolate", 18, FARSUM_FIELD, 0,
     LAPLACE},
    {"triclinic", "uniform", 27, 333, 0, "prolate", 18, SUMS, 0, LAPLACE},
    {"cubic", "uniform", 27, 101, 0, "prolate", 10, ALL, 7, LAPLACE},
    {"tilted", "uniform", 40, 1, 200, "prolate", 10, BOTH, 0, LAPLACE},
    {"cubic", "uniform", 40, 200, 1, "prolate", 10, BOTH, 0, LAPLACE},
    FLOW_CASES("stokeslet") FLOW_CASES("rotlet") FLOW_CASES("stresslet"){
        "tilted", "uniform", 2, 30, 17, "gaussian", 20, BOTH, 0, LAPLACE},
    {"1x1x10", "uniform", 3, 60, 0, "gaussian", 36, ALL, 0, LAPLACE},
    {"cubic", "uniform", 27, 101, 0, "gaussian", 16, ALL, 7, LAPLACE},
    {"triclinic", "clustered", 60, 300, 150, "gaussian", 42, VELOCITY, 0,
     "stokeslet"},
    {"tilted", "uniform", 2, 30, 7, "gaussian", 20, VELOCITY, 0, "rotlet"},
    SCALAR_CASES("yukawa") SCALAR_CASES("r6"){"cubic", CLOSE, 64, 2, 0,
                                              "prolate", 18, ALL, 0, "yukawa"},
    MOMENTS_CASES
    /* ROUGH of them: */
    {"triclinic", "clustered", 60, 600, 150, "prolate", 20, BOTH, 0, LAPLACE},
    {"cubic", "dense", 200, 800, 0, "prolate", 24, VELOCITY, 0, "stokeslet"},
    {"tilted", "uniform", 100, 900, 0, "prolate", 16, ALL, 0, LAPLACE},
    /* REST of them: */
    SCREENED_CASES};

/* The cases before the last REST allow an error per pair in f64, so that a
 * variant that can do so sums most pairs in f32. */
enum { ROUGH = 3, REST = 5, CASES = sizeof cases / sizeof *cases };
static const double rough[ROUGH] = {1e-8, 1e-9, 1e-6};

/* Allowed error of a pair; 0: rounding. */
static double near_allowed(int k)
{
    const int first = CASES - REST - ROUGH;
    return k < first || k >= first + ROUGH ? 0 : rough[k - first];
}

static const struct pair *near_pair(int k)
{
    return pair_find(cases[k].kernel);
}

static void near_name(int k, char *text, size_t size)
{
    snprintf(text, size,
             "%s %s %s volume %g n=%lld m=%lld %s c=%g outputs %u",
             near_pair(k)->name, cases[k].cell, cases[k].dist, cases[k].volume,
             (long long)cases[k].n, (long long)cases[k].m, cases[k].split,
             cases[k].c, cases[k].outputs);
}

struct near_work {
    struct cell cell;
    struct split split;
    struct near_poly poly;
    struct points source, target;
    struct case_particles p, y;
    struct pair pair; /* of the case, with its screening */
    int64_t targets;
    void *q, *potential, *field, *gradient;
    double energy, virial[9];
    size_t bytes; /* of one result */
    int wide;     /* 1: f64 sums of pairs in f32 */
    const struct trial *trial;
    struct buf q_on, potential_on, field_on, gradient_on, energy_on, virial_on;
};

static int near_values(const struct near_work *w)
{
    return w->pair.values;
}

static double near_result(const struct near_work *w, const void *x, int64_t k)
{
    return w->wide ? ((const double *)x)[k] : trial_get(w->trial, x, k);
}

static void near_again(void *data)
{
    struct near_work *w = data;
    memset(w->potential, 0, (size_t)(near_values(w) * w->targets) * w->bytes);
    memset(w->field, 0, 3 * (size_t)w->targets * w->bytes);
    memset(w->gradient, 0, 6 * (size_t)w->targets * w->bytes);
    w->energy = 0;
    memset(w->virial, 0, sizeof w->virial);
    int64_t bytes = w->targets * (int64_t)w->bytes;
    trial_send(w->trial, &w->potential_on, w->potential,
               near_values(w) * bytes);
    trial_send(w->trial, &w->field_on, w->field, 3 * bytes);
    trial_send(w->trial, &w->gradient_on, w->gradient, 6 * bytes);
    trial_send(w->trial, &w->energy_on, &w->energy, sizeof w->energy);
    trial_send(w->trial, &w->virial_on, w->virial, sizeof w->virial);
}

static void near_fetch(struct near_work *w)
{
    int64_t bytes = w->targets * (int64_t)w->bytes;
    trial_fetch(w->trial, &w->potential_on, w->potential,
                near_values(w) * bytes);
    trial_fetch(w->trial, &w->field_on, w->field, 3 * bytes);
    trial_fetch(w->trial, &w->gradient_on, w->gradient, 6 * bytes);
    trial_fetch(w->trial, &w->energy_on, &w->energy, sizeof w->energy);
    trial_fetch(w->trial, &w->virial_on, w->virial, sizeof w->virial);
}

static farsum_status near_points(int k, struct near_work *w)
{
    char error[200] = "";
    double rows[9];
    int periodic[3];
    int close = strcmp(cases[k].dist, CLOSE) == 0;
    if (case_cell(cases[k].cell, cases[k].volume, rows, periodic, error,
                  sizeof error) != 0
        || case_fill(close ? "uniform" : cases[k].dist, cases[k].n, rows,
                     100 + (uint64_t)k, &w->p, error, sizeof error) != 0
        || (cases[k].m > 0
            && case_fill("uniform", cases[k].m, rows, 200 + (uint64_t)k, &w->y,
                         error, sizeof error) != 0))
        check_stop("near case %d: %s", k, error);
    for (int64_t i = 0; i < cases[k].coincident; i++)
        memcpy(w->p.x + 3 * (2 * i + 1), w->p.x + 6 * i, 3 * sizeof *w->p.x);
    for (int i = 0; close && i < 6; i++)
        w->p.x[i] = rows[0] / 4 + (i == 3 ? 0x1p-13 : 0);
    for (int64_t i = 0; i < cases[k].m; i += 3)
        memcpy(w->y.x + 3 * i, w->p.x + 3 * (i % cases[k].n),
               3 * sizeof *w->p.x);
    TRY(cell_set(&w->cell, rows, 1));
    TRY(points_set(&w->source, &w->cell, cases[k].n, w->p.x, FARSUM_F64,
                   "source", 1));
    trial_points(w->trial, &w->source, &w->cell, w->p.x);
    if (cases[k].m > 0) {
        TRY(points_set(&w->target, &w->cell, cases[k].m, w->y.x, FARSUM_F64,
                       "target", 1));
        trial_points(w->trial, &w->target, &w->cell, w->y.x);
    }
    w->targets = cases[k].m > 0 ? cases[k].m : cases[k].n;
    return FARSUM_OK;
}

/* Strengths; those of a flow are random. */
static void *near_strengths(int k, const struct near_work *w)
{
    int64_t n = w->pair.strengths * cases[k].n;
    uint64_t seed = 300 + (uint64_t)k;
    void *q = trial_array(w->trial, n);
    for (int64_t i = 0; i < n; i++)
        if (near_pair(k) != pair_find(LAPLACE))
            trial_put(w->trial, q, i, 2 * trial_random(&seed) - 1);
        else
            trial_put(w->trial, q, i, w->p.q[i] != 0 ? w->p.q[i] : 0.5);
    return q;
}

/* As accurate as the precision.  Those of the stresslet, of 1/r^6 and of
 * moments reach only about 1e-8.  All variants get the same ones, so they count
 * as exact. */
static farsum_status near_polynomials(int k, struct near_work *w)
{
    double wanted = w->trial->precision == FARSUM_F32 ? 1e-7 : 1e-13;
    int bent = strcmp(w->pair.name, "stresslet") == 0
               || strcmp(w->pair.name, "r6") == 0 || w->pair.kind->moments;
    TRY(split_set(&w->split, cases[k].split, cases[k].c));
    TRY(pair_near_poly(&w->pair, &w->split, bent ? 1e-6 : wanted, &w->poly));
    w->poly.error = wanted;
    return FARSUM_OK;
}

static void near_give(int k, const struct near_work *w, struct outcome *outcome)
{
    unsigned wanted = cases[k].outputs;
    if (wanted & (FARSUM_POTENTIAL | VELOCITY)) {
        int64_t n = near_values(w) * w->targets;
        const char *name = wanted & VELOCITY ? "velocity" : "potential";
        double *v = outcome_part(outcome, name, n, 1);
        for (int64_t i = 0; i < n; i++)
            v[i] = near_result(w, w->potential, i);
    }
    if (wanted & FARSUM_FIELD) {
        double *v = outcome_part(outcome, "field", 3 * w->targets, 1);
        for (int64_t i = 0; i < 3 * w->targets; i++)
            v[i] = near_result(w, w->field, i);
    }
    if (wanted & GRADIENT) {
        double *v = outcome_part(outcome, "gradient", 6 * w->targets, 1);
        for (int64_t i = 0; i < 6 * w->targets; i++)
            v[i] = near_result(w, w->gradient, i);
    }
    /* A sum over the pairs within the cutoff, with both signs and about 1.5
     * each (the mean of 1/r): rounding adds up as squares */
    double pairs = 2.1 * (double)cases[k].n * (double)cases[k].n
                   / cases[k].volume;
    double floor = sqrt((double)cases[k].n + 2.25 * pairs);
    /* with moments the nearest pair dominates, whose 1/r^3 is that of the
     * volume per pair */
    if (w->pair.kind->moments)
        floor = (double)cases[k].n + pairs;
    if (wanted & FARSUM_ENERGY)
        *outcome_part(outcome, "energy", 1, floor) = w->energy;
    if (wanted & FARSUM_VIRIAL)
        memcpy(outcome_part(outcome, "virial", 9, floor), w->virial,
               sizeof w->virial);
}

static farsum_status near_run(int k, const struct trial *trial,
                              struct outcome *outcome)
{
    farsum_status status = FARSUM_OK;
    struct near_work *w = check_memory(1, sizeof *w);
    unsigned wanted = cases[k].outputs;
    size_t real = trial->precision == FARSUM_F32 ? 4 : 8;
    w->wide = real == 4 && k / 2 % 2; /* with either team */
    w->bytes = w->wide ? 8 : real;
    w->trial = trial;
    w->pair = *near_pair(k);
    w->pair.kappa = w->pair.kind->screened ? SCREEN : 0;
    w->pair.charge = w->pair.dipole = w->pair.kind->moments;
    GO(near_points(k, w));
    GO(near_polynomials(k, w));
    w->q = near_strengths(k, w);
    w->potential =
        check_memory((size_t)(near_values(w) * w->targets), w->bytes);
    w->field = check_memory(3 * (size_t)w->targets, w->bytes);
    w->gradient = check_memory(6 * (size_t)w->targets, w->bytes);
    struct near_args args = {
        .precision = trial->precision,
        .isa = trial->isa,
        .threads = trial->threads,
        .outputs = wanted,
        .cell = &w->cell,
        .poly = &w->poly,
        .n_sources = cases[k].n,
        .n_targets = cases[k].m,
        .neighbours = 4.2 * (double)cases[k].n / cases[k].volume,
        .device = trial->device,
        .pair = &w->pair,
        .split = &w->split, /* every other case uses another team */
        .team = {k % 2 ? 16 : 0, 0},
        .cells = k % 3 ? k % 5 : 0, /* and other cells */
        .wide = w->wide,
        .allowed = near_allowed(k),
    };
    if (trial->variant->fits(&args) != FARSUM_OK)
        args.team[0] = 0; /* this team is not available */
    trial_send(trial, &w->q_on, w->q,
               w->pair.strengths * cases[k].n * (int64_t)real);
    void *energy = trial_io(trial, &w->energy_on, &w->energy);
    void *virial = trial_io(trial, &w->virial_on, w->virial);
    void *potential = trial_io(trial, &w->potential_on, w->potential);
    void *field = trial_io(trial, &w->field_on, w->field);
    void *gradient = trial_io(trial, &w->gradient_on, w->gradient);
    struct near_io io = {
        .q = trial_io(trial, &w->q_on, w->q),
        .potential = wanted & (FARSUM_POTENTIAL | VELOCITY) ? potential : NULL,
        .field = wanted & FARSUM_FIELD ? field : NULL,
        .gradient = wanted & GRADIENT ? gradient : NULL,
        .energy = wanted & FARSUM_ENERGY ? energy : NULL,
        .virial = wanted & FARSUM_VIRIAL ? virial : NULL,
    };
    GO(trial_run(trial, &args, &w->source,
                 cases[k].m > 0 ? &w->target : &w->source, &io, near_again, w));
    near_fetch(w);
    near_give(k, w, outcome);
done:
    buf_clear(&w->q_on);
    buf_clear(&w->potential_on);
    buf_clear(&w->field_on);
    buf_clear(&w->gradient_on);
    buf_clear(&w->energy_on);
    buf_clear(&w->virial_on);
    points_clear(&w->source);
    points_clear(&w->target);
    case_free(&w->p);
    case_free(&w->y);
    free(w->q);
    free(w->potential);
    free(w->field);
    free(w->gradient);
    free(w);
    return status;
}

/* f32, in units of u = 2^-24.  A difference rounds by 1, a square by 4, its
 * root by 2 + 2, the cube by 12 + 2, with charge and difference 17: 1e-6 of a
 * pair's force.  The 32-bit coordinates of a close pair add as much again.  A
 * flow of 1/r^2 has twice that, since pairs in a dense drop dominate; 1/r^6,
 * which the closest pair dominates, six times.  A gradient by dipoles has the
 * seventh power of 1/r, d twice and p.d: 40, three times.  The error allowed
 * per pair is an RMS, and a value's own is above 1. */
static double near_bound(int k, farsum_precision precision)
{
    const struct pair_kind *kind = near_pair(k)->kind;
    double close = kind->moments ? 3 : kind->power;
    if (precision != FARSUM_F32 && near_allowed(k) > 0)
        return near_allowed(k);
    return precision == FARSUM_F32 ? 2e-6 * close : 2e-13 * close;
}

/* A device compiles kernels for each: one of a kind. */
#define FLOW_ON_DEVICE ((uint64_t)1 << 1 | 1 << 4 | 1 << 9)
#define NEAR_ON_DEVICE                                                         \
    (1 << 1 | 1 << 2 | 1 << 3 | 1 << 5 | 1 << 8 | 1 << 10 | 1 << 13 | 1 << 15  \
     | 1 << 16 | 1 << 17 | FLOW_ON_DEVICE << 20 | FLOW_ON_DEVICE << 32         \
     | FLOW_ON_DEVICE << 44 | (uint64_t)127 << 56)
#define MOMENTS_ON_DEVICE (1 | 1 << 1 | 1 << 3 | 1 << 5 | 1 << 6 | 1 << 7)
#define SCREENED_ON_DEVICE (1 << 1 | 1 << 4)
#define NEAR_MORE_ON_DEVICE                                                    \
    (3 << 2 | 1 << 7 | MOMENTS_ON_DEVICE << 8 | 7 << 17                        \
     | SCREENED_ON_DEVICE << 20)

const struct harness harness_near = {
    .stage = "near",
    .cases = CASES,
    .name = near_name,
    .run = near_run,
    .bound = near_bound,
    .on_device = NEAR_ON_DEVICE,
    .more_on_device = NEAR_MORE_ON_DEVICE,
};
