/* SPDX-License-Identifier: Apache-2.0 */
/* soften_cloud.c: softened charges, see soften_cloud.h. */
#include <string.h>

#include "check.h"
#include "geometry/soften_cloud.h"
#include "geometry/sums.h"

void cloud_in(struct cloud *c, double tolerance, const double cell[9])
{
    uint64_t state = 3;
    *c = (struct cloud){.problem = FARSUM_PROBLEM_INIT,
                        .options = FARSUM_OPTIONS_INIT};
    farsum_problem *p = &c->problem;
    for (int i = 0; i < CLOUD_POINTS + CLOUD_TARGETS; i++) {
        double *x =
            i < CLOUD_POINTS ? c->x + 3 * i : c->y + 3 * (i - CLOUD_POINTS);
        double s[3] = {geometry_draw(&state), geometry_draw(&state),
                       geometry_draw(&state)};
        for (int d = 0; d < 3; d++)
            x[d] = s[0] * cell[d] + s[1] * cell[3 + d] + s[2] * cell[6 + d];
        if (i < CLOUD_POINTS)
            c->q[i] = geometry_draw(&state) - 0.3;
    }
    for (int i = 0; i < 40; i += 2) /* up to lattice vectors */
        for (int d = 0; d < 3; d++)
            c->x[3 * i + d] = c->x[3 * i + 3 + d] + 0.2 * pow(10, -i / 40.0)
                              + (i % 3 == 1 ? cell[3 + d] : 0);
    memcpy(p->cell, cell, sizeof p->cell);
    for (int d = 0; d < 3; d++)
        p->periodic[d] = 1;
    p->coulomb = 1;
    p->softening = CLOUD_RADIUS;
    p->tolerance = tolerance;
    p->precision = FARSUM_F64;
    p->arrays = FARSUM_F64;
    p->n_sources = CLOUD_POINTS;
    p->outputs =
        FARSUM_POTENTIAL | FARSUM_FIELD | FARSUM_ENERGY | FARSUM_VIRIAL;
    c->options.threads = 1;
    c->options.method = "spectral";
}

void cloud_make(struct cloud *c, double tolerance)
{
    static const double cell[9] = {6, 0, 0, 1.5, 7, 0, -1, 2, 5.5};
    cloud_in(c, tolerance, cell);
}

void cloud_brick(struct cloud *c, double tolerance)
{
    static const double brick[9] = {6, 0, 0, 0, 7, 0, 0, 0, 5.5};
    cloud_in(c, tolerance, brick);
}

void cloud_exclude(struct cloud *c)
{
    for (int k = 0; k < CLOUD_PAIRS; k++) {
        c->pairs[2 * k] = 2 * k;
        c->pairs[2 * k + 1] = k % 3 ? 2 * k + 1 : 100 + k;
        c->factors[k] = k % 2 ? 0 : 0.25;
    }
    c->problem.n_exclusions = CLOUD_PAIRS;
    c->problem.exclusions = c->pairs;
    c->problem.exclusion_factors = c->factors;
}

farsum_status cloud_sum(const struct cloud *c, struct cloud_sums *to)
{
    farsum_result r = FARSUM_RESULT_INIT;
    r.potential = to->potential;
    r.field = to->field;
    r.energy = &to->energy;
    if (c->problem.outputs & FARSUM_VIRIAL)
        r.virial = to->virial;
    return geometry_sum(&c->problem, &c->options, CLOUD_POINTS, c->x, c->q,
                        c->m, c->y, r, NULL);
}

/* What remains of the nearest image of sources i and j. */
static double stays(const struct cloud *c, int i, int j)
{
    for (int k = 0; k < c->problem.n_exclusions; k++)
        if ((c->pairs[2 * k] == i && c->pairs[2 * k + 1] == j)
            || (c->pairs[2 * k] == j && c->pairs[2 * k + 1] == i))
            return c->factors[k];
    return 1;
}

