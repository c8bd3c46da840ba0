/* SPDX-License-Identifier: Apache-2.0 */
/* fast_laws.c: what holds for slabs and wires of a fast method: shifts, other
 * bases of the same plane, superposition, derivatives of the energy, and the
 * limit of three periodic axes with a thick vacuum.  laws.c has those of
 * `ewald`. */
#include <string.h>

#include "check.h"
#include "geometry/sums.h"

enum { N = 60, MOVED = 3 };
#define TOLERANCE 1e-10
#define PI 3.14159265358979323846

static const struct law {
    const char *method, *kernel;
    double kappa;
    int periodic[3];
} laws[] = {
    {"spectral", "laplace", 0, {1, 1, 0}},
    {"spectral", "laplace", 0, {1, 0, 1}},
    {"spectral", "laplace", 0, {0, 1, 1}},
    {"spectral", "yukawa", 0.4, {1, 1, 0}},
    {"spectral", "laplace", 0, {0, 0, 1}},
    {"spectral", "laplace", 0, {0, 1, 0}},
    {"spectral", "yukawa", 0.4, {1, 0, 0}},
};
enum { LAWS = sizeof laws / sizeof *laws };

struct lone {
    farsum_problem problem;
    farsum_options options;
    double x[3 * N], q[N];
    int slab;    /* 1: two periodic axes */
    int a, b, c; /* axes: a slab's open one is c, a wire's periodic one is a */
};

struct law_sums {
    double potential[N], field[3 * N], energy, virial[9];
};

/* Neutral points in an oblique slab of thickness 4, or in a wire as thick. */
static void make(struct lone *s, const struct law *law)
{
    const int *periodic = law->periodic;
    uint64_t state = 9;
    double sum = 0;
    *s = (struct lone){.problem = FARSUM_PROBLEM_INIT,
                       .options = FARSUM_OPTIONS_INIT};
    farsum_problem *p = &s->problem;
    s->slab = periodic[0] + periodic[1] + periodic[2] == 2;
    for (int d = 0; d < 3; d++)
        if (periodic[d] != s->slab) /* the axis that is unlike the others */
            s->a = s->slab ? (d + 1) % 3 : d;
    s->b = (s->a + 1) % 3;
    s->c = (s->a + 2) % 3;
    p->cell[4 * s->a] = 7;
    if (s->slab) {
        p->cell[4 * s->b] = 6;
        p->cell[3 * s->b + s->a] = 2.2;
    }
    for (int i = 0; i < N; i++) {
        double u[3];
        for (int d = 0; d < 3; d++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            u[d] = (double)(state >> 11) * 0x1p-53;
        }
        s->x[3 * i + s->a] = 7 * u[0] + (s->slab ? 2.2 : 0) * u[1];
        s->x[3 * i + s->b] = (s->slab ? 6 : 4) * u[1];
        s->x[3 * i + s->c] = 4 * u[2];
        s->q[i] = (i % 2 ? -1 : 1) * (1 + 0.5 * sin(i));
        sum += s->q[i];
    }
    for (int i = 0; i < N; i++)
        s->q[i] -= sum / N;
    memcpy(p->periodic, periodic, sizeof p->periodic);
    p->kernel = law->kernel;
    p->kappa = law->kappa;
    p->tolerance = TOLERANCE;
    p->outputs =
        FARSUM_POTENTIAL | FARSUM_FIELD | FARSUM_ENERGY | FARSUM_VIRIAL;
    p->n_sources = N;
    p->sample_x = s->x;
    p->sample_q = s->q;
    s->options.method = law->method;
    s->options.threads = 1;
    s->options.verify = FARSUM_VERIFY_OFF; /* checked here */
}

static farsum_result outputs(struct law_sums *to)
{
    farsum_result r = FARSUM_RESULT_INIT;
    r.potential = to->potential;
    r.field = to->field;
    r.energy = &to->energy;
    r.virial = to->virial;
    return r;
}

static void sum(const struct lone *s, struct law_sums *to)
{
    farsum_problem p = s->problem;
    p.sample_x = s->x; /* of a copy */
    p.sample_q = s->q;
    CHECK_OK(geometry_sum(&p, &s->options, N, s->x, s->q, 0, NULL, outputs(to),
                          NULL));
}

/* Both have errors up to the tolerance. */
static void same(const struct lone *s, const struct law_sums *a,
                 const struct law_sums *b, double limit, const char *what)
{
    double off = geometry_off(a->field, b->field, s->q, N, 3);
    CHECK(off <= limit, "%s, axes %d %d %d: forces off by %g", what,
          s->problem.periodic[0], s->problem.periodic[1],
          s->problem.periodic[2], off);
    CHECK_NEAR(a->energy, b->energy, 20 * limit * fabs(b->energy));
}

static void test_shift(void)
{
    static const double by[3] = {11.5, -7.25, 3.75};
    for (int k = 0; k < LAWS; k++) {
        struct lone s;
        struct law_sums a, b;
        make(&s, &laws[k]);
        sum(&s, &b);
        for (int i = 0; i < N; i++) {
            for (int d = 0; d < 3; d++)
                s.x[3 * i + d] += by[d]
                                  + (i % 5 - 2) * s.problem.cell[3 * s.a + d]
                                  + (i % 3 - 1) * s.problem.cell[3 * s.b + d];
        }
        sum(&s, &a);
        same(&s, &a, &b, 2 * TOLERANCE, "moved");
        /* a particle moved along the open axis is another system */
        s.x[s.c] += 0.5;
        sum(&s, &a);
        CHECK(geometry_off(a.field, b.field, s.q, N, 3) > 1e-3,
              "the open axis %d is periodic", s.c);
    }
}

