/* SPDX-License-Identifier: Apache-2.0 */
/* exclude.c: excluded pairs of plans over ranks on devices against a plan of
 * one process on a device: kernels, precisions, separate targets, arrays on
 * either side, pairs named by any rank before and after points, changes of the
 * cell, and coincident sources. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "ranks_device/rank_device.h"
#include "ranks_device/sums.h"

enum { ATOMS = 4, SIDE = 7, PAIRS = 7 * MANY / ATOMS };
#define BOND 0.06

double x[3 * MANY], y[3 * MANY], q[RHS * WIDTH * MANY];

struct list {
    int64_t count, pair[2 * PAIRS];
    double factor[PAIRS];
};
enum { FULL, BONDS, EMPTY, LISTS };
static struct list lists[LISTS];

/* A sum of a plan: its list, and whether pairs are set, then points. */
static const struct step {
    int list, sets, points;
} steps[] = {
    {FULL, 0, 1}, /* from the problem */
    {BONDS, 1, 0}, {EMPTY, 1, 1}, {FULL, 1, 1}, {FULL, 0, 1}, {BONDS, 1, 0},
};
enum { STEPS = sizeof steps / sizeof *steps };

static struct whole found[STEPS], right[LISTS];

struct test {
    const char *kernel;
    int strengths, values, oblique, apart;
    double tolerance;
    farsum_precision precision;
    double most; /* allowed difference from one process */
    double stretch[2];
};

static double unit(uint64_t *random)
{
    return ldexp((double)(random_next(random) >> 11), -53);
}

/* Draws atom i of a chain.  Returns 0 if it is near its second neighbour: the
 * rounding of their force would hide differences. */
static int draw(int64_t i, uint64_t *random, const double *start)
{
    double step[3], length = 0, apart = 0;
    for (int d = 0; d < 3; d++) {
        step[d] = unit(random) - (i % ATOMS == 2 ? 0.9 : 0.1);
        length += step[d] * step[d];
        y[3 * i + d] = 0.02 * (1 + unit(random));
    }
    for (int d = 0; d < 3; d++) {
        double *at = &x[3 * i + d];
        *at =
            i % ATOMS == 0 ? start[d] : at[-3] + BOND * step[d] / sqrt(length);
        y[3 * i + d] += *at;
        apart += i % ATOMS < 2 ? 1 : (*at - at[-6]) * (*at - at[-6]);
    }
    return apart > BOND * BOND;
}

/* Chains around the points of a lattice: bonds cross the slabs' borders, and
 * the cell's. */
static void place(const double *cell)
{
    uint64_t random = 5;
    for (int64_t i = 0; i < MANY;) {
        int64_t m = i / ATOMS;
        const int64_t site[3] = {m % SIDE, m / SIDE % SIDE, m / (SIDE * SIDE)};
        double start[3] = {0};
        for (int d = 0; d < 3; d++) {
            double f = ((double)site[d] + 0.3 * unit(&random)) / SIDE;
            for (int k = 0; k < 3; k++)
                start[k] += f * cell[3 * d + k];
        }
        i += draw(i, &random, start);
    }
    for (int i = 0; i < RHS * WIDTH * MANY; i++)
        q[i] = 2 * unit(&random) - 1;
}

static void add(struct list *list, int64_t i, int64_t j, double factor)
{
    list->pair[2 * list->count] = i;
    list->pair[2 * list->count + 1] = j;
    list->factor[list->count++] = factor;
}

/* Separate targets lose their own atoms too. */
static void name_pairs(int apart)
{
    memset(lists, 0, sizeof lists);
    for (int64_t m = 0; m < MANY; m += ATOMS)
        for (int64_t a = 0; a < ATOMS; a++)
            for (int64_t b = apart ? a : a + 1; b < ATOMS; b++) {
                if (b - a <= 1)
                    add(&lists[BONDS], m + a, m + b, 0);
                if (!apart || b < ATOMS - 1)
                    add(&lists[FULL], m + a, m + b, b - a <= 1 ? 0 : 0.25);
            }
}

/* The pairs that a rank names, in either order. */
static void part_of(const struct list *all, int apart, int size, int rank,
                    struct list *part)
{
    part->count = 0;
    for (int64_t k = 0; k < all->count; k++) {
        int swap = !apart && k % 3 == 1;
        if (k * 7 % size != rank)
            continue;
        part->pair[2 * part->count] = all->pair[2 * k + swap];
        part->pair[2 * part->count + 1] = all->pair[2 * k + 1 - swap];
        part->factor[part->count++] = all->factor[k];
    }
}

