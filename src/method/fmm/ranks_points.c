/* SPDX-License-Identifier: Apache-2.0 */
/* ranks_points.c: points of `fmm` over ranks: to the owners of their boxes. */
#include "method/fmm/ranks.h"

#include <string.h>

#include "base/arrays.h"
#include "base/mem.h"
#include "base/par.h"

/* The caller's points of one kind, and where they go. */
struct arrivals {
    const char *what; /* "source", "target" */
    int64_t n;
    const void *x;
    struct fmm_side *side;
    struct points *own;
};

static farsum_status layers_hold(struct layers *layers, int64_t n)
{
    TRY(MEM_RESERVE(layers->of.layer, &layers->have[0], n));
    return MEM_RESERVE(layers->of.at, &layers->have[1], n);
}

static farsum_status given_wrapped(const struct task *task, const struct fmm *s,
                                   const struct arrivals *a)
{
    a->side->given.n = 0;
    if (a->n == 0)
        return FARSUM_OK;
    return points_set(&a->side->given, &s->cell, a->n, a->x,
                      task->problem.arrays, a->what, task->threads);
}

/* Positions of the given points, not wrapped. */
static farsum_status given_positions(struct task *task,
                                     const struct arrivals of[2],
                                     struct extent *extent)
{
    farsum_status status = FARSUM_OK;
    for (int i = 0; i < 2; i++)
        KEEP_ON(points_hold(&of[i].side->given, of[i].n));
    TRY(task_agree(task, status));
    const struct positions source = fmm_positions(&of[0].side->given);
    const struct positions target = fmm_positions(&of[1].side->given);
    return host_positions(task, &source, of[0].x, &target, of[1].x, extent);
}

/* Reads the caller's points, and sets the boxes and the whole tree's args. */
static farsum_status points_take(struct task *task, struct fmm *s,
                                 const struct arrivals of[2], int64_t first)
{
    farsum_status status = FARSUM_OK;
    struct fmm_ranks *k = s->ranks;
    struct extent extent = EXTENT_NONE;
    if (s->input.periodic) {
        for (int i = 0; i < 2; i++)
            KEEP_ON(given_wrapped(task, s, &of[i]));
        TRY(task_agree(task, status));
    } else {
        TRY(given_positions(task, of, &extent));
        fmm_extent(s, extent.low, extent.high);
        fmm_input_targets(task, s, &of[0].side->given, &of[1].side->given,
                          first);
    }
    status = fmm_shape(task, s, 0, s->all_n, s->all_m, &s->shape);
    k->tree = fmm_tree_args(task, s);
    if (!s->input.periodic && status == FARSUM_OK)
        status = tree_region_of(&k->tree, extent.low, extent.high);
    return task_agree(task, status);
}

farsum_status fmm_ranks_middles(struct fmm_ranks *k, int64_t n,
                                const double *layer)
{
    TRY(MEM_RESERVE(k->middle, &k->have_middle, n));
    double leaves = (double)(k->domain.mesh0 * ranks_leaves(k));
    PAR_FOR(k->tree.threads, schedule(static))
    for (int64_t i = 0; i < n; i++)
        k->middle[i] = (layer[i] + 0.5) / leaves;
    return FARSUM_OK;
}

static farsum_status given_layers(struct fmm *s, const struct arrivals *a)
{
    struct fmm_side *side = a->side;
    const struct tree_given given = fmm_given(s, &side->given);
    TRY(layers_hold(&side->from, a->n));
    if (a->n > 0)
        TRY(tree_find_layers(&s->ranks->tree, &given, a->what, &side->from.of));
    return fmm_ranks_middles(s->ranks, a->n, side->from.of.layer);
}

/* Brings points to the owners of their boxes. */
static farsum_status points_route(struct fmm *s, const struct arrivals *a)
{
    struct fmm_ranks *k = s->ranks;
    struct fmm_side *side = a->side;
    struct route *route = &side->route;
    farsum_status status = given_layers(s, a);
    TRY(comm_agree(k->comm, status));
    double *const s0[3] = {k->middle, k->middle, k->middle};
    TRY(route_set(route, k->comm, &k->domain, a->n, s0));
    KEEP_ON(points_hold(a->own, route->n_own));
    KEEP_ON(layers_hold(&side->layers, route->n_own));
    TRY(comm_agree(k->comm, status));
    const double *const from[] = {side->from.of.layer, side->from.of.at,
                                  side->given.s[0], side->given.s[1],
                                  side->given.s[2]};
    double *const to[] = {side->layers.of.layer, side->layers.of.at,
                          a->own->s[0], a->own->s[1], a->own->s[2]};
    for (size_t i = 0; i < sizeof to / sizeof *to; i++)
        KEEP_ON(route_there(route, k->comm, from[i], sizeof(double), to[i]));
    return comm_agree(k->comm, status);
}

