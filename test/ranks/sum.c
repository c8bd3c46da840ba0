/* SPDX-License-Identifier: Apache-2.0 */
/* sum.c: a periodic sum of charges over ranks, made of the library's stages and
 * of src/ranks, against the plan of one process with the same parameters. */
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/random.h"
#include "method/spectral/spectral.h"
#include "plan/plan.h"
#include "ranks/comm_threads.h"
#include "ranks/sums.h"
#include "ranks/domain.h"
#include "ranks/ghosts.h"
#include "ranks/planes.h"
#include "ranks/route.h"
#include "ranks/slab.h"

enum { MANY = 3000, MOST_RANKS = 13 };

static double x[3 * MANY], q[MANY];

/* What the ranks' threads share: the problem, and the results of all. */
struct shared {
    farsum_problem problem;
    farsum_options options;
    int64_t first[MOST_RANKS + 1]; /* points that each rank gives */
    double potential[MANY], field[3 * MANY], energy[MOST_RANKS];
};

/* One rank's part. */
struct part {
    struct comm *comm;
    farsum_plan *plan; /* not built: its parameters */
    const struct parameters *t;
    union stage_args args[STAGE_COUNT];
    void *near[2], *spread, *scale, *interp;
    struct domain domain;
    struct route route;
    struct ghosts ghosts;
    struct planes *planes;
    struct slab *slab;
    struct points given, own, ghost;
    struct cell cell, exchanged;
    double *q, *ghost_q, *near_far, *potential, *field, *mesh, *spectrum;
    int64_t rows, first_row;
};

static const struct variant *variant(const struct part *p, int stage)
{
    return p->t->choice[stage].row->variant;
}

static farsum_status part_domain(struct part *p)
{
    const struct parameters *t = p->t;
    /* planes within the cutoff, and within half of the window */
    int64_t halo =
        (int64_t)ceil((double)t->mesh[0] / t->cell.height[0]) + 1;
    if (halo < t->window.support / 2 + 2)
        halo = t->window.support / 2 + 2;
    TRY(domain_create(&p->domain, p->comm->rank, p->comm->size, t->mesh[0],
                      halo, NULL));
    domain_cell(&p->domain, &t->cell, &p->cell);
    scale_exchange(&p->exchanged, &t->cell);
    TRY(route_create(&p->route, p->comm, 3 * sizeof(double), 1));
    return ghosts_create(&p->ghosts, p->comm, sizeof(double), 1);
}

/* Brings the points to their owners, and copies to the ranks that need them. */
static farsum_status part_points(struct part *p, const struct shared *shared)
{
    struct comm *comm = p->comm;
    const struct domain *d = &p->domain;
    int64_t first = shared->first[comm->rank];
    int64_t n = shared->first[comm->rank + 1] - first;
    struct cell whole;
    cell_scale(&whole, &p->t->cell, p->t->rc);
    whole.unit = task_per(&p->plan->task);
    TRY(points_set(&p->given, &whole, n, x + 3 * first, FARSUM_F64, "source",
                   1));
    TRY(route_set(&p->route, comm, d, n, p->given.s));
    int64_t own = p->route.n_own;
    TRY(points_hold(&p->own, own));
    for (int k = 0; k < 3; k++)
        TRY(route_there(&p->route, comm, p->given.s[k], sizeof(double),
                        p->own.s[k]));
    TRY(ghosts_set(&p->ghosts, comm, d, own, p->own.s));
    for (int64_t i = 0; i < own; i++)
        p->own.s[0][i] = domain_fraction(d, comm->rank, p->own.s[0][i], 0);
    TRY(points_hold(&p->ghost, p->ghosts.n));
    for (int k = 0; k < 3; k++)
        memcpy(p->ghost.s[k], p->ghosts.s[k],
               (size_t)p->ghosts.n * sizeof(double));
    TRY(MEM_NEW(p->q, own + 1));
    TRY(MEM_NEW(p->ghost_q, p->ghosts.n + 1));
    TRY(MEM_NEW(p->near_far, own + 1));
    TRY(MEM_NEW(p->potential, own + 1));
    TRY(MEM_NEW(p->field, 3 * own + 1));
    TRY(route_there(&p->route, comm, q + first, sizeof(double), p->q));
    return ghosts_send(&p->ghosts, comm, p->q, sizeof(double), p->ghost_q);
}

