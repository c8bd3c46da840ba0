/* SPDX-License-Identifier: Apache-2.0 */
/* laws_edges.c: comparison with Ewald sums for unusual systems and
 * parameters. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "laws.h"

/* `problem` by the spectral method with these options and by ewald. */
static void against_ewald(const char *what, const struct system *s,
                          farsum_problem problem, const farsum_options *options)
{
    struct answer a, b;
    farsum_options reference = FARSUM_OPTIONS_INIT;
    if (solve(s, &problem, options, &a)) {
        double tol = problem.tolerance;
        problem.tolerance = 1e-13;
        problem.precision = FARSUM_F64;
        reference.method = "ewald";
        if (solve(s, &problem, &reference, &b))
            problem.error == FARSUM_ERROR_POTENTIAL
                ? check_same_potential(what, s, &a, &b, tol)
                : check_same(what, s, &a, &b, tol, tol);
        answer_free(&b);
    }
    answer_free(&a);
}

static farsum_options spectral(void)
{
    farsum_options o = cases_options();
    o.method = "spectral";
    return o;
}

/* A total charge has a uniform background; vacuum at infinity adds a dipole
 * term. */
static void background_and_surface(void)
{
    for (const struct law_case *l = law_cases; l->name; l++)
        for (int surface = FARSUM_TINFOIL; surface <= FARSUM_VACUUM; surface++)
            for (int charged = 0; charged < 2; charged++) {
                struct system s;
                farsum_options o = spectral();
                char what[80];
                if (!law_turn((int)(l - law_cases) + surface + charged))
                    continue;
                system_load(&s, l->name, l->what);
                if (surface == FARSUM_VACUUM && strcmp(s.kernel, "laplace")) {
                    system_free(&s); /* has no boundary at infinity */
                    continue;
                }
                for (int64_t i = 0; charged && i < s.p.n; i++)
                    s.p.q[i] += 0.3;
                farsum_problem p = system_problem(&s);
                p.tolerance = 1e-7;
                p.surface = (farsum_surface)surface;
                snprintf(what, sizeof what, "%s, %s",
                         charged ? "charged" : "neutral",
                         surface == FARSUM_VACUUM ? "vacuum" : "tin-foil");
                against_ewald(what, &s, p, &o);
                system_free(&s);
            }
}

static void coincident_are_left_out(void)
{
    for (const struct law_case *l = law_cases; l->name; l++) {
        struct system s;
        farsum_options o = spectral();
        system_load(&s, l->name, l->what);
        for (int i = 0; i < 20; i++) /* pairs and a triple */
            memcpy(s.p.x + 3 * (7 * i + 1), s.p.x + 3 * (7 * (i / 2 * 2)), 24);
        farsum_problem p = system_problem(&s);
        p.tolerance = 1e-7;
        p.exclude_coincident = 1;
        against_ewald("coincident pairs", &s, p, &o);
        p.precision = FARSUM_F32;
        p.tolerance = 1e-4;
        against_ewald("coincident pairs in f32", &s, p, &o);
        system_free(&s);
    }
}

static void cutoffs_beyond_half_the_cell(void)
{
    for (const struct law_case *l = law_cases; l->name; l++)
        for (int k = 0; k < 5; k++) {
            double part = 0.5 + 0.4 * k;
            struct system s;
            farsum_options o = spectral();
            if (!law_turn(k + (int)(l - law_cases)))
                continue;
            system_load(&s, l->name, l->what);
            farsum_problem p = system_problem(&s);
            p.tolerance = 1e-8;
            o.cutoff = part * cbrt(cell_determinant(s.p.cell));
            against_ewald("cutoff beyond half the cell", &s, p, &o);
            system_free(&s);
        }
}

static void few_particles(void)
{
    static const char *const cells[] = {"cubic", "tilted", "1x1x10"};
    for (int n = 1; n <= 5; n++)
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 3; k++) {
                static const double tolerance[] = {1e-3, 1e-6, 1e-11};
                struct system s;
                farsum_options o = spectral();
                char what[100];
                snprintf(what, sizeof what, "laplace n=%d cell=%s seed=%d", n,
                         cells[c], 40 + n);
                system_load(&s, what, what);
                s.p.q[n - 1] = 1;
                farsum_problem p = system_problem(&s);
                p.error = FARSUM_ERROR_POTENTIAL; /* one alone has no force */
                p.tolerance = tolerance[k];
                if (n > 1)
                    against_ewald(what, &s, p, &o);
                struct answer a, b;
                farsum_options e = FARSUM_OPTIONS_INIT;
                e.method = "ewald";
                if (n == 1 && solve(&s, &p, &o, &a) && solve(&s, &p, &e, &b)) {
                    CHECK_NEAR(a.potential[0], b.potential[0],
                               2 * tolerance[k] * fabs(b.potential[0]));
                    CHECK(fabs(a.field[0]) + fabs(a.field[1])
                              + fabs(a.field[2])
                              < tolerance[k] * fabs(b.potential[0])
                                    * a.info.bandwidth / a.info.cutoff,
                          "%s: a particle pulls itself: %g %g %g", what,
                          a.field[0], a.field[1], a.field[2]);
                    answer_free(&a);
                    answer_free(&b);
                }
                system_free(&s);
            }
}

