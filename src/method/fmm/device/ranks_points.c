/* SPDX-License-Identifier: Apache-2.0 */
/* ranks_points.c: points of `fmm` over ranks with a device each. */
#include "method/fmm/device/ranks.h"

#include <math.h>
#include <string.h>

#include "base/arrays.h"
#include "points/device/set.h"

/* The caller's points of one kind, and what becomes of them. */
struct arrivals {
    const char *what; /* "source", "target" */
    int64_t n;
    const void *x;
    struct fmm_gpu_side *side;
    struct buf *kept; /* the caller's positions */
};

static farsum_status arrivals_take(const struct task *task, struct fmm *s,
                                   const struct arrivals *a)
{
    struct points *given = &a->side->given;
    given->n = 0;
    if (a->n == 0)
        return buf_reserve(a->kept, task->device, 0);
    TRY(fmm_gpu_take(task, s, given, a->kept, a->n, a->x, a->what));
    return points_gpu_check(given->gpu);
}

/* The extent of all ranks' points in open space, which sets the unit of
 * length. */
static farsum_status points_extent(struct task *task, struct fmm *s,
                                   const struct arrivals of[2])
{
    struct fmm_gpu *g = s->gpu;
    struct extent all = EXTENT_NONE;
    farsum_status status = FARSUM_OK;
    double most[6];
    for (int i = 0; i < 2; i++) {
        struct gpu_box box;
        if (of[i].n == 0)
            continue;
        KEEP_ON(points_gpu_box(of[i].side->given.gpu, &box));
        for (int d = 0; d < 3 && status == FARSUM_OK; d++) {
            extent_add(&all, d, box.lo[d]);
            extent_add(&all, d, box.hi[d]);
        }
    }
    TRY(task_agree(task, status));
    for (int d = 0; d < 3; d++) {
        most[d] = -all.low[d];
        most[3 + d] = all.high[d];
    }
    TRY(task_agree(task, task_max(task, most, 6)));
    for (int d = 0; d < 3; d++) {
        all.low[d] = -most[d];
        all.high[d] = most[3 + d];
    }
    units_points(task, &all);
    for (int d = 0; d < 3; d++) {
        g->low[d] = task_per(task) * all.low[d];
        g->high[d] = task_per(task) * all.high[d];
    }
    fmm_extent(s, g->low, g->high);
    return FARSUM_OK;
}

/* Sets the boxes and the whole tree's args. */
static farsum_status points_shape(struct task *task, struct fmm *s)
{
    struct fmm_gpu *g = s->gpu;
    struct fmm_ranks *k = s->ranks;
    farsum_status status = fmm_shape(task, s, 0, s->all_n, s->all_m, &s->shape);
    k->tree = fmm_tree_args(task, s);
    if (!s->input.periodic && status == FARSUM_OK)
        status = tree_region_of(&k->tree, g->low, g->high);
    return task_agree(task, status);
}

/* Fractions of the region, of open points. */
static farsum_status arrivals_place(const struct task *task,
                                    const struct fmm *s,
                                    const struct arrivals *a)
{
    const struct fmm_gpu *g = s->gpu;
    const struct kernel *place = &g->ranks->place;
    struct points_gpu *points = a->side->given.gpu;
    struct fmm_region region = {.per = task_per(task),
                                .n = a->n,
                                .wide = task->problem.arrays != FARSUM_F32};
    if (s->input.periodic || a->n == 0)
        return FARSUM_OK;
    memcpy(region.corner, s->ranks->tree.corner, sizeof region.corner);
    memcpy(region.edge, s->ranks->tree.edge, sizeof region.edge);
    TRY(buf_reserve(&points->s, g->device, 24 * a->n));
    TRY(LAUNCH(place, kernel_groups(place, a->n), ARG_BUF(a->kept),
               ARG_BUF(a->kept), ARG_BUF(&points->s), ARG_STRUCT(region)));
    points->placed = 1;
    return FARSUM_OK;
}

/* Brings points to the owners of their boxes. */
static farsum_status arrivals_route(const struct task *task, struct fmm *s,
                                    const struct arrivals *a)
{
    struct comm *comm = s->gpu->ranks->comm;
    struct fmm_gpu_side *side = a->side;
    TRY(comm_agree(comm, arrivals_place(task, s, a)));
    return gpu_route_set(&side->route, comm, &s->ranks->domain,
                         a->n > 0 ? side->given.gpu : NULL, &side->arrived);
}

/* Finds the ghosts of own sources.  Their fractions along axis 0 are rounded,
 * so that those of the whole travel too. */
