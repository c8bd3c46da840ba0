/* SPDX-License-Identifier: Apache-2.0 */
/* laws_invariance.c: tests of changes that must not affect the result. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "laws.h"

static const double tolerances[] = {1e-4, 1e-9};

static int plan_of(const struct system *s, double tolerance,
                   const farsum_options *options, struct answer *answer)
{
    farsum_problem problem = system_problem(s);
    farsum_options chosen = cases_options();
    problem.tolerance = tolerance;
    if (!options) {
        chosen.method = "spectral";
        options = &chosen;
    }
    return solve(s, &problem, options, answer);
}

/* Runs `change` on a copy of each system; the results must agree.  The
 * unchanged system is summed once for all changes; tolerances alternate. */
static void unchanged(int n, const char *const what[],
                      void (*const change[])(struct system *s))
{
    for (const struct law_case *l = law_cases; l->name; l++)
        for (int k = 0; k < 2; k++) {
            struct system s;
            struct answer a, b;
            double tol = tolerances[k];
            system_load(&s, l->name, l->what);
            int done = plan_of(&s, tol, NULL, &a);
            for (int i = 0; i < n && done; i++) {
                if (!law_turn(i + k + (int)(l - law_cases)))
                    continue;
                struct system c = system_copy(&s);
                change[i](&c);
                if (plan_of(&c, tol, NULL, &b))
                    check_same(what[i], &s, &b, &a, 2 * tol, 2 * tol);
                answer_free(&b);
                system_free(&c);
            }
            answer_free(&a);
            system_free(&s);
        }
}

static void move_all(struct system *s)
{
    for (int64_t i = 0; i < 3 * s->p.n; i++)
        s->p.x[i] += 0.7182 + 1.3141 * (double)(i % 3);
}

static void move_each_by_cells(struct system *s)
{
    uint64_t seed = 3;
    for (int64_t i = 0; i < s->p.n; i++)
        for (int d = 0; d < 3; d++) {
            double n = floor(9 * law_random(&seed)) - 4;
            for (int j = 0; j < 3; j++)
                s->p.x[3 * i + j] += n * s->p.cell[3 * d + j];
        }
}

/* Another basis of the same lattice. */
static void tilt(struct system *s)
{
    double *a = s->p.cell;
    for (int j = 0; j < 3; j++) {
        a[3 + j] += a[j];
        a[6 + j] += a[j] - a[3 + j];
    }
}

static void tilt_strongly(struct system *s)
{
    double *a = s->p.cell;
    for (int j = 0; j < 3; j++) {
        a[3 + j] += 7 * a[j];
        a[6 + j] -= 5 * a[3 + j];
    }
}

/* Cyclic permutation of the cell's vectors. */
static void rename_axes(struct system *s)
{
    double a[9];
    memcpy(a, s->p.cell, sizeof a);
    for (int i = 0; i < 9; i++)
        s->p.cell[i] = a[(i + 3) % 9];
}

static void shifts_and_tilts(void)
{
    static const char *const what[] = {
        "shift of all", "shift of each by cell vectors",
        "tilt by a cell vector", "tilt by many", "axes renamed"};
    static void (*const change[])(struct system *s) = {
        move_all, move_each_by_cells, tilt, tilt_strongly, rename_axes};
    unchanged(5, what, change);
}

