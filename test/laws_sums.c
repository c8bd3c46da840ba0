/* SPDX-License-Identifier: Apache-2.0 */
/* laws_sums.c: tests of sums of parts, of scaling, and of consistency between
 * the parts of a result. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "laws.h"

static farsum_problem asked(const struct system *s, double tolerance,
                            unsigned outputs)
{
    farsum_problem problem = system_problem(s);
    problem.tolerance = tolerance;
    problem.outputs = outputs;
    return problem;
}

static farsum_options spectral(void)
{
    farsum_options o = cases_options();
    o.method = "spectral";
    return o;
}

enum { ALL = FARSUM_POTENTIAL | FARSUM_FIELD | FARSUM_ENERGY | FARSUM_VIRIAL };

/* |sum F| <= tolerance sqrt(N) F_rms. */
static void momentum(void)
{
    for (const struct law_case *l = law_cases; l->name; l++)
        for (int k = 0; k < 4; k++) {
            static const double tolerances[] = {1e-2, 1e-5, 1e-8, 1e-11};
            double tol = tolerances[k];
            struct system s;
            struct answer a;
            farsum_options o = spectral();
            if (!law_turn(k + (int)(l - law_cases)))
                continue;
            system_load(&s, l->name, l->what);
            farsum_problem p = asked(&s, tol, ALL);
            if (solve(&s, &p, &o, &a)) {
                double size = system_momentum(&s, a.field);
                CHECK(size <= tol,
                      "%s at %g: |sum F| is %.3g of "
                      "sqrt(N) F_rms",
                      s.name, tol, size);
            }
            answer_free(&a);
            system_free(&s);
        }
}

/* E = 1/2 sum q phi, with or without potentials as output; each output is the
 * same by itself and with others. */
static void outputs_alone(void)
{
    for (const struct law_case *l = law_cases; l->name; l++) {
        struct system s;
        struct answer all, one;
        farsum_options o = spectral();
        system_load(&s, l->name, l->what);
        farsum_problem p = asked(&s, 1e-5, ALL);
        if (!solve(&s, &p, &o, &all))
            continue;
        double half = 0, size = 0;
        for (int64_t i = 0; i < s.p.n; i++) {
            half += s.p.q[i] * all.potential[i] / 2;
            size += fabs(s.p.q[i] * all.potential[i]) / 2;
        }
        CHECK_NEAR(all.energy, half, 1e-9 * size);
        o.cutoff = all.info.cutoff;
        memcpy(o.spectral.mesh, all.info.mesh, sizeof o.spectral.mesh);
        o.spectral.support = all.info.support;
        o.spectral.bandwidth = all.info.bandwidth;
        o.spectral.shape = all.info.shape;
        for (unsigned k = 1; k < ALL; k++) {
            if (!law_turn((int)k / 2 + (int)(l - law_cases)))
                continue;
            p = asked(&s, 1e-5, k);
            if (solve(&s, &p, &o, &one)) {
                double gap = 0, most = 1e-10;
                if (k & FARSUM_POTENTIAL)
                    gap = fmax(gap, potential_gap(&s, &one, &all));
                if (k & FARSUM_FIELD)
                    gap = fmax(gap, force_gap(&s, &one, &all));
                if (k & FARSUM_ENERGY)
                    gap = fmax(gap, energy_gap(&s, &one, &all));
                if (k & FARSUM_VIRIAL)
                    gap = fmax(gap, virial_gap(&s, &one, &all));
                CHECK(gap < most, "%s: outputs %u alone differ by %.3g", s.name,
                      k, gap);
            }
            answer_free(&one);
        }
        answer_free(&all);
        system_free(&s);
    }
}

/* A plan's results are linear in the strengths.  Several right-hand sides in
 * one call agree bitwise with single ones. */
