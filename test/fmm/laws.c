/* SPDX-License-Identifier: Apache-2.0 */
/* laws.c: invariants of physics for the method fmm, without a reference. */
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "check.h"
#include "fmm/fmm.h"

static const struct fmm_case cases[] = {
    {"cube", "laplace n=400 cell=cubic dist=clustered net=0.1 seed=81", 0},
    {"brick", "laplace n=400 cell=3x2x4 dist=uniform seed=82", 0},
    {"open", "laplace n=400 cell=open dist=uniform seed=83", 0},
    {"stars", "laplace n=400 cell=open dist=plummer seed=84", 1},
    {"sparse", "laplace n=400 cell=cubic dist=clustered net=0.1 seed=85", 0},
    {NULL, NULL, 0},
};
static const double tolerances[] = {1e-4, 1e-7};

/* On PoCL, where compiling is slow, one order and few tests. */
static int some(void)
{
    return fmm_device() && !fmm_all();
}

/* Enough boxes that most pairs use expansions. */
static farsum_options boxes(const struct system *s)
{
    farsum_options o = fmm_options();
    o.fmm.order = some() ? 8 : 0;
    if (!s->p.periodic[0] || strcmp(s->name, "sparse") == 0) {
        o.fmm.tree = "sparse";
        o.fmm.leaf = 16;
        return o;
    }
    o.fmm.levels = 2;
    for (int d = 0; d < 3; d++)
        o.fmm.boxes[d] = s->name[0] == 'b' ? (int64_t[]){3, 2, 4}[d] : 2;
    return o;
}

static int sum(const struct system *s, double tolerance,
               struct fmm_sums *sums)
{
    farsum_problem p = fmm_problem(s, tolerance);
    farsum_options o = boxes(s);
    return fmm_do(s, &p, &o, sums);
}

/* Sum of |q phi| / 2, the scale of the energy. */
static double energy_size(const struct system *s, const struct fmm_sums *a)
{
    double size = 0;
    for (int64_t i = 0; i < s->p.n; i++)
        size += fabs(s->p.q[i] * a->potential[i]) / 2;
    return size;
}

/* Forces agree to `most`; potentials and energy to ten times that, the effect
 * of a field's error over the length of a box. */
static void same(const char *what, const struct system *s,
                 const struct fmm_sums *a, const struct fmm_sums *b,
                 double most)
{
    double force = fmm_force_gap(s, a->field, b->field);
    double potential = fmm_gap(s->p.n, a->potential, b->potential);
    double energy = fabs(a->energy - b->energy) / energy_size(s, b);
    CHECK(force <= most, "%s, %s: forces differ by %.3g, above %.3g", s->name,
          what, force, most);
    CHECK(potential <= 10 * most, "%s, %s: potentials differ by %.3g", s->name,
          what, potential);
    CHECK(energy <= 10 * most, "%s, %s: energies differ by %.3g", s->name, what,
          energy);
}

static void move_all(struct system *s)
{
    for (int64_t i = 0; i < 3 * s->p.n; i++)
        s->p.x[i] += 0.7182 + 1.3141 * (double)(i % 3);
}

static void move_by_cells(struct system *s)
{
    uint64_t seed = 3;
    for (int64_t i = 0; i < 3 * s->p.n; i++)
        s->p.x[i] += s->p.cell[4 * (i % 3)]
                     * ((double)(random_next(&seed) % 9) - 4);
}

/* The same cell with a basis that is not reduced. */
static void other_basis(struct system *s)
{
    double *a = s->p.cell;
    for (int j = 0; j < 3; j++) {
        a[3 + j] += 2 * a[j];
        a[6 + j] -= a[3 + j];
    }
}

static void nothing_changes(void)
{
    static const char *const what[] = {"shift of all", "shift by cells",
                                       "another basis"};
    static void (*const change[])(struct system *) = {move_all, move_by_cells,
                                                      other_basis};
    for (const struct fmm_case *c = cases; c->name; c++)
        for (int k = 0; k < (some() ? 1 : 2); k++) {
            struct system s;
            struct fmm_sums a, b;
            fmm_system(&s, c->name, c->what, c->positive);
            int done = sum(&s, tolerances[k], &a);
            for (int i = 0; i < 3 && done; i++) {
                struct system moved = system_copy(&s);
                change[i](&moved);
                if (i == 0 || s.p.periodic[0]) {
                    if (sum(&moved, tolerances[k], &b))
                        same(what[i], &s, &b, &a, 2 * tolerances[k]);
                    fmm_free(&b);
                }
                system_free(&moved);
            }
            fmm_free(&a);
            system_free(&s);
        }
}