static void support(const struct system *s, int support, int potential,
                    const struct answer *wanted)
{
    farsum_options o = spectral();
    farsum_problem p = system_problem(s);
    struct answer a;
    p.error = potential ? FARSUM_ERROR_POTENTIAL : FARSUM_ERROR_FORCE;
    p.tolerance = support < 4 ? 0.3 : pow(10, -0.45 * support);
    o.spectral.support = support;
    if (solve(s, &p, &o, &a)) {
        double gap = potential ? potential_gap(s, &a, wanted)
                               : force_gap(s, &a, wanted);
        CHECK(a.info.support == support, "support %d became %d", support,
              a.info.support);
        CHECK(gap <= p.tolerance, "%s, support %d: %s differs by %.3g, above "
              "%.3g", s->name, support, potential ? "potential" : "force", gap,
              p.tolerance);
    }
    answer_free(&a);
}

/* Any support set by hand, for every other system: the tolerance holds in its
 * norm, force and potential alternating. */
static void any_support(void)
{
    for (const struct law_case *l = law_cases; l->name; l++) {
        struct system s;
        struct answer b;
        farsum_options e = FARSUM_OPTIONS_INIT;
        system_load(&s, l->name, l->what);
        farsum_problem p = system_problem(&s);
        p.tolerance = 1e-11;
        e.method = "ewald";
        int done = solve(&s, &p, &e, &b);
        for (int k = 2; k <= 16 && done; k++) {
            int turn = (int)(l - law_cases);
            if (law_turn(k / 2 + turn))
                support(&s, k, (k + turn) % 2, &b);
        }
        answer_free(&b);
        system_free(&s);
    }
}

/* Separate targets: the sources themselves, and positions between them. */
static void separate_targets(void)
{
    for (const struct law_case *l = law_cases; l->name; l++) {
        struct system s;
        system_load(&s, l->name, l->what);
        int64_t n = s.p.n, m = n + 60;
        double *y = check_memory(3 * (size_t)m, sizeof *y);
        double *v[2], most[2] = {0}, gap[2] = {0};
        uint64_t seed = 8;
        memcpy(y, s.p.x, 3 * (size_t)n * sizeof *y);
        for (int64_t i = n; i < m; i++)
            for (int j = 0; j < 3; j++)
                y[3 * i + j] = 5 * law_random(&seed) - 1;
        farsum_problem p = system_problem(&s);
        p.n_targets = m;
        p.error = FARSUM_ERROR_POTENTIAL;
        p.outputs = FARSUM_POTENTIAL | FARSUM_FIELD;
        for (int k = 0; k < 2; k++) {
            farsum_options o = spectral();
            farsum_result out = FARSUM_RESULT_INIT;
            v[k] = check_memory(4 * (size_t)m, sizeof **v);
            out.potential = v[k];
            out.field = v[k] + m;
            p.tolerance = k ? 1e-13 : 1e-8;
            if (k)
                o.method = "ewald";
            CHECK_OK(sum_once(&p, &o, n, s.p.x, m, y, s.p.q, &out, NULL));
        }
        for (int64_t i = 0; i < 4 * m; i++) {
            int f = i >= m;
            most[f] += v[1][i] * v[1][i];
            gap[f] += (v[0][i] - v[1][i]) * (v[0][i] - v[1][i]);
        }
        for (int f = 0; f < 2; f++)
            CHECK(sqrt(gap[f]) < 3e-8 * sqrt(most[f]), "%s: %s at targets "
                  "differs by %.3g", s.name, f ? "field" : "potential",
                  sqrt(gap[f] / most[f]));
        /* a target on a source is that source */
        struct answer a;
        farsum_options o = spectral();
        p = system_problem(&s);
        p.error = FARSUM_ERROR_POTENTIAL;
        p.tolerance = 1e-8;
        if (solve(&s, &p, &o, &a)) {
            double off = 0;
            for (int64_t i = 0; i < n; i++)
                off = fmax(off, fabs(a.potential[i] - v[0][i]));
            double size = sqrt(most[0] / (double)m); /* RMS */
            CHECK(off < 1e-7 * size, "%s: targets on sources differ by %g of "
                  "%g", s.name, off, size);
        }
        answer_free(&a);
        free(v[0]);
        free(v[1]);
        free(y);
        system_free(&s);
    }
}

void laws_of_edges(void)
{
    RUN(background_and_surface);
    RUN(coincident_are_left_out);
    RUN(cutoffs_beyond_half_the_cell);
    RUN(few_particles);
    RUN(any_support);
    RUN(separate_targets);
}