static void test_basis(void)
{
    for (int k = 0; k < LAWS; k++) {
        struct lone s;
        struct law_sums a, b;
        make(&s, &laws[k]);
        sum(&s, &b);
        double *cell = s.problem.cell;
        for (int d = 0; d < 3; d++) {
            cell[3 * s.b + d] -= s.slab * 3 * cell[3 * s.a + d];
            cell[3 * s.c + d] = 2 * cell[3 * s.a + d];
        }
        cell[4 * s.c] = 5; /* the open row means nothing */
        sum(&s, &a);
        same(&s, &a, &b, 2 * TOLERANCE, "another basis");
    }
}

static void test_superposition(void)
{
    for (int k = 0; k < LAWS; k++) {
        struct lone s, one;
        struct law_sums a, b, c;
        make(&s, &laws[k]);
        sum(&s, &a);
        one = s;
        for (int i = 0; i < N; i++)
            one.q[i] = i % 3 ? 0 : s.q[i];
        sum(&one, &b);
        for (int i = 0; i < N; i++)
            one.q[i] = s.q[i] - one.q[i];
        sum(&one, &c);
        for (int i = 0; i < 3 * N; i++)
            b.field[i] += c.field[i];
        double off = geometry_off(b.field, a.field, NULL, N, 3);
        CHECK(off <= 4 * TOLERANCE, "superposition is off by %g", off);
    }
}

/* Central differences of fourth order, with a plan that follows. */
static double slope(const struct lone *s, farsum_plan *plan, double step,
                    void (*change)(struct lone *s, int k, double t), int k)
{
    static const double weights[4] = {1, -8, 8, -1};
    double total = 0;
    for (int j = 0; j < 4; j++) {
        struct lone moved = *s;
        struct law_sums at;
        farsum_result r = outputs(&at);
        change(&moved, k, step * (j < 2 ? j - 2 : j - 1));
        CHECK_OK(farsum_plan_set_cell(plan, moved.problem.cell));
        CHECK_OK(farsum_plan_set_points(plan, N, moved.x, 0, NULL));
        CHECK_OK(farsum_plan_execute(plan, 1, moved.q, &r));
        total += weights[j] * at.energy;
    }
    return total / (12 * step);
}

static void move(struct lone *s, int k, double t)
{
    s->x[k] += t;
}

/* x_a += t x_b, of the points and of the periodic rows; k = 3 a + b.  A wire's
 * row b is 0. */
static void strain(struct lone *s, int k, double t)
{
    int a = k / 3, b = k % 3;
    for (int i = 0; i < N; i++)
        s->x[3 * i + a] += t * s->x[3 * i + b];
    s->problem.cell[3 * s->a + a] += t * s->problem.cell[3 * s->a + b];
    s->problem.cell[3 * s->b + a] += t * s->problem.cell[3 * s->b + b];
}

/* The differences miss h^4/30 of the fifth derivative, which close pairs have,
 * and the energies round: 18/(12 h) times their last digits. */
static void test_derivatives(void)
{
    const double step = 2e-4;
    for (int k = 0; k < LAWS; k++) {
        struct lone s;
        struct law_sums a;
        farsum_plan *plan = NULL;
        make(&s, &laws[k]);
        sum(&s, &a);
        s.problem.sample_x = s.x;
        s.problem.sample_q = s.q;
        CHECK_OK(farsum_plan_create(&s.problem, &s.options, &plan));
        double size = 0, virial = 0;
        for (int i = 0; i < 3 * N; i++)
            size = fmax(size, fabs(s.q[i / 3] * a.field[i]));
        for (int i = 0; i < 9; i++)
            virial = fmax(virial, fabs(a.virial[i]));
        for (int i = 0; i < 3 * MOVED; i++)
            CHECK_NEAR(slope(&s, plan, step, move, i), -s.q[i / 3] * a.field[i],
                       1e-7 * size);
        for (int i = 0; i < 9; i++)
            CHECK_NEAR(slope(&s, plan, step, strain, i), -a.virial[i],
                       1e-6 * virial);
        farsum_plan_destroy(plan);
    }
}

/* Images behind a vacuum of five periods are seen by e^(-2 pi 5); and their
 * dipole's field, which the correction of EW3DC removes. */
static void test_vacuum(void)
{
    for (int k = 0; k < LAWS; k++) {
        struct lone s;
        struct law_sums a, b;
        double dipole = 0;
        make(&s, &laws[k]);
        if (!s.slab)
            continue;
        sum(&s, &a);
        double edge = 40, volume = 7 * 6 * edge;
        s.problem.cell[4 * s.c] = edge;
        s.problem.periodic[s.c] = 1;
        sum(&s, &b);
        for (int i = 0; i < N; i++)
            dipole += s.q[i] * s.x[3 * i + s.c];
        if (laws[k].kappa > 0)
            dipole = 0; /* screened */
        for (int i = 0; i < N; i++)
            b.field[3 * i + s.c] -= 4 * PI * dipole / volume;
        b.energy += 2 * PI * dipole * dipole / volume;
        same(&s, &b, &a, laws[k].kappa > 0 ? 1e-6 : 2 * TOLERANCE,
             "thick vacuum");
    }
}

int main(void)
{
    RUN(test_shift);
    RUN(test_basis);
    RUN(test_superposition);
    RUN(test_derivatives);
    RUN(test_vacuum);
    return check_end();
}
