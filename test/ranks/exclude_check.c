/* SPDX-License-Identifier: Apache-2.0 */
/* exclude_check.c: plans over ranks with excluded pairs that are checked by a
 * second sum.  If its pairs were others than the plan's, it would measure an
 * error far above the tolerance. */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "plan/ranks.h"
#include "ranks/comm_threads.h"

enum { MANY = 5400, SOME = 600, MOST_RANKS = 4, WIDTH = 3 };

static double x[3 * MANY], y[3 * MANY], q[WIDTH * MANY];
static int64_t pairs[4 * MANY];
static double factors[2 * MANY];

/* What the ranks' threads share. */
struct shared {
    farsum_problem problem;
    int64_t n, count;
    int strengths, sampled, apart, clustered;
    farsum_plan_info info[MOST_RANKS];
};

static int replaced; /* plans of rank 0 */

static void log_line(const char *line, void *data)
{
    (void)data;
    replaced += strstr(line, "the plan is now in") != NULL;
}

static double unit(uint64_t *random)
{
    return ldexp((double)(random_next(random) >> 11), -53);
}

/* Pairs of near points, and of points anywhere; separate targets: with the
 * nearest source, and with another one. */
static void make(struct shared *s)
{
    uint64_t random = 8;
    for (int64_t i = 0; i < s->n; i++)
        for (int d = 0; d < 3; d++) {
            x[3 * i + d] = i % 2 ? x[3 * i - 3 + d] + 0.02 : 2 * unit(&random);
            y[3 * i + d] = x[3 * i + d] + (d == 0 ? 0.03 : 0);
        }
    for (int64_t i = 0; i < s->strengths * s->n; i++)
        q[i] = 2 * unit(&random) - 1;
    for (int64_t i = 0; i < s->n && s->clustered; i++) {
        q[i] = i < s->n / 2 ? 1 : -1;
        for (int d = 0; d < 3 && i < s->n / 2; d++)
            x[3 * i + d] = 0.8 + 0.12 * (unit(&random) + unit(&random)
                                         + unit(&random) - 1.5);
    }
    s->count = 0;
    for (int64_t i = 0; i < s->n; i += s->apart ? 1 : 2)
        for (int64_t far = 0; far < 2; far++) {
            pairs[2 * s->count] = i;
            pairs[2 * s->count + 1] =
                far ? (i + 301) % s->n : s->apart ? i : i + 1;
            factors[s->count++] = far ? 0.25 : 0;
        }
}

static farsum_status work(struct comm *comm, void *data)
{
    farsum_status status = FARSUM_OK;
    struct shared *s = data;
    int rank = comm->rank, size = comm->size;
    int64_t first = s->n * rank / size, n = s->n * (rank + 1) / size - first;
    /* pairs are named elsewhere */
    int64_t begin = s->count * (size - 1 - rank) / size;
    int64_t end = s->count * (size - rank) / size;
    double *out = check_memory((size_t)(6 * n), sizeof *out);
    farsum_problem p = s->problem;
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_result result = FARSUM_RESULT_INIT;
    farsum_plan *plan = NULL;
    o.threads = 1;
    o.verify = 1;
    o.log = rank == 0 ? log_line : NULL;
    p.n_sources = n;
    p.n_targets = s->apart ? n : 0;
    p.sample_x = s->sampled ? x + 3 * first : NULL;
    p.sample_q = s->sampled ? q + s->strengths * first : NULL;
    p.n_exclusions = end - begin;
    p.exclusions = pairs + 2 * begin;
    p.exclusion_factors = factors + begin;
    if (s->strengths == 3)
        result.velocity = out;
    else {
        result.potential = out;
        result.field = out + n;
    }
    GO(plan_over_ranks(comm, &p, &o, &plan));
    GO(farsum_plan_set_points(plan, n, x + 3 * first, s->apart ? n : 0,
                              s->apart ? y + 3 * first : NULL));
    GO(farsum_plan_execute(plan, 1, q + s->strengths * first, &result));
    s->info[rank] = (farsum_plan_info)FARSUM_PLAN_INFO_INIT;
    GO(farsum_plan_get_info(plan, &s->info[rank]));
done:
    if (status != FARSUM_OK)
        printf("rank %d: %s\n", rank, farsum_message());
    farsum_plan_destroy(plan);
    free(out);
    return status;
}

static void checked(const char *kernel, int strengths, int64_t n, int sampled,
                    int apart, int clustered)
{
    static const int sizes[] = {1, 3, MOST_RANKS};
    static struct shared s;
    s = (struct shared){.problem = FARSUM_PROBLEM_INIT,
                        .n = n,
                        .strengths = strengths,
                        .sampled = sampled,
                        .apart = apart,
                        .clustered = clustered};
    s.problem.kernel = kernel;
    s.problem.tolerance = clustered ? pow(10, -clustered) : 1e-6;
    s.problem.precision = FARSUM_F64;
    s.problem.outputs = strengths == 3 ? FARSUM_VELOCITY
                                       : FARSUM_POTENTIAL | FARSUM_FIELD;
    for (int d = 0; d < 3; d++) {
        s.problem.periodic[d] = 1;
        s.problem.cell[4 * d] = 2;
    }
    make(&s);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        CHECK(ranks_run(sizes[k], NULL, work, &s) == 0, "%s: a rank failed",
              kernel);
        printf("  %s, %lld points, %d ranks: %lld targets, error %.1e\n",
               kernel, (long long)n, sizes[k],
               (long long)s.info[0].checked_targets,
               s.info[0].estimated_error);
        for (int r = 0; r < sizes[k]; r++) {
            const farsum_plan_info *i = &s.info[r];
            CHECK(i->checked_targets > 0, "%s: it is not checked", kernel);
            CHECK(i->n_exclusions == s.count, "%s: %lld exclusions", kernel,
                  (long long)i->n_exclusions);
            CHECK(i->estimated_error > 1e-4 * s.problem.tolerance
                      && i->estimated_error < 2 * s.problem.tolerance,
                  "%s, %lld points, %d ranks: the second sum measures %g",
                  kernel, (long long)n, sizes[k], i->estimated_error);
        }
    }
}

static void samples(void)
{
    checked("laplace", 1, SOME, 1, 0, 0);
    checked("laplace", 1, MANY, 1, 0, 0);
    checked("stokeslet", 3, SOME, 1, 0, 0);
}

static void first_sums(void)
{
    checked("laplace", 1, SOME, 0, 0, 0);
    checked("laplace", 1, MANY, 0, 0, 0);
}

/* Errors add up, so that a finer plan replaces the first one. */
static void finer(void)
{
    for (int digits = 3; digits < 8; digits++)
        checked("laplace", 1, SOME, 1, 0, digits);
    CHECK(replaced > 0, "no first plan exceeds its tolerance");
}

static void targets(void)
{
    checked("laplace", 1, SOME, 1, 1, 0);
    checked("stokeslet", 3, MANY, 0, 1, 0);
}

int main(void)
{
    RUN(samples);
    RUN(first_sums);
    RUN(finer);
    RUN(targets);
    return check_end();
}
