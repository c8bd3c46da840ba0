/* SPDX-License-Identifier: Apache-2.0 */
/* methods_cells.c: list of the tolerance sweep's cells. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "methods.h"

static const struct {
    const char *name, *what;
} sources[METHODS_SYSTEMS] = {
    {"water", "water_spce_3k.xyz"},
    {"melt", "nacl_melt.xyz"},
    {"uniform", "laplace n=2000 cell=cubic dist=uniform seed=11"},
    {"clustered", "laplace n=2000 cell=cubic dist=clustered seed=12"},
    {"dense", "laplace n=2000 cell=cubic dist=dense seed=13"},
    {"long", "laplace n=2000 cell=1x1x10 dist=uniform seed=14"},
    {"tilted", "laplace n=2000 cell=tilted dist=uniform seed=15"},
    {"forces", "stokeslet n=500 cell=cubic dist=uniform seed=21"},
    {"drops", "stokeslet n=500 cell=triclinic dist=clustered seed=22"},
    {"grid", "stokeslet n=500 cell=cubic dist=lattice seed=23"},
    {"torques", "rotlet n=500 cell=tilted dist=uniform seed=24"},
    {"swarm", "rotlet n=500 cell=cubic dist=clustered seed=25"},
    {"rotors", "rotlet n=500 cell=1x1x10 dist=lattice seed=26"},
    {"layers", "stresslet n=500 cell=1x1x10 dist=uniform seed=27"},
    {"blobs", "stresslet n=500 cell=cubic dist=clustered seed=28"},
    {"sheets", "stresslet n=500 cell=triclinic dist=lattice seed=29"},
    {"plasma", "yukawa n=500 cell=triclinic dist=uniform kappa=0.5 seed=31"},
    {"dust", "yukawa n=500 cell=cubic dist=clustered kappa=2 seed=32"},
    {"colloid", "yukawa n=500 cell=1x1x10 dist=lattice net=1 kappa=1 seed=33"},
    {"oil", "r6 n=500 cell=cubic dist=uniform seed=34"},
    {"resin", "r6 n=500 cell=tilted dist=clustered net=1 seed=35"},
    {"ice", "r6 n=500 cell=triclinic dist=lattice net=2 seed=36"},
};

/* 1: `value` is among the words of key=a,b,c in the filter, or the filter lacks
 * the key. */
int ladder_wanted(const char *filter, const char *key, const char *value)
{
    size_t k = strlen(key), v = strlen(value);
    for (const char *p = filter; p && *p;) {
        p += strspn(p, " ");
        if (strncmp(p, key, k) != 0 || p[k] != '=') {
            p += strcspn(p, " ");
            continue;
        }
        for (p += k; *p == '=' || *p == ',';) {
            size_t n = strcspn(++p, ", ");
            if (n == v && strncmp(p, value, n) == 0)
                return 1;
            p += n;
        }
        return 0;
    }
    return 1;
}

/* The kernel of a case; a file contains charges. */
static const char *kernel_of(const char *what)
{
    for (int k = 0; ladder_kernels[k]; k++)
        if (strncmp(what, ladder_kernels[k], strlen(ladder_kernels[k])) == 0)
            return ladder_kernels[k];
    return "laplace";
}

void methods_systems(struct system *systems, const char *filter)
{
    for (int i = 0; i < METHODS_SYSTEMS; i++) {
        memset(&systems[i], 0, sizeof systems[i]);
        if (!ladder_wanted(filter, "system", sources[i].name)
            || !ladder_wanted(filter, "kernel", kernel_of(sources[i].what)))
            continue;
        system_load(&systems[i], sources[i].name, sources[i].what);
        system_reference(&systems[i]);
    }
}

void ladder_add(struct ladder *ladder, const struct ladder_cell *cell,
                const char *filter)
{
    char tolerance[32];
    snprintf(tolerance, sizeof tolerance, "%.0e", cell->tolerance);
    if (!cell->system->p.x || !ladder_wanted(filter, "group", cell->group)
        || !ladder_wanted(filter, "split", cell->split)
        || !ladder_wanted(filter, "window", cell->window)
        || !ladder_wanted(filter, "tol", tolerance)
        || !ladder_wanted(filter, "precision",
                          ladder_precision(cell->precision)))
        return;
    if (ladder->n == ladder->capacity) {
        ladder->capacity = 2 * ladder->capacity + 64;
        ladder->cell = realloc(ladder->cell,
                               (size_t)ladder->capacity * sizeof *ladder->cell);
        if (!ladder->cell)
            check_stop("no memory for the tolerance sweep");
    }
    ladder->cell[ladder->n++] = *cell;
}

static int count_names(const char *kind)
{
    int n = 0;
    while (farsum_list_names(kind, n))
        n++;
    return n;
}

