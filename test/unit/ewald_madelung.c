/* SPDX-License-Identifier: Apache-2.0 */
/* ewald_madelung.c: Madelung potentials of crystals in many cells of the same
 * lattice, against integrals over theta functions, which have nothing in common
 * with Ewald's split:
 *
 *     sum' (+-1)/r = int_0^inf [P(t) - 1] dt / sqrt(pi t),
 *
 * P(t) is the signed sum of exp(-t r^2) over the crystal (Borwein et al.,
 * Lattice Sums Then and Now, Cambridge, 2013). */
#include "ewald_check.h"

static const long double pi = 3.14159265358979323846264338327950288L;

/* sum_n exp(-t (n + shift)^2), by the form that converges. */
static long double theta(long double t, long double shift)
{
    long double sum = 0;
    if (t > pi) {
        for (int n = -8; n <= 8; n++)
            sum += expl(-t * (n + shift) * (n + shift));
        return sum;
    }
    sum = 1;
    for (int m = 1; m <= 8; m++)
        sum += 2 * cosl(2 * pi * m * shift) * expl(-pi * pi * m * m / t);
    return sum * sqrtl(pi / t);
}

/* Signed sums of exp(-t r^2); constants of the cubic lattice are 1. */
static long double nacl_sum(long double t)
{
    /* sum (-1)^n exp(-t n^2/4), twice the even part minus all */
    long double s = 2 * theta(t, 0) - theta(t / 4, 0);
    return s * s * s;
}
static long double cscl_sum(long double t)
{
    return powl(theta(t, 0), 3) - powl(theta(t, 0.5L), 3);
}
static long double zns_sum(long double t)
{
    long double a = theta(t, 0), b = theta(t, 0.5L), c = theta(t, 0.25L);
    return a * a * a + 3 * a * b * b - 4 * c * c * c;
}

/* One charge, its images and its background (the mode k = 0). */
static long double wigner_sum(long double t)
{
    return powl(theta(t, 0), 3) - powl(pi / t, 1.5L);
}

/* Below t = 0.05 the signed sums are under exp(-pi^2/t) (pi/t)^1.5 < 1e-80;
 * only -1 is integrated: -2 sqrt(t/pi). */
static long double potential_of(long double (*sum)(long double))
{
    const long double t0 = 0.05L, u0 = logl(t0), h = 1 / 64.0L;
    long double s = -2 * sqrtl(t0 / pi);
    /* t = exp(u), Gauss-Legendre of 5 points in panels of h */
    static const long double node[3] = {0, 0.53846931010568309103631L,
                                        0.90617984593866399279763L};
    static const long double weight[3] = {0.56888888888888888888889L,
                                          0.47862867049936646804129L,
                                          0.23692688505618908751426L};
    for (int p = 0; p < 640; p++)
        for (int i = -2; i <= 2; i++) {
            long double at = (i < 0 ? -1 : 1) * node[abs(i)];
            long double t = expl(u0 + h * (p + 0.5L + at / 2));
            s += h / 2 * weight[abs(i)] * (sum(t) - 1) * sqrtl(t / pi);
        }
    return s;
}

struct crystal {
    int sites;
    double s[24][3]; /* fractional, in the cubic cell */
    double q[24];
    long double phi[24]; /* potential at the site */
};

static void site(struct crystal *c, double x, double y, double z, double q,
                 long double phi)
{
    const double s[3] = {x, y, z};
    memcpy(c->s[c->sites], s, sizeof s);
    c->q[c->sites] = q;
    c->phi[c->sites++] = phi;
}

/* Four sites of a face-centred lattice that starts at x, x, x. */
static void fcc(struct crystal *c, double x, double q, long double phi)
{
    site(c, x, x, x, q, phi);
    site(c, x, x + 0.5, x + 0.5, q, phi);
    site(c, x + 0.5, x, x + 0.5, q, phi);
    site(c, x + 0.5, x + 0.5, x, q, phi);
}

enum { NACL, CSCL, ZNS, CAF2, CRYSTALS };