/* Near pairs: own points with each other, then with ghosts as sources. */
static farsum_status part_near(struct part *p, double *energy)
{
    const struct variant *v = variant(p, STAGE_NEAR);
    struct near_args args = p->args[STAGE_NEAR].near;
    args.cell = &p->cell;
    args.lists = NULL;
    args.outputs = FARSUM_POTENTIAL | FARSUM_FIELD | FARSUM_ENERGY;
    args.n_sources = p->own.n;
    if (p->own.n == 0)
        return FARSUM_OK;
    const struct near_io own = {.q = p->q,
                                .potential = p->potential,
                                .field = p->field,
                                .energy = energy};
    TRY(v->create(&args, &p->near[0]));
    TRY(v->set(p->near[0], &p->own, &p->own));
    TRY(v->run(p->near[0], &own));
    args.outputs = FARSUM_POTENTIAL | FARSUM_FIELD;
    args.n_sources = p->ghost.n;
    args.n_targets = p->own.n;
    if (p->ghost.n == 0)
        return FARSUM_OK;
    const struct near_io far = {.q = p->ghost_q,
                                .potential = p->near_far,
                                .field = p->field};
    TRY(v->create(&args, &p->near[1]));
    TRY(v->set(p->near[1], &p->ghost, &p->own));
    TRY(v->run(p->near[1], &far));
    for (int64_t i = 0; i < p->own.n; i++) {
        *energy += 0.5 * p->q[i] * p->near_far[i];
        p->potential[i] += p->near_far[i];
    }
    return FARSUM_OK;
}

static farsum_status part_mesh(struct part *p)
{
    const struct parameters *t = p->t;
    const struct domain *d = &p->domain;
    int rank = p->comm->rank, size = p->comm->size;
    int64_t begin1[MOST_RANKS + 1], *columns = NULL;
    farsum_status status = FARSUM_OK;
    for (int r = 0; r <= size; r++)
        begin1[r] = t->mesh[1] * r / size;
    p->first_row = begin1[rank];
    p->rows = begin1[rank + 1] - begin1[rank];
    GO(MEM_NEW(columns, t->mesh[1]));
    scale_columns(&p->args[STAGE_SCALE].scale, columns);
    int64_t plane = t->mesh[1] * t->ldz;
    GO(MEM_NEW(p->mesh, domain_planes(d, rank) * plane + 8));
    GO(MEM_NEW(p->spectrum, p->rows * t->mesh[0] * t->ldz + 8));
    const struct planes_args planes = {.comm = p->comm,
                                       .begin = d->begin,
                                       .halo = d->halo,
                                       .plane = plane,
                                       .channels = 1,
                                       .threads = 1,
                                       .precision = FARSUM_F64};
    const struct slab_args slab = {
        .comm = p->comm,
        .begin0 = d->begin,
        .begin1 = begin1,
        .columns = columns,
        .mesh = {t->mesh[0], t->mesh[1], t->mesh[2]},
        .ldz = t->ldz,
        .precision = FARSUM_F64,
        .threads = 1};
    GO(planes_create(&planes, &p->planes));
    GO(slab_create(&slab, &p->slab));
done:
    mem_free(columns);
    return status;
}

static farsum_status part_scale(struct part *p, double *energy)
{
    const struct variant *v = variant(p, STAGE_SCALE);
    struct scale_args args = p->args[STAGE_SCALE].scale;
    const struct scale_io io = {
        .spectrum = p->spectrum, .keep = 1, .energy = energy};
    args.mesh[0] = p->t->mesh[1];
    args.mesh[1] = p->t->mesh[0];
    args.cell = &p->exchanged;
    args.first = p->first_row;
    args.count = p->rows;
    if (p->rows == 0)
        return FARSUM_OK;
    TRY(v->create(&args, &p->scale));
    if (v->set)
        TRY(v->set(p->scale, NULL, NULL));
    return v->run(p->scale, &io);
}