/* Every tolerance for one system and precision, with the default split and
 * window and with others.  The full sweep has all others.  A partial one adds,
 * for the default at every other tolerance, one other in turn, so that every
 * pair of (system, tolerance, split, window) occurs.  Only the full sweep has
 * the dense system at 1e-6 in f32: rounding enforces a short cutoff, and meshes
 * of 480 and 960 points per axis took most of the partial sweep's time. */
static void fill_tolerances(struct ladder *ladder, const struct system *systems,
                            int s, farsum_precision precision, int full,
                            const char *filter)
{
    static const double power[] = {1e-2, 1e-3, 1e-4,  1e-5,  1e-6, 1e-7,
                                   1e-8, 1e-9, 1e-10, 1e-11, 1e-12};
    int steps = precision == FARSUM_F32 ? 5 : 11;
    int splits = count_names("split"), windows = count_names("window");
    for (int k = 0; k < steps; k++)
        for (int a = 0; a < splits; a++)
            for (int b = 0; b < windows; b++) {
                int turn = a == (s + k + (precision == FARSUM_F32)) % splits
                           && b == (s + 2 * k) % windows;
                struct ladder_cell cell = {
                    .group = "ladder",
                    .system = &systems[s],
                    .precision = precision,
                    .error = FARSUM_ERROR_FORCE,
                    .split = farsum_list_names("split", a),
                    .window = farsum_list_names("window", b),
                    .tolerance = power[k],
                };
                int usual = a == 0 && b == 0 && (filter || (s + k) % 2 == 0);
                int large = precision == FARSUM_F32 && k == 4
                            && strcmp(systems[s].name, "dense") == 0;
                if (full || ((turn || usual) && !large))
                    ladder_add(ladder, &cell, filter);
            }
}

/* Other error norms; a velocity has no potential. */
static void fill_norms(struct ladder *ladder, const struct system *systems,
                       int s, const char *filter)
{
    static const double power[] = {1e-3, 1e-6, 1e-9, 1e-12};
    int steps = s < METHODS_LAPLACE ? 4 : 3, flow = systems[s].flow;
    for (int k = 0; k < steps; k++)
        for (int kind = flow; kind < 2; kind++) {
            struct ladder_cell cell = {
                .group = kind ? "absolute" : "potential",
                .system = &systems[s],
                .precision = FARSUM_F64,
                .error = kind ? FARSUM_ERROR_ABSOLUTE : FARSUM_ERROR_POTENTIAL,
                .split = farsum_list_names("split", 0),
                .window = farsum_list_names("window", 0),
                .tolerance = power[k],
            };
            if (kind && systems[s].p.x)
                cell.tolerance *= flow ? system_velocity_norm(&systems[s])
                                       : system_force_norm(&systems[s]);
            ladder_add(ladder, &cell, filter);
        }
}

/* Fixed cutoff, support and mesh, with a tolerance that all of them meet. */
static void fill_fixed(struct ladder *ladder, const struct system *systems,
                       int s, int full, const char *filter)
{
    static const int supports[] = {3, 4, 5, 6, 8, 9, 11, 14};
    static const double cutoffs[] = {0.12, 0.2, 0.3};
    static const double spacings[] = {0.25, 0.4, 0.6}; /* of the cutoff */
    double volume = systems[s].p.x ? cell_determinant(systems[s].p.cell) : 1;
    int splits = count_names("split"), windows = count_names("window");
    for (int i = 0; i < 3 * 3 * 8; i++) {
        int r = i % 3, h = i / 3 % 3, p = i / 9;
        struct ladder_cell cell = {
            .group = "fixed",
            .system = &systems[s],
            .precision = FARSUM_F64,
            .error = systems[s].flow ? FARSUM_ERROR_VELOCITY
                                     : FARSUM_ERROR_FORCE,
            .split = farsum_list_names("split", (s + p + h) % splits),
            .window = farsum_list_names("window", (s + i) % windows),
            .tolerance = 0.99,
            .cutoff = cutoffs[r] * cbrt(volume),
            .support = supports[p],
        };
        for (int d = 0; d < 3; d++) {
            const double *a = systems[s].p.cell + 3 * d;
            double edge = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
            int64_t n = (int64_t)(edge / (spacings[h] * cell.cutoff));
            cell.mesh[d] = 2 * (n / 2) + 2; /* even, else anything */
        }
        if (full || i % 6 == s % 6)
            ladder_add(ladder, &cell, filter);
    }
}

void ladder_fill(struct ladder *ladder, struct system *systems, int full,
                 const char *filter)
{
    full = full || getenv("FARSUM_TEST_ALL");
    for (int s = 0; s < METHODS_LAPLACE; s++) {
        fill_tolerances(ladder, systems, s, FARSUM_F64, full, filter);
        fill_tolerances(ladder, systems, s, FARSUM_F32, full, filter);
    }
    for (int s = 0; s < METHODS_SYSTEMS; s++) {
        fill_norms(ladder, systems, s, filter);
        fill_fixed(ladder, systems, s, full, filter);
    }
    ladder_fill_kernels(ladder, systems, full, filter);
}
