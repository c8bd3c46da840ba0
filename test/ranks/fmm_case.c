/* SPDX-License-Identifier: Apache-2.0 */
/* fmm_case.c: plans of method fmm over ranks against a plan of one process on
 * the host with the same boxes. */
#include "ranks/fmm_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "check.h"
#include "device/buf.h"
#include "plan/ranks.h"
#include "ranks/comm_threads.h"
#include "ranks/sums.h"

enum { MOST_RANKS = 16, RHS = 2, PAIRS = 12 };

static int64_t many = 1500; /* points */
static double x[3 * MOST], y[3 * MOST], q[RHS * MOST];

/* What the ranks' threads share. */
struct shared {
    farsum_problem problem;
    farsum_options options;
    const struct fmm_test *test;
    const struct fmm_place *place;
    int64_t first[MOST_RANKS + 1]; /* points that each rank gives */
    int64_t pair[2 * PAIRS];
    /* of all ranks, [RHS][many] */
    double potential[RHS * MOST], field[RHS * 3 * MOST];
    double energy[MOST_RANKS][RHS], virial[MOST_RANKS][9 * RHS];
    farsum_plan_info info[MOST_RANKS];
};

/* Copies one rank's part of all right-hand sides: width numbers per point. */
static double *part_of(const double *all, const struct shared *s, int rank,
                       int width)
{
    int64_t first = s->first[rank], n = s->first[rank + 1] - first;
    double *part = check_memory((size_t)(RHS * width * n) + 1, sizeof *part);
    for (int r = 0; r < RHS && all; r++)
        memcpy(part + r * n * width, all + (r * many + first) * width,
               (size_t)(n * width) * sizeof *part);
    return part;
}

static void part_back(double *all, const struct shared *s, int rank, int width,
                      const double *part)
{
    int64_t first = s->first[rank], n = s->first[rank + 1] - first;
    for (int r = 0; r < RHS; r++)
        memcpy(all + (r * many + first) * width, part + r * n * width,
               (size_t)(n * width) * sizeof *part);
}

/* One rank's arrays, where its plan has them. */
struct rank {
    farsum_device *device; /* owned; NULL: the host */
    int there;             /* 1: arrays are on the device */
    void *memory[8];       /* owned there */
    int memories;
};

/* The numbers as the plan gets them; NULL stays. */
static double *there(struct rank *r, double *host, int64_t numbers)
{
    void *made = host;
    if (!r->there || !host)
        return host;
    CHECK_OK(farsum_device_alloc(r->device, 8 * numbers + 8, NULL, &made));
    r->memory[r->memories++] = made;
    struct buf buf = {0};
    buf_borrow(&buf, r->device->device, made, 8 * numbers + 8);
    if (numbers > 0)
        CHECK_OK(buf_upload(&buf, 0, host, 8 * numbers));
    return made;
}

static void back(struct rank *r, double *host, double *from, int64_t numbers)
{
    struct buf buf = {0};
    if (!r->there || !host || numbers == 0)
        return;
    buf_borrow(&buf, r->device->device, from, 8 * numbers + 8);
    CHECK_OK(buf_download(&buf, 0, host, 8 * numbers));
}

static void rank_close(struct rank *r)
{
    for (int k = 0; k < r->memories; k++)
        farsum_device_free(r->device, r->memory[k]);
    farsum_device_close(r->device);
}

/* Sets n points, in each cell. */
static farsum_status set(farsum_plan *plan, const struct shared *s, int64_t n,
                         const double *from, const double *to)
{
    const struct fmm_test *t = s->test;
    int64_t m = t->apart ? n : 0;
    double cell[9];
    TRY(farsum_plan_set_points(plan, n, from, m, to));
    for (const double *by = t->stretch; *by > 0; by++) {
        for (int k = 0; k < 9; k++)
            cell[k] = s->problem.cell[k] * (k < 3 ? *by : 1);
        TRY(farsum_plan_set_cell(plan, cell));
        TRY(farsum_plan_set_points(plan, n, from, m, to));
    }
    return FARSUM_OK;
}

static farsum_result wanted(const struct shared *s, double *potential,
                            double *field, double *energy, double *virial)
{
    farsum_result result = FARSUM_RESULT_INIT;
    result.potential = potential;
    result.field = field;
    if (!s->test->apart) {
        result.energy = energy;
        result.virial = s->test->periodic ? NULL : virial;
    }
    return result;
}

/* Sums n points, the first of them given. */
static farsum_status work_sum(struct rank *r, struct shared *s,
                              farsum_plan *plan, int64_t first, int64_t n,
                              double *const host[5])
{
    const int64_t counts[5] = {RHS * n, RHS * n, 3 * RHS * n, RHS, 9 * RHS};
    double *array[5];
    const double *from = n > 0 ? there(r, x + 3 * first, 3 * n) : NULL;
    const double *to =
        n > 0 && s->test->apart ? there(r, y + 3 * first, 3 * n) : NULL;
    for (int k = 0; k < 5; k++)
        array[k] = there(r, host[k], counts[k]);
    farsum_result result = wanted(s, array[1], array[2], array[3], array[4]);
    TRY(set(plan, s, n, from, to));
    TRY(farsum_plan_execute(plan, RHS, array[0], &result));
    TRY(farsum_plan_finish(plan));
    for (int k = 1; k < 5; k++)
        back(r, host[k], array[k], counts[k]);
    return FARSUM_OK;
}