static void superposition(void)
{
    for (const struct law_case *l = law_cases; l->name; l++) {
        struct system s;
        farsum_plan *plan = NULL;
        farsum_options o = spectral();
        uint64_t seed = 4;
        o.deterministic = 1;
        system_load(&s, l->name, l->what);
        farsum_problem p = asked(&s, 1e-6, ALL);
        int64_t n = s.p.n;
        double *q = check_memory(3 * (size_t)n, sizeof *q);
        double *phi = check_memory(6 * (size_t)n, sizeof *phi);
        double *field = check_memory(18 * (size_t)n, sizeof *field);
        double energy[6], virial[54];
        for (int64_t i = 0; i < n; i++) {
            q[i] = s.p.q[i];
            q[n + i] = law_random(&seed) - 0.5;
            q[2 * n + i] = 2 * q[i] - 3 * q[n + i];
        }
        CHECK_OK(farsum_plan_create(&p, &o, &plan));
        CHECK_OK(farsum_plan_set_points(plan, n, s.p.x, 0, NULL));
        farsum_result all = FARSUM_RESULT_INIT, one = FARSUM_RESULT_INIT;
        all.potential = phi;
        all.field = field;
        all.energy = energy;
        all.virial = virial;
        CHECK_OK(farsum_plan_execute(plan, 3, q, &all));
        for (int r = 0; r < 3; r++) {
            one.potential = phi + (3 + r) * n;
            one.field = field + (9 + 3 * r) * n;
            one.energy = energy + 3 + r;
            one.virial = virial + 27 + 9 * r;
            CHECK_OK(farsum_plan_execute(plan, 1, q + r * n, &one));
        }
        CHECK(memcmp(phi, phi + 3 * n, 3 * (size_t)n * sizeof *phi) == 0
                  && memcmp(field, field + 9 * n,
                            9 * (size_t)n * sizeof *field) == 0
                  && memcmp(energy, energy + 3, 3 * sizeof *energy) == 0
                  && memcmp(virial, virial + 27, 27 * sizeof *virial) == 0,
              "%s: three in one call differ from one by one", s.name);
        double worst = 0, size = 0;
        for (int64_t i = 0; i < n; i++) {
            worst = fmax(worst, fabs(2 * phi[i] - 3 * phi[n + i]
                                     - phi[2 * n + i]));
            size = fmax(size, fabs(phi[2 * n + i]));
        }
        for (int64_t i = 0; i < 3 * n; i++)
            worst = fmax(worst, fabs(2 * field[i] - 3 * field[3 * n + i]
                                     - field[6 * n + i])
                                    / (1 + fabs(field[6 * n + i])) * size);
        CHECK(worst < 1e-12 * size, "%s: not linear by %.3g", s.name,
              worst / size);
        farsum_plan_destroy(plan);
        free(q);
        free(phi);
        free(field);
        system_free(&s);
    }
}

/* The system with lengths times f[0], charges times f[1] and constant f[2].
 * Results are converted back to the units of x, the unchanged answer. */
static void scaled_by(const double f[3], const struct law_case *l,
                      farsum_precision precision, const struct answer *x)
{
    struct system t;
    struct answer y;
    farsum_options o = spectral();
    system_load(&t, l->name, l->what);
    double unit = (strcmp(t.kernel, "r6") == 0 ? pow(f[0], 6) : f[0])
                  / (f[2] * f[1]);
    struct system s = t;
    s.p.q = check_memory((size_t)t.p.n, sizeof *s.p.q);
    memcpy(s.p.q, t.p.q, (size_t)t.p.n * sizeof *s.p.q);
    for (int64_t i = 0; i < 3 * t.p.n; i++)
        t.p.x[i] *= f[0];
    for (int64_t i = 0; i < t.p.n; i++)
        t.p.q[i] *= f[1];
    for (int i = 0; i < 9; i++)
        t.p.cell[i] *= f[0];
    t.kappa /= f[0];
    farsum_problem p = asked(&t, 1e-5, ALL);
    p.precision = precision;
    p.coulomb = f[2];
    if (solve(&t, &p, &o, &y)) {
        for (int64_t i = 0; i < t.p.n; i++)
            y.potential[i] *= unit;
        for (int64_t i = 0; i < 3 * t.p.n; i++)
            y.field[i] *= f[0] * unit;
        y.energy *= unit / f[1];
        for (int i = 0; i < 9; i++)
            y.virial[i] *= unit / f[1];
        check_same("scaled", &s, &y, x, 2e-5, 2e-5);
    }
    answer_free(&y);
    free(s.p.q);
    system_free(&t);
}

/* Lengths times a, charges times b, constant times c: phi times c b/a, E times
 * c b/a^2, energy and virial times c b^2/a; for 1/r^6, a^6 instead of a.
 * Precisions alternate. */
static void scaling(void)
{
    static const double factors[][3] = {
        {2, 1, 1},       {1, -3, 1},       {1, 1, 332.06371}, {1e-10, 1.6e-19,
         9e9},           {1e6, 1e12, 0.1}, {1, 1e-30, 1e30},  {7.3e-3, 1, 1}};
    for (const struct law_case *l = law_cases; l->name; l++)
        for (int precision = FARSUM_F64; precision <= FARSUM_F32; precision++) {
            struct system s;
            struct answer x;
            farsum_options o = spectral();
            system_load(&s, l->name, l->what);
            farsum_problem p = asked(&s, 1e-5, ALL);
            p.precision = (farsum_precision)precision;
            if (solve(&s, &p, &o, &x))
                for (size_t k = 0; k < sizeof factors / sizeof *factors; k++) {
                    int turn = (int)k + (int)(l - law_cases) + precision;
                    if (law_turn(turn) && law_turn(turn / 2 + precision))
                        scaled_by(factors[k], l, (farsum_precision)precision,
                                  &x);
                }
            answer_free(&x);
            system_free(&s);
        }
}

void laws_of_sums(void)
{
    RUN(momentum);
    RUN(outputs_alone);
    RUN(superposition);
    RUN(scaling);
}
