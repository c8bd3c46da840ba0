/* SPDX-License-Identifier: Apache-2.0 */
/* check_sum.c: the second sum over ranks: its targets, and its values against
 * a reference. */
#define VERIFY_MOST 5200
#include "unit/verify_check.h"

#include "plan/ranks.h"
#include "plan/verify/verify.h"
#include "ranks/comm_threads.h"

enum { RANKS = 7, TARGETS = 1024, SOME = 700 };

/* What the ranks' threads share. */
struct shared {
    struct system *s;
    int64_t count[RANKS], certain[RANKS];
    int64_t index[RANKS][TARGETS]; /* of the targets */
    int point[TARGETS];            /* the point of each */
    double wanted[RANKS][3 * TARGETS];
    int64_t most[RANKS]; /* sources in a rank's slab */
};

static struct system s;
static struct shared of;
static double right[3 * MOST];

/* The point at x. */
static int point_at(const double x[3])
{
    for (int i = 0; i < s.n; i++)
        if (memcmp(s.x + 3 * i, x, 3 * sizeof *x) == 0)
            return i;
    CHECK(0, "no point is at %g %g %g", x[0], x[1], x[2]);
    return 0;
}

static int width_of(void)
{
    return s.problem.error == FARSUM_ERROR_POTENTIAL ? 1 : 3;
}

/* Every third point from its rank on. */
static farsum_status work(struct comm *comm, void *data)
{
    farsum_status status = FARSUM_OK;
    int rank = comm->rank, n = 0;
    static _Thread_local double x[3 * MOST], q[6 * MOST];
    struct verify_sum sum = {0};
    farsum_problem p = problem_of(&s);
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_plan *plan = NULL;
    (void)data;
    for (int i = rank; i < s.n; i += comm->size, n++) {
        memcpy(x + 3 * n, s.x + 3 * i, 3 * sizeof *x);
        memcpy(q + s.strengths * n, s.q + s.strengths * i,
               (size_t)s.strengths * sizeof *q);
    }
    p.n_sources = n;
    p.sample_x = x;
    p.sample_q = q;
    o.threads = 1;
    o.verify = FARSUM_VERIFY_OFF;
    GO(plan_over_ranks(comm, &p, &o, &plan));
    sum = (struct verify_sum){.n = n, .given_x = x, .given_q = q};
    GO(verify_sum(plan, &sum));
    const struct verify_targets *t = &sum.targets;
    of.count[rank] = t->count;
    of.certain[rank] = t->certain;
    of.most[rank] = sum.n;
    memcpy(of.index[rank], t->index, (size_t)t->count * sizeof *t->index);
    memcpy(of.wanted[rank], sum.wanted,
           (size_t)(t->count * sum.width) * sizeof *sum.wanted);
    for (int64_t k = 0; k < t->count; k++) {
        int64_t i = verify_index(&sum, k);
        if (i >= 0)
            of.point[k] = point_at((const double *)sum.given_x + 3 * i);
    }
done:
    verify_clear(&sum);
    farsum_plan_destroy(plan);
    return status;
}

static void reference(void)
{
    farsum_problem p = problem_of(&s);
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_plan *plan = NULL;
    farsum_result r = FARSUM_RESULT_INIT;
    p.tolerance = s.n > SOME ? 1e-10 : 1e-12;
    p.precision = FARSUM_F64;
    o.method = "ewald";
    r.potential = width_of() == 1 ? right : NULL;
    r.field = width_of() == 3 && s.strengths == 1 ? right : NULL;
    r.velocity = s.strengths > 1 ? right : NULL;
    CHECK_OK(farsum_plan_create(&p, &o, &plan));
    CHECK_OK(farsum_plan_set_points(plan, s.n, s.x, 0, NULL));
    CHECK_OK(farsum_plan_execute(plan, 1, s.q, &r));
    farsum_plan_destroy(plan);
}

static int is_certain(int point)
{
    for (int64_t k = 0; k < of.certain[0]; k++)
        if (of.point[k] == point)
            return 1;
    return 0;
}