static farsum_status work(struct comm *comm, void *data)
{
    farsum_status status = FARSUM_OK;
    struct shared *s = data;
    const struct fmm_test *t = s->test;
    int rank = comm->rank;
    int64_t first = s->first[rank], n = s->first[rank + 1] - first;
    double *own_q = part_of(q, s, rank, 1);
    double *own = part_of(NULL, s, rank, 1);
    double *field = part_of(NULL, s, rank, 3);
    double *const host[5] = {own_q, own, field, s->energy[rank],
                             s->virial[rank]};
    struct rank r = {.there = s->place->there};
    farsum_problem p = s->problem;
    farsum_options o = s->options;
    farsum_plan *plan = NULL;
    p.n_sources = n;
    p.n_targets = t->apart ? n : 0;
    if (t->sampled) {
        p.sample_x = n > 0 ? x + 3 * first : NULL;
        p.sample_q = n > 0 ? own_q : NULL;
    }
    int64_t from = PAIRS * rank / comm->size;
    p.exclusions = s->pair + 2 * from;
    p.n_exclusions = t->excluded ? PAIRS * (rank + 1) / comm->size - from : 0;
    if (s->place->open)
        GO(s->place->open(rank, &r.device));
    o.device.handle = r.device;
    p.memory = r.there ? FARSUM_DEVICE : FARSUM_HOST;
    GO(plan_over_ranks_by(comm, &p, &o, getenv("FARSUM_TEST_TRANSPORT"),
                          &plan));
    GO(work_sum(&r, s, plan, first, n, host));
    s->info[rank] = (farsum_plan_info)FARSUM_PLAN_INFO_INIT;
    GO(farsum_plan_get_info(plan, &s->info[rank]));
    part_back(s->potential, s, rank, 1, own);
    part_back(s->field, s, rank, 3, field);
done:
    if (status != FARSUM_OK)
        printf("rank %d: %s\n", rank, farsum_message());
    farsum_plan_destroy(plan);
    rank_close(&r);
    free(own_q);
    free(own);
    free(field);
    return status;
}

/* The same sum by one process. */
static void alone(const struct shared *s, double *potential, double *field,
                  double *energy, double *virial, farsum_plan_info *info)
{
    farsum_problem p = s->problem;
    farsum_options o = s->options;
    farsum_plan *plan = NULL;
    farsum_result result = wanted(s, potential, field, energy, virial);
    p.n_sources = many;
    p.n_targets = s->test->apart ? many : 0;
    p.sample_x = s->test->sampled ? x : NULL;
    p.sample_q = s->test->sampled ? q : NULL;
    p.exclusions = s->pair;
    p.n_exclusions = s->test->excluded ? PAIRS : 0;
    for (int d = 0; d < 3; d++) /* with free boxes those that rank 0 chose */
        o.fmm.boxes[d] =
            s->info[0].boxes[d] ? s->info[0].boxes[d] : s->options.fmm.boxes[d];
    o.fmm.lattice = "fft";
    o.fmm.m2l = s->test->m2l ? "host_dense" : NULL; /* exact, too */
    o.fmm.tree = "dense";
    if (s->info[0].levels) /* also levels */
        o.fmm.levels = s->info[0].levels;
    CHECK_OK(farsum_plan_create(&p, &o, &plan));
    CHECK_OK(set(plan, s, many, x, s->test->apart ? y : NULL));
    CHECK_OK(farsum_plan_execute(plan, RHS, q, &result));
    CHECK_OK(farsum_plan_get_info(plan, info));
    farsum_plan_destroy(plan);
}

enum share { EVEN, ALL, NONE, SHARES };

/* Even parts; the last rank gives all; or the first gives none. */
static void share(struct shared *s, int size, enum share how)
{
    for (int r = 0; r <= size; r++)
        s->first[r] = how == ALL ? (r == size ? many : 0)
                      : how == NONE && size > 1
                          ? many * (r > 0 ? r - 1 : 0) / (size - 1)
                          : many * r / size;
}

