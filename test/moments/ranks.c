/* SPDX-License-Identifier: Apache-2.0 */
/* ranks.c: charges with dipoles over ranks by the method spectral, against
 * ewald in one process: outputs, excluded pairs, part of the outputs, pencils,
 * the check by a second sum. */
#include "sums.h"

#include <string.h>

#include "plan/ranks.h"
#include "ranks/comm_threads.h"

enum { MOST_RANKS = 7 };

/* What the ranks' threads share. */
struct shared {
    struct sums_case c;
    struct sums_answer a; /* of all ranks */
    double virial[MOST_RANKS][9];
    unsigned outputs;
    int verify, across; /* across: ranks along axis 1 */
    int64_t checked;
    double error; /* measured by the check */
};

/* The first rank gives no points if there are others. */
static int first_of(int n, int size, int rank)
{
    return size == 1 ? n * rank : rank > 0 ? n * (rank - 1) / (size - 1) : 0;
}

static farsum_status over_ranks(struct comm *comm, void *data)
{
    farsum_status status = FARSUM_OK;
    struct shared *s = data;
    const struct sums_case *c = &s->c;
    struct sums_answer *a = &s->a;
    int rank = comm->rank, size = comm->size, m = 0, to;
    int first = first_of(c->n, size, rank);
    int n = first_of(c->n, size, rank + 1) - first;
    farsum_problem p = c->problem;
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_result r = FARSUM_RESULT_INIT;
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    farsum_plan *plan = NULL;
    const struct ranks_shape shape = {{size / s->across, s->across}};
    double energy;
    if (c->m > 0) /* the last rank gives all targets */
        m = rank == size - 1 ? c->m : 0;
    to = c->m > 0 ? 0 : first;
    p.outputs = s->outputs;
    p.kernel = p.kappa > 0 ? "yukawa_dipole" : "charge_dipole";
    p.n_sources = n;
    p.n_targets = m;
    p.sample_x = n > 0 ? c->x + 3 * first : NULL;
    p.sample_q = n > 0 ? c->q + 4 * first : NULL;
    if (rank > 0)
        p.n_exclusions = 0;
    o.method = c->method;
    o.threads = 1;
    o.verify = s->verify ? 1 : FARSUM_VERIFY_OFF;
    r.potential = s->outputs & FARSUM_POTENTIAL ? a->potential + to : NULL;
    r.field = s->outputs & FARSUM_FIELD ? a->field + 3 * to : NULL;
    r.gradient = s->outputs & FARSUM_GRADIENT ? a->gradient + 6 * to : NULL;
    r.energy = c->m == 0 && s->outputs & FARSUM_ENERGY ? &energy : NULL;
    r.virial = c->m == 0 ? s->virial[rank] : NULL;
    GO(plan_over_ranks_as(comm, &p, &o, NULL, &shape, &plan));
    GO(farsum_plan_set_points(plan, n, c->x + 3 * first, m, m ? c->y : NULL));
    GO(farsum_plan_execute(plan, 1, c->q + 4 * first, &r));
    GO(farsum_plan_get_info(plan, &info));
    if (rank > 0)
        goto done;
    a->energy = r.energy ? energy : 0;
    s->checked = info.checked_targets;
    s->error = info.checked_error;
done:
    if (status != FARSUM_OK)
        printf("rank %d: %s\n", rank, farsum_message());
    farsum_plan_destroy(plan);
    return status;
}

static void sum(struct shared *s, int size, int across)
{
    s->across = across;
    memset(&s->a, 0, sizeof s->a);
    memset(s->virial, 0, sizeof s->virial);
    CHECK(ranks_run(size, NULL, over_ranks, s) == 0, "a rank failed");
    memcpy(s->a.virial, s->virial[0], sizeof s->a.virial);
    for (int r = 1; r < size; r++)
        CHECK(memcmp(s->virial[r], s->virial[0], sizeof s->virial[0]) == 0,
              "virial of rank %d", r);
}

static void begin(struct shared *s, int seed, double tolerance)
{
    memset(s, 0, sizeof *s);
    sums_tilted(&s->c);
    sums_apart(&s->c, seed);
    s->c.problem.tolerance = tolerance;
    s->c.method = "spectral";
    s->outputs = FARSUM_POTENTIAL | FARSUM_FIELD | FARSUM_GRADIENT
                 | FARSUM_ENERGY | FARSUM_VIRIAL;
}

static void right(const struct shared *s, struct sums_answer *b)
{
    struct sums_case c = s->c;
    c.method = "ewald";
    c.problem.precision = FARSUM_F64;
    sums_get(&c, b);
}