/* If the cell is rotated, vectors rotate and scalars do not change. */
static void turns(void)
{
    const double c = cos(0.7), t = sin(0.7), u = cos(1.9), v = sin(1.9);
    const double turn[9] = {c, -t, 0, t * u, c * u, -v, t * v, c * v, u};
    for (const struct fmm_case *l = cases; l->name; l++) {
        struct system s;
        struct fmm_sums a, b;
        fmm_system(&s, l->name, l->what, l->positive);
        struct system r = system_copy(&s);
        for (int64_t i = 0; i < s.p.n + 3; i++) {
            const double *from = i < 3 ? s.p.cell + 3 * i
                                       : s.p.x + 3 * (i - 3);
            double *to = i < 3 ? r.p.cell + 3 * i : r.p.x + 3 * (i - 3);
            for (int j = 0; j < 3; j++)
                to[j] = turn[3 * j] * from[0] + turn[3 * j + 1] * from[1]
                        + turn[3 * j + 2] * from[2];
        }
        if (sum(&s, 1e-7, &a) && sum(&r, 1e-7, &b)) {
            for (int64_t i = 0; i < s.p.n; i++) {
                double f[3];
                memcpy(f, b.field + 3 * i, sizeof f);
                for (int j = 0; j < 3; j++)
                    b.field[3 * i + j] = turn[j] * f[0] + turn[3 + j] * f[1]
                                         + turn[6 + j] * f[2];
            }
            same("turned in space", &s, &b, &a, 2e-7);
        }
        fmm_free(&a);
        fmm_free(&b);
        system_free(&r);
        system_free(&s);
    }
}

/* Trees, separations and root boxes do not change the sums. */
static void boxes_do_not_matter(void)
{
    static const int64_t roots[][3] = {{1, 1, 1}, {2, 2, 2}, {3, 3, 3},
                                       {5, 5, 5}};
    for (const struct fmm_case *c = cases; c->name; c++) {
        struct system s;
        struct fmm_sums a, b;
        fmm_system(&s, c->name, c->what, c->positive);
        farsum_problem p = fmm_problem(&s, 1e-5);
        int done = sum(&s, 1e-5, &a), brick = c->name[0] == 'b';
        for (int k = 0; k < 4 && done; k++)
            for (int ws = 1; ws <= 2; ws++) {
                farsum_options o = fmm_options();
                char what[80];
                for (int d = 0; d < 3; d++) /* cubes */
                    o.fmm.boxes[d] =
                        roots[k][d] * (brick ? (int[]){3, 2, 4}[d] : 1);
                o.fmm.separation = ws;
                o.fmm.levels = k < 2 ? 3 - k : 1;
                o.fmm.tree = "dense";
                o.fmm.order = ws == 1 ? 18 : 12;
                snprintf(what, sizeof what, "%lld roots, ws %d, %d levels",
                         (long long)(o.fmm.boxes[0] * o.fmm.boxes[1]
                                     * o.fmm.boxes[2]),
                         ws, o.fmm.levels);
                if (fmm_do(&s, &p, &o, &b))
                    same(what, &s, &b, &a, 2e-5);
                fmm_free(&b);
            }
        fmm_free(&a);
        system_free(&s);
    }
}

/* The error of a sum of N forces, with random errors of the tolerance, is
 * sqrt(N) times that in RMS; one in a hundred is twice as large.  A device's
 * boxes differ, and one of its cases reaches this (1.01, H200). */