/* Sets a rank's pairs of a list; BONDS have the default factors. */
static farsum_status set_pairs(farsum_plan *plan, const struct shared *s,
                               int which, int size, int rank, struct list *part)
{
    part_of(&lists[which], s->apart, size, rank, part);
    return farsum_plan_set_exclusions(plan, part->count, part->pair,
                                      which == BONDS ? NULL : part->factor);
}

/* A plan with the full list. */
static farsum_status make(struct part *p, const struct shared *s,
                          struct comm *comm, struct list *pairs,
                          farsum_plan **plan)
{
    struct shared with = *s;
    part_of(&lists[FULL], s->apart, comm ? comm->size : 1, p->rank, pairs);
    with.problem.n_exclusions = pairs->count;
    with.problem.exclusions = pairs->pair;
    with.problem.exclusion_factors = pairs->factor;
    return part_plan(p, &with, comm, plan);
}

static farsum_status sum(struct part *p, const struct shared *s,
                         farsum_plan *plan, struct whole *to)
{
    farsum_plan_info *info = &to->info[p->rank];
    TRY(part_sum(p, s, plan));
    *info = (farsum_plan_info)FARSUM_PLAN_INFO_INIT;
    TRY(farsum_plan_get_info(plan, info));
    part_store(to, s, p);
    return FARSUM_OK;
}

static farsum_status work(struct comm *comm, void *data)
{
    farsum_status status = FARSUM_OK;
    struct shared *s = data;
    struct list *pairs = check_memory(1, sizeof *pairs);
    struct part p;
    farsum_plan *plan = NULL;
    part_make(&p, s, comm->rank);
    GO(make(&p, s, comm, pairs, &plan));
    for (int k = 0; k < STEPS; k++) {
        const struct step *step = &steps[k];
        if (step->sets)
            GO(set_pairs(plan, s, step->list, comm->size, comm->rank, pairs));
        if (step->points)
            GO(part_points(&p, s, plan));
        GO(sum(&p, s, plan, &found[k]));
        CHECK(found[k].info[comm->rank].n_exclusions == lists[step->list].count,
              "step %d: other exclusions", k);
    }
done:
    if (status != FARSUM_OK)
        printf("rank %d: %s\n", comm->rank, farsum_message());
    farsum_plan_destroy(plan);
    part_free(&p);
    free(pairs);
    return status;
}

/* The right results; later plans take its parameters. */
static void one_process(struct shared *s)
{
    static struct list pairs;
    const farsum_plan_info *info = &right[FULL].info[0];
    struct part p;
    farsum_plan *plan = NULL;
    memset(right, 0, sizeof right);
    s->there = 0;
    share(s, 1, EVEN);
    part_make(&p, s, 0);
    CHECK_OK(make(&p, s, NULL, &pairs, &plan));
    CHECK_OK(part_points(&p, s, plan));
    for (int k = 0; k < LISTS; k++) {
        CHECK_OK(set_pairs(plan, s, k, 1, 0, &pairs));
        CHECK_OK(sum(&p, s, plan, &right[k]));
    }
    s->options.cutoff = info->cutoff;
    s->options.spectral.bandwidth = info->bandwidth;
    s->options.spectral.support = info->support;
    s->options.spectral.shape = info->shape;
    memcpy(s->options.spectral.mesh, info->mesh, sizeof info->mesh);
    s->options.spectral.split = info->split;
    s->options.spectral.window = info->window;
    farsum_plan_destroy(plan);
    part_free(&p);
}

/* Values, fields and energies of two sums. */
static double apart(const struct shared *s, const struct whole *a,
                    const struct whole *b)
{
    int count = s->rhs * MANY;
    double most = sums_apart(a->values, b->values, s->values * count);
    if (s->values == 3)
        return most;
    most = fmax(most, sums_apart(a->field, b->field, 3 * count));
    if (s->problem.outputs & FARSUM_GRADIENT)
        most = fmax(most, sums_apart(a->gradient, b->gradient, 6 * count));
    return s->apart
               ? most
               : fmax(most, sums_apart(a->energy[0], b->energy[0], s->rhs));
}

/* Virials in units of that with all pairs, see test/ranks/exclude.c. */
static double virials(const struct shared *s, const struct whole *a,
                      const struct whole *b)
{
    double most = 0, size = 0;
    for (int k = 0; k < 9 * s->rhs && s->values == 1 && !s->apart; k++) {
        most = fmax(most, fabs(a->virial[0][k] - b->virial[0][k]));
        size = fmax(size, fabs(right[EMPTY].virial[0][k]));
    }
    return size > 0 ? most / size : most;
}

