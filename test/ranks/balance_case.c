/* SPDX-License-Identifier: Apache-2.0 */
/* balance_case.c: points in clusters, given to plans in steps. */
#include "ranks/balance_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/random.h"
#include "check.h"
#include "plan/ranks.h"
#include "ranks/best_cuts.h"

double x[SETS][3 * MANY], q[MANY];
static const int64_t pairs[] = {0, 1, 3, 2000, 700, 9, 1200, 1201};

static double unit(uint64_t *random)
{
    return ldexp((double)(random_next(random) >> 11), -53);
}

static double gauss(uint64_t *random)
{
    double sum = -6;
    for (int k = 0; k < 12; k++)
        sum += unit(random);
    return sum;
}

void draw(void)
{
    uint64_t random = 9;
    for (int i = 0; i < 3 * MANY; i++) {
        int d = i % 3, half = i / 3 % 2;
        x[EVEN][i] = 2 * unit(&random);
        x[CLUSTER][i] = 0.7 + 0.12 * gauss(&random);
        x[NEAR_IT][i] = x[CLUSTER][i] + 0.01 * unit(&random);
        x[TWO][i] = (half ? 0.3 : 1.4) + 0.1 * gauss(&random);
        x[PLANE][i] = d == 0 ? 1.01 : 2 * unit(&random);
    }
    for (int i = 0; i < MANY; i++)
        q[i] = 2 * unit(&random) - 1;
}

farsum_status set(const struct shared *s, farsum_plan *plan, int step,
                  int64_t first, int64_t n)
{
    const double *from = x[s->steps[step]];
    double cell[9], low[3], high[3];
    if (step == 1 && s->edge > 0) {
        memcpy(cell, s->problem.cell, sizeof cell);
        cell[0] = s->edge;
        TRY(farsum_plan_set_cell(plan, cell));
        if (s->rank_count > 0) {
            int rank = plan->task.comm->rank;
            TRY(farsum_ranks_domain(plan, cell, low, high));
            CHECK(low[0] == s->low[0][rank] && high[0] == s->high[0][rank],
                  "rank %d: the new cell has other cuts", rank);
        }
    }
    return farsum_plan_set_points(
        plan, n, n > 0 ? from + 3 * first : NULL, s->apart ? n : 0,
        s->apart && n > 0 ? x[NEAR_IT] + 3 * first : NULL);
}

static void costs_get(const farsum_plan *plan, struct costs *costs)
{
    const struct spectral *state = plan->state;
    const struct parameters *t = &state->parameters;
    const struct gpu_ranks *r = state->gpu ? state->gpu->ranks : NULL;
    const struct ranks_balance *balance =
        r ? &r->mesh.balance : &state->ranks->balance;
    costs->seconds = balance->costs;
    costs->cell = t->cell;
    memcpy(costs->mesh, t->mesh, sizeof costs->mesh);
    costs->halo = r ? r->mesh.cut.domain.halo : state->ranks->cut.domain.halo;
}

/* One set and its sum. */
static farsum_status step_run(struct shared *s, farsum_plan *plan, int step,
                              int64_t first, int64_t n, double *energy)
{
    const struct comm *comm = plan->task.comm;
    farsum_result result = FARSUM_RESULT_INIT;
    result.potential = s->potential[step] + first;
    result.field = s->field[step] + 3 * first;
    result.energy = s->apart ? NULL : energy;
    int64_t calls = comm ? ranks_calls_of(comm) : 0;
    TRY(set(s, plan, step, first, n));
    if (comm && comm->rank == 0) {
        if (strcmp(s->options.method, "spectral") == 0)
            costs_get(plan, &s->costs[step]);
        s->costs[step].calls = ranks_calls_of(comm) - calls;
    }
    return farsum_plan_execute(plan, 1, n > 0 ? q + first : NULL, &result);
}

farsum_status work(struct comm *comm, void *data)
{
    struct shared *s = data;
    int rank = comm->rank;
    int64_t first = s->first[rank], n = s->first[rank + 1] - first;
    int64_t before = mem_bytes();
    farsum_problem p = s->problem;
    farsum_options o = s->options;
    farsum_plan *plan = NULL;
    farsum_status status = FARSUM_OK;
    p.n_sources = n;
    p.n_targets = s->apart ? n : 0;
    p.exclusions = pairs;
    p.n_exclusions = s->excluded && rank == 0 ? 4 : 0;
    if (s->devices)
        o.device.handle = s->devices[rank];
    const struct ranks_shape slabs = {{comm->size, 1}};
    GO(plan_over_ranks_as(comm, &p, &o, NULL, &slabs, &plan));
    for (int step = 0; s->steps[step] != SETS; step++) {
        double cell[9], low[3], high[3], energy = 0;
        int fails = step == 1 && s->fail_at > 0 && rank == s->fail_rank;
        mem_fail_at(fails ? s->fail_at : 0);
        status = step_run(s, plan, step, first, n, &energy);
        if (fails)
            s->allocated = !ranks_fail_is_left(s->fail_at);
        s->status[step][rank] = status;
        if (status != FARSUM_OK && s->fail_at == 0)
            goto done;
        status = FARSUM_OK;
        if (rank == 0)
            s->energy[step] = energy;
        CHECK_OK(farsum_ranks_get_info(plan, &s->info[step][rank]));
        CHECK_OK(farsum_ranks_domain(plan, cell, low, high));
        s->low[step][rank] = low[0];
        s->high[step][rank] = high[0];
        if (rank == 0) {
            s->about[step] = (farsum_plan_info)FARSUM_PLAN_INFO_INIT;
            CHECK_OK(farsum_plan_get_info(plan, &s->about[step]));
        }
    }
done:
    if (status != FARSUM_OK && !s->quiet)
        printf("rank %d: %s\n", rank, farsum_message());
    farsum_plan_destroy(plan);
    CHECK(mem_bytes() == before, "rank %d keeps %lld bytes", rank,
          (long long)(mem_bytes() - before));
    return status;
}

