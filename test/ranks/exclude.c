/* SPDX-License-Identifier: Apache-2.0 */
/* exclude.c: molecules whose bonded pairs are excluded or scaled, over ranks
 * against one process: kernels, cells, precisions, numbers of ranks, points and
 * pairs given by any rank, lists and counts that change between sums. */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "plan/ranks.h"
#include "ranks/comm_threads.h"
#include "ranks/sums.h"

enum {
    SIDE = 7,
    ATOMS = 4,                       /* of a molecule, a chain */
    MANY = ATOMS * SIDE * SIDE * SIDE,
    MOST_RANKS = 7,
    WIDTH = 6,
    PAIRS = 7 * MANY / ATOMS         /* of a list, at most */
};
#define BOND 0.06

static double x[3 * MANY], y[3 * MANY], q[WIDTH * MANY];

struct list {
    int64_t count, pair[2 * PAIRS];
    double factor[PAIRS];
};
enum { FULL, BONDS, EMPTY, LISTS };
static struct list lists[LISTS];

enum share { EVEN, LAST, NONE_FIRST };

/* A sum of a plan: the list, whether it is newly set, and who gives points. */
struct step {
    int list, sets;
    enum share share;
    int points; /* 1: points are set, after the list */
};
static const struct step steps[] = {
    {FULL, 0, EVEN, 1}, /* from the problem */
    {BONDS, 1, EVEN, 0},      {BONDS, 0, NONE_FIRST, 1}, {EMPTY, 1, LAST, 1},
    {FULL, 1, LAST, 0},       {FULL, 0, EVEN, 1},        {BONDS, 1, LAST, 1},
    {EMPTY, 1, LAST, 0},
};
enum { STEPS = sizeof steps / sizeof *steps };

struct results {
    double values[3 * MANY], field[3 * MANY], energy, virial[9];
};

struct shared {
    farsum_problem problem;
    int strengths, values, apart, scattered;
    struct results wanted[LISTS], found[STEPS];
    double estimated[LISTS], estimates[STEPS];
};

static int flow(const struct shared *s)
{
    return s->values == 3;
}

static double unit(uint64_t *random)
{
    return ldexp((double)(random_next(random) >> 11), -53);
}

/* The number of the atom that is made k-th. */
static int64_t number(const struct shared *s, int64_t k)
{
    return s->scattered ? k * 599 % MANY : k;
}

static void molecule(const struct shared *s, int64_t first, const double *start,
                     uint64_t *random)
{
    double at[3] = {start[0], start[1], start[2]};
    for (int64_t a = 0; a < ATOMS; a++) {
        int64_t i = number(s, first + a);
        double step[3], length = 0;
        for (int d = 0; d < 3; d++) {
            x[3 * i + d] = at[d];
            y[3 * i + d] = at[d] + 0.02 * (1 + unit(random));
            step[d] = unit(random) - (a == 1 ? 0.9 : 0.1); /* the chain bends */
            length += step[d] * step[d];
        }
        for (int d = 0; d < 3; d++)
            at[d] += BOND * step[d] / sqrt(length);
    }
}

/* Chains around the points of a lattice, some of them in other cells. */
static void place(const struct shared *s)
{
    uint64_t random = 5;
    const double *cell = s->problem.cell;
    for (int64_t m = 0; m < MANY / ATOMS; m++) {
        const int64_t site[3] = {m / (SIDE * SIDE), m / SIDE % SIDE, m % SIDE};
        double start[3] = {0}, f;
        for (int d = 0; d < 3; d++) {
            f = ((double)site[d] + 0.3 * unit(&random)) / SIDE;
            f += m % 50 == 7 ? d - 1 : 0;
            for (int k = 0; k < 3; k++)
                start[k] += f * cell[3 * d + k];
        }
        molecule(s, ATOMS * m, start, &random);
    }
    for (int i = 0; i < WIDTH * MANY; i++)
        q[i] = 2 * unit(&random) - 1;
}

static void add(const struct shared *s, struct list *list, int64_t i, int64_t j,
                double factor)
{
    list->pair[2 * list->count] = number(s, i);
    list->pair[2 * list->count + 1] = number(s, j);
    list->factor[list->count++] = factor;
}