static farsum_status points_ghosts(struct fmm *s)
{
    struct fmm_gpu_ranks *r = s->gpu->ranks;
    struct gpu_sends *sends = &r->ghosts.sends;
    farsum_status status = FARSUM_OK;
    TRY(gpu_ghosts_set(&r->ghosts, r->comm, &s->ranks->domain, s->source.gpu,
                       r->source.route.n_own, &r->source.arrived, &r->x));
    TRY(comm_agree(r->comm,
                   gpu_buf_grow(&r->along, s->gpu->device, 8 * r->ghosts.n)));
    if (sends->n_sent > 0)
        KEEP_ON(LAUNCH(&r->along_of, kernel_groups(&r->along_of, sends->n_sent),
                       ARG_BUF(&sends->index), ARG_BUF(&r->source.arrived),
                       ARG_BUF(&sends->packed), ARG_I64(sends->n_sent)));
    KEEP_ON(gpu_sends_packed(sends, 8, &r->along, 0));
    return comm_agree(r->comm, status);
}

/* Must equal the struct in method/fmm/device/ranks.k. */
struct ranks_layers {
    int64_t n, own, low;
    double mesh0;
    int32_t planes, spare;
};
_Static_assert(sizeof(struct ranks_layers) == 40, "as the kernel has it");

/* The points of one side of the tree: own ones and `ghosts`. */
static farsum_status side_points(const struct fmm *s, struct fmm_gpu_side *side,
                                 int64_t ghosts, struct points *points,
                                 struct buf *layer)
{
    const struct fmm_gpu_ranks *r = s->gpu->ranks;
    const struct domain *domain = &s->ranks->domain;
    struct points_gpu *p = points->gpu;
    struct device *device = s->gpu->device;
    const int64_t leaves = ranks_leaves(s->ranks);
    struct ranks_layers args = {
        .own = side->route.n_own,
        .low = (domain->begin[domain->rank] - domain->halo) * leaves,
        .mesh0 = (double)(domain->mesh0 * leaves),
        .planes = (int32_t)(domain_planes(domain, domain->rank) * leaves)};
    args.n = args.own + ghosts;
    TRY(gpu_buf_grow(&side->arrived, device, 0));
    TRY(gpu_buf_grow(layer, device, 4 * args.n));
    TRY(gpu_buf_grow(&p->s, device, 24 * args.n));
    buf_borrow(&p->x, device, p->s.handle, p->s.bytes);
    points->n = p->n = args.n;
    p->placed = 1;
    p->version++;
    if (args.n == 0)
        return FARSUM_OK;
    return LAUNCH(&r->layers, kernel_groups(&r->layers, args.n),
                  ARG_BUF(&side->arrived), ARG_BUF(&r->x), ARG_BUF(&r->along),
                  ARG_BUF(&p->s), ARG_BUF(layer), ARG_STRUCT(args));
}

/* Builds the rank's tree. */
static farsum_status points_tree(struct fmm *s)
{
    struct fmm_gpu_ranks *r = s->gpu->ranks;
    const struct tree_args args = ranks_part_args(s->ranks, NULL);
    int64_t whole = s->ranks->domain.mesh0 * ranks_leaves(s->ranks);
    TRY(side_points(s, &r->source, r->ghosts.n, &s->source, &r->layer[0]));
    TRY(side_points(s, fmm_gpu_ranks_targets(s), 0, &s->target, &r->layer[1]));
    const struct tree_gpu_layers layers[2] = {{&r->layer[0], whole},
                                              {&r->layer[1], whole}};
    return tree_gpu_set_part(&s->tree, &args, s->source.gpu, s->target.gpu,
                             layers);
}

/* Finds coincident own sources, unless exclusions with factor 0 name every such
 * pair: sets at to their numbers, or to -1.  Exclusions of such pairs are rare,
 * so the host searches then. */
static farsum_status points_together(struct task *task, struct fmm *s,
                                     int64_t at[2], double *factor)
{
    const struct fmm_gpu_ranks *r = s->gpu->ranks;
    int64_t own = r->source.route.n_own;
    struct points points = {0};
    farsum_status status = FARSUM_OK;
    double found[2];
    at[0] = at[1] = -1;
    *factor = 1;
    if (own == 0)
        return FARSUM_OK;
    TRY(fmm_gpu_coincident(s));
    TRY(buf_download(&s->gpu->fact, 8 * FMM_FACT_TWIN, found, sizeof found));
    /* the owners of ghosts find those */
    if (found[0] < 0 || found[0] >= (double)own || found[1] >= (double)own)
        return FARSUM_OK;
    const int64_t seen[2] = {(int64_t)found[0], (int64_t)found[1]};
    memcpy(at, seen, sizeof seen);
    if (s->all_m > 0 || !exclusions_of_sources(&task->exclusions))
        return FARSUM_OK;
    GO(ranks_points_host(&r->source.arrived, own, &points));
    GO(points_twins(&points, s->input.periodic, task->threads,
                    &task->exclusions, at, factor));
    if (at[0] < 0 && task->exclusions.together == 0)
        memcpy(at, seen, sizeof seen); /* only the device sees them */
done:
    points_clear(&points);
    return status;
}