static void make_crystal(struct crystal *c, int kind)
{
    long double nacl = potential_of(nacl_sum), cscl = potential_of(cscl_sum);
    long double zns = potential_of(zns_sum);
    memset(c, 0, sizeof *c);
    if (kind == NACL) {
        fcc(c, 0, 1, nacl);
        fcc(c, 0.5, -1, -nacl);
    } else if (kind == CSCL) {
        site(c, 0, 0, 0, 1, cscl);
        site(c, 0.5, 0.5, 0.5, -1, -cscl);
    } else if (kind == ZNS) {
        fcc(c, 0, 1, zns);
        fcc(c, 0.25, -1, -zns);
    } else { /* superposition: see the first test */
        fcc(c, 0, 2, 2 * zns);
        fcc(c, 0.25, -1, nacl - 2 * zns);
        fcc(c, 0.75, -1, nacl - 2 * zns);
    }
}

/* Compares the integrals with printed constants.  Let v(d) be the potential of
 * a face-centred lattice of unit charges (neutralised) at a displacement d.
 * Then NaCl is v(0) - v(1/2) and ZnS v(0) - v(1/4).  So CaF2 has 2 v(0) - 2
 * v(1/4) at Ca and -v(0) - v(1/2) + 2 v(1/4) at F. */
static void integrals(void **state)
{
    (void)state;
    long double nacl = -potential_of(nacl_sum) / 2;
    long double cscl = -potential_of(cscl_sum) * sqrtl(0.75L);
    long double zns = -potential_of(zns_sum) * sqrtl(3) / 4;
    assert_true(fabsl(nacl - 1.747564594633182190636212035544397L) < 1e-17L);
    assert_true(fabsl(cscl - 1.762674773070988L) < 1e-15L);
    assert_true(fabsl(zns - 1.6380550533887L) < 1e-12L);
    /* above the last t, 1100, only the background remains: pi/t */
    long double one = potential_of(wigner_sum) - pi / (0.05L * expl(10));
    assert_true(fabsl(one + 2.837297479480619L) < 1e-15L);
    /* CaF2 is printed in tables as 5.0388 a formula unit. */
    struct crystal c;
    make_crystal(&c, CAF2);
    long double e = (2 * c.phi[0] - c.phi[4] - c.phi[8]) / 2 * sqrtl(3) / 4;
    assert_true(fabsl(-e - 5.0388L) < 5e-5L);
}

/* Sites of the crystal in a cell whose rows are integer (for a primitive cell
 * half-integer) combinations of the cubic axes, shifted as a whole. */
static int64_t fill_cell(const struct crystal *c, const double cell[9],
                         double shift, double *x, double *q, long double *phi)
{
    double det = 0, inv[9] = {0};
    for (int i = 0; i < 3; i++)
        for (int d = 0; d < 3; d++) {
            int j = (i + 1) % 3, k = (i + 2) % 3, e = (d + 1) % 3;
            int f = (d + 2) % 3;
            inv[3 * d + i] = cell[3 * j + e] * cell[3 * k + f] -
                             cell[3 * j + f] * cell[3 * k + e];
            if (i == 0)
                det += cell[d] * inv[3 * d];
        }
    int64_t n = 0;
    for (int i = -12; i <= 12; i++)
        for (int j = -12; j <= 12; j++)
            for (int k = -12; k <= 12; k++)
                for (int a = 0; a < c->sites; a++) {
                    const double p[3] = {i + c->s[a][0], j + c->s[a][1],
                                         k + c->s[a][2]};
                    int in = 1;
                    for (int d = 0; d < 3; d++) {
                        double s = (p[0] * inv[d] + p[1] * inv[3 + d] +
                                    p[2] * inv[6 + d]) / det;
                        in = in && s > -1e-9 && s < 1 - 1e-9;
                    }
                    for (int d = 0; d < 3 && in; d++)
                        x[3 * n + d] = p[d] + shift * (d + 1);
                    if (in) {
                        q[n] = c->q[a];
                        phi[n++] = c->phi[a];
                    }
                }
    assert_true(n > 0);
    return n;
}