static farsum_status part_far(struct part *p, double *energy)
{
    const struct parameters *t = p->t;
    const struct domain *d = &p->domain;
    struct spread_args spread = p->args[STAGE_SPREAD].spread;
    struct interp_args interp = p->args[STAGE_INTERP].interp;
    int64_t planes = domain_planes(d, p->comm->rank);
    int64_t plane = t->mesh[1] * t->ldz;
    const struct spread_io to = {.q = p->q, .mesh = p->mesh};
    const struct interp_io from = {.mesh = p->mesh,
                                   .potential = p->potential,
                                   .field = p->field};
    const struct slab_io slab = {.mesh = p->mesh + d->halo * plane,
                                 .spectrum = p->spectrum,
                                 .channels = 1};
    int32_t nb[3];
    spread.mesh[0] = interp.mesh[0] = planes;
    spread.open[0] = interp.open[0] = 1;
    spread.n = interp.n = p->own.n;
    interp.cell = &p->cell;
    if (p->own.n > 0) {
        spread_tiles(&spread, nb);
        TRY(bins_build(&p->own, nb, 1));
        TRY(variant(p, STAGE_SPREAD)->create(&spread, &p->spread));
        TRY(variant(p, STAGE_INTERP)->create(&interp, &p->interp));
        TRY(variant(p, STAGE_SPREAD)->set(p->spread, &p->own, &p->own));
        TRY(variant(p, STAGE_INTERP)->set(p->interp, &p->own, &p->own));
        TRY(variant(p, STAGE_SPREAD)->run(p->spread, &to));
    }
    TRY(planes_add(p->planes, p->mesh, 0, 1));
    TRY(slab_forward(p->slab, &slab));
    TRY(part_scale(p, energy));
    TRY(slab_backward(p->slab, &slab));
    TRY(planes_fill(p->planes, p->mesh, 0, 1));
    if (p->own.n > 0)
        TRY(variant(p, STAGE_INTERP)->run(p->interp, &from));
    return FARSUM_OK;
}

static void part_clear(struct part *p)
{
    for (int k = 0; k < 2; k++)
        if (p->near[k])
            variant(p, STAGE_NEAR)->destroy(p->near[k]);
    if (p->spread)
        variant(p, STAGE_SPREAD)->destroy(p->spread);
    if (p->scale)
        variant(p, STAGE_SCALE)->destroy(p->scale);
    if (p->interp)
        variant(p, STAGE_INTERP)->destroy(p->interp);
    slab_destroy(p->slab);
    planes_destroy(p->planes);
    ghosts_destroy(&p->ghosts);
    route_destroy(&p->route);
    domain_destroy(&p->domain);
    points_clear(&p->given);
    points_clear(&p->own);
    points_clear(&p->ghost);
    void *const all[] = {p->q,         p->ghost_q, p->near_far,
                         p->potential, p->field,   p->mesh,
                         p->spectrum};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        mem_free(all[k]);
    farsum_plan_destroy(p->plan);
}

/* Results in the caller's order and units. */
static farsum_status part_home(struct part *p, struct shared *shared,
                               double energy)
{
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    int64_t first = shared->first[p->comm->rank];
    TRY(farsum_plan_get_info(p->plan, &info));
    double rc = info.cutoff;
    for (int64_t i = 0; i < p->own.n; i++) {
        p->potential[i] /= rc;
        for (int d = 0; d < 3; d++)
            p->field[3 * i + d] /= rc * rc;
    }
    TRY(comm_sum(p->comm, &energy, 1));
    shared->energy[p->comm->rank] = energy / rc;
    TRY(route_back(&p->route, p->comm, p->potential, sizeof(double),
                   shared->potential + first));
    return route_back(&p->route, p->comm, p->field, 3 * sizeof(double),
                      shared->field + 3 * first);
}