/* Separate targets: a target loses its own atom and some others. */
static void name_pairs(const struct shared *s)
{
    memset(lists, 0, sizeof lists);
    for (int64_t m = 0; m < MANY; m += ATOMS)
        for (int64_t a = 0; a < ATOMS; a++)
            for (int64_t b = s->apart ? a : a + 1; b < ATOMS; b++) {
                if (b - a <= 1)
                    add(s, &lists[BONDS], m + a, m + b, 0);
                if (!s->apart || b < ATOMS - 1)
                    add(s, &lists[FULL], m + a, m + b,
                        b - a <= 1 ? 0 : b - a == 2 ? 0.25 : 0.5);
            }
}

/* Points and pairs that a rank gives and names. */
static int64_t first_of(enum share share, int size, int rank)
{
    if (share == LAST)
        return rank == size ? MANY : 0;
    if (share == NONE_FIRST && size > 1)
        return rank > 0 ? MANY * (int64_t)(rank - 1) / (size - 1) : 0;
    return MANY * (int64_t)rank / size;
}

static void part_of(const struct shared *s, const struct list *all,
                    enum share share, int size, int rank, struct list *part)
{
    part->count = 0;
    for (int64_t k = 0; k < all->count; k++) {
        int swap = !s->apart && k % 3 == 1;
        if (share == LAST ? rank < size - 1 : k * 7 % size != rank)
            continue;
        part->pair[2 * part->count] = all->pair[2 * k + swap];
        part->pair[2 * part->count + 1] = all->pair[2 * k + 1 - swap];
        part->factor[part->count++] = all->factor[k];
    }
}

/* Sums for the points from `first` on.  estimated NULL: another rank keeps the
 * numbers that all ranks have. */
static farsum_status sum(farsum_plan *plan, const struct shared *s,
                         int64_t first, struct results *to, double *estimated)
{
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    farsum_result result = FARSUM_RESULT_INIT;
    double *values = to->values + s->values * first, energy, virial[9];
    if (flow(s))
        result.velocity = values;
    else {
        result.potential = values;
        result.field = to->field + 3 * first;
        result.energy = s->apart ? NULL : &energy;
        result.virial = s->apart ? NULL : virial;
    }
    TRY(farsum_plan_execute(plan, 1, q + s->strengths * first, &result));
    TRY(farsum_plan_get_info(plan, &info));
    if (!estimated)
        return FARSUM_OK;
    *estimated = info.estimated_error;
    to->energy = result.energy ? energy : 0;
    if (result.virial)
        memcpy(to->virial, virial, sizeof virial);
    return FARSUM_OK;
}

static farsum_status set(farsum_plan *plan, const struct shared *s,
                         int64_t first, int64_t n)
{
    return farsum_plan_set_points(plan, n, x + 3 * first, s->apart ? n : 0,
                                  s->apart && n > 0 ? y + 3 * first : NULL);
}

static farsum_status work(struct comm *comm, void *data)
{
    farsum_status status = FARSUM_OK;
    struct shared *s = data;
    int rank = comm->rank, size = comm->size;
    struct list *part = check_memory(1, sizeof *part);
    farsum_problem p = s->problem;
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    farsum_plan *plan = NULL;
    int64_t first = first_of(EVEN, size, rank);
    o.threads = 1;
    o.verify = FARSUM_VERIFY_OFF; /* it would correct the estimates */
    p.n_sources = first_of(EVEN, size, rank + 1) - first;
    p.n_targets = s->apart ? p.n_sources : 0;
    p.sample_x = x + 3 * first;
    p.sample_q = q + s->strengths * first;
    part_of(s, &lists[FULL], EVEN, size, rank, part);
    p.n_exclusions = part->count;
    p.exclusions = part->pair;
    p.exclusion_factors = part->factor;
    const struct ranks_shape shape = sums_shape(size);
    GO(plan_over_ranks_as(comm, &p, &o, NULL, &shape, &plan));
    for (int k = 0; k < STEPS; k++) {
        const struct step *step = &steps[k];
        if (step->sets) {
            part_of(s, &lists[step->list], step->share, size, rank, part);
            GO(farsum_plan_set_exclusions(plan, part->count, part->pair,
                                          step->list == BONDS ? NULL
                                                              : part->factor));
        }
        if (step->points) {
            first = first_of(step->share, size, rank);
            GO(set(plan, s, first,
                   first_of(step->share, size, rank + 1) - first));
        }
        GO(sum(plan, s, first, &s->found[k],
               rank == 0 ? &s->estimates[k] : NULL));
        GO(farsum_plan_get_info(plan, &info));
        CHECK(info.n_exclusions == lists[step->list].count,
              "step %d: %lld exclusions", k, (long long)info.n_exclusions);
    }
done:
    if (status != FARSUM_OK)
        printf("rank %d: %s\n", rank, farsum_message());
    farsum_plan_destroy(plan);
    free(part);
    return status;
}