static const double cells[][9] = {
    {1, 0, 0, 0, 1, 0, 0, 0, 1},
    {2, 0, 0, 0, 2, 0, 0, 0, 2},
    {3, 0, 0, 0, 1, 0, 0, 0, 1},
    {1, 0, 0, 3, 1, 0, -2, 5, 1}, /* the cubic lattice, far from reduced */
    {0, 1, 0, 0, 0, 1, 1, 0, 0},
    {0.5, 0.5, 0, 0, 0.5, 0.5, 0.5, 0, 0.5}, /* primitive, for fcc */
    {0.5, 0.5, 0, 1, 2.5, 0.5, 0.5, -0.5, 1},
    {0.5, 0.5, 0, -0.5, 0, 0.5, 1.5, 1, 1.5},
};
enum { CELLS = sizeof cells / sizeof *cells, MOST = 400 };

static void check_crystal(int kind, enum ewald_level level, double tolerance)
{
    struct crystal c;
    make_crystal(&c, kind);
    for (int k = 0; k < CELLS; k++) {
        double x[3 * MOST], q[MOST], p[MOST], e[3 * MOST], energy, w[9];
        long double phi[MOST], exact = 0;
        const double *cell = cells[k];
        if (kind == CSCL && cell[0] == 0.5)
            continue;
        int64_t n = fill_cell(&c, cell, k % 2 ? 0.1234567 : 0, x, q, phi);
        struct ewald_setup s = {.accuracy = EWALD_BEST, .n = n, .threads = 2,
                                .isa = isa_best(), .level = level};
        memcpy(s.cell, cell, sizeof s.cell);
        check_run(&s, n, x, 0, NULL, q, p, e, &energy, w);
        for (int64_t i = 0; i < n; i++) {
            exact += q[i] * phi[i] / 2;
            assert_true(fabsl(p[i] - phi[i]) <= tolerance * fabsl(phi[i]));
            for (int d = 0; d < 3; d++) /* unit: q^2 (N/V)^(2/3), about 4 */
                assert_true(fabs(e[3 * i + d]) < 20 * tolerance);
        }
        assert_true(fabsl(energy - exact) <= tolerance * fabsl(exact));
        /* cubic: only pressure, trace W = E */
        for (int a = 0; a < 9; a++)
            assert_true(fabsl(w[a] - (a % 4 == 0 ? exact / 3 : 0)) <=
                        4 * tolerance * fabsl(exact));
    }
}

static void in_long_double(void **state)
{
    (void)state;
    for (int kind = 0; kind < CRYSTALS; kind++)
        check_crystal(kind, EWALD_LONG, 2e-15);
}

static void in_double(void **state)
{
    (void)state;
    for (int kind = 0; kind < CRYSTALS; kind++)
        check_crystal(kind, EWALD_F64, 1e-14);
}

/* A charge in its own background and images, by images in any basis. */
static void wigner(void **state)
{
    (void)state;
    for (int level = EWALD_F64; level <= EWALD_LONG; level++)
        for (int k = 0; k < 2; k++) {
            const double x[3] = {0.3, -7.1, 12.9}, q = 3;
            double p, e[3], energy, w[9];
            struct ewald_setup s = {.accuracy = EWALD_BEST, .n = 1,
                                    .threads = 1, .isa = isa_best(),
                                    .cutoff = k ? 2.7 : 0,
                                    .level = (enum ewald_level)level};
            for (int a = 0; a < 9; a++)
                s.cell[a] = 2 * cells[k ? 3 : 0][a];
            check_run(&s, 1, x, 0, NULL, &q, &p, e, &energy, w);
            const double exact = -2.837297479480619 / 2 * q;
            assert_true(fabs(p - exact) < 1e-14 * fabs(exact));
            assert_true(fabs(energy - q * exact / 2) < 1e-14 * fabs(energy));
            for (int d = 0; d < 3; d++)
                assert_true(fabs(e[d]) < 1e-13);
            for (int a = 0; a < 9; a++)
                assert_true(fabs(w[a] - (a % 4 == 0 ? energy / 3 : 0)) <
                            2e-14 * fabs(energy));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integrals),
        cmocka_unit_test(in_long_double),
        cmocka_unit_test(in_double),
        cmocka_unit_test(wigner),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