void shared_make(struct shared *s, const enum places *steps)
{
    memset(s, 0, sizeof *s);
    s->problem = sums_problem("laplace", 1, 1e-6, 0, FARSUM_F64,
                              FARSUM_TINFOIL);
    s->problem.outputs &= ~(unsigned)FARSUM_VIRIAL;
    s->options = (farsum_options)FARSUM_OPTIONS_INIT;
    s->options.method = "spectral";
    s->options.threads = 1;
    s->options.verify = FARSUM_VERIFY_OFF;
    s->options.cutoff = 0.35;
    s->steps = steps;
    s->most = 1e-12;
}

void shared_fmm(struct shared *s, int open, int levels)
{
    s->problem.tolerance = 1e-3;
    s->options.method = "fmm";
    s->options.cutoff = 0;
    s->options.fmm.tree = "dense";
    s->options.fmm.lattice = "fft";
    s->options.fmm.separation = 1;
    s->options.fmm.levels = levels;
    s->options.fmm.order = levels > 1 ? 2 : 0;
    for (int d = 0; d < 3; d++) {
        s->problem.periodic[d] = !open;
        s->options.fmm.boxes[d] = d == 0 || levels == 1 ? LAYERS : LAYERS / 2;
    }
}

void alone(struct shared *s)
{
    farsum_problem p = s->problem;
    farsum_options o = s->options;
    farsum_plan *plan = NULL;
    if (s->devices)
        o.device.handle = s->devices[0];
    p.n_sources = MANY;
    p.n_targets = s->apart ? MANY : 0;
    p.exclusions = pairs;
    p.n_exclusions = s->excluded ? 4 : 0;
    CHECK_OK(farsum_plan_create(&p, &o, &plan));
    for (int step = 0; s->steps[step] != SETS; step++)
        CHECK_OK(step_run(s, plan, step, 0, MANY, &s->energy[step]));
    s->about[0] = (farsum_plan_info)FARSUM_PLAN_INFO_INIT;
    CHECK_OK(farsum_plan_get_info(plan, &s->about[0]));
    farsum_plan_destroy(plan);
}

void share(struct shared *s, int size, int none)
{
    none = none && size > 1;
    s->rank_count = size;
    for (int r = 0; r <= size; r++)
        s->first[r] = MANY * (r > none ? r - none : 0) / (size - none);
}

void same(const struct shared *s, const struct shared *right, int step,
          int size)
{
    double values = sums_apart(s->potential[step], right->potential[step],
                               MANY);
    double forces = sums_apart(s->field[step], right->field[step], 3 * MANY);
    double energy =
        s->apart ? 0 : fabs(s->energy[step] / right->energy[step] - 1);
    int64_t own = 0;
    CHECK(values <= s->most && forces <= s->most && energy <= s->most,
          "step %d, %d ranks: %g, %g, %g", step, size, values, forces, energy);
    for (int r = 0; r < size; r++) {
        double next = r + 1 < size ? s->low[step][r + 1] : 1;
        own += s->info[step][r].own;
        CHECK(s->high[step][r] == next, "rank %d ends at %g, not %g", r,
              s->high[step][r], next);
        CHECK(s->info[step][r].work_imbalance
                      == s->info[step][0].work_imbalance
                  && s->info[step][r].recuts == s->info[step][0].recuts,
              "ranks 0 and %d report other cuts", r);
    }
    CHECK(own == MANY && s->low[step][0] == 0, "%lld own points",
          (long long)own);
}

/* --- cuts --- */

/* The points of a step, counted by one process. */
struct counted {
    struct points points[2]; /* sources, separate targets */
    struct load load;
    double work[4096]; /* of each plane */
};

static void count_kind(const struct shared *s, int step, const double *from,
                       const struct domain *domain, struct counted *c, int kind)
{
    struct points *p = &c->points[kind];
    double edge = step >= 1 && s->edge > 0 ? s->edge : 2;
    CHECK_OK(points_hold(p, MANY));
    for (int i = 0; i < 3 * MANY; i++) {
        double at = from[i] / (i % 3 == 0 ? edge : 2);
        at -= floor(at);
        p->s[i % 3][i / 3] = at < 1 ? at : 0;
    }
    load_count(&c->load, domain, MANY, p->s, 1,
               kind ? c->load.targets : c->load.sources);
}

