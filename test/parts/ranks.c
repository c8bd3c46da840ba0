/* SPDX-License-Identifier: Apache-2.0 */
/* ranks.c: parts over ranks, against one process. */
#include "parts/parts.h"

#include <string.h>

#include "plan/ranks.h"
#include "ranks/comm_threads.h"

struct shared {
    struct parts_case c;
    farsum_part part;
    int sample;
    struct parts_sums found;
};

/* Rank r gives the points from first on. */
static int64_t first_of(const struct comm *comm, int r)
{
    return (int64_t)PARTS_N * r / comm->size;
}

static farsum_status work(struct comm *comm, void *data)
{
    farsum_status status = FARSUM_OK;
    struct shared *s = data;
    farsum_plan *plan = NULL;
    farsum_problem p = s->c.problem;
    farsum_result r = FARSUM_RESULT_INIT;
    struct parts_sums *to = &s->found;
    double energy, virial[9], u[2], du[2];
    const double r2[2] = {0.01, 0.2};
    int64_t i = first_of(comm, comm->rank), n = first_of(comm, comm->rank + 1);
    n -= i;
    p.part = s->part;
    p.n_sources = n;
    p.n_exclusions = comm->rank == 0 ? p.n_exclusions : 0;
    p.exclusions = s->c.pair;
    p.exclusion_factors = s->c.factor;
    p.sample_x = s->sample ? s->c.x + 3 * i : NULL;
    p.sample_q = s->sample ? s->c.q + i : NULL;
    GO(plan_over_ranks(comm, &p, &s->c.options, &plan));
    GO(farsum_plan_near(plan, 2, r2, u, du));
    for (int k = 0; k < 2; k++) { /* the second time with the same points */
        GO(farsum_plan_set_points(plan, n, s->c.x + 3 * i, 0, NULL));
        r.potential = to->potential + i;
        r.field = to->field + 3 * i;
        r.energy = &energy;
        r.virial = virial;
        GO(farsum_plan_execute(plan, 1, s->c.q + i, &r));
        if (comm->rank == 0) {
            to->energy = energy;
            memcpy(to->virial, virial, sizeof virial);
        }
        if (s->sample) /* new states over ranks */
            GO(farsum_plan_set_cell(plan, s->c.problem.cell));
    }
done:
    if (status != FARSUM_OK)
        fprintf(stderr, "rank %d: %s\n", comm->rank, farsum_message());
    farsum_plan_destroy(plan);
    return status;
}

static void compare(struct shared *s, const char *what)
{
    static struct parts_sums wanted;
    farsum_plan *like = parts_plan(&s->c, FARSUM_WHOLE, NULL);
    CHECK_OK(farsum_plan_get_options(like, &s->c.options));
    s->c.options.verify = FARSUM_VERIFY_OFF;
    s->c.problem.tolerance *= 100; /* estimates without a sample are larger */
    farsum_plan *plan = parts_plan(&s->c, s->part, like);
    parts_sum(&s->c, plan, &wanted);
    farsum_plan_destroy(plan);
    farsum_plan_destroy(like);
    for (int size = 1; size <= 3; size++) {
        memset(&s->found, 0, sizeof s->found);
        int bad = ranks_run(size, NULL, work, s);
        CHECK(bad == 0, "%s: %d ranks of %d fail", what, bad, size);
        parts_same(&s->c, &s->found, &wanted, 1e-12, what);
    }
}

static void test_parts(void)
{
    static const char *const kernels[] = {"laplace", "yukawa", "r6"};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 4; i++) {
            static struct shared s;
            parts_system(&s.c, kernels[k], 3);
            s.c.problem.tolerance = 1e-8;
            s.part = i % 2 ? FARSUM_FAR : FARSUM_NEAR;
            s.sample = i > 1;
            if (i > 1)
                parts_exclude(&s.c);
            compare(&s, kernels[k]);
        }
}

/* All ranks must want the same part. */
static farsum_status unlike(struct comm *comm, void *data)
{
    struct shared *s = data;
    farsum_plan *plan = NULL;
    farsum_problem p = s->c.problem;
    p.part = comm->rank ? FARSUM_FAR : FARSUM_WHOLE;
    p.n_sources = PARTS_N / comm->size;
    farsum_status status = plan_over_ranks(comm, &p, NULL, &plan);
    farsum_plan_destroy(plan);
    return status;
}

static void test_unlike(void)
{
    static struct shared s;
    parts_system(&s.c, "laplace", 3);
    CHECK(ranks_run(2, NULL, unlike, &s) == 2, "unlike parts are taken");
}

int main(void)
{
    RUN(test_parts);
    RUN(test_unlike);
    return check_end();
}