static void momentum(void)
{
    for (const struct fmm_case *c = cases; c->name; c++)
        for (double tol = some() ? 1e-4 : 1e-2; tol > (some() ? 1e-5 : 1e-7);
             tol *= 1e-2) {
            struct system s;
            struct fmm_sums a;
            fmm_system(&s, c->name, c->what, c->positive);
            if (sum(&s, tol, &a)) {
                double size = system_momentum(&s, a.field);
                CHECK(size <= (fmm_device() ? 2 * tol : tol),
                      "%s at %g: |sum F| is %.3g of "
                      "sqrt(N) F_rms",
                      s.name, tol, size);
            }
            fmm_free(&a);
            system_free(&s);
        }
}

/* A particle moves through a face of boxes: the jump of its energy, over its
 * RMS force times the edge of a box. */
static void faces(void)
{
    for (double tol = 1e-3; tol > 1e-8; tol *= 1e-2) {
        struct system s;
        double most = 0;
        fmm_system(&s, "cube", cases[0].what, 0);
        double edge = s.p.cell[0] / 4;
        for (int k = 1; k <= 4; k++) {
            struct fmm_sums side[2];
            int done = 1;
            double force = 0;
            for (int i = 0; i < 2; i++) {
                for (int d = 0; d < 3; d++) /* the face is met by one axis */
                    s.p.x[3 * 7 + d] = edge * (0.3 + d + k % 3);
                s.p.x[3 * 7] = edge * (k + (i ? 1e-12 : -1e-12));
                done &= sum(&s, tol, &side[i]);
            }
            for (int64_t i = 0; i < 3 * s.p.n && done; i++)
                force += pow(s.p.q[i / 3] * side[0].field[i], 2)
                         / (double)s.p.n;
            double jump = fabs(side[0].energy - side[1].energy)
                          / (sqrt(force) * edge);
            most = fmax(most, done ? jump : 0);
            fmm_free(&side[0]);
            fmm_free(&side[1]);
        }
        printf("tolerance %g: the energy jumps by %.3g of F_rms h\n", tol,
               most);
        CHECK(most <= 10 * tol && most > 0, "tolerance %g: energy jumps by "
              "%.3g of F_rms h across a face", tol, most);
        system_free(&s);
    }
}

/* Forces are the energy's slope: five-point differences with one plan. */
static void forces(void)
{
    static const double steps[4] = {2, 1, -1, -2};
    for (const struct fmm_case *c = cases; c->name; c++) {
        struct system s;
        farsum_plan *plan = NULL;
        farsum_result out = FARSUM_RESULT_INIT;
        double gap = 0, size = 0, energy = 0;
        fmm_system(&s, c->name, c->what, c->positive);
        const double h = 2e-4 * cbrt(cell_determinant(s.p.cell)
                                     / (double)s.p.n);
        double *field = check_memory(3 * (size_t)s.p.n, sizeof *field);
        farsum_problem p = fmm_problem(&s, 1e-6);
        farsum_options o = boxes(&s);
        o.fmm.order = 20;
        out.field = field;
        CHECK_OK(farsum_plan_create(&p, &o, &plan));
        CHECK_OK(farsum_plan_set_points(plan, s.p.n, s.p.x, 0, NULL));
        CHECK_OK(farsum_plan_execute(plan, 1, s.p.q, &out));
        out.field = NULL;
        out.energy = &energy;
        for (int64_t i = 3; i < s.p.n; i += s.p.n / 4) {
            double e[4], x = s.p.x[3 * i + 1];
            for (int k = 0; k < 4; k++) {
                s.p.x[3 * i + 1] = x + h * steps[k];
                CHECK_OK(farsum_plan_set_points(plan, s.p.n, s.p.x, 0, NULL));
                CHECK_OK(farsum_plan_execute(plan, 1, s.p.q, &out));
                e[k] = energy;
            }
            s.p.x[3 * i + 1] = x;
            double f = s.p.q[i] * field[3 * i + 1];
            double slope = (8 * (e[1] - e[2]) - (e[0] - e[3])) / (12 * h);
            gap += (f + slope) * (f + slope);
            size += f * f;
        }
        CHECK(sqrt(gap) < 1e-5 * sqrt(size), "%s: forces are not -dE/dx by "
              "%.3g", s.name, sqrt(gap / size));
        farsum_plan_destroy(plan);
        free(field);
        system_free(&s);
    }
}