/* If the system is rotated, vectors rotate and scalars do not change. */
static void turns(void)
{
    const double c = cos(0.7), t = sin(0.7), u = cos(1.9), v = sin(1.9);
    const double turn[9] = {c, -t, 0, t * u, c * u, -v, t * v, c * v, u};
    for (const struct law_case *l = law_cases; l->name; l++) {
        struct system s;
        struct answer a, b;
        system_load(&s, l->name, l->what);
        struct system r = system_copy(&s);
        for (int64_t i = 0; i < s.p.n + 3; i++) {
            const double *from = i < 3 ? s.p.cell + 3 * i
                                       : s.p.x + 3 * (i - 3);
            double *to = i < 3 ? r.p.cell + 3 * i : r.p.x + 3 * (i - 3);
            for (int j = 0; j < 3; j++)
                to[j] = turn[3 * j] * from[0] + turn[3 * j + 1] * from[1]
                        + turn[3 * j + 2] * from[2];
        }
        if (plan_of(&s, 1e-8, NULL, &a) && plan_of(&r, 1e-8, NULL, &b)) {
            for (int64_t i = 0; i < s.p.n; i++) {
                double f[3];
                memcpy(f, b.field + 3 * i, sizeof f);
                for (int j = 0; j < 3; j++)
                    b.field[3 * i + j] = turn[j] * f[0] + turn[3 + j] * f[1]
                                         + turn[6 + j] * f[2];
            }
            memcpy(b.virial, a.virial, sizeof a.virial);
            check_same("turned in space", &s, &b, &a, 2e-8, 2e-8);
        }
        answer_free(&a);
        answer_free(&b);
        system_free(&r);
        system_free(&s);
    }
}

/* Every split with every window; other cutoffs. */
static void splits_and_cutoffs(void)
{
    for (const struct law_case *l = law_cases; l->name; l++) {
        struct system s;
        struct answer a, b;
        double tol = 1e-6;
        system_load(&s, l->name, l->what);
        double length = cbrt(cell_determinant(s.p.cell));
        if (!plan_of(&s, tol, NULL, &a))
            continue;
        const char *split, *window;
        for (int i = 0; (split = farsum_list_names("split", i)); i++)
            for (int j = 0; (window = farsum_list_names("window", j)); j++) {
                farsum_options o = cases_options();
                if (!law_turn(i + j + (int)(l - law_cases)))
                    continue;
                o.method = "spectral";
                o.spectral.split = split;
                o.spectral.window = window;
                o.cutoff = (0.2 + 0.07 * j) * length;
                if (plan_of(&s, tol, &o, &b)) {
                    CHECK(b.info.cutoff == o.cutoff, "cutoff %g became %g",
                          o.cutoff, b.info.cutoff);
                    CHECK(strcmp(b.info.split, split) == 0
                              && strcmp(b.info.window, window) == 0,
                          "%s + %s became %s + %s", split, window,
                          b.info.split, b.info.window);
                    check_same(window, &s, &b, &a, 2 * tol, 2 * tol);
                }
                answer_free(&b);
            }
        answer_free(&a);
        system_free(&s);
    }
}

/* Threads and instruction sets change only rounding. */
static void threads_and_isas(void)
{
    for (const struct law_case *l = law_cases; l->name; l++) {
        struct system s;
        struct answer a, b;
        system_load(&s, l->name, l->what);
        farsum_options o = cases_options();
        o.method = "spectral";
        o.threads = 1;
        if (!plan_of(&s, 1e-7, &o, &a))
            continue;
        for (int threads = 2; threads <= 7; threads += 5) {
            o.threads = threads;
            o.cutoff = a.info.cutoff;
            memcpy(o.spectral.mesh, a.info.mesh, sizeof o.spectral.mesh);
            o.spectral.support = a.info.support;
            o.spectral.bandwidth = a.info.bandwidth;
            o.spectral.shape = a.info.shape;
            if (plan_of(&s, 1e-7, &o, &b)) {
                CHECK(b.info.threads == threads, "%d threads became %d",
                      threads, b.info.threads);
                check_same("other threads", &s, &b, &a, 1e-11, 1e-11);
            }
            answer_free(&b);
        }
        o.threads = 2;
        o.isa = "base";
        if (plan_of(&s, 1e-7, &o, &b)) {
            CHECK(strcmp(b.info.isa, "base") == 0, "base became %s",
                  b.info.isa);
            /* 1/r to the tolerance; each isa rounds differently */
            check_same("another isa", &s, &b, &a, 1e-8, 1e-8);
        }
        answer_free(&b);
        answer_free(&a);
        system_free(&s);
    }
}