/* Finds the ghosts of the own sources. */
static farsum_status points_ghosts(struct fmm *s)
{
    struct fmm_ranks *k = s->ranks;
    const struct layers *own = &k->source.layers;
    struct layers *around = &k->around;
    double leaves =
        (double)(domain_planes(&k->domain, k->domain.rank) * ranks_leaves(k));
    farsum_status status = fmm_ranks_middles(k, s->source.n, own->of.layer);
    TRY(comm_agree(k->comm, status));
    double *const at[3] = {k->middle, s->source.s[1], s->source.s[2]};
    TRY(ghosts_set(&k->ghosts, k->comm, &k->domain, s->source.n, at));
    status = layers_hold(around, k->ghosts.n);
    KEEP_ON(MEM_RESERVE(k->ghost, &k->have_ghost, k->ghosts.n));
    TRY(comm_agree(k->comm, status));
    KEEP_ON(ghosts_send(&k->ghosts, k->comm, own->of.at, sizeof(double),
                        around->of.at));
    PAR_FOR(k->tree.threads, schedule(static))
    for (int64_t i = 0; i < k->ghosts.n; i++)
        around->of.layer[i] = floor(k->ghosts.s[0][i] * leaves);
    return comm_agree(k->comm, status);
}

static farsum_status tree_near_of(struct fmm *s)
{
    struct fmm_ranks *k = s->ranks;
    const struct points *aim = s->all_m > 0 ? &s->target : &s->source;
    const struct tree_given targets = fmm_given(s, aim);
    const struct tree_given ghosts = {
        .n = k->ghosts.n,
        .x = {k->ghosts.s[0], k->ghosts.s[1], k->ghosts.s[2]},
        .step = 1,
        .fractions = s->input.periodic};
    const struct tree_layers both[2] = {k->around.of,
                                        ranks_targets(s)->layers.of};
    const struct tree_args args = ranks_part_args(k, both);
    TRY(tree_set(&k->near, &args, &ghosts, &targets));
    k->near_points.tree = &k->near;
    return mem_reserve(&k->ghost_q, &k->have_ghost_q, k->ghosts.n,
                       (size_t)array_size(k->tree.precision));
}

/* The rank's own trees. */
static farsum_status points_trees(struct fmm *s)
{
    struct fmm_ranks *k = s->ranks;
    int64_t low = k->domain.begin[k->domain.rank] - k->domain.halo;
    double first = (double)(low * ranks_leaves(k));
    struct fmm_side *const sides[2] = {&k->source, &k->target};
    const struct points *const own[2] = {&s->source, &s->target};
    for (int i = 0; i < 2; i++) {
        PAR_FOR(k->tree.threads, schedule(static))
        for (int64_t j = 0; j < own[i]->n; j++)
            sides[i]->layers.of.layer[j] -= first;
    }
    const struct tree_layers both[2] = {k->source.layers.of,
                                        k->target.layers.of};
    const struct tree_given source = fmm_given(s, &s->source);
    const struct tree_given target = fmm_given(s, &s->target);
    const struct tree_args args = ranks_part_args(k, both);
    TRY(tree_set(&s->tree, &args, &source, s->all_m > 0 ? &target : NULL));
    return k->ghosts.n > 0 ? tree_near_of(s) : FARSUM_OK;
}

/* Fails for coincident sources, with global numbers. */
static farsum_status points_apart(struct task *task, struct fmm *s)
{
    farsum_status status = FARSUM_OK;
    struct fmm_ranks *k = s->ranks;
    struct exclusions *e = &task->exclusions;
    int64_t *number = NULL, twins[2] = {-1, -1};
    double factor;
    if (task->problem.exclude_coincident)
        return FARSUM_OK;
    status = comm_agree(k->comm, points_distinct(&s->source, s->input.periodic,
                                                 task->threads, e));
    if (status != FARSUM_ERR_COINCIDENT)
        return status;
    GO(comm_agree(k->comm, MEM_RAW(number, s->source.n)));
    status = route_numbers(&k->source.route, k->comm, number);
    KEEP_ON(points_twins(&s->source, s->input.periodic, task->threads, e, twins,
                         &factor));
    if (status == FARSUM_OK && twins[0] >= 0)
        status = points_coincide(number[twins[0]], number[twins[1]], factor);
    status = comm_agree(k->comm, status);
done:
    mem_free(number);
    return status;
}

