/* SPDX-License-Identifier: Apache-2.0 */
/* laws_derivatives.c: tests that force and virial are derivatives of the
 * energy. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "laws.h"

struct work {
    struct system s;
    farsum_plan *plan;
    double *field, *moved;
    double virial[9];
};

static double energy_at(struct work *w, const double *x)
{
    double energy = 0;
    farsum_result out = FARSUM_RESULT_INIT;
    out.energy = &energy;
    CHECK_OK(farsum_plan_set_points(w->plan, w->s.p.n, x, 0, NULL));
    CHECK_OK(farsum_plan_execute(w->plan, 1, w->s.p.q, &out));
    return energy;
}

static int start(struct work *w, const struct law_case *l, const char *method,
                 double tolerance)
{
    memset(w, 0, sizeof *w);
    system_load(&w->s, l->name, l->what);
    farsum_problem p = system_problem(&w->s);
    farsum_options o = cases_options();
    farsum_result out = FARSUM_RESULT_INIT;
    p.tolerance = tolerance;
    o.method = method;
    w->field = check_memory(3 * (size_t)w->s.p.n, sizeof *w->field);
    w->moved = check_memory(3 * (size_t)w->s.p.n, sizeof *w->moved);
    out.field = w->field;
    out.virial = w->virial;
    return CHECK_OK(farsum_plan_create(&p, &o, &w->plan))
           && CHECK_OK(farsum_plan_set_points(w->plan, w->s.p.n, w->s.p.x, 0,
                                              NULL))
           && CHECK_OK(farsum_plan_execute(w->plan, 1, w->s.p.q, &out));
}

static void finish(struct work *w)
{
    farsum_plan_destroy(w->plan);
    free(w->field);
    free(w->moved);
    system_free(&w->s);
}

/* Five-point differences: the error of the step is O(h^4). */
static double slope(const double e[4], double h)
{
    return (8 * (e[1] - e[2]) - (e[0] - e[3])) / (12 * h);
}

static void forces(void)
{
    static const double steps[4] = {2, 1, -1, -2};
    for (const struct law_case *l = law_cases; l->name; l++) {
        struct work w;
        if (start(&w, l, "spectral", 1e-10)) {
            const double h = 2e-4;
            double gap = 0, size = 0;
            for (int64_t i = 3; i < w.s.p.n; i += w.s.p.n / 5)
                for (int d = 0; d < 3; d++) {
                    double e[4];
                    memcpy(w.moved, w.s.p.x,
                           3 * (size_t)w.s.p.n * sizeof *w.moved);
                    for (int k = 0; k < 4; k++) {
                        w.moved[3 * i + d] = w.s.p.x[3 * i + d] + h * steps[k];
                        e[k] = energy_at(&w, w.moved);
                    }
                    double f = w.s.p.q[i] * w.field[3 * i + d];
                    gap += pow(f + slope(e, h), 2);
                    size += f * f;
                }
            CHECK(sqrt(gap) < 1e-7 * sqrt(size), "%s: forces are not -dE/dx by "
                  "%.3g", w.s.name, sqrt(gap / size));
        }
        finish(&w);
    }
}

/* W = -dE/d(strain): positions and cell strained together. */
static void virials(const char *method, double tolerance, double bound)
{
    static const double steps[4] = {2, 1, -1, -2};
    int turn = strcmp(method, "ewald") == 0;
    for (const struct law_case *l = law_cases; l->name; l++) {
        struct work w;
        if (!law_turn(turn++))
            continue;
        if (start(&w, l, method, tolerance)) {
            const double h = 2e-4;
            double gap = 0, size = 0;
            for (int a = 0; a < 9; a++) {
                double e[4], cell[9];
                for (int k = 0; k < 4; k++) {
                    int to = a / 3, from = a % 3;
                    memcpy(cell, w.s.p.cell, sizeof cell);
                    memcpy(w.moved, w.s.p.x,
                           3 * (size_t)w.s.p.n * sizeof *w.moved);
                    for (int i = 0; i < 3; i++)
                        cell[3 * i + to] += h * steps[k] * cell[3 * i + from];
                    for (int64_t i = 0; i < w.s.p.n; i++)
                        w.moved[3 * i + to] += h * steps[k]
                                               * w.moved[3 * i + from];
                    CHECK_OK(farsum_plan_set_cell(w.plan, cell));
                    e[k] = energy_at(&w, w.moved);
                }
                gap = fmax(gap, fabs(w.virial[a] + slope(e, h)));
                size = fmax(size, fabs(w.virial[a]));
            }
            CHECK(gap < bound * size, "%s %s: virial is not -dE/d(strain) by "
                  "%.3g", method, w.s.name, gap / size);
        }
        finish(&w);
    }
}

static void virials_of_methods(void)
{
    virials("spectral", 1e-9, 1e-7);
    virials("ewald", 1e-12, 1e-8);
}

/* The trace of the virial of 1/r is the energy, of 1/r^6 six times it. */
static void trace(void)
{
    for (const struct law_case *l = law_cases; l->name; l++) {
        struct system s;
        struct answer a;
        farsum_options o = cases_options();
        system_load(&s, l->name, l->what);
        int power = strcmp(s.kernel, "r6") == 0 ? 6 : 1;
        if (s.kappa > 0) {
            system_free(&s);
            continue;
        }
        farsum_problem p = system_problem(&s);
        p.tolerance = 1e-8;
        o.method = "spectral";
        if (solve(&s, &p, &o, &a)) {
            struct size z = answer_size(&s, &a, &a);
            double most = fmax(z.energy, (double)s.p.n * z.force * z.length);
            CHECK_NEAR(a.virial[0] + a.virial[4] + a.virial[8],
                       power * a.energy, 1e-8 * most);
        }
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < i; j++)
                CHECK_NEAR(a.virial[3 * i + j], a.virial[3 * j + i],
                           1e-10 * fabs(a.energy));
        answer_free(&a);
        system_free(&s);
    }
}

void laws_of_derivatives(void)
{
    RUN(forces);
    RUN(virials_of_methods);
    RUN(trace);
}