static void compare(struct shared *s, const struct test *t, int size,
                    enum share how)
{
    double worst = 0, virial = 0, allowed = fmax(t->most, 1e-5 * t->tolerance);
    if (t->precision != FARSUM_F64)
        allowed = 2 * t->most;
    memset(found, 0, sizeof found);
    share(s, size, how);
    s->named = size == 1;
    CHECK(ranks_run(size, NULL, work, s) == 0, "%s: a rank failed", t->kernel);
    for (int k = 0; k < STEPS; k++) {
        const struct whole *wanted = &right[steps[k].list];
        double error = apart(s, &found[k], wanted);
        double tensor = virials(s, &found[k], wanted);
        CHECK(error <= t->most && tensor <= allowed,
              "%s, %d ranks, step %d: %g, virial %g", t->kernel, size, k, error,
              tensor);
        for (int r = 0; r < size; r++)
            CHECK(memcmp(found[k].energy[r], found[k].energy[0],
                         sizeof found[k].energy[0])
                          == 0
                      && fabs(found[k].info[r].estimated_error
                                  / wanted->info[0].estimated_error
                              - 1)
                             < fmax(t->most, 1e-6),
                  "step %d: rank %d has another energy or estimate", k, r);
        worst = fmax(worst, error);
        virial = fmax(virial, tensor);
    }
    printf("  %s, %d ranks, share %d, arrays %d: %.1e, virial %.1e\n",
           t->kernel, size, (int)how, s->there, worst, virial);
}

static struct shared shared_of(const struct test *t)
{
    struct shared s = {.options = FARSUM_OPTIONS_INIT,
                       .strengths = t->strengths,
                       .values = t->values,
                       .rhs = RHS,
                       .apart = t->apart};
    s.problem = sums_problem(t->kernel, t->values, t->tolerance, t->oblique,
                             t->precision, 0);
    if (t->apart)
        s.problem.outputs &= ~(unsigned)(FARSUM_ENERGY | FARSUM_VIRIAL);
    s.options.threads = 1;
    s.options.verify = FARSUM_VERIFY_OFF;
    s.options.device.name = rank_device_name();
    /* PoCL runs kernels of meshes slowly, and compiles VkFFT's slowly */
    s.options.cutoff = 0.5;
    if (strncmp(s.options.device.name, "opencl", 6) == 0)
        s.options.spectral.fft = "kiss";
    /* others sum far pairs in f32, from coordinates in the rank's own cell */
    if (t->precision == FARSUM_F64)
        s.options.spectral.near = "gpu_cells";
    memcpy(s.stretch, t->stretch, sizeof t->stretch);
    return s;
}

static void kernels(const struct test *tests, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        struct shared s = shared_of(&tests[k]);
        place(s.problem.cell);
        name_pairs(s.apart);
        one_process(&s);
        CHECK(apart(&s, &right[FULL], &right[EMPTY]) > 1e-3
                  && apart(&s, &right[FULL], &right[BONDS]) > 1e-3,
              "%s: the lists make no difference", tests[k].kernel);
        for (int size = k == 0 ? 1 : 2; size <= RANKS; size++) {
            s.there = size == RANKS;
            compare(&s, &tests[k], size, size == RANKS && k > 0 ? NONE : EVEN);
        }
        if (k == 0)
            compare(&s, &tests[k], RANKS, ALL);
    }
}
#define KERNELS(tests) kernels(tests, sizeof(tests) / sizeof *(tests))

static void charges(void)
{
    static const struct test tests[] = {
        {"laplace", 1, 1, 0, 0, 1e-6, FARSUM_F64, 1e-12, {0}},
        {"yukawa", 1, 1, 1, 0, 1e-6, FARSUM_F64, 1e-12, {0.97}},
        {"r6", 1, 1, 0, 0, 1e-5, FARSUM_F64, 1e-12, {0}},
        {"charge_dipole", 4, 1, 1, 0, 1e-6, FARSUM_F64, 1e-12, {0}},
    };
    KERNELS(tests);
}

static void flows(void)
{
    static const struct test tests[] = {
        {"stokeslet", 3, 3, 1, 0, 1e-6, FARSUM_F64, 1e-12, {0}},
        {"stresslet", 6, 3, 0, 0, 1e-5, FARSUM_F64, 1e-12, {0}},
    };
    KERNELS(tests);
}

static void targets(void)
{
    static const struct test tests[] = {
        {"laplace", 1, 1, 1, 1, 1e-6, FARSUM_F64, 1e-12, {0}},
        {"rotlet", 3, 3, 0, 1, 1e-5, FARSUM_F64, 1e-12, {0}},
    };
    KERNELS(tests);
}

static void less_precise(void)
{
    static const struct test tests[] = {
        {"laplace", 1, 1, 0, 0, 1e-4, FARSUM_F32, 1e-4, {0}},
        {"laplace", 1, 1, 1, 0, 1e-4, FARSUM_MIXED, 1e-5, {0}},
    };
    KERNELS(tests);
}