/* Adds the softened less the whole interaction of one image.  With u = r/h a
 * ball of density 105/(32 pi h^3) (1 - u^2)^2 has the charge
 * (35 u^3 - 42 u^5 + 15 u^7)/8 within u. */
static void image_add(const struct cloud *c, int i, int j, const double d[3],
                      double factor, struct cloud_sums *to)
{
    double u = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) / CLOUD_RADIUS,
           h = CLOUD_RADIUS;
    if (u >= 1 || u == 0)
        return;
    double u2 = u * u, big = c->problem.coulomb * c->q[j] * factor;
    double inside = (35 - 42 * u2 + 15 * u2 * u2) * u2 * u / 8;
    double g = big * (inside - 1) / pow(u * h, 3);
    double phi =
        big * ((35 - 35 * u2 + 21 * u2 * u2 - 5 * u2 * u2 * u2) / 16 - 1 / u)
        / h;
    to->potential[i] += phi;
    for (int k = 0; k < 3; k++)
        to->field[3 * i + k] += g * d[k];
    if (c->m)
        return;
    to->energy += 0.5 * c->q[i] * phi;
    for (int k = 0; k < 9; k++)
        to->virial[k] += 0.5 * c->q[i] * g * d[k / 3] * d[k % 3];
}

static void loop(const struct cloud *c, struct cloud_sums *to)
{
    const double *a = c->problem.cell;
    const int *periodic = c->problem.periodic;
    for (int i = 0; i < (c->m ? c->m : CLOUD_POINTS); i++)
        for (int j = 0; j < CLOUD_POINTS; j++)
            for (int n = 0; n < 125; n++) {
                if ((n / 25 != 2 && !periodic[0])
                    || (n / 5 % 5 != 2 && !periodic[1])
                    || (n % 5 != 2 && !periodic[2]))
                    continue;
                const double *x = (c->m ? c->y : c->x) + 3 * i;
                double d[3];
                for (int k = 0; k < 3; k++)
                    d[k] = x[k] - c->x[3 * j + k] + (n / 25 - 2) * a[k]
                           + (n / 5 % 5 - 2) * a[3 + k]
                           + (n % 5 - 2) * a[6 + k];
                image_add(c, i, j, d, c->m ? 1 : stays(c, i, j), to);
            }
}

void cloud_reference(const struct cloud *c, struct cloud_sums *to)
{
    struct cloud t = *c;
    t.options = (farsum_options)FARSUM_OPTIONS_INIT;
    t.options.threads = 1;
    t.options.method = "ewald";
    t.problem.precision = FARSUM_F64;
    t.problem.tolerance = 1e-14;
    t.problem.softening = 0;
    memset(to, 0, sizeof *to);
    CHECK_OK(cloud_sum(&t, to));
    loop(c, to);
}

void cloud_compare(const struct cloud *c, const struct cloud_sums *exact,
                   const char *what)
{
    struct cloud_sums a;
    int n = c->m ? c->m : CLOUD_POINTS;
    double limit = c->problem.tolerance;
    CHECK_OK(cloud_sum(c, &a));
    double force =
        geometry_off(a.field, exact->field, c->m ? NULL : c->q, n, 3);
    double phi = geometry_off(a.potential, exact->potential, NULL, n, 1);
    CHECK(force <= limit, "%s: forces off by %g, %g allowed", what, force,
          limit);
    CHECK(phi <= limit, "%s: potentials off by %g", what, phi);
    if (c->m)
        return;
    CHECK_NEAR(a.energy, exact->energy, 3 * limit * fabs(exact->energy));
    if (!(c->problem.outputs & FARSUM_VIRIAL))
        return;
    CHECK(geometry_off(a.virial, exact->virial, NULL, 9, 1) <= 10 * limit,
          "%s: virial off by %g", what,
          geometry_off(a.virial, exact->virial, NULL, 9, 1));
}
