/* SPDX-License-Identifier: Apache-2.0 */
/* check.c: plans over ranks that are checked by a second sum.  The measured
 * errors are compared with those at all particles by a reference.  Points are
 * given by any rank. */
#include "unit/verify_check.h"

#include "base/mem.h"
#include "plan/exported.h"
#include "plan/ranks.h"
#include "ranks/comm_threads.h"

enum { RANKS = 7 };

/* What the ranks' threads share. */
struct shared {
    struct system *s;
    farsum_options options;
    int sampled;         /* 0: plans get no sample */
    int across;          /* wanted ranks along axis 1; 0: any */
    int fail_rank;       /* its n-th allocation fails during create and sum */
    int64_t fail_at;     /* 0: none */
    int64_t first[RANKS + 1]; /* points that each rank gives */
    double v[3 * MOST];  /* forces, velocities or potentials of all */
    int64_t target[RANKS + 1]; /* separate targets that each rank gives */
    double energy[RANKS];
    farsum_plan_info created[RANKS], info[RANKS];
    farsum_status status[RANKS];
    char words[RANKS][1024];
};

static double y[3 * MOST];
static int targets; /* separate ones of all ranks; 0: the sources */

static int wide(const struct system *s)
{
    return s->problem.error == FARSUM_ERROR_POTENTIAL ? 1 : 3;
}

/* Sums points from `first` on at targets from `target` on; m = 0: the
 * points. */
static farsum_status sum(const struct system *s, farsum_plan *plan,
                         int64_t first, int64_t n, int64_t target, int64_t m,
                         double *v, double *energy)
{
    farsum_result r = FARSUM_RESULT_INIT;
    TRY(farsum_plan_set_points(plan, n, n > 0 ? s->x + 3 * first : NULL, m,
                               m > 0 ? y + 3 * target : NULL));
    if ((targets > 0 ? m : n) == 0) /* has no results */
        v = NULL;
    r.potential = wide(s) == 1 ? v : NULL;
    r.field = wide(s) == 3 && s->strengths == 1 ? v : NULL;
    r.velocity = s->strengths > 1 ? v : NULL;
    r.energy = s->problem.outputs & FARSUM_ENERGY ? energy : NULL;
    TRY(farsum_plan_execute(plan, 1, s->q + s->strengths * first, &r));
    for (int64_t i = 0; r.field && targets == 0 && i < 3 * n; i++)
        v[i] *= s->q[first + i / 3];
    return FARSUM_OK;
}

static farsum_problem problem_from(const struct system *s, int64_t first,
                                   int64_t n, int64_t m, int sampled)
{
    farsum_problem p = problem_of(s);
    p.n_sources = n;
    p.n_targets = m;
    p.sample_x = sampled && n > 0 ? s->x + 3 * first : NULL;
    p.sample_q = sampled && n > 0 ? s->q + s->strengths * first : NULL;
    p.outputs |= s->problem.outputs;
    return p;
}

/* A plan, and any that a check makes instead, keeps the wanted parts. */
static farsum_status plan_in_parts(struct comm *comm, const farsum_problem *p,
                                   const struct shared *of, farsum_plan **plan)
{
    struct ranks_shape shape = {{0, of->across}};
    struct ranks_info info;
    TRY(plan_over_ranks_as(comm, p, &of->options, NULL, &shape, plan));
    TRY(farsum_ranks_get_info(*plan, &info));
    CHECK(of->across == 0 || info.across == of->across,
          "%d ranks along axis 1", info.across);
    return FARSUM_OK;
}

