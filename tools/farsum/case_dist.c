/* SPDX-License-Identifier: Apache-2.0 */
/* case_dist.c: distributions of a case's particles, one function each.  The
 * table below holds their formulas, which the help prints. */
#include "case.h"
#include "strengths.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Input of a distribution: the cell's rows and L = V^(1/3). */
struct box {
    const double *rows;
    double length;
};

static void to_cell(const double *h, const double s[3], double x[3])
{
    for (int d = 0; d < 3; d++)
        x[d] = s[0] * h[d] + s[1] * h[3 + d] + s[2] * h[6 + d];
}

static void uniform_point(struct rng *r, const struct box *box, double x[3])
{
    double s[3];
    for (int d = 0; d < 3; d++)
        s[d] = rng_uniform(r);
    to_cell(box->rows, s, x);
}

static void centre_of(const struct box *box, double x[3])
{
    const double half[3] = {0.5, 0.5, 0.5};
    to_cell(box->rows, half, x);
}

static int fill_uniform(struct rng *r, const struct box *box, int64_t n,
                        double *x)
{
    for (int64_t i = 0; i < n; i++)
        uniform_point(r, box, x + 3 * i);
    return 0;
}

static int fill_clustered(struct rng *r, const struct box *box, int64_t n,
                          double *x)
{
    int64_t clusters = (n + 999) / 1000;
    double *centre = malloc((size_t)clusters * 3 * sizeof *centre);
    if (!centre)
        return -1;
    for (int64_t k = 0; k < clusters; k++)
        uniform_point(r, box, centre + 3 * k);
    double sigma = 0.1 * box->length / cbrt((double)clusters);
    for (int64_t i = 0; i < n; i++) {
        int64_t k = rng_below(r, clusters);
        for (int d = 0; d < 3; d++)
            x[3 * i + d] = centre[3 * k + d] + sigma * rng_normal(r);
    }
    free(centre);
    return 0;
}

static int fill_plummer(struct rng *r, const struct box *box, int64_t n,
                        double *x)
{
    double centre[3], p[3], a = 0.05 * box->length;
    centre_of(box, centre);
    /* the part of the mass inside r = 10 a = L/2 */
    double most = pow(1 + 0.01, -1.5);
    for (int64_t i = 0; i < n; i++) {
        double u = most * (1 - rng_uniform(r));
        double radius = a / sqrt(pow(u, -2.0 / 3) - 1);
        rng_direction(r, p);
        for (int d = 0; d < 3; d++)
            x[3 * i + d] = centre[d] + radius * p[d];
    }
    return 0;
}

static int fill_lattice(struct rng *r, const struct box *box, int64_t n,
                        double *x)
{
    (void)r;
    double edge[3], product = 1;
    int64_t sites[3];
    for (int d = 0; d < 3; d++) {
        const double *v = box->rows + 3 * d;
        edge[d] = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        product *= edge[d];
    }
    double h = cbrt(product / (double)n);
    for (int d = 0; d < 3; d++) {
        /* the small amount keeps 10.0000001 from becoming 11 */
        sites[d] = (int64_t)ceil(edge[d] / h - 1e-6);
        sites[d] = sites[d] < 1 ? 1 : sites[d];
    }
    while (sites[0] * sites[1] * sites[2] < n)
        sites[2]++;
    int64_t all = sites[0] * sites[1] * sites[2];
    for (int64_t i = 0; i < n; i++) {
        int64_t k = i * all / n;
        double s[3];
        for (int d = 2; d >= 0; d--) {
            s[d] = ((double)(k % sites[d]) + 0.5) / (double)sites[d];
            k /= sites[d];
        }
        to_cell(box->rows, s, x + 3 * i);
    }
    return 0;
}

static int fill_slab(struct rng *r, const struct box *box, int64_t n, double *x)
{
    for (int64_t i = 0; i < n; i++) {
        double s[3];
        for (int d = 0; d < 3; d++)
            s[d] = rng_uniform(r);
        s[2] = (1 + s[2]) / 3;
        to_cell(box->rows, s, x + 3 * i);
    }
    return 0;
}

/* Particles in a field of gravity, above a floor. */
static int fill_sediment(struct rng *r, const struct box *box, int64_t n,
                         double *x)
{
    const double height = 0.05;
    for (int64_t i = 0; i < n; i++) {
        double s[3];
        for (int d = 0; d < 3; d++)
            s[d] = rng_uniform(r);
        s[2] = -height * log1p(s[2] * expm1(-1 / height));
        to_cell(box->rows, s, x + 3 * i);
    }
    return 0;
}

static int fill_dense(struct rng *r, const struct box *box, int64_t n,
                      double *x)
{
    double centre[3], p[3];
    centre_of(box, centre);
    for (int64_t i = 0; i < n; i++) {
        if (i % 10 == 9) {
            uniform_point(r, box, x + 3 * i);
            continue;
        }
        rng_ball(r, p);
        for (int d = 0; d < 3; d++)
            x[3 * i + d] = centre[d] + 0.05 * box->length * p[d];
    }
    return 0;
}