static void compare(struct shared *s)
{
    static const int several[SIZES] = {1, 2, 3, 4, 7, 13};
    static double potential[RHS * MOST], field[RHS * 3 * MOST];
    const struct fmm_test *t = s->test;
    double energy[RHS] = {0}, virial[9 * RHS] = {0};
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    const int *sizes = t->ranks[0] ? t->ranks : several;
    int free_boxes = t->boxes[0] == 0;
    if (!free_boxes)
        alone(s, potential, field, energy, virial, &info);
    for (int k = 0; k < SIZES && sizes[k]; k++)
        for (enum share how = EVEN; how < SHARES; how++) {
            int size = sizes[k];
            if (how != EVEN && size != 3)
                continue;
            share(s, size, how);
            CHECK(ranks_run(size, NULL, work, s) == 0, "%s: a rank failed",
                  t->what);
            if (free_boxes)
                alone(s, potential, field, energy, virial, &info);
            double values = sums_apart(s->potential, potential, RHS * many);
            double forces = sums_apart(s->field, field, 3 * RHS * many);
            double energies =
                t->apart ? 0 : sums_apart(s->energy[0], energy, RHS);
            double virials = t->apart || t->periodic
                                 ? 0
                                 : sums_apart(s->virial[0], virial, 9 * RHS);
            printf("  %s, %d ranks: %.1e, %.1e, %.1e, %.1e, order %d\n",
                   t->what, size, values, forces, energies, virials,
                   s->info[0].order);
            CHECK(values <= t->most && forces <= t->most && energies <= t->most
                      && virials <= t->most,
                  "%s, %d ranks, share %d: %g, %g, %g, %g", t->what, size,
                  (int)how, values, forces, energies, virials);
            for (int r = 0; r < size; r++) {
                const farsum_plan_info *i = &s->info[r];
                CHECK(memcmp(s->energy[r], s->energy[0], sizeof s->energy[0])
                              == 0
                          && memcmp(s->virial[r], s->virial[0],
                                    sizeof s->virial[0])
                                 == 0,
                      "%s: energy or virial of rank %d", t->what, r);
                CHECK(i->order == info.order, "%s: order %d, one process %d",
                      t->what, i->order, info.order);
                CHECK(i->levels == info.levels, "%s: %d levels, one process %d",
                      t->what, i->levels, info.levels);
                CHECK((i->checked_targets > 0) == t->checked,
                      "%s: rank %d checks %lld targets", t->what, r,
                      (long long)i->checked_targets);
                double error = i->estimated_error / info.estimated_error - 1;
                double norm = i->norm / info.norm - 1;
                /* on devices norms leave out excluded pairs */
                double close = s->place->open && t->excluded ? 1e-4 : 1e-6;
                if (t->checked) /* by other targets */
                    error = 0;
                CHECK(fabs(error) < close && fabs(norm) < close,
                      "%s: rank %d estimates %g of norm %g, one process %g of "
                      "%g",
                      t->what, r, i->estimated_error, i->norm,
                      info.estimated_error, info.norm);
            }
        }
}

static void problem_of(struct shared *s, const struct fmm_test *t)
{
    memset(s, 0, sizeof *s);
    s->test = t;
    s->problem =
        sums_problem("laplace", 1, t->tolerance, 0, t->precision, t->surface);
    s->options = (farsum_options)FARSUM_OPTIONS_INIT;
    s->options.method = "fmm";
    s->options.threads = 1;
    s->options.verify = t->checked ? 1 : FARSUM_VERIFY_OFF;
    s->options.fmm.order = t->order;
    s->options.fmm.separation = t->ws;
    s->options.fmm.levels = t->levels ? t->levels : t->boxes[0] ? 1 : 0;
    s->options.fmm.m2l = t->m2l;
    s->problem.softening = t->softening;
    for (int d = 0; d < 3; d++) {
        s->problem.cell[4 * d] = t->cell[d];
        s->problem.periodic[d] = t->periodic;
        s->options.fmm.boxes[d] = t->boxes[d];
    }
    if (t->periodic)
        s->problem.outputs &= ~(unsigned)FARSUM_VIRIAL;
    for (int k = 0; k < PAIRS; k++) {
        s->pair[2 * k] = 7 * k;
        s->pair[2 * k + 1] = many - 1 - 31 * k;
    }
}

void fmm_cases(const struct fmm_test *tests, size_t n,
               const struct fmm_place *place)
{
    uint64_t random = 5;
    for (int i = 0; i < RHS * MOST; i++)
        q[i] = ldexp((double)(random_next(&random) >> 11), -52) - 1;
    static struct shared s;
    for (size_t k = 0; k < n; k++) {
        const struct fmm_test *t = &tests[k];
        many = t->points ? t->points : 1500;
        problem_of(&s, t);
        s.place = place;
        random = 3;
        for (int i = 0; i < 3 * many; i++) {
            x[i] = t->cell[i % 3]
                   * ldexp((double)(random_next(&random) >> 11), -53);
            y[i] = t->cell[i % 3]
                   * ldexp((double)(random_next(&random) >> 11), -53);
        }
        /* on faces of boxes, as crystals have points, and in other cells */
        for (int i = 0; i < 96; i++)
            x[i] = t->cell[i % 3] / 16 * floor(16 * x[i] / t->cell[i % 3]);
        for (int i = 96; i < 192; i++)
            x[i] += t->periodic ? (i % 5 - 2) * t->cell[i % 3] : 0;
        compare(&s);
    }
}