static farsum_status work(struct comm *comm, void *data)
{
    farsum_status status = FARSUM_OK;
    struct shared *of = data;
    const struct system *s = of->s;
    int rank = comm->rank;
    int64_t first = of->first[rank], n = of->first[rank + 1] - first;
    int64_t target = of->target[rank], m = of->target[rank + 1] - target;
    farsum_problem p = problem_from(s, first, n, m, of->sampled);
    farsum_plan *plan = NULL;
    of->created[rank] = of->info[rank] =
        (farsum_plan_info)FARSUM_PLAN_INFO_INIT;
    mem_fail_at(rank == of->fail_rank ? of->fail_at : 0);
    GO(plan_in_parts(comm, &p, of, &plan));
    GO(farsum_plan_get_info(plan, &of->created[rank]));
    GO(sum(s, plan, first, n, target, m,
           of->v + wide(s) * (targets ? target : first), &of->energy[rank]));
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

/* And slabs, or pencils cut along axis 1 only. */
static void share(struct shared *of, int size, enum share how)
{
    of->across = how == LAST ? size : 1;
    for (int r = 0; r <= size; r++) {
        int even = r * of->s->n / size, last = r == size;
        of->first[r] = how == LAST ? last * of->s->n : even;
        of->target[r] = how == LAST ? last * targets : targets * r / size;
    }
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
    farsum_problem p = problem_from(s, 0, s->n, targets, targets == 0);
    int count = targets ? targets : s->n;
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_plan *reference = NULL;
    double energy;
    p.precision = FARSUM_F64;
    p.tolerance = 1e-12;
    p.error = p.error == FARSUM_ERROR_ABSOLUTE ? 0 : p.error;
    o.method = "ewald";
    CHECK_OK(farsum_plan_create(&p, &o, &reference));
    CHECK_OK(sum(s, reference, 0, s->n, 0, targets, right, &energy));
    farsum_plan_destroy(reference);
    double error = rms(wide(s) * count, of->v, right) * sqrt(wide(s));
    if (targets && wide(s) == 3 && s->strengths == 1) /* forces */
        error *= rms(s->n, s->q, NULL);
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
        for (enum share how = EVEN; how < (k == 2 ? SHARES : LAST); how++) {
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
    for (int k = 4; k < 6; k++) {
        colloid(&s, pow(10, -k));
        keeps("colloid without a sample", 0);
    }
    colloid(&s, 0.05);
    s.problem.error = FARSUM_ERROR_ABSOLUTE;
    keeps("absolute without a sample", 0);
}

/* Vectors on a lattice, a little off. */
static void lattice(double tolerance)
{
    uint64_t random = 3;
    begin(&s, "rotlet", 125, 3, tolerance);
    s.problem.kernel = "rotlet";
    for (int i = 0; i < 3 * s.n; i++) {
        int place = i % 3 == 0 ? i / 3 % 5 : i % 3 == 1 ? i / 15 % 5 : i / 75;
        s.x[i] = (place + 0.3 * uniform(&random)) / 5;
        s.q[i] = normal(&random) + 2;
    }
}

/* A near pair, whose potentials f32 does not resolve, and a lattice. */
static void others(void)
{
    uint64_t random = 5;
    begin(&s, "pair", MOST, 1, 1e-5);
    for (int i = 0; i < 3 * s.n; i++)
        s.x[i] = i == 3 ? s.x[0] + 1e-5 : i == 4 || i == 5 ? s.x[i - 3]
                                                       : uniform(&random);
    for (int i = 0; i < s.n; i++)
        s.q[i] = normal(&random);
    s.problem.error = FARSUM_ERROR_POTENTIAL;
    s.problem.precision = FARSUM_AUTO;
    keeps("a near pair", 1);
    lattice(1e-6);
    keeps("rotlets on a lattice", 1);
}

/* The parameters of the first plan, given as options, leave no finer plan: all
 * ranks refuse with the same words. */
static void refused(void)
{
    const farsum_options before = of.options;
    int found = 0;
    for (int k = 3; k < 9 && !found; k++) {
        colloid(&s, pow(10, -k));
        s.problem.precision = FARSUM_F64;
        of.s = &s;
        of.sampled = 1;
        share(&of, 3, EVEN);
        of.options.verify = FARSUM_VERIFY_OFF;
        run(3, "without a check");
        found = measure(&of) > 1.2 * s.problem.tolerance;
    }
    CHECK(found, "no first plan exceeds its tolerance");
    of.options.cutoff = of.info[0].cutoff;
    of.options.spectral.support = of.info[0].support;
    memcpy(of.options.spectral.mesh, of.info[0].mesh, sizeof of.info[0].mesh);
    of.options.verify = 1;
    CHECK(ranks_run(3, NULL, work, &of) == 3, "a plan with a large error");
    for (int r = 0; r < 3; r++)
        CHECK(of.status[r] == FARSUM_ERR_TOLERANCE
                  && strcmp(of.words[r], of.words[0]) == 0
                  && strstr(of.words[r], "a second sum of 144 targets"),
              "rank %d: %d, %s", r, of.status[r], of.words[r]);
    of.options = before;
}

/* Where all particles are targets, ranks measure what one process does. */
static void alike(const char *what)
{
    static const int sizes[] = {1, 2, RANKS};
    farsum_plan_info one = FARSUM_PLAN_INFO_INIT;
    farsum_options o = of.options;
    farsum_plan *plan = NULL;
    farsum_problem p = problem_from(&s, 0, s.n, 0, 1);
    o.verify = of.options.verify = 1;
    o.method = "spectral";
    CHECK_OK(farsum_plan_create(&p, &o, &plan));
    CHECK_OK(farsum_plan_get_info(plan, &one));
    farsum_plan_destroy(plan);
    of.s = &s;
    of.sampled = 1;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        share(&of, sizes[k], EVEN);
        run(sizes[k], what);
        const farsum_plan_info *info = &of.created[0];
        printf("  %s, %d ranks: %.6g, energy %.6g, virial %.6g\n", what,
               sizes[k], info->checked_error, info->estimated_energy_error,
               info->estimated_virial_error);
        CHECK(info->checked_targets == s.n && one.checked_targets == s.n,
              "%s: %lld and %lld targets", what,
              (long long)info->checked_targets,
              (long long)one.checked_targets);
        CHECK(fabs(info->checked_error / one.checked_error - 1) < 1e-3
                  && fabs(info->estimated_energy_error
                          / one.estimated_energy_error - 1) < 1e-3
                  && fabs(info->estimated_virial_error
                          / one.estimated_virial_error - 1) < 1e-3,
              "%s, %d ranks: measured %g, %g, %g; one process %g, %g, %g",
              what, sizes[k], info->checked_error,
              info->estimated_energy_error, info->estimated_virial_error,
              one.checked_error, one.estimated_energy_error,
              one.estimated_virial_error);
    }
}

static void norms(void)
{
    colloid(&s, 1e-3);
    s.problem.error = FARSUM_ERROR_EACH;
    alike("each");
    for (int norm = FARSUM_ERROR_POTENTIAL; norm <= FARSUM_ERROR_PRESSURE;
         norm++) {
        if (norm != FARSUM_ERROR_POTENTIAL && norm != FARSUM_ERROR_ENERGY
            && norm != FARSUM_ERROR_PRESSURE)
            continue;
        colloid(&s, 1e-4);
        s.problem.outputs = FARSUM_ENERGY | FARSUM_VIRIAL;
        s.problem.error = (farsum_error_kind)norm;
        alike(norm == FARSUM_ERROR_ENERGY     ? "energy"
              : norm == FARSUM_ERROR_PRESSURE ? "pressure"
                                              : "potential");
    }
}

/* Over ranks the virial of a screened kernel is not measured.  Rank 0 chooses
 * parameters for that. */
static void unmeasured(void)
{
    colloid(&s, 1e-3);
    s.problem.kernel = "yukawa";
    s.problem.kappa = 3;
    s.problem.error = FARSUM_ERROR_PRESSURE;
    s.problem.outputs = FARSUM_POTENTIAL | FARSUM_ENERGY | FARSUM_VIRIAL;
    of.s = &s;
    of.sampled = 1;
    of.options.verify = 0;
    of.options.on_excess = FARSUM_EXCESS_SAY;
    share(&of, 3, EVEN);
    CHECK(ranks_run(3, NULL, work, &of) == 0, "pressure of yukawa: %s",
          of.words[0]);
}

/* A first sum above the tolerance: all ranks get results and the same words. */
static void excess(void)
{
    colloid(&s, 0.05);
    s.problem.error = FARSUM_ERROR_ABSOLUTE;
    of.s = &s;
    of.sampled = 0;
    of.options.verify = 0;
    of.options.on_excess = FARSUM_EXCESS_FAIL;
    share(&of, 3, EVEN);
    memset(of.v, 0, sizeof of.v);
    CHECK(ranks_run(3, NULL, work, &of) == 3, "a sum with a large error");
    for (int r = 0; r < 3; r++)
        CHECK(of.status[r] == FARSUM_ERR_TOLERANCE
                  && strcmp(of.words[r], of.words[0]) == 0
                  && strstr(of.words[r], "the estimated error of this sum")
                  && of.v[3 * of.first[r]] != 0,
              "rank %d: %d, %s", r, of.status[r], of.words[r]);
    of.options.on_excess = FARSUM_EXCESS_SAY;
}

/* In f32 arrays; the sample is checked. */
static farsum_status work_floats(struct comm *comm, void *data)
{
    static _Thread_local float x[3 * MOST], q[MOST];
    farsum_status status = FARSUM_OK;
    farsum_problem p = problem_of(&s);
    farsum_plan_info *info = (farsum_plan_info *)data + comm->rank;
    farsum_plan *plan = NULL;
    int n = 0;
    for (int i = comm->rank; i < s.n; i += comm->size, n++) {
        for (int d = 0; d < 3; d++)
            x[3 * n + d] = (float)s.x[3 * i + d];
        q[n] = (float)s.q[i];
    }
    p.n_sources = n;
    p.sample_x = x;
    p.sample_q = q;
    p.arrays = p.precision = FARSUM_F32;
    *info = (farsum_plan_info)FARSUM_PLAN_INFO_INIT;
    GO(plan_over_ranks(comm, &p, &of.options, &plan));
    GO(farsum_plan_get_info(plan, info));
done:
    farsum_plan_destroy(plan);
    return status;
}

static void floats(void)
{
    static farsum_plan_info one[1], some[RANKS];
    colloid(&s, 1e-3);
    s.problem.error = FARSUM_ERROR_EACH;
    of.options.verify = 1;
    CHECK(ranks_run(1, NULL, work_floats, one) == 0, "%s", farsum_message());
    CHECK(ranks_run(RANKS, NULL, work_floats, some) == 0, "a rank failed");
    printf("  f32: %.3g, one rank %.3g\n", some[0].checked_error,
           one[0].checked_error);
    CHECK(one[0].checked_targets == s.n && some[0].checked_targets == s.n,
          "%lld targets", (long long)some[0].checked_targets);
    CHECK(fabs(some[0].checked_error / one[0].checked_error - 1) < 0.1,
          "f32: measured %g, one rank %g", some[0].checked_error,
          one[0].checked_error);
}

static void apart(void)
{
    uint64_t random = 29;
    targets = 300;
    for (int i = 0; i < 3 * targets; i++)
        y[i] = uniform(&random);
    colloid(&s, 1e-5);
    keeps("separate targets", 0);
    s.problem.error = FARSUM_ERROR_POTENTIAL;
    keeps("potentials at separate targets", 0);
    targets = 0;
}

int main(void)
{
    of.options = (farsum_options)FARSUM_OPTIONS_INIT;
    of.options.threads = 1;
    RUN(clusters);
    RUN(first_sum);
    RUN(others);
    RUN(refused);
    RUN(norms);
    RUN(unmeasured);
    RUN(excess);
    RUN(floats);
    RUN(apart);
    return check_end();
}
