/* SPDX-License-Identifier: Apache-2.0 */
/* check.c: plans over ranks that are checked by a second sum.  The measured
 * errors are compared with those at all particles by a reference.  Points are
 * given by any rank. */
#include "unit/verify_check.h"

#include "base/mem.h"
#include "plan/ranks.h"
#include "ranks/comm_threads.h"

enum { RANKS = 7 };

/* What the ranks' threads share. */
struct shared {
    struct system *s;
    farsum_options options;
    int sampled;         /* 0: plans get no sample */
    int fail_rank;       /* its n-th allocation fails during create and sum */
    int64_t fail_at;     /* 0: none */
    int64_t first[RANKS + 1]; /* points that each rank gives */
    double v[3 * MOST];  /* forces, velocities or potentials of all */
    double energy[RANKS];
    farsum_plan_info created[RANKS], info[RANKS];
    farsum_status status[RANKS];
    char words[RANKS][1024];
};

static int wide(const struct system *s)
{
    return s->problem.error == FARSUM_ERROR_POTENTIAL ? 1 : 3;
}

static farsum_status sum(const struct system *s, farsum_plan *plan,
                         int64_t first, int64_t n, double *v, double *energy)
{
    farsum_result r = FARSUM_RESULT_INIT;
    TRY(farsum_plan_set_points(plan, n, n > 0 ? s->x + 3 * first : NULL, 0,
                               NULL));
    r.potential = wide(s) == 1 ? v : NULL;
    r.field = wide(s) == 3 && s->strengths == 1 ? v : NULL;
    r.velocity = s->strengths > 1 ? v : NULL;
    r.energy = s->problem.outputs & FARSUM_ENERGY ? energy : NULL;
    TRY(farsum_plan_execute(plan, 1, s->q + s->strengths * first, &r));
    for (int64_t i = 0; r.field && i < 3 * n; i++)
        v[i] *= s->q[first + i / 3];
    return FARSUM_OK;
}

static farsum_problem problem_from(const struct system *s, int64_t first,
                                   int64_t n, int sampled)
{
    farsum_problem p = problem_of(s);
    p.n_sources = n;
    p.sample_x = sampled && n > 0 ? s->x + 3 * first : NULL;
    p.sample_q = sampled && n > 0 ? s->q + s->strengths * first : NULL;
    p.outputs |= s->problem.outputs;
    return p;
}

static farsum_status work(struct comm *comm, void *data)
{
    farsum_status status = FARSUM_OK;
    struct shared *of = data;
    const struct system *s = of->s;
    int rank = comm->rank;
    int64_t first = of->first[rank], n = of->first[rank + 1] - first;
    farsum_problem p = problem_from(s, first, n, of->sampled);
    farsum_plan *plan = NULL;
    of->created[rank] = of->info[rank] =
        (farsum_plan_info)FARSUM_PLAN_INFO_INIT;
    mem_fail_at(rank == of->fail_rank ? of->fail_at : 0);
    GO(plan_over_ranks(comm, &p, &of->options, &plan));
    GO(farsum_plan_get_info(plan, &of->created[rank]));
    GO(sum(s, plan, first, n, of->v + wide(s) * first, &of->energy[rank]));
    GO(farsum_plan_get_info(plan, &of->info[rank]));
done:
    of->status[rank] = status;
    snprintf(of->words[rank], sizeof of->words[rank], "%s",
             status == FARSUM_OK ? "" : farsum_message());
    mem_fail_at(0);
    farsum_plan_destroy(plan);
    return status;
}

enum share { EVEN, LAST, SHARES };

static void share(struct shared *of, int size, enum share how)
{
    for (int r = 0; r <= size; r++)
        of->first[r] = how == LAST ? (r == size ? of->s->n : 0)
                                   : of->s->n * r / size;
}

/* What is the same on all ranks, to the bit. */
static void same(const farsum_plan_info *a, const farsum_plan_info *b,
                 const char *what)
{
    CHECK(a->estimated_error == b->estimated_error
              && a->checked_error == b->checked_error && a->norm == b->norm
              && a->seconds_verify == b->seconds_verify
              && a->checked_targets == b->checked_targets
              && a->estimated_energy_error == b->estimated_energy_error
              && a->estimated_virial_error == b->estimated_virial_error
              && a->cutoff == b->cutoff && a->mesh[0] == b->mesh[0]
              && a->precision == b->precision && a->support == b->support,
          "%s: other info on another rank", what);
}