static farsum_status part_sum(struct comm *comm, void *data)
{
    farsum_status status = FARSUM_OK;
    struct shared *shared = data;
    struct part p = {.comm = comm};
    double energy = 0;
    GO(plan_make(&shared->problem, &shared->options, PLAN_DRY, &p.plan));
    p.t = &((const struct spectral *)p.plan->state)->parameters;
    parameters_args(p.t, &p.plan->task, p.args);
    GO(part_domain(&p));
    GO(part_points(&p, shared));
    GO(part_mesh(&p));
    GO(part_near(&p, &energy));
    GO(part_far(&p, &energy));
    GO(part_home(&p, shared, energy));
done:
    if (status != FARSUM_OK)
        printf("rank %d: %s\n", comm->rank, farsum_message());
    part_clear(&p);
    return status;
}

static void share(struct shared *s, int size, int uneven)
{
    for (int r = 0; r <= size; r++)
        s->first[r] = uneven ? (r == size ? MANY : 0) : MANY * r / size;
}

static void one_and_many(const double cell[9], double tolerance)
{
    static const int sizes[] = {1, 2, 3, 4, 7, 13};
    static struct shared s;
    static double potential[MANY], field[3 * MANY];
    double energy;
    farsum_plan *plan = NULL;
    farsum_result result = FARSUM_RESULT_INIT;
    s.problem = (farsum_problem)FARSUM_PROBLEM_INIT;
    s.options = (farsum_options)FARSUM_OPTIONS_INIT;
    memcpy(s.problem.cell, cell, sizeof s.problem.cell);
    for (int d = 0; d < 3; d++)
        s.problem.periodic[d] = 1;
    s.problem.n_sources = MANY;
    s.problem.tolerance = tolerance;
    s.problem.outputs = FARSUM_POTENTIAL | FARSUM_FIELD | FARSUM_ENERGY;
    s.options.method = "spectral";
    s.options.threads = 1;
    s.options.verify = FARSUM_VERIFY_OFF;
    s.options.spectral.near = "host_cluster";
    s.options.spectral.spread = s.options.spectral.interp = "host_tile";
    s.options.spectral.scale = "host_table";
    result.potential = potential;
    result.field = field;
    result.energy = &energy;
    CHECK_OK(farsum_plan_create(&s.problem, &s.options, &plan));
    CHECK_OK(farsum_plan_set_points(plan, MANY, x, 0, NULL));
    CHECK_OK(farsum_plan_execute(plan, 1, q, &result));
    farsum_plan_destroy(plan);
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (int uneven = 0; uneven < 2; uneven++) {
            share(&s, sizes[k], uneven);
            CHECK(ranks_run(sizes[k], NULL, part_sum, &s) == 0,
                  "a rank failed");
            double apart = sums_apart(s.potential, potential, MANY);
            double forces = sums_apart(s.field, field, 3 * MANY);
            double energies = fabs(s.energy[0] / energy - 1);
            printf("  %d ranks, %g: potential %.1e, field %.1e, energy %.1e\n",
                   sizes[k], tolerance, apart, forces, energies);
            CHECK(apart < 1e-12 && forces < 1e-12 && energies < 1e-12,
                  "%d ranks: %g, %g, %g", sizes[k], apart, forces, energies);
            for (int r = 1; r < sizes[k]; r++)
                CHECK(s.energy[r] == s.energy[0], "energy of rank %d", r);
        }
}

static void a_cube(void)
{
    const double cell[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    one_and_many(cell, 1e-6);
    one_and_many(cell, 1e-11);
}

static void an_oblique_cell(void)
{
    const double cell[9] = {1, 0, 0, 0.3, 0.9, 0, -0.2, 0.25, 0.8};
    one_and_many(cell, 1e-5);
}

int main(void)
{
    uint64_t random = 3;
    for (int i = 0; i < 3 * MANY; i++)
        x[i] = ldexp((double)(random_next(&random) >> 11), -53);
    for (int i = 0; i < MANY; i++)
        q[i] = i % 2 ? 1 : -1;
    RUN(a_cube);
    RUN(an_oblique_cell);
    return check_end();
}