/* The trace of the virial is the energy, for 1/r. */
static void trace(void)
{
    struct system s;
    struct fmm_sums a;
    fmm_system(&s, "open", cases[2].what, 0);
    if (sum(&s, 1e-9, &a)) {
        const double *w = a.virial;
        CHECK_NEAR(w[0] + w[4] + w[8], a.energy, 1e-8 * energy_size(&s, &a));
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < i; j++)
                CHECK_NEAR(w[3 * i + j], w[3 * j + i],
                           1e-8 * energy_size(&s, &a));
    }
    fmm_free(&a);
    system_free(&s);
}

/* Each output is the same by itself and with others.  Several right-hand sides
 * agree bitwise with single ones, and are linear. */
static void superposition(void)
{
    for (const struct fmm_case *c = cases; c->name; c++) {
        struct system s;
        farsum_plan *plan = NULL;
        uint64_t seed = 4;
        fmm_system(&s, c->name, c->what, c->positive);
        int64_t n = s.p.n;
        farsum_problem p = fmm_problem(&s, 1e-6);
        farsum_options o = boxes(&s);
        o.deterministic = 1;
        double *q = check_memory(3 * (size_t)n, sizeof *q);
        double *phi = check_memory(4 * (size_t)n, sizeof *phi);
        double *field = check_memory(12 * (size_t)n, sizeof *field);
        double energy[4], gap = 0, size = 0;
        for (int64_t i = 0; i < n; i++) {
            q[i] = s.p.q[i];
            q[n + i] = (double)(random_next(&seed) >> 11) * 0x1p-53 - 0.5;
            q[2 * n + i] = 2 * q[i] - 3 * q[n + i];
        }
        farsum_result all = FARSUM_RESULT_INIT, one = FARSUM_RESULT_INIT;
        all.potential = phi;
        all.field = field;
        all.energy = energy;
        one.potential = phi + 3 * n;
        one.field = field + 9 * n;
        one.energy = energy + 3;
        CHECK_OK(farsum_plan_create(&p, &o, &plan));
        CHECK_OK(farsum_plan_set_points(plan, n, s.p.x, 0, NULL));
        CHECK_OK(farsum_plan_execute(plan, 3, q, &all));
        for (int r = 0; r < 3; r++) {
            CHECK_OK(farsum_plan_execute(plan, 1, q + r * n, &one));
            CHECK(memcmp(phi + r * n, phi + 3 * n, (size_t)n * 8) == 0
                      && memcmp(field + 3 * r * n, field + 9 * n,
                                3 * (size_t)n * 8) == 0
                      && energy[r] == energy[3],
                  "%s: set %d of three is not what it is alone", s.name, r);
        }
        one.potential = NULL;
        one.field = NULL;
        CHECK_OK(farsum_plan_execute(plan, 1, q + 2 * n, &one));
        CHECK_NEAR(energy[3], energy[2], 1e-12 * fabs(energy[2]));
        for (int64_t i = 0; i < n; i++) {
            gap = fmax(gap, fabs(2 * phi[i] - 3 * phi[n + i] - phi[2 * n + i]));
            size = fmax(size, fabs(phi[2 * n + i]));
        }
        CHECK(gap < 1e-11 * size, "%s: not linear by %.3g", s.name, gap / size);
        farsum_plan_destroy(plan);
        free(q);
        free(phi);
        free(field);
        system_free(&s);
    }
}