/* The same sums by one process. */
static void alone(struct shared *s)
{
    farsum_problem p = s->problem;
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_plan *plan = NULL;
    o.threads = 1;
    o.method = "spectral";
    o.verify = FARSUM_VERIFY_OFF;
    p.n_sources = MANY;
    p.n_targets = s->apart ? MANY : 0;
    p.sample_x = x;
    p.sample_q = q;
    p.n_exclusions = lists[FULL].count;
    p.exclusions = lists[FULL].pair;
    p.exclusion_factors = lists[FULL].factor;
    CHECK_OK(farsum_plan_create(&p, &o, &plan));
    CHECK_OK(set(plan, s, 0, MANY));
    for (int k = 0; k < LISTS; k++) {
        CHECK_OK(farsum_plan_set_exclusions(plan, lists[k].count, lists[k].pair,
                                            lists[k].factor));
        CHECK_OK(sum(plan, s, 0, &s->wanted[k], &s->estimated[k]));
    }
    farsum_plan_destroy(plan);
}

/* As sums_apart, but in units of the field with all pairs if that is larger:
 * one process and ranks sum some of the subtracted pairs by different variants,
 * whose roots are as exact as the tolerance needs. */
static double fields_apart(const struct shared *s, const struct results *found,
                           const struct results *right)
{
    const double *whole = s->wanted[EMPTY].field;
    double size = 0, most = 0;
    for (int i = 0; i < 3 * MANY; i++) {
        size = fmax(size, fabs(right->field[i]));
        most = fmax(most, fmax(size, fabs(whole[i])));
    }
    return sums_apart(found->field, right->field, 3 * MANY) * size / most;
}

static double differ(const struct shared *s, const struct results *found,
                     const struct results *right)
{
    double most = sums_apart(found->values, right->values, s->values * MANY);
    if (flow(s))
        return most;
    most = fmax(most, fields_apart(s, found, right));
    return fmax(most, sums_apart(&found->energy, &right->energy, 1));
}

/* The difference of virials, in units of that with all pairs. */
static double virials(const struct shared *s, const struct results *found,
                      const struct results *right)
{
    double most = 0, size = 0;
    for (int a = 0; a < 9; a++) {
        most = fmax(most, fabs(found->virial[a] - right->virial[a]));
        size = fmax(size, fabs(s->wanted[EMPTY].virial[a]));
    }
    return size > 0 ? most / size : most;
}

/* In f64 both sums compute a pair's root only as exactly as the tolerance
 * needs.  With pairs in f32, both round the forces of close pairs before these
 * are subtracted. */
static double virial_most(const struct shared *s, double most)
{
    return s->problem.precision == FARSUM_F64
               ? fmax(most, 1e-5 * s->problem.tolerance)
               : 2 * most;
}