/* Ranks along axes 0 and 1. */
static const int shapes[][2] = {{1, 1}, {2, 1}, {3, 1}, {7, 1}, {2, 2}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* Excluded pairs; one is near through a face. */
static void exclude(struct shared *s)
{
    static const int64_t pairs[6] = {0, 7, 9, 4, 1, 2};
    static const double factors[3] = {0.5, 0, 0.25};
    for (int d = 0; d < 3; d++)
        s->c.x[21 + d] = s->c.x[d] + 0.1 * (d + 1) - s->c.problem.cell[d];
    s->c.problem.n_exclusions = 3;
    s->c.problem.exclusions = pairs;
    s->c.problem.exclusion_factors = factors;
}

/* Surfaces, net charges, separate targets, excluded pairs, screening. */
static void test_sums(void)
{
    for (int k = 0; k < 5; k++) {
        static struct shared s;
        struct sums_answer b;
        begin(&s, 4 + k, 5e-11);
        s.c.problem.surface = k & 1 ? FARSUM_VACUUM : FARSUM_TINFOIL;
        s.c.problem.kappa = k == 4 ? 1.3 : 0;
        if (k == 2)
            s.c.m = 12;
        for (int i = 0; i < 3 * s.c.m; i++)
            s.c.y[i] = 0.17 * (i % 19);
        if (k == 3)
            exclude(&s);
        right(&s, &b);
        for (int i = 0; i < SHAPES; i++) {
            sum(&s, shapes[i][0] * shapes[i][1], shapes[i][1]);
            sums_within(&s.c, &s.a, &b, s.c.problem.tolerance, "ranks");
        }
    }
}

static void add(double *to, const double *from, int n)
{
    for (int i = 0; i < n; i++)
        to[i] += from[i];
}

/* The near and the far part are the whole. */
static void test_parts(void)
{
    static struct shared s;
    for (int i = 0; i < SHAPES; i++) {
        int size = shapes[i][0] * shapes[i][1];
        begin(&s, 5, 1e-6);
        exclude(&s);
        sum(&s, size, shapes[i][1]);
        const struct sums_answer whole = s.a;
        s.c.problem.part = FARSUM_NEAR;
        sum(&s, size, shapes[i][1]);
        struct sums_answer near = s.a;
        s.c.problem.part = FARSUM_FAR;
        sum(&s, size, shapes[i][1]);
        add(near.potential, s.a.potential, s.c.n);
        add(near.field, s.a.field, 3 * s.c.n);
        add(near.gradient, s.a.gradient, 6 * s.c.n);
        add(near.virial, s.a.virial, 9);
        near.energy += s.a.energy;
        sums_same(&s.c, &near, &whole, 1e-12, "near and far");
    }
}

/* The virial contains the field, also on ranks without points. */
static void test_virial_alone(void)
{
    static struct shared s;
    struct sums_answer b;
    begin(&s, 4, 5e-11);
    for (int i = 0; i < s.c.n; i++) /* one rank's slab has all points */
        s.c.x[3 * i] *= 0.1;
    right(&s, &b);
    s.outputs = FARSUM_VIRIAL;
    for (int i = 0; i < SHAPES; i++) {
        sum(&s, shapes[i][0] * shapes[i][1], shapes[i][1]);
        memcpy(s.a.potential, b.potential, sizeof b.potential);
        memcpy(s.a.field, b.field, sizeof b.field);
        memcpy(s.a.gradient, b.gradient, sizeof b.gradient);
        s.a.energy = b.energy;
        sums_within(&s.c, &s.a, &b, s.c.problem.tolerance, "virial alone");
    }
}

/* The tolerance, with the check, which compares the forces at all particles;
 * f64, and near pairs in f32. */
static void tolerances(farsum_precision precision, double least)
{
    static struct shared s;
    struct sums_answer b;
    begin(&s, 6, 1e-12);
    s.verify = 1;
    right(&s, &b);
    s.c.problem.precision = precision;
    for (double t = 1e-3; t > 0.9 * least; t /= 10) {
        s.c.problem.tolerance = t;
        sum(&s, 3, 1);
        double error =
            sums_forces(&s.c, &s.a, &b) / sums_forces(&s.c, &b, NULL);
        CHECK(error <= t, "tolerance %g: the error is %g", t, error);
        CHECK(s.checked == s.c.n, "the check has %lld targets",
              (long long)s.checked);
        CHECK(fabs(s.error - error) <= 0.02 * error,
              "tolerance %g: the check measures %g, not %g", t, s.error, error);
    }
}

static void test_tolerance(void)
{
    tolerances(FARSUM_F64, 1e-7);
    tolerances(FARSUM_MIXED, 1e-5);
}

int main(void)
{
    RUN(test_sums);
    RUN(test_parts);
    RUN(test_virial_alone);
    RUN(test_tolerance);
    return check_end();
}
