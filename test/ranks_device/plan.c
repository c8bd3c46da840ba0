/* SPDX-License-Identifier: Apache-2.0 */
/* plan.c: plans over ranks on devices against a plan of one process on a device
 * with the same parameters, and against the host: kernels, precisions, arrays
 * on either side, numbers of ranks, separate targets, changes of the cell. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "ranks_device/rank_device.h"
#include "ranks_device/sums.h"

double x[3 * MANY], y[3 * MANY], q[RHS * WIDTH * MANY];

/* A sum of a case: values of all ranks, [rhs][MANY]. */
static struct whole found, right;

/* A case of a kernel. */
struct test {
    const char *kernel;
    int strengths, values;
    double tolerance;
    int oblique;
    farsum_precision precision;
    double most; /* allowed difference from one process */
    int apart;
    farsum_surface surface;
    double stretch[2];
    double skin;
};

#define CASE(name, from, to, error, tilted, type, difference)                  \
    .kernel = name, .strengths = from, .values = to, .tolerance = error,       \
    .oblique = tilted, .precision = type, .most = difference

/* Pairs with ghosts may be summed by another variant for the virial, and a root
 * is computed only as exactly as the tolerance needs. */
#define VIRIAL 1e-5

static struct shared shared_of(const struct test *t)
{
    struct shared s = {.options = FARSUM_OPTIONS_INIT};
    s.problem = sums_problem(t->kernel, t->values, t->tolerance, t->oblique,
                             t->precision, t->surface);
    s.options.threads = 1;
    s.options.verify = FARSUM_VERIFY_OFF;
    s.options.spectral.skin = t->skin;
    s.options.device.name = rank_device_name();
    s.strengths = t->strengths;
    s.values = t->values;
    s.rhs = RHS;
    s.apart = t->apart;
    memcpy(s.stretch, t->stretch, sizeof t->stretch);
    s.found = &found;
    return s;
}

/* The largest of the differences of values, fields and energies. */
static double apart(const struct shared *s, const struct whole *w)
{
    int flow = s->values == 3, count = s->rhs * MANY;
    double most = sums_apart(w->values, right.values, s->values * count);
    if (!flow)
        most = fmax(most, sums_apart(w->field, right.field, 3 * count));
    if (s->problem.outputs & FARSUM_GRADIENT)
        most = fmax(most, sums_apart(w->gradient, right.gradient, 6 * count));
    for (int r = 0; r < s->rhs && !flow && !s->apart; r++)
        most = fmax(most, fabs(w->energy[0][r] / right.energy[0][r] - 1));
    return most;
}

static void same_on_ranks(const struct shared *s, int size, const char *what)
{
    for (int r = 0; r < size; r++) {
        CHECK(memcmp(found.energy[r], found.energy[0], sizeof found.energy[0])
                      == 0
                  && memcmp(found.virial[r], found.virial[0],
                            sizeof found.virial[0])
                         == 0,
              "%s: energy or virial of rank %d", what, r);
        CHECK(fabs(found.info[r].estimated_error
                       / right.info[0].estimated_error
                   - 1) < 1e-6,
              "%s: rank %d estimates %g, one process %g", what, r,
              found.info[r].estimated_error, right.info[0].estimated_error);
        CHECK(strncmp(found.device[r], s->options.device.name,
                      strcspn(s->options.device.name, ":"))
                  == 0,
              "%s: rank %d is on %s", what, r, found.device[r]);
    }
}

static void compare(struct shared *s, const struct test *t, int size,
                    enum share how)
{
    char what[96];
    share(s, size, how);
    /* each array is on the host or on the device, with 2 ranks on both */
    for (s->there = size > 2; s->there < (size > 1 ? 2 : 1); s->there++) {
        snprintf(what, sizeof what, "%s, %d ranks, share %d, arrays on the %s",
                 t->kernel, size, (int)how, s->there ? "device" : "host");
        memset(&found, 0, sizeof found);
        s->named = size == 1; /* else by handle */
        if (!CHECK(ranks_run(size, NULL, sum_rank, s) == 0, "%s: a rank failed",
                   what))
            continue;
        double most = apart(s, &found), virials = 0;
        if (t->values == 1 && !t->apart)
            virials = sums_apart(found.virial[0], right.virial[0], 9 * s->rhs);
        printf("  %s: %.1e, virial %.1e\n", what, most, virials);
        CHECK(most <= t->most
                  && virials <= fmax(t->most, VIRIAL * t->tolerance),
              "%s: %g, virial %g", what, most, virials);
        same_on_ranks(s, size, what);
    }
}