/* The table: one row per distribution. */
static const struct dist {
    struct case_name about;
    int (*fill)(struct rng *r, const struct box *box, int64_t n, double *x);
} dists[] = {
    {{"uniform", "x = s cell, s uniform in [0,1)^3"}, fill_uniform},
    {{"clustered", "x = centre + sigma g, g standard normal, the centre one of "
                   "K = ceil(n/1000) uniform points at random, sigma = 0.1 "
                   "(V/K)^(1/3)"},
     fill_clustered},
    {{"plummer", "density (1 + r^2/a^2)^(-5/2) about the middle of the cell, a "
                 "= 0.05 V^(1/3), cut at r = 10 a"},
     fill_plummer},
    {{"lattice", "n evenly chosen sites of a grid (i + 1/2)/K along each cell "
                 "vector; K is proportional to the vector's length, and the "
                 "product of the three K is the smallest that is not below n"},
     fill_lattice},
    {{"slab", "as uniform, but s along c in [1/3, 2/3)"}, fill_slab},
    {{"sediment", "as uniform, but s along c in [0,1) with density "
                  "e^(-s/0.05)"},
     fill_sediment},
    {{"dense", "9 of 10 particles uniform in a ball of radius 0.05 V^(1/3) in "
               "the middle of the cell, the others uniform in the cell"},
     fill_dense},
};

static const struct dist *find(int index)
{
    int count = (int)(sizeof dists / sizeof *dists);
    return index >= 0 && index < count ? &dists[index] : NULL;
}

const struct case_name *case_dists(int index)
{
    const struct dist *dist = find(index);
    return dist ? &dist->about : NULL;
}

int case_fill(const char *dist, int64_t n, const double cell[9], uint64_t seed,
              struct case_particles *particles, char *error, size_t size)
{
    const struct dist *row = NULL;
    for (int k = 0; find(k); k++)
        if (strcmp(find(k)->about.name, dist) == 0)
            row = find(k);
    if (!row) {
        snprintf(error, size, "unknown distribution '%s'", dist);
        return -1;
    }
    if (n < 1 || n > CASE_MAX) {
        snprintf(error, size, "%lld particles: from 1 to 2e9 are possible",
                 (long long)n);
        return -1;
    }
    struct case_particles p = {.n = n, .strengths = 1,
                               .periodic = {1, 1, 1}};
    double rows[9];
    int unit = case_unit(cell, rows);
    struct box box = {rows, 0};
    double v = fabs(case_determinant(rows));
    if (!(v > 0) || !isfinite(v)) {
        snprintf(error, size, "the cell is singular");
        return -1;
    }
    box.length = cbrt(v);
    memcpy(p.cell, cell, sizeof p.cell);
    struct rng r = rng_seed(seed);
    if ((uint64_t)n < SIZE_MAX / 32) {
        p.x = malloc((size_t)n * 3 * sizeof *p.x);
        p.q = malloc((size_t)n * sizeof *p.q);
    }
    if (!p.x || !p.q || row->fill(&r, &box, n, p.x) != 0) {
        snprintf(error, size, "no memory for %lld particles", (long long)n);
        case_free(&p);
        return -1;
    }
    for (int64_t i = 0; i < 3 * n; i++) {
        p.x[i] = ldexp(p.x[i], unit);
        if (!isfinite(p.x[i])) {
            snprintf(error, size, "particle %lld lies beyond 1.8e308: choose a "
                     "smaller cell", (long long)(i / 3 + 1));
            case_free(&p);
            return -1;
        }
    }
    strengths_draw(strengths_of("laplace"), &r, n, 0, p.q);
    *particles = p;
    return 0;
}

int case_draw(const char *kernel, double net, uint64_t seed,
              struct case_particles *particles, char *error, size_t size)
{
    const struct strengths *row = strengths_of(kernel);
    int64_t n = particles->n;
    if (row->count == 1) {
        for (int64_t i = 0; net != 0 && i < n; i++)
            particles->q[i] += net;
        return 0;
    }
    double *q = NULL;
    if ((uint64_t)n < SIZE_MAX / 64)
        q = malloc((size_t)(n * row->count) * sizeof *q);
    if (!q) {
        snprintf(error, size, "no memory for %lld particles", (long long)n);
        return -1;
    }
    /* a different random sequence than that of the positions */
    struct rng r = rng_seed(seed ^ UINT64_C(0x5354524547544853));
    strengths_draw(row, &r, n, net, q);
    free(particles->q);
    particles->q = q;
    particles->strengths = row->count;
    return 0;
}

void case_free(struct case_particles *particles)
{
    free(particles->x);
    free(particles->q);
    memset(particles, 0, sizeof *particles);
}