/* The sum of any number of ranks is within a thirtieth of the tolerance. */
static void compare(const char *what)
{
    static const int sizes[] = {1, 2, 3, RANKS};
    int width = width_of();
    int64_t count = 0, certain = 0;
    reference();
    double size = rms(width * s.n, right, NULL);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        int ranks = sizes[k];
        double square = 0;
        CHECK(ranks_run(ranks, NULL, work, NULL) == 0, "%s: a rank failed",
              what);
        for (int r = 0; r < ranks; r++) {
            CHECK(of.count[r] == of.count[0]
                      && memcmp(of.index[r], of.index[0],
                                (size_t)of.count[0] * sizeof(int64_t)) == 0
                      && memcmp(of.wanted[r], of.wanted[0],
                                (size_t)(width * of.count[0]) * sizeof(double))
                             == 0,
                  "%s: rank %d has another sum", what, r);
            CHECK(of.most[r] <= 2 * s.n / ranks + 2,
                  "%s: %lld of %d sources on one of %d ranks", what,
                  (long long)of.most[r], s.n, ranks);
        }
        count = k == 0 ? of.count[0] : count;
        certain = k == 0 ? of.certain[0] : certain;
        CHECK(of.count[0] == count, "%s, %d ranks: %lld targets, not %lld",
              what, ranks, (long long)of.count[0], (long long)count);
        CHECK(of.certain[0] >= certain - 6 && of.certain[0] <= certain + 6,
              "%s, %d ranks: %lld certain targets, not %lld", what, ranks,
              (long long)of.certain[0], (long long)certain);
        for (int64_t t = 0; t < width * count; t++)
            square += pow(of.wanted[0][t]
                              - right[width * of.point[t / width] + t % width],
                          2);
        double error = sqrt(square / (double)(width * count));
        printf("  %s, %d ranks: %lld targets, %lld certain, off by %.1e of "
               "the tolerance\n",
               what, ranks, (long long)count, (long long)of.certain[0],
               error / size / s.problem.tolerance);
        CHECK(error <= s.problem.tolerance / 30 * size,
              "%s, %d ranks: the second sum is off by %.3g of %.3g", what,
              ranks, error, size);
    }
}

static void random_points(int n, int strengths, const char *kernel,
                          double tolerance)
{
    uint64_t random = 41;
    begin(&s, kernel, n, strengths, tolerance);
    s.problem.kernel = kernel;
    s.problem.kappa = strcmp(kernel, "yukawa") == 0 ? 3 : 0;
    for (int i = 0; i < 3 * n; i++)
        s.x[i] = uniform(&random);
    for (int i = 0; i < strengths * n; i++)
        s.q[i] = normal(&random);
}

static void kernels(void)
{
    static const char *const flows[] = {"stokeslet", "rotlet"};
    random_points(SOME, 1, "laplace", 1e-6);
    for (int i = 0; i < s.n; i++)
        s.q[i] += 0.5; /* with background */
    compare("charges");
    random_points(SOME, 1, "laplace", 1e-6);
    s.problem.surface = FARSUM_VACUUM;
    for (int i = 0; i < 3 * s.n; i++) /* the dipole depends on this */
        s.x[i] += i % 7 == 0 ? 1 : 0;
    s.problem.error = FARSUM_ERROR_POTENTIAL;
    compare("in vacuum");
    random_points(SOME, 1, "yukawa", 1e-6);
    compare("yukawa");
    random_points(SOME, 1, "r6", 1e-5);
    compare("r6");
    for (int k = 0; k < 2; k++) {
        random_points(SOME, 3, flows[k], 1e-6);
        compare(flows[k]);
    }
    random_points(SOME, 6, "stresslet", 1e-5);
    compare("stresslet");
}

/* Rock salt, a little off its places: slabs between planes of one sign have
 * far larger fields than the sum of all. */
static void crystals(void)
{
    enum { SITES = 8 };
    uint64_t random = 43;
    begin(&s, "crystal", SITES * SITES * SITES, 1, 1e-5);
    for (int i = 0; i < s.n; i++) {
        const int at[3] = {i % SITES, i / SITES % SITES, i / SITES / SITES};
        s.q[i] = (at[0] + at[1] + at[2]) % 2 ? -1 : 1;
        for (int d = 0; d < 3; d++)
            s.x[3 * i + d] = (at[d] + 1e-4 * uniform(&random)) / SITES;
    }
    compare("rock salt");
    for (int i = 0; i < s.n; i++) /* planes of one sign */
        s.q[i] = i % SITES % 2 ? -1 : 1;
    compare("planes");
}

/* A near pair on both sides of the cut between two ranks, in the middle of the
 * cell, and clusters. */
static void certain_targets(void)
{
    random_points(SOME, 1, "laplace", 1e-5);
    for (int i = 0; i < s.n; i++)
        s.x[3 * i] = (i + 0.5) / s.n;
    for (int d = 0; d < 3; d++) {
        s.x[d] = d == 0 ? 0.5 - 1e-7 : 0.3;
        s.x[3 * (s.n - 1) + d] = d == 0 ? 0.5 + 1e-7 : 0.3;
    }
    s.q[100] = 50;
    compare("a pair across a cut");
    for (int ranks = 1; ranks <= RANKS; ranks++) {
        CHECK(ranks_run(ranks, NULL, work, NULL) == 0, "a rank failed");
        CHECK(is_certain(0) && is_certain(s.n - 1) && is_certain(100),
              "%d ranks: the pair or the strongest is not inspected", ranks);
    }
    colloid(&s, 1e-4);
    compare("colloid");
}

/* Above 5000 particles the sum is another one. */
static void many(void)
{
    random_points(MOST, 1, "laplace", 1e-5);
    for (int i = 0; i < s.n; i++)
        s.q[i] += 0.5;
    compare("many charges");
    random_points(MOST, 3, "stokeslet", 1e-4);
    compare("many stokeslets");
}

int main(void)
{
    RUN(kernels);
    RUN(crystals);
    RUN(certain_targets);
    RUN(many);
    return check_end();
}