/* The right results: by one process on the device, whose parameters all then
 * take.  The host agrees with them to the tolerance. */
static void one_process(struct shared *s, const struct test *t)
{
    struct shared host = *s;
    farsum_plan_info *info = &right.info[0];
    memset(&right, 0, sizeof right);
    s->found = &right;
    s->there = 0;
    sum_alone(s);
    s->found = &found;
    s->options.cutoff = info->cutoff;
    s->options.spectral.split = info->split;
    s->options.spectral.window = info->window;
    s->options.spectral.bandwidth = info->bandwidth;
    s->options.spectral.support = info->support;
    s->options.spectral.shape = info->shape;
    memcpy(s->options.spectral.mesh, info->mesh, sizeof info->mesh);
    memset(&found, 0, sizeof found);
    host.options.device.name = NULL;
    share(&host, 3, EVEN);
    CHECK(ranks_run(3, NULL, sum_rank, &host) == 0, "the host failed");
    CHECK(apart(&host, &found) <= 30 * t->tolerance, "%s: the host differs: %g",
          t->kernel, apart(&host, &found));
}

static void kernels(const struct test *tests, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        const struct test *t = &tests[k];
        struct shared s = shared_of(t);
        one_process(&s, t);
        for (int size = 1; size <= RANKS; size++)
            compare(&s, t, size, EVEN);
        if (k > 0)
            continue;
        compare(&s, t, RANKS, ALL);
        compare(&s, t, RANKS, NONE);
    }
}
#define KERNELS(tests) kernels(tests, sizeof(tests) / sizeof *(tests))

static void charges(void)
{
    static const struct test tests[] = {
        {CASE("laplace", 1, 1, 1e-6, 0, FARSUM_F64, 1e-12)},
        {CASE("laplace", 1, 1, 1e-6, 1, FARSUM_F64, 1e-12),
         .surface = FARSUM_VACUUM, .stretch = {0.97}},
        {CASE("yukawa", 1, 1, 1e-6, 1, FARSUM_F64, 1e-12)},
        {CASE("r6", 1, 1, 1e-5, 0, FARSUM_F64, 1e-12)},
        {CASE("charge_dipole", 4, 1, 1e-6, 1, FARSUM_F64, 1e-12),
         .surface = FARSUM_VACUUM},
    };
    KERNELS(tests);
}

/* gpu_verlet sums far pairs in f32, from coordinates in the rank's own cell. */
static void skins(void)
{
    static const struct test tests[] = {
        {CASE("laplace", 1, 1, 1e-6, 1, FARSUM_F64, 1e-8), .skin = 0.05},
    };
    KERNELS(tests);
}

static void flows(void)
{
    static const struct test tests[] = {
        {CASE("stokeslet", 3, 3, 1e-6, 1, FARSUM_F64, 1e-12)},
        {CASE("stresslet", 6, 3, 1e-5, 0, FARSUM_F64, 1e-12)},
    };
    KERNELS(tests);
}

static void targets(void)
{
    static const struct test tests[] = {
        {CASE("laplace", 1, 1, 1e-6, 1, FARSUM_F64, 1e-12), .apart = 1},
    };
    KERNELS(tests);
}

static void less_precise(void)
{
    static const struct test tests[] = {
        {CASE("laplace", 1, 1, 1e-4, 0, FARSUM_F32, 1e-4)},
        {CASE("laplace", 1, 1, 1e-5, 1, FARSUM_MIXED, 1e-5)},
    };
    KERNELS(tests);
}

/* --- checks by a second sum --- */