/* Lengths times a, strengths times b, the constant times c. */
static void scaling(void)
{
    static const double factors[][3] = {
        {2, 1, 1},        {1, -3, 1},        {1, 1, 332.06371},
        {1e-10, 1.6e-19, 9e9}, {1e6, 1e12, 0.1}, {1, 1e-30, 1e30}};
    for (const struct fmm_case *l = cases; l->name; l++)
        for (int f32 = 0; f32 < 2; f32++) {
            struct system s;
            struct fmm_sums x, y;
            fmm_system(&s, l->name, l->what, l->positive);
            farsum_problem p = fmm_problem(&s, 1e-5);
            farsum_options o = boxes(&s);
            p.precision = f32 ? FARSUM_F32 : FARSUM_F64;
            int done = fmm_do(&s, &p, &o, &x);
            for (size_t k = 0; k < sizeof factors / sizeof *factors && done;
                 k++) {
                double a = factors[k][0], b = factors[k][1], c = factors[k][2];
                struct system t = system_copy(&s);
                for (int64_t i = 0; i < 3 * s.p.n; i++)
                    t.p.x[i] *= a;
                for (int64_t i = 0; i < s.p.n; i++)
                    t.p.q[i] *= b;
                for (int i = 0; i < 9; i++)
                    t.p.cell[i] *= a;
                p = fmm_problem(&t, 1e-5);
                p.precision = f32 ? FARSUM_F32 : FARSUM_F64;
                p.coulomb = c;
                if (fmm_do(&t, &p, &o, &y)) {
                    for (int64_t i = 0; i < s.p.n; i++)
                        y.potential[i] *= a / (c * b);
                    for (int64_t i = 0; i < 3 * s.p.n; i++)
                        y.field[i] *= a * a / (c * b);
                    y.energy *= a / (c * b * b);
                    same("scaled", &s, &y, &x, 2e-5);
                }
                fmm_free(&y);
                system_free(&t);
            }
            fmm_free(&x);
            system_free(&s);
        }
}

/* Threads and instruction sets change only rounding; two equal plans agree
 * bitwise. */
static void threads_and_isas(void)
{
    static const char *const isas[] = {NULL, NULL, "base"};
    for (const struct fmm_case *c = cases; c->name; c++) {
        struct system s;
        struct fmm_sums a, b;
        fmm_system(&s, c->name, c->what, c->positive);
        farsum_problem p = fmm_problem(&s, 1e-6);
        farsum_options o = boxes(&s);
        o.threads = 1;
        o.deterministic = 1;
        int done = fmm_do(&s, &p, &o, &a);
        for (int k = 0; k < 3 && done; k++) {
            o.threads = (int[]){1, 5, 2}[k];
            o.isa = isas[k];
            if (fmm_do(&s, &p, &o, &b)) {
                same(k == 2 ? "another isa" : "other threads", &s, &b, &a,
                     k == 2 ? 1e-9 : 1e-12);
                CHECK(k || memcmp(a.field, b.field, 3 * (size_t)s.p.n * 8) == 0,
                      "%s: does not repeat bitwise", s.name);
            }
            fmm_free(&b);
        }
        fmm_free(&a);
        system_free(&s);
    }
}

/* Two copies of the cell are the same system. */
static void copies(void)
{
    for (int i = 0; i < 3; i++) {
        const struct fmm_case *c = &cases[(int[]){0, 1, 4}[i]];
        struct system s, twice;
        struct fmm_sums a, b;
        fmm_system(&s, c->name, c->what, 0);
        int64_t n = s.p.n;
        twice = s;
        twice.p.n = 2 * n;
        twice.p.x = check_memory(6 * (size_t)n, sizeof *twice.p.x);
        twice.p.q = check_memory(2 * (size_t)n, sizeof *twice.p.q);
        for (int64_t k = 0; k < 6 * n; k++) {
            twice.p.q[k / 3] = s.p.q[k / 3 % n];
            twice.p.x[k] =
                s.p.x[k % (3 * n)] + (k < 3 * n ? 0 : s.p.cell[k % 3]);
        }
        for (int j = 0; j < 3; j++)
            twice.p.cell[j] *= 2;
        if (sum(&s, 1e-7, &a) && sum(&twice, 1e-7, &b)) {
            b.energy /= 2;
            same("the cell twice", &s, &b, &a, 2e-7);
        }
        fmm_free(&a);
        fmm_free(&b);
        free(twice.p.x);
        free(twice.p.q);
        system_free(&s);
    }
}

void fmm_laws(void)
{
    RUN(nothing_changes);
    if (some()) {
        RUN(momentum);
        RUN(superposition);
        return;
    }
    RUN(turns);
    RUN(boxes_do_not_matter);
    RUN(momentum);
    RUN(faces);
    RUN(forces);
    RUN(trace);
    RUN(superposition);
    RUN(scaling);
    RUN(threads_and_isas);
    RUN(copies);
}