static void count_all(const struct shared *s, int step, struct counted *c)
{
    const struct costs *costs = &s->costs[step];
    struct load_plane *planes =
        check_memory((size_t)costs->mesh[0], sizeof *planes);
    struct domain domain;
    memset(c, 0, sizeof *c);
    if (costs->mesh[0] > (int64_t)(sizeof c->work / sizeof *c->work))
        check_stop("%lld planes", (long long)costs->mesh[0]);
    CHECK_OK(domain_create(&domain, 0, 1, costs->mesh[0], costs->halo, NULL));
    CHECK_OK(
        load_create(&c->load, &domain, &costs->cell, costs->mesh, s->apart));
    count_kind(s, step, x[s->steps[step]], &domain, c, 0);
    if (s->apart)
        count_kind(s, step, x[NEAR_IT], &domain, c, 1);
    load_planes(&c->load, s->apart, planes);
    load_seconds(&c->load, &costs->seconds, planes, c->work);
    domain_destroy(&domain);
    free(planes);
}

static void counted_clear(struct counted *c)
{
    points_clear(&c->points[0]);
    points_clear(&c->points[1]);
    load_clear(&c->load);
}

/* Sets own [size], and returns 1 if a rank's number moved by 0.1 of the mean.
 * A number so close to it that rounding decides is a bad case. */
static int own_moved(const struct points *p, int64_t mesh0, int size,
                     const int64_t *begin, const int64_t *marked, int64_t *own)
{
    int64_t most = 0;
    for (int r = 0; r < size; r++) {
        own[r] = 0;
        for (int i = 0; i < p->n; i++) {
            int64_t plane = (int64_t)(p->s[0][i] * (double)mesh0);
            own[r] += plane >= begin[r] && plane < begin[r + 1];
        }
        int64_t moved = llabs(own[r] - marked[r]);
        most = moved > most ? moved : most;
    }
    return (double)most * size > 0.1 * (double)p->n;
}

static void begin_of(const double *low, int size, int64_t mesh0, int64_t *begin)
{
    begin[size] = mesh0;
    for (int r = 0; r < size; r++)
        begin[r] = (int64_t)(low[r] * (double)mesh0 + 0.5);
}

/* The cuts after the points of a step were counted: new ones if, and only if,
 * the best ones lessen the largest work by 1.25. */
static void right_step(const struct shared *s, const struct counted *c,
                       int step, int size, const int64_t *begin)
{
    const struct costs *costs = &s->costs[step];
    int64_t mesh0 = costs->mesh[0], best[MOST_RANKS + 1];
    const struct cuts_work work = {mesh0, c->work, costs->seconds.slab};
    int64_t before = step > 0 ? s->info[step - 1][0].recuts : 0;
    int64_t recuts = s->info[step][0].recuts - before, halos = 2 * costs->halo;
    double mean = work.slab * fmin(1, (double)mesh0 / size);
    for (int64_t k = 0; k < mesh0; k++)
        mean += work.plane[k] / size;
    CHECK_OK(cuts_best(&work, size,
                       2 * ((mesh0 + size - 1) / size + halos) - halos, best));
    double most = cuts_most(&work, size, begin);
    double least = cuts_most(&work, size, best);
    double now = s->info[step][0].work_imbalance;
    if (fabs(most / (1.25 * least) - 1) < 1e-6) /* rounding decides */
        return;
    CHECK(recuts == (most > 1.25 * least),
          "step %d, %d ranks: cut %lld times, work %g and %g with the best "
          "cuts",
          step, size, (long long)recuts, most / mean, least / mean);
    CHECK(fabs(now * mean / (recuts ? least : most) - 1) < 1e-6,
          "step %d, %d ranks: work %g instead of %g or %g", step, size, now,
          most / mean, least / mean);
}

void right_cuts(const struct shared *s, int size)
{
    static struct counted c;
    int64_t marked[2][MOST_RANKS] = {{0}}, own[2][MOST_RANKS] = {{0}};
    int64_t begin[MOST_RANKS + 1], mesh0 = s->costs[0].mesh[0];
    for (int r = 0; r <= size; r++)
        begin[r] = mesh0 * r / size;
    for (int step = 0; s->steps[step] != SETS; step++) {
        int moved = 0, cell = step == 1 && s->edge > 0;
        count_all(s, step, &c);
        for (int k = 0; k <= s->apart; k++)
            moved |=
                own_moved(&c.points[k], mesh0, size, begin, marked[k], own[k]);
        if (moved)
            right_step(s, &c, step, size, begin);
        else if (!cell) /* which may count again */
            CHECK(s->info[step][0].recuts == s->info[step - 1][0].recuts
                      && s->info[step][0].work_imbalance
                             == s->info[step - 1][0].work_imbalance,
                  "step %d, %d ranks: counted again", step, size);
        begin_of(s->low[step], size, mesh0, begin);
        for (int k = 0; k <= s->apart && (moved || cell); k++)
            own_moved(&c.points[k], mesh0, size, begin, marked[k], marked[k]);
        counted_clear(&c);
    }
}