/* Replaces fractions of the own points, which only the tree needed, by
 * positions. */
static farsum_status points_positions(struct task *task, struct fmm *s,
                                      const struct arrivals of[2])
{
    farsum_status status = FARSUM_OK;
    struct fmm_ranks *k = s->ranks;
    if (!s->input.periodic)
        return FARSUM_OK;
    TRY(given_positions(task, of, NULL));
    for (int i = 0; i < (s->all_m > 0 ? 2 : 1); i++)
        for (int d = 0; d < 3; d++)
            KEEP_ON(route_there(&of[i].side->route, k->comm,
                                of[i].side->given.s[d], sizeof(double),
                                of[i].own->s[d]));
    return comm_agree(k->comm, status);
}

/* Memory for the caller's strengths and results of own points. */
static farsum_status points_reserve(const struct task *task, struct fmm *s)
{
    struct fmm_ranks *k = s->ranks;
    size_t given = (size_t)array_size(task->problem.arrays);
    int64_t targets = tree_targets(&s->tree)->n;
    TRY(fmm_points_arrays(task, s));
    TRY(mem_reserve(&k->q, &k->have_q, s->source.n, given));
    TRY(mem_reserve(&k->potential, &k->have_potential, targets, given));
    return mem_reserve(&k->field, &k->have_field, 3 * targets, given);
}

static farsum_status points_stages(const struct task *task, struct fmm *s)
{
    struct fmm_ranks *k = s->ranks;
    const struct variant *near = s->choice[FMM_P2P].row->variant;
    TRY(fmm_points_set(task, s));
    if (k->ghosts.n == 0 || !near->set)
        return FARSUM_OK;
    return near->set(k->near_state, &k->near_points, &k->near_points);
}

static farsum_status points_report(const struct task *task, struct fmm *s)
{
    struct fmm_ranks *k = s->ranks;
    struct ranks_report *r = &task->report->ranks;
    double most = (double)s->source.n;
    TRY(comm_agree(k->comm, comm_max(k->comm, &most, 1)));
    r->own = s->source.n;
    r->ghosts = k->ghosts.n;
    r->imbalance = most * k->comm->size / (double)s->all_n;
    fmm_ranks_report(task, s);
    return FARSUM_OK;
}

/* Brings all points to the owners of their boxes. */
static farsum_status points_arrive(struct fmm *s, const struct arrivals of[2])
{
    TRY(points_route(s, &of[0]));
    return s->all_m > 0 ? points_route(s, &of[1]) : FARSUM_OK;
}

/* Sets the points, with other cuts of the layers if many have moved to other
 * ranks and these pay. */
static farsum_status points_all(struct task *task, struct fmm *s,
                                const struct arrivals of[2],
                                struct fmm_recut *recut)
{
    TRY(points_arrive(s, of));
    if (fmm_ranks_balance_due(task, s))
        TRY(fmm_ranks_balance(task, s, recut));
    if (recut->taken)
        TRY(points_arrive(s, of));
    TRY(ranks_exclude_rows(task, s));
    TRY(points_apart(task, s));
    TRY(points_ghosts(s));
    TRY(task_agree(task, points_trees(s)));
    TRY(fmm_ranks_clustering(task, s));
    TRY(fmm_points_tree(task, s, 0, s->all_n, s->all_m));
    TRY(task_agree(task, points_reserve(task, s)));
    TRY(points_positions(task, s, of));
    TRY(ranks_exclude_places(s));
    TRY(task_agree(task, points_stages(task, s)));
    return points_report(task, s);
}

farsum_status fmm_ranks_points(struct task *task, struct fmm *s, int64_t n,
                               const void *x, int64_t m, const void *y)
{
    struct fmm_ranks *k = s->ranks;
    farsum_status status;
    int64_t first;
    int again;
    const struct arrivals of[2] = {{"source", n, x, &k->source, &s->source},
                                   {"target", m, y, &k->target, &s->target}};
    s->source.n = s->target.n = 0;
    TRY(fmm_ranks_counts(s, n, m, &first));
    do {
        struct fmm_recut recut = {.taken = 0};
        status = points_take(task, s, of, first);
        if (status == FARSUM_OK)
            status = points_all(task, s, of, &recut);
        again = fmm_ranks_balance_end(task, s, &recut, &status);
    } while (again);
    return status;
}
