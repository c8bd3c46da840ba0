/* SPDX-License-Identifier: Apache-2.0 */
/* laws.c: what holds for slabs and wires along any axes, by the reference
 * `ewald`: known numbers, derivatives, invariances and limits. */
#include <stdlib.h>
#include <string.h>

#include "moments/sums.h"

#define EULER 0.57721566490153286
#define PI 3.14159265358979323846

enum { GEOMETRIES = 6, SLABS = 3 };
static const int axes_of[GEOMETRIES][3] = {{1, 1, 0}, {1, 0, 1}, {0, 1, 1},
                                           {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

/* The tolerance of each sum, and what two sums may differ by. */
#define TOLERANCE 1e-14
#define SAME (2 * TOLERANCE)

/* Coordinates are multiples of 2^-36: those of points moved by periods are
 * then exact. */
static double grid(double x)
{
    return ldexp(nearbyint(ldexp(x, 36)), -36);
}

/* Charges with dipoles in a tilted cell, periodic along some axes. */
static void make(struct sums_case *c, int geometry, int n, int net)
{
    sums_tilted(c);
    for (int k = 0; k < 9; k++)
        c->problem.cell[k] = grid(c->problem.cell[k]);
    sums_random(c, n, 0, net);
    for (int k = 0; k < 3 * n; k++)
        c->x[k] = grid(c->x[k]);
    memcpy(c->problem.periodic, axes_of[geometry], sizeof axes_of[0]);
    c->problem.tolerance = TOLERANCE;
}

/* The smallest distance of y, or of sources with i > first, from sources, all
 * images included. */
static double closest(const struct sums_case *c, const double *y, int first)
{
    const int *p = c->problem.periodic;
    double least = INFINITY;
    for (int i = first; i < c->n; i++)
        for (int n = 0; n < 27; n++) {
            const int k[3] = {p[0] * (n / 9 - 1), p[1] * (n / 3 % 3 - 1),
                              p[2] * (n % 3 - 1)};
            double r2 = 0;
            for (int d = 0; d < 3; d++) {
                const double *e = c->problem.cell + d;
                double by = k[0] * e[0] + k[1] * e[3] + k[2] * e[6];
                r2 += pow(c->x[3 * i + d] + by - y[d], 2);
            }
            least = fmin(least, r2);
        }
    return sqrt(least);
}

/* Limits of the differences of derivatives.c, with step h.  They miss h^4/30
 * f^(5), which is 28 (h/r)^4 f' for f = r^-3, dipoles at the closest distance.
 * The weights of the four sums add up to 18/(12 h), and each sum has an error
 * of TOLERANCE times `size` of the derivative. */
static double differs(double r, double size)
{
    return 28 * pow(SUMS_STEP / r, 4)
           + 18 / (12 * SUMS_STEP) * TOLERANCE * size;
}

/* A charge at the positions of a cell of edges 1 or 2 along periodic axes. */
static double madelung(int geometry, const double cell[9], int n,
                       const double *x, const double *q)
{
    struct sums_case c = {.n = n, .method = "ewald"};
    struct sums_answer a;
    c.problem = (farsum_problem)FARSUM_PROBLEM_INIT;
    c.problem.tolerance = TOLERANCE;
    memcpy(c.problem.cell, cell, sizeof c.problem.cell);
    memcpy(c.problem.periodic, axes_of[geometry], sizeof axes_of[0]);
    memcpy(c.x, x, 3 * (size_t)n * sizeof *x);
    sums_charges(&c, q, &a);
    return a.potential[0];
}

/* A number whose last digit has the unit 10^-digits. */
static void check_digits(double found, double wanted, int digits)
{
    CHECK_NEAR(found, wanted,
               0.5 * pow(10, -digits) + TOLERANCE * fabs(wanted));
}

/* Numbers of design and literature; both periodic vectors and the order of the
 * axes as the geometry says. */
static void test_numbers(void)
{
    for (int g = 0; g < SLABS; g++) {
        int u = g == 2 ? 1 : 0, v = g == 0 ? 1 : 2, w = 3 - u - v;
        double cell[9] = {0}, x[12] = {0}, q[4] = {1, -1, -1, 1};
        cell[4 * u] = cell[4 * v] = 2;
        x[3 + u] = x[6 + v] = x[9 + u] = x[9 + v] = 1;
        check_digits(madelung(g, cell, 4, x, q), -1.6155426267128, 13);
        cell[4 * u] = cell[4 * v] = 1;
        double sheet = madelung(g, cell, 1, x, q);
        check_digits(sheet, -3.900264920002, 12);
        x[3 + u] = 0;
        x[3 + w] = 1.7;
        /* twice a sheet's potential at the other one */
        check_digits(2 * (sheet - madelung(g, cell, 2, x, q)), -21.362644742461,
                     12);
        double a = sqrt(2 / sqrt(3));
        cell[4 * u] = a;
        cell[3 * v + u] = -a / 2;
        cell[4 * v] = a * sqrt(3) / 2;
        check_digits(madelung(g, cell, 1, x, q), -3.921031578640, 12);
    }
    for (int g = SLABS; g < GEOMETRIES; g++) {
        double cell[9] = {0}, x[6] = {0}, q[2] = {1, -1};
        cell[4 * (g - SLABS)] = 1.6;
        check_digits(madelung(g, cell, 1, x, q), 2 * (EULER - log(2)) / 1.6,
                     15);
        x[3 + g - SLABS] = 0.8; /* alternating charges */
        check_digits(madelung(g, cell, 2, x, q), -2 * log(2) / 0.8, 15);
    }
}

/* Any cutoff and any basis give the same sums; open rows mean nothing. */
static void test_split(void)
{
    static const double cutoffs[] = {0, 0.9, 1.6, 2.6, 0, 0, 0};
    struct sums_answer a, b;
    for (int g = 0; g < GEOMETRIES; g++)
        for (int k = 0; k < 7; k++) {
            struct sums_case c = {.m = 0};
            make(&c, g, 20, 1);
            c.cutoff = cutoffs[k];
            const int *p = c.problem.periodic;
            for (int row = 0; row < 3; row++)
                for (int d = 0; d < 3; d++) {
                    double *to = c.problem.cell + 3 * row + d;
                    if (k == 4 && !p[row])
                        *to = 0;
                    if (k == 5 && !p[row])
                        *to = 300 * c.problem.cell[3 * (row ? 0 : 1) + d];
                }
            int one = p[0] ? 0 : p[1] ? 1 : 2, two = p[2] ? 2 : 1;
            for (int d = 0; d < 3 && k == 6 && g < SLABS; d++)
                c.problem.cell[3 * two + d] -= 3 * c.problem.cell[3 * one + d];
            sums_get(&c, k ? &a : &b);
            if (k)
                sums_same(&c, &a, &b, SAME, "other split, basis or open row");
        }
}

static void test_tolerances(void)
{
    struct sums_answer a, b;
    for (int g = 0; g < GEOMETRIES; g += 3) {
        struct sums_case c = {.m = 0};
        make(&c, g, 40, 1);
        sums_get(&c, &b);
        for (double t = 1e-2; t > 1e-12; t /= 100) {
            c.problem.tolerance = t;
            sums_get(&c, &a);
            sums_same(&c, &a, &b, t, "a coarser tolerance");
        }
    }
}

static void test_derivatives(void)
{
    for (int g = 0; g < GEOMETRIES; g++) {
        struct sums_case c = {.m = 0};
        double r = INFINITY, y[3 * SUMS_LOOKED], at;
        make(&c, g, 7, 1);
        for (int i = 0; i < c.n; i++)
            r = fmin(r, closest(&c, c.x + 3 * i, i + 1));
        check_forces(&c, differs(r, 1));
        check_torques(&c, differs(INFINITY, 1));
        check_virial(&c, differs(1, 1)); /* x_a + h x_b: relative steps */
        if (g % 3 != 1) /* 108 sums; the most permuted slab and wire */
            continue;
        sums_between(&c, y);
        for (int i = 0; i < SUMS_LOOKED; i++) {
            at = closest(&c, y + 3 * i, 0);
            r = i ? fmin(r, at) : at;
        }
        check_gradient(&c, differs(r, 1));
    }
}

/* Moving everything anywhere, or a particle by periods, changes nothing. */
static void test_shift(void)
{
    static const double by[3] = {31.75, -12.25, 55.125};
    struct sums_answer a, b;
    for (int g = 0; g < GEOMETRIES; g++) {
        struct sums_case c = {.m = 0};
        make(&c, g, 20, 1);
        sums_get(&c, &b);
        for (int i = 0; i < c.n; i++)
            for (int d = 0; d < 3; d++) {
                c.x[3 * i + d] += by[d];
                for (int k = 0; k < 3; k++)
                    if (c.problem.periodic[k])
                        c.x[3 * i + d] +=
                            ((i * (k + 2)) % 7 - 3) * c.problem.cell[3 * k + d];
            }
        sums_get(&c, &a);
        sums_same(&c, &a, &b, SAME, "moved");
    }
}

/* Charges of kernel laplace: as charge_dipole without dipoles; several
 * right-hand sides superpose; the virial's trace is the energy. */
static void test_charges(void)
{
    for (int g = 0; g < GEOMETRIES; g++) {
        struct sums_case c = {.m = 0};
        struct sums_answer a, b;
        double charges[SUMS_MOST];
        make(&c, g, 20, 1);
        for (int i = 0; i < c.n; i++) {
            charges[i] = c.q[4 * i];
            memset(c.q + 4 * i + 1, 0, 3 * sizeof(double));
        }
        sums_get(&c, &a);
        sums_charges(&c, charges, &b);
        CHECK_NEAR(b.virial[0] + b.virial[4] + b.virial[8], b.energy,
                   4 * TOLERANCE * fabs(b.energy));
        for (int i = 0; i < c.n; i++) {
            const double *t = a.gradient + 6 * i;
            /* no background between the charges */
            CHECK_NEAR(t[0] + t[3] + t[5], 0,
                       SAME * (fabs(t[0]) + fabs(t[3]) + fabs(t[5])));
        }
        memcpy(b.gradient, a.gradient, sizeof b.gradient);
        sums_same(&c, &a, &b, SAME, "charges only");
    }
}

static void test_sides(void)
{
    for (int g = 0; g < GEOMETRIES; g++) {
        struct sums_case c = {.m = 0};
        struct sums_answer b;
        double q[2 * SUMS_MOST], phi[2 * SUMS_MOST];
        farsum_options o = FARSUM_OPTIONS_INIT;
        farsum_result r = FARSUM_RESULT_INIT;
        farsum_plan *plan = NULL;
        make(&c, g, 20, 1);
        for (int i = 0; i < c.n; i++) {
            q[i] = c.q[4 * i + 1];
            q[c.n + i] = c.q[4 * i] - q[i];
        }
        c.problem.n_sources = c.n;
        o.threads = 1;
        r.potential = phi;
        CHECK_OK(farsum_plan_create(&c.problem, &o, &plan)); /* chooses ewald */
        CHECK_OK(farsum_plan_set_points(plan, c.n, c.x, 0, NULL));
        CHECK_OK(farsum_plan_execute(plan, 2, q, &r));
        for (int i = 0; i < c.n; i++) {
            phi[i] += phi[c.n + i];
            q[i] = c.q[4 * i];
        }
        sums_charges(&c, q, &b);
        sums_equal(phi, b.potential, c.n, 1.5 * SAME, "superposition");
        /* a new cell */
        struct sums_case other = c;
        for (int k = 0; k < 9; k++)
            other.problem.cell[k] *= 1.02 + 0.003 * k;
        CHECK_OK(farsum_plan_set_cell(plan, other.problem.cell));
        CHECK_OK(farsum_plan_set_points(plan, c.n, c.x, 0, NULL));
        CHECK_OK(farsum_plan_execute(plan, 1, q, &r));
        sums_charges(&other, q, &b);
        sums_equal(phi, b.potential, c.n, SAME, "a new cell");
        farsum_plan_destroy(plan);
    }
}

static void test_targets(void)
{
    for (int g = 0; g < GEOMETRIES; g++) {
        struct sums_case c = {.m = 0}, t;
        struct sums_answer a, b;
        make(&c, g, 15, 1);
        sums_get(&c, &b);
        t = c;
        t.m = t.n;
        memcpy(t.y, t.x, sizeof t.y);
        for (int k = 0; k < 3; k++)
            for (int d = 0; d < 3; d++) /* the same place, wrapped */
                if (c.problem.periodic[k])
                    t.y[d] += 3 * c.problem.cell[3 * k + d];
        sums_get(&t, &a);
        sums_same(&t, &a, &b, SAME, "targets on sources");
        memcpy(c.x + 3, c.x, 3 * sizeof *c.x);
        CHECK_FAILS(sums_try(&c, &a), FARSUM_ERR_COINCIDENT);
        /* a row apart along open axes is another place */
        for (int d = 0; d < 3; d++)
            for (int k = 0; k < 3; k++)
                if (!c.problem.periodic[k])
                    c.x[3 + d] += c.problem.cell[3 * k + d];
        sums_get(&c, &a);
    }
}

/* Sets one to the sums of a pair at its nearest images along periodic axes. */
static void nearest(const struct sums_case *c, const int64_t pair[2],
                    struct sums_answer *one)
{
    struct sums_case two = {
        .problem = FARSUM_PROBLEM_INIT, .n = 2, .method = "direct"};
    const int *p = c->problem.periodic;
    double least = INFINITY;
    for (int i = 0; i < 2; i++) {
        memcpy(two.x + 3 * i, c->x + 3 * pair[i], 3 * sizeof *c->x);
        memcpy(two.q + 4 * i, c->q + 4 * pair[i], 4 * sizeof *c->q);
    }
    for (int n = 0; n < 125; n++) {
        const int k[3] = {p[0] * (n / 25 - 2), p[1] * (n / 5 % 5 - 2),
                          p[2] * (n % 5 - 2)};
        double at[3], r2 = 0;
        for (int d = 0; d < 3; d++) {
            const double *e = c->problem.cell + d;
            at[d] = c->x[3 * pair[1] + d] + k[0] * e[0] + k[1] * e[3]
                    + k[2] * e[6];
            r2 += (at[d] - two.x[d]) * (at[d] - two.x[d]);
        }
        if (r2 < least) {
            least = r2;
            memcpy(two.x + 3, at, sizeof at);
        }
    }
    sums_get(&two, one);
}

static void test_exclusions(void)
{
    static const int64_t pairs[4] = {0, 7, 9, 4};
    static const double factors[2] = {0.5, 0};
    for (int g = 0; g < GEOMETRIES; g++) {
        struct sums_case c = {.m = 0};
        struct sums_answer a, b, one;
        make(&c, g, 14, 1);
        for (int d = 0; d < 3; d++) /* a row apart, along all axes */
            for (int k = 0; k < 3; k++)
                c.x[21 + d] += c.problem.cell[3 * k + d];
        sums_get(&c, &b);
        for (int k = 0; k < 2; k++) {
            nearest(&c, pairs + 2 * k, &one);
            sums_less(&b, &one, pairs + 2 * k, 1 - factors[k]);
        }
        c.problem.n_exclusions = 2;
        c.problem.exclusions = pairs;
        c.problem.exclusion_factors = factors;
        sums_get(&c, &a);
        sums_same(&c, &a, &b, SAME, "exclusions");
        check_virial(&c, differs(1, 1));
    }
}

/* A neutral slab whose dipole lies in its plane, in thick vacuum between its
 * images: three periodic axes are the same except for a constant. */
static void test_vacuum(void)
{
    struct sums_case c = {.m = 0};
    struct sums_answer slab, cell;
    double along = 0, off = 0;
    make(&c, 0, 16, 0);
    for (int d = 0; d < 3; d++) { /* c along the normal */
        const double *a = c.problem.cell, *b = a + 3;
        c.problem.cell[6 + d] = 14
                                * (a[(d + 1) % 3] * b[(d + 2) % 3]
                                   - a[(d + 2) % 3] * b[(d + 1) % 3]);
    }
    const double *n = c.problem.cell + 6;
    double square = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
    for (int i = 0; i < c.n; i++)
        for (int d = 0; d < 3; d++)
            along += n[d] * (c.q[4 * i] * c.x[3 * i + d] + c.q[4 * i + 1 + d]);
    for (int d = 0; d < 3; d++)
        c.q[1 + d] -= along * n[d] / square;
    sums_get(&c, &slab);
    c.problem.periodic[2] = 1;
    sums_get(&c, &cell);
    for (int i = 0; i < c.n; i++)
        off += (slab.potential[i] - cell.potential[i]) / c.n;
    for (int i = 0; i < c.n; i++)
        cell.potential[i] += off;
    memcpy(cell.virial, slab.virial, sizeof slab.virial);
    sums_same(&c, &slab, &cell, SAME, "a thick vacuum");
}

/* A slab whose second period grows tends to a wire, as the field of the images'
 * dipoles does. */
static void test_wire(void)
{
    double off[2];
    for (int k = 0; k < 2; k++) {
        struct sums_case c = {.m = 0};
        struct sums_answer slab, wire;
        make(&c, 0, 12, 0);
        for (int d = 0; d < 3; d++)
            c.problem.cell[3 + d] = (d == 1) * (k ? 80 : 40);
        sums_get(&c, &slab);
        c.problem.periodic[1] = 0;
        sums_get(&c, &wire);
        off[k] = fabs(slab.energy - wire.energy);
    }
    CHECK(off[0] < 1e-2 && fabs(off[0] / off[1] - 4) < 0.1,
          "slabs of long cells differ by %g and %g from the wire", off[0],
          off[1]);
}

int main(void)
{
    RUN(test_numbers);
    RUN(test_split);
    RUN(test_tolerances);
    RUN(test_derivatives);
    RUN(test_shift);
    RUN(test_charges);
    RUN(test_sides);
    RUN(test_targets);
    RUN(test_exclusions);
    RUN(test_vacuum);
    RUN(test_wire);
    return check_end();
}