/* Fails for coincident sources, with global numbers. */
static farsum_status points_apart(struct task *task, struct fmm *s)
{
    const struct fmm_gpu_ranks *r = s->gpu->ranks;
    int64_t at[2], number[2];
    double factor, found;
    if (task->problem.exclude_coincident)
        return FARSUM_OK;
    farsum_status status = points_together(task, s, at, &factor);
    TRY(comm_agree(r->comm, status));
    found = at[0] >= 0;
    TRY(comm_agree(r->comm, comm_max(r->comm, &found, 1)));
    if (found == 0)
        return FARSUM_OK;
    for (int k = 0; k < 2; k++)
        KEEP_ON(gpu_route_number(&r->source.route, r->comm, at[k], &number[k]));
    if (status == FARSUM_OK && at[0] >= 0)
        status = points_coincide(number[0] < number[1] ? number[0] : number[1],
                                 number[0] < number[1] ? number[1] : number[0],
                                 factor);
    return comm_agree(r->comm, status);
}

/* Memory for strengths, results and expansions. */
static farsum_status points_reserve(const struct task *task, struct fmm *s,
                                    const struct arrivals of[2])
{
    struct fmm_gpu *g = s->gpu;
    struct fmm_gpu_ranks *r = g->ranks;
    int64_t real = array_size(task->problem.precision);
    int64_t own = tree_targets(&s->tree)->n;
    int64_t given = s->all_m > 0 ? of[1].n : of[0].n;
    TRY(fmm_gpu_reserve(task, s, of[0].n, given));
    TRY(gpu_buf_grow(&r->given_q, g->device, of[0].n * real));
    TRY(gpu_buf_grow(&r->q, g->device, s->source.n * real));
    TRY(gpu_buf_grow(&r->sums, g->device, FMM_SUMS * own * real));
    return gpu_buf_grow(&r->given_sums, g->device, FMM_SUMS * given * real);
}

static farsum_status points_stages(const struct task *task, struct fmm *s,
                                   const struct arrivals of[2])
{
    TRY(points_reserve(task, s, of));
    return fmm_points_set(task, s);
}

static farsum_status points_report(const struct task *task, const struct fmm *s)
{
    const struct fmm_gpu_ranks *r = s->gpu->ranks;
    struct ranks_report *report = &task->report->ranks;
    double most = (double)r->source.route.n_own;
    TRY(comm_agree(r->comm, comm_max(r->comm, &most, 1)));
    report->own = r->source.route.n_own;
    report->ghosts = r->ghosts.n;
    report->imbalance = most * r->comm->size / (double)s->all_n;
    fmm_ranks_report(task, s);
    return FARSUM_OK;
}

/* Takes the caller's points, and finds the boxes. */
static farsum_status points_take(struct task *task, struct fmm *s,
                                 const struct arrivals of[2])
{
    farsum_status status = FARSUM_OK;
    int64_t first;
    TRY(fmm_ranks_counts(s, of[0].n, of[1].n, &first));
    for (int i = 0; i < 2; i++)
        KEEP_ON(arrivals_take(task, s, &of[i]));
    TRY(task_agree(task, status));
    if (!s->input.periodic) {
        TRY(points_extent(task, s, of));
        TRY(fmm_gpu_ranks_norms(task, s, first));
    }
    return points_shape(task, s);
}

/* Ends what is left of the last sum. */
static farsum_status points_end(const struct task *task, struct fmm *s)
{
    /* NCCL may know the memory in a graph's exchanges by its address, and
     * memory that replaces it may have the same one */
    graph_forget(&s->gpu->recording);
    TRY(fmm_gpu_range_last(task, s));
    TRY(fmm_gpu_fold(task, s));
    s->gpu->ranged = 1;
    return FARSUM_OK;
}

farsum_status fmm_gpu_ranks_points(struct task *task, struct fmm *s, int64_t n,
                                   const void *x, int64_t m, const void *y)
{
    struct fmm_gpu *g = s->gpu;
    struct fmm_gpu_ranks *r = g->ranks;
    const struct arrivals of[2] = {{"source", n, x, &r->source, &g->x},
                                   {"target", m, y, &r->target, &g->y}};
    TRY(task_agree(task, points_end(task, s)));
    s->source.n = s->target.n = 0;
    TRY(points_take(task, s, of));
    TRY(arrivals_route(task, s, &of[0]));
    if (s->all_m > 0)
        TRY(arrivals_route(task, s, &of[1]));
    TRY(fmm_gpu_ranks_exclusions(task, s));
    TRY(points_ghosts(s));
    TRY(task_agree(task, points_tree(s)));
    TRY(points_apart(task, s));
    TRY(fmm_gpu_ranks_clustering(task, s));
    TRY(fmm_points_tree(task, s, 0, s->all_n, s->all_m));
    TRY(task_agree(task, points_stages(task, s, of)));
    return points_report(task, s);
}