/* Errors are measured, and are the same on all ranks. */
static void checks(const char *kernel, int strengths, int values, int sampled,
                   int there)
{
    const struct test t = {
        CASE(kernel, strengths, values, 1e-6, 1, FARSUM_F64, 1e-6)};
    struct shared s = shared_of(&t);
    s.options.verify = 1;
    s.unsampled = !sampled;
    s.there = there;
    s.rhs = 1;
    for (int size = 1; size <= RANKS; size++) {
        memset(&found, 0, sizeof found);
        share(&s, size, size == RANKS ? NONE : EVEN);
        CHECK(ranks_run(size, NULL, sum_rank, &s) == 0, "a rank failed");
        printf("  %s, %d ranks, sample %d, arrays %d: measured %.1e at %lld "
               "targets\n",
               kernel, size, sampled, there, found.info[0].checked_error,
               (long long)found.info[0].checked_targets);
        for (int r = 0; r < size; r++)
            CHECK(found.info[r].checked_error > 0
                      && found.info[r].checked_error <= t.tolerance
                      && found.info[r].checked_error
                             == found.info[0].checked_error,
                  "rank %d measures %g, rank 0 %g", r,
                  found.info[r].checked_error, found.info[0].checked_error);
    }
}

static void second_sums(void)
{
    for (int sampled = 0; sampled < 2; sampled++)
        for (int there = 0; there < 2; there++) {
            checks("laplace", 1, 1, sampled, there);
            checks("stokeslet", 3, 3, sampled, there);
        }
    checks("charge_dipole", 4, 1, 1, 1);
}

/* --- failures --- */

/* Rank 1 passes a strength that is not finite.  All ranks fail, and the plan
 * remains usable. */
static farsum_status fails_rank(struct comm *comm, void *data)
{
    farsum_status status = FARSUM_OK;
    struct shared *s = data;
    struct part part;
    farsum_plan *plan = NULL;
    part_make(&part, s, comm->rank);
    GO(part_plan(&part, s, comm, &plan));
    GO(part_points(&part, s, plan));
    GO(part_sum(&part, s, plan));
    if (comm->rank == 1)
        part_strength(&part, NAN);
    CHECK_FAILS(part_sum(&part, s, plan), FARSUM_ERR_STRENGTH);
    CHECK_SAYS("rank 1: strength 0 of right-hand side 0 is");
    if (comm->rank == 1)
        part_strength(&part, 1);
    GO(part_sum(&part, s, plan));
done:
    if (status != FARSUM_OK)
        printf("rank %d: %s\n", comm->rank, farsum_message());
    farsum_plan_destroy(plan);
    part_free(&part);
    return status;
}

static void failures(void)
{
    const struct test t = {CASE("laplace", 1, 1, 1e-6, 0, FARSUM_F64, 0)};
    struct shared s = shared_of(&t);
    share(&s, RANKS, EVEN);
    for (s.there = 0; s.there < 2; s.there++)
        CHECK(ranks_run(RANKS, NULL, fails_rank, &s) == 0, "a rank failed");
}

/* Draws point i.  Returns 0 if it is so near to another one that rounding of
 * their forces would hide the virial. */
static int place(int i, uint64_t *random)
{
    for (int d = 0; d < 3; d++)
        x[3 * i + d] = 2 * ldexp((double)(random_next(random) >> 11), -53);
    for (int j = 0; j < i; j++) {
        double square = 0;
        for (int d = 0; d < 3; d++)
            square += (x[3 * i + d] - x[3 * j + d])
                      * (x[3 * i + d] - x[3 * j + d]);
        if (square < 0.05 * 0.05)
            return 0;
    }
    return 1;
}

int main(void)
{
    uint64_t random = 3;
    farsum_device *first = NULL;
    /* PoCL cannot begin in several threads */
    CHECK_OK(farsum_device_open(rank_device_name(), &first));
    farsum_device_close(first);
    for (int i = 0; i < MANY;)
        i += place(i, &random);
    x[0] = x[1] = x[2] = 0; /* on faces */
    for (int i = 0; i < RHS * WIDTH * MANY; i++)
        q[i] = ldexp((double)(random_next(&random) >> 11), -52) - 1;
    for (int i = 0; i < 3 * MANY; i++)
        y[i] = 2 * ldexp((double)(random_next(&random) >> 11), -53);
    RUN(charges);
    RUN(skins);
    RUN(flows);
    RUN(targets);
    RUN(less_precise);
    RUN(second_sums);
    RUN(failures);
    return check_end();
}