/* A plan's sums repeat bitwise if it says so. */
static void repeats(void)
{
    for (const struct law_case *l = law_cases; l->name; l++) {
        struct system s;
        struct answer a[2];
        system_load(&s, l->name, l->what);
        farsum_options o = cases_options();
        o.method = "spectral";
        o.deterministic = 1;
        for (int i = 0; i < 2; i++) {
            if (!plan_of(&s, 1e-5, &o, &a[i]))
                continue;
            for (int k = 0; k < a[i].info.n_stages; k++)
                CHECK(a[i].info.stages[k].deterministic, "%s does not repeat",
                      a[i].info.stages[k].stage);
        }
        CHECK(memcmp(a[0].potential, a[1].potential,
                     (size_t)s.p.n * sizeof(double)) == 0
                  && memcmp(a[0].field, a[1].field,
                            3 * (size_t)s.p.n * sizeof(double)) == 0
                  && a[0].energy == a[1].energy
                  && memcmp(a[0].virial, a[1].virial, sizeof a[0].virial) == 0,
              "%s: the sums do not repeat bitwise", s.name);
        answer_free(&a[0]);
        answer_free(&a[1]);
        system_free(&s);
    }
}

/* Order of the particles; two copies of the cell. */
static void order_and_copies(void)
{
    for (const struct law_case *l = law_cases; l->name; l++) {
        struct system s;
        struct answer a, b;
        system_load(&s, l->name, l->what);
        struct system back = system_copy(&s);
        int64_t n = s.p.n;
        for (int64_t i = 0; i < n; i++) {
            memcpy(back.p.x + 3 * i, s.p.x + 3 * (n - 1 - i), 24);
            back.p.q[i] = s.p.q[n - 1 - i];
        }
        if (plan_of(&s, 1e-7, NULL, &a) && plan_of(&back, 1e-7, NULL, &b)) {
            for (int64_t i = 0; i < n / 2; i++)
                for (int k = 0; k < 4; k++) {
                    double *v = k < 3 ? b.field + 3 * i + k : b.potential + i;
                    double *w = k < 3 ? b.field + 3 * (n - 1 - i) + k
                                      : b.potential + n - 1 - i;
                    double swap = *v;
                    *v = *w;
                    *w = swap;
                }
            check_same("backwards", &s, &b, &a, 2e-7, 2e-7);
        }
        answer_free(&b);
        struct system twice = s;
        twice.p.n = 2 * n;
        twice.p.x = check_memory(6 * (size_t)n, sizeof *twice.p.x);
        twice.p.q = check_memory(2 * (size_t)n, sizeof *twice.p.q);
        for (int64_t i = 0; i < 2 * n; i++) {
            twice.p.q[i] = s.p.q[i % n];
            for (int j = 0; j < 3; j++)
                twice.p.x[3 * i + j] = s.p.x[3 * (i % n) + j]
                                       + (i < n ? 0 : s.p.cell[j]);
        }
        for (int j = 0; j < 3; j++)
            twice.p.cell[j] *= 2;
        if (plan_of(&twice, 1e-7, NULL, &b)) {
            b.energy /= 2;
            for (int k = 0; k < 9; k++)
                b.virial[k] /= 2;
            check_same("the cell twice", &s, &b, &a, 3e-7, 2e-7);
        }
        answer_free(&a);
        answer_free(&b);
        free(twice.p.x);
        free(twice.p.q);
        system_free(&back);
        system_free(&s);
    }
}

void laws_of_invariance(void)
{
    RUN(shifts_and_tilts);
    RUN(turns);
    RUN(splits_and_cutoffs);
    RUN(threads_and_isas);
    RUN(repeats);
    RUN(order_and_copies);
}
