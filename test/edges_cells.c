/* SPDX-License-Identifier: Apache-2.0 */
/* edges_cells.c: tests of cutoffs beyond half the cell and beyond the cell, and
 * of needle-like and plate-like cells.  Images are summed, so all results must
 * be accurate. */
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "edges.h"

static const struct {
    const char *name;
    double a[9];
} cells[] = {
    {"cube", {1, 0, 0, 0, 1, 0, 0, 0, 1}},
    {"plate", {1, 0, 0, 0, 1.2, 0, 0, 0, 0.2}},
    {"needle", {0.3, 0, 0, 0, 2, 0, 0, 0, 0.25}},
    {"skew", {1, 0, 0, 0.9, 0.6, 0, -0.8, 0.5, 0.7}},
};

/* The shortest of a, b, c. */
static double shortest(const double *a)
{
    double least = INFINITY;
    for (int d = 0; d < 9; d += 3)
        least = fmin(least, sqrt(a[d] * a[d] + a[d + 1] * a[d + 1]
                                 + a[d + 2] * a[d + 2]));
    return least;
}

/* Sum in cell c by a variant of the near field, with a cutoff of `part` times
 * the shortest edge. */
static void cutoff(int k, int c, double part, const char *row,
                   const farsum_options *on, const struct edge_sum *want)
{
    struct edge e;
    struct edge_sum a;
    char what[120];
    edge_make(&e, k, 24, cells[c].a, 50 + (uint64_t)c);
    e.options.device = on->device;
    if (on->device.name)
        e.problem.outputs &= ~(unsigned)FARSUM_PARTICLE_VIRIAL;
    e.options.spectral.split = on->spectral.split ? on->spectral.split
                               : (k + c) % 2      ? "prolate"
                                                  : "gaussian";
    e.options.spectral.near = row;
    e.options.cutoff = part * shortest(cells[c].a);
    e.problem.tolerance = 1e-5;
    snprintf(what, sizeof what, "%s, cutoff %g, near %s", cells[c].name, part,
             row);
    if (CHECK_OK(edge_run(&e, &a))) {
        CHECK(fabs(a.info.cutoff - e.options.cutoff) < 1e-12 * a.info.cutoff,
              "%s, %s: cutoff is %g, not %g", e.kernel, what, a.info.cutoff,
              e.options.cutoff);
        edge_same(what, &e, &a, want, e.problem.tolerance);
    }
    edge_sum_free(&a);
    edge_free(&e);
}

static void reference(int k, int c, struct edge_sum *want)
{
    struct edge e;
    edge_make(&e, k, 24, cells[c].a, 50 + (uint64_t)c);
    e.problem.tolerance = 1e-5;
    CHECK_OK(edge_reference(&e, want));
    edge_free(&e);
}

static void cutoffs_on_the_host(void)
{
    static const double part[] = {1.5, 0.5, 0.75, 1, 1.25};
    static const char *const rows[] = {"host_cluster", "plain"};
    farsum_options host = FARSUM_OPTIONS_INIT;
    for (int k = 0; k < EDGE_KERNELS; k++)
        for (int c = 0; c < 4; c++) {
            struct edge_sum want;
            reference(k, c, &want);
            for (int p = 0; p < 5; p++)
                if (p == 0 || (p + c + k) % 4 == 0)
                    cutoff(k, c, part[p], rows[(p + c) % 2], &host, &want);
            edge_sum_free(&want);
        }
}

/* Some cases only: kernels are compiled for each, and test_variants runs all
 * variants in small cells. */
static void cutoffs_on_a_device(void)
{
    static const struct {
        const char *row;
        int kernel, cell;
    } trials[] = {
        {"gpu_cells", 3, 0}, {"gpu_pairs", 0, 3}, {"gpu_lanes", 2, 1},
        {"gm_2d", 0, 1},     {"sm_1d", 4, 2},
    };
    farsum_options on = FARSUM_OPTIONS_INIT;
    if (!edge_device(&on))
        exit(CHECK_SKIPPED);
    for (size_t t = 0; t < sizeof trials / sizeof *trials; t++) {
        struct edge_sum want;
        on.spectral.split = trials[t].row[1] == 'm' ? "gaussian" : NULL;
        reference(trials[t].kernel, trials[t].cell, &want);
        cutoff(trials[t].kernel, trials[t].cell, 1.5, trials[t].row, &on,
               &want);
        edge_sum_free(&want);
    }
}

/* Edges 1 : 1000, both ways, orthogonal and tilted. */
static void thin(void)
{
    static const double flat[][9] = {
        {1, 0, 0, 0, 1, 0, 0, 0, 1000},     {1000, 0, 0, 0, 1000, 0, 0, 0, 1},
        {1, 0, 0, 0, 1000, 0, 0, 0, 30},    {0, 1, 0, 0, 0, 1, 1000, 0, 0},
        {1, 0, 0, 0.3, 1, 0, 400, 300, 1000},
        {1000, 0, 0, 900, 1000, 0, 500, -300, 1},
    };
    for (int k = 0; k < EDGE_KERNELS; k++)
        for (int c = k % 2; c < 6; c += 2) {
            int f32 = (c / 2 + k) % 3 == 0;
            struct edge e;
            char what[60];
            edge_make(&e, k, 40, flat[c], 60 + (uint64_t)c);
            e.problem.precision = f32 ? FARSUM_F32 : FARSUM_F64;
            e.problem.tolerance = f32 ? 1e-3 : 1e-5;
            snprintf(what, sizeof what, "thin cell %d, f%d", c, f32 ? 32 : 64);
            /* f32 may not hold the force of a particle's own images: then it is
             * refused */
            struct edge_sum a = {0};
            if (f32 && edge_run(&e, &a) == FARSUM_ERR_TOLERANCE)
                CHECK_SAYS("cannot be reached");
            else
                edge_right(what, &e, 1);
            edge_sum_free(&a);
            edge_free(&e);
        }
}

void edges_cells(void)
{
    RUN(cutoffs_on_the_host);
    RUN(thin);
}

void edges_device(void)
{
    RUN(cutoffs_on_a_device);
}