/* The second sum leaves the same pairs out. */
static farsum_status work_checked(struct comm *comm, void *data)
{
    farsum_status status = FARSUM_OK;
    struct shared *s = data;
    struct list *pairs = check_memory(1, sizeof *pairs);
    struct part p;
    farsum_plan *plan = NULL;
    part_make(&p, s, comm->rank);
    GO(make(&p, s, comm, pairs, &plan));
    GO(part_points(&p, s, plan));
    GO(sum(&p, s, plan, &found[0]));
    const farsum_plan_info *info = &found[0].info[comm->rank];
    CHECK(info->checked_targets > 0 && info->checked_error > 0
              && info->checked_error <= s->problem.tolerance,
          "rank %d measures %g at %lld targets", comm->rank,
          info->checked_error, (long long)info->checked_targets);
done:
    if (status != FARSUM_OK)
        printf("rank %d: %s\n", comm->rank, farsum_message());
    farsum_plan_destroy(plan);
    part_free(&p);
    free(pairs);
    return status;
}

static void second_sums(void)
{
    static const struct test test = {"laplace", 1,          1, 1,  0,
                                     1e-6,      FARSUM_F64, 0, {0}};
    struct shared s = shared_of(&test);
    place(s.problem.cell);
    name_pairs(0);
    s.options.verify = 1;
    s.rhs = 1;
    share(&s, RANKS, EVEN);
    for (s.unsampled = 0; s.unsampled < 2; s.unsampled++)
        CHECK(ranks_run(RANKS, NULL, work_checked, &s) == 0, "a rank failed");
}

/* Bad pairs, and sources that coincide: all ranks fail, and the plan keeps its
 * pairs. */
static farsum_status work_bad(struct comm *comm, void *data)
{
    farsum_status status = FARSUM_OK;
    struct shared *s = data;
    struct part p;
    const int one = comm->rank == 1;
    const int64_t far[] = {0, MANY}, two[] = {8, MANY - 1, 9, MANY - 2};
    const double half[] = {0.5, 0};
    farsum_plan *plan = NULL;
    part_make(&p, s, comm->rank);
    GO(part_plan(&p, s, comm, &plan));
    CHECK_FAILS(part_points(&p, s, plan), FARSUM_ERR_COINCIDENT);
    CHECK_SAYS("sources 8 and 899 coincide; exclude_coincident");
    GO(farsum_plan_set_exclusions(plan, 2 * one, two, half));
    CHECK_FAILS(part_points(&p, s, plan), FARSUM_ERR_COINCIDENT);
    CHECK_SAYS("sources 8 and 899 coincide, and their exclusion's factor 0.5");
    GO(farsum_plan_set_exclusions(plan, 2 * one, two, NULL));
    GO(part_points(&p, s, plan));
    GO(sum(&p, s, plan, &found[0]));
    CHECK_FAILS(farsum_plan_set_exclusions(plan, one, far, NULL),
                FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("rank 1: exclusion 0, pair 0 900: there is no source 900");
    GO(sum(&p, s, plan, &found[1]));
    GO(part_points(&p, s, plan));
    GO(sum(&p, s, plan, &found[2]));
    /* the points have a pair that nothing excludes now */
    GO(farsum_plan_set_exclusions(plan, 0, NULL, NULL));
    CHECK_FAILS(part_sum(&p, s, plan), FARSUM_ERR_STATE);
done:
    if (status != FARSUM_OK)
        printf("rank %d: %s\n", comm->rank, farsum_message());
    farsum_plan_destroy(plan);
    part_free(&p);
    return status;
}

static void bad(void)
{
    static const struct test test = {"laplace", 1,          1, 0,  0,
                                     1e-6,      FARSUM_F64, 0, {0}};
    struct shared s = shared_of(&test);
    place(s.problem.cell);
    memcpy(x + 3 * (MANY - 1), x + 3 * 8, 3 * sizeof *x);
    share(&s, RANKS, EVEN);
    for (s.there = 0; s.there < 2; s.there++) {
        memset(found, 0, sizeof found);
        CHECK(ranks_run(RANKS, NULL, work_bad, &s) == 0, "a rank failed");
        for (int k = 1; k < 3; k++)
            CHECK(apart(&s, &found[k], &found[0]) <= 1e-14,
                  "the old pairs are lost in sum %d", k);
    }
}

int main(void)
{
    farsum_device *first = NULL;
    /* PoCL cannot begin in several threads */
    CHECK_OK(farsum_device_open(rank_device_name(), &first));
    farsum_device_close(first);
    RUN(charges);
    RUN(flows);
    RUN(targets);
    RUN(less_precise);
    RUN(second_sums);
    RUN(bad);
    return check_end();
}