/* The error at all particles by a reference, relative to the RMS. */
static double measure(const struct shared *of)
{
    static double right[3 * MOST];
    const struct system *s = of->s;
    farsum_problem p = problem_from(s, 0, s->n, 1);
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_plan *reference = NULL;
    double energy;
    p.precision = FARSUM_F64;
    p.tolerance = 1e-12;
    p.error = p.error == FARSUM_ERROR_ABSOLUTE ? 0 : p.error;
    o.method = "ewald";
    CHECK_OK(farsum_plan_create(&p, &o, &reference));
    CHECK_OK(sum(s, reference, 0, s->n, right, &energy));
    farsum_plan_destroy(reference);
    double error = rms(wide(s) * s->n, of->v, right) * sqrt(wide(s));
    return s->problem.error == FARSUM_ERROR_ABSOLUTE ? error
                                                     : error / of->info[0].norm;
}

static int above;    /* plans without a check that exceed their tolerance */
static int finer;    /* plans with a check that are finer than those */
static struct shared of;
static struct system s;

static void run(int size, const char *what)
{
    CHECK(ranks_run(size, NULL, work, &of) == 0, "%s, %d ranks: %s", what,
          size, of.words[0]);
    for (int r = 1; r < size; r++) {
        same(&of.created[r], &of.created[0], what);
        same(&of.info[r], &of.info[0], what);
    }
}

/* With the check the tolerance is kept, and the estimate is true. */
static void keeps(const char *what, int sampled)
{
    static const int sizes[] = {1, 2, 3, RANKS};
    double tolerance = s.problem.tolerance;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (enum share how = EVEN; how < SHARES; how++) {
            int size = sizes[k];
            of.s = &s;
            of.sampled = sampled;
            share(&of, size, how);
            of.options.verify = FARSUM_VERIFY_OFF;
            run(size, what);
            double unaided = measure(&of);
            int64_t mesh = of.info[0].mesh[0];
            CHECK(of.info[0].checked_error < 0, "%s: checked", what);
            of.options.verify = 0;
            run(size, what);
            double error = measure(&of);
            const farsum_plan_info *info = &of.info[0];
            printf("  %s, %d ranks: %.2g of the tolerance, measured %.2g at "
                   "%lld targets, without a check %.2g\n",
                   what, size, error / tolerance,
                   info->checked_error / tolerance,
                   (long long)info->checked_targets, unaided / tolerance);
            above += unaided > tolerance;
            finer += unaided > tolerance && info->mesh[0] > mesh;
            CHECK(info->checked_targets > 0 && info->checked_error >= 0,
                  "%s: not checked", what);
            CHECK((of.created[0].checked_error >= 0) == sampled,
                  "%s: checked at the wrong time", what);
            CHECK(error <= tolerance
                      || (!sampled && info->estimated_error > tolerance),
                  "%s: %.3g, tolerance %g", what, error, tolerance);
            CHECK(error < 1e-14 || (error > info->estimated_error / 2
                                    && error < info->estimated_error * 2),
                  "%s, %d ranks: measured %.3g, estimated %.3g", what, size,
                  error, info->estimated_error);
        }
}

static void clusters(void)
{
    for (int k = 3; k < 7; k++) {
        colloid(&s, pow(10, -k));
        keeps("colloid", 1);
    }
    CHECK(above > 0 && finer > 0,
          "%d plans without a check exceed the tolerance, %d are made finer",
          above, finer);
}

static void first_sum(void)
{
    for (int k = 4; k < 7; k++) {
        colloid(&s, pow(10, -k));
        keeps("colloid without a sample", 0);
    }
    colloid(&s, 0.05);
    s.problem.error = FARSUM_ERROR_ABSOLUTE;
    keeps("absolute without a sample", 0);
}

int main(void)
{
    of.options = (farsum_options)FARSUM_OPTIONS_INIT;
    of.options.threads = 1;
    RUN(clusters);
    RUN(first_sum);
    return check_end();
}