static void compare(struct shared *s, const char *what, double most)
{
    static const int sizes[] = {1, 2, 3, 4, 7};
    alone(s);
    CHECK(differ(s, &s->wanted[FULL], &s->wanted[EMPTY]) > 1e-3
              && differ(s, &s->wanted[FULL], &s->wanted[BONDS]) > 1e-3,
          "%s: the lists make no difference", what);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        double worst = 0, virial = 0;
        memset(s->found, 0, sizeof s->found);
        CHECK(ranks_run(sizes[k], NULL, work, s) == 0, "%s: a rank failed",
              what);
        for (int i = 0; i < STEPS; i++) {
            const struct results *right = &s->wanted[steps[i].list];
            double error = differ(s, &s->found[i], right);
            double tensor = virials(s, &s->found[i], right);
            CHECK(error <= most, "%s, %d ranks, step %d: %g", what, sizes[k], i,
                  error);
            CHECK(tensor <= virial_most(s, most),
                  "%s, %d ranks, step %d: virial %g", what, sizes[k], i,
                  tensor);
            CHECK(fabs(s->estimates[i] / s->estimated[steps[i].list] - 1)
                      < fmax(most, 1e-6),
                  "%s, step %d: estimate %g, one process %g", what, i,
                  s->estimates[i], s->estimated[steps[i].list]);
            worst = fmax(worst, error);
            virial = fmax(virial, tensor);
        }
        printf("  %s, %d ranks: %.1e, virial %.1e\n", what, sizes[k], worst,
               virial);
    }
}

struct test {
    const char *kernel;
    int strengths, values, oblique, scattered, apart;
    double tolerance;
    farsum_precision precision;
    double most;
    farsum_surface surface;
    double softening;
};

static void kernel(const struct test *t)
{
    static struct shared s;
    memset(&s, 0, sizeof s);
    s.problem = sums_problem(t->kernel, t->values, t->tolerance, t->oblique,
                             t->precision, t->surface);
    s.problem.softening = t->softening;
    if (t->apart)
        s.problem.outputs &= ~(unsigned)(FARSUM_ENERGY | FARSUM_VIRIAL);
    s.strengths = t->strengths;
    s.values = t->values;
    s.apart = t->apart;
    s.scattered = t->scattered;
    place(&s);
    name_pairs(&s);
    compare(&s, t->kernel, t->most);
}

static void run(const struct test *tests, size_t count)
{
    for (size_t k = 0; k < count; k++)
        kernel(&tests[k]);
}

static void charges(void)
{
    static const struct test tests[] = {
        {"laplace", 1, 1, 0, 0, 0, 1e-6, FARSUM_F64, 1e-12, 0, 0},
        {"laplace", 1, 1, 1, 1, 0, 1e-9, FARSUM_F64, 1e-12, FARSUM_VACUUM, 0.1},
        {"yukawa", 1, 1, 1, 0, 0, 1e-6, FARSUM_F64, 1e-12, 0, 0},
        {"r6", 1, 1, 0, 1, 0, 1e-5, FARSUM_F64, 1e-12, 0, 0},
    };
    run(tests, sizeof tests / sizeof *tests);
}

static void flows(void)
{
    static const struct test tests[] = {
        {"stokeslet", 3, 3, 1, 1, 0, 1e-6, FARSUM_F64, 1e-12, 0, 0},
        {"stresslet", 6, 3, 0, 0, 0, 1e-5, FARSUM_F64, 1e-12, 0, 0},
    };
    run(tests, sizeof tests / sizeof *tests);
}

static void targets(void)
{
    static const struct test tests[] = {
        {"laplace", 1, 1, 1, 1, 1, 1e-6, FARSUM_F64, 1e-12, 0, 0},
        {"rotlet", 3, 3, 0, 0, 1, 1e-5, FARSUM_F64, 1e-12, 0, 0},
    };
    run(tests, sizeof tests / sizeof *tests);
}

static void less_precise(void)
{
    static const struct test tests[] = {
        {"laplace", 1, 1, 0, 1, 0, 1e-4, FARSUM_F32, 1e-4, 0, 0},
        {"laplace", 1, 1, 1, 0, 0, 1e-5, FARSUM_MIXED, 1e-5, 0, 0},
    };
    run(tests, sizeof tests / sizeof *tests);
}

int main(void)
{
    RUN(charges);
    RUN(flows);
    RUN(targets);
    RUN(less_precise);
    return check_end();
}
