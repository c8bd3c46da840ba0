/* SPDX-License-Identifier: Apache-2.0 */
/* ranks.c: states of `fmm` over ranks. */
#include "method/fmm/device/ranks.h"

#include <string.h>

#include "base/mem.h"

static void layers_clear(struct layers *layers)
{
    mem_free(layers->of.layer);
    mem_free(layers->of.at);
}

static void side_clear(struct fmm_side *side)
{
    route_destroy(&side->route);
    points_clear(&side->given);
    layers_clear(&side->from);
    layers_clear(&side->layers);
}

void fmm_ranks_destroy(struct fmm *s)
{
    struct fmm_ranks *k = s->ranks;
    if (!k)
        return;
    if (k->near_state)
        s->choice[FMM_P2P].row->variant->destroy(k->near_state);
    ranks_lattice_destroy(k->lattice);
    planes_destroy(k->planes);
    ghosts_destroy(&k->ghosts);
    side_clear(&k->source);
    side_clear(&k->target);
    layers_clear(&k->around);
    tree_clear(&k->near);
    domain_destroy(&k->domain);
    excluded_clear(&k->excluded);
    void *const all[] = {k->middle, k->ghost,     k->ghost_q,
                         k->q,      k->potential, k->field};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        mem_free(all[i]);
    mem_free(k);
    s->ranks = NULL;
}

/* The parts that need no other rank. */
static farsum_status ranks_own(const struct task *task, struct fmm *s)
{
    struct fmm_ranks *k = s->ranks;
    TRY(domain_create(&k->domain, k->comm->rank, k->comm->size,
                      s->shape.root[0], s->shape.ws, NULL));
    k->domain.open = !s->input.periodic;
    if (s->gpu) /* fmm_gpu_ranks_create makes them */
        return FARSUM_OK;
    TRY(route_create(&k->source.route, k->comm, 3 * sizeof(double),
                     task->threads));
    TRY(route_create(&k->target.route, k->comm, 3 * sizeof(double),
                     task->threads));
    return ghosts_create(&k->ghosts, k->comm, sizeof(double), task->threads);
}

farsum_status fmm_ranks_planes(const struct task *task, const struct fmm *s,
                               const struct domain *domain,
                               struct planes **planes)
{
    const struct planes_args args = {.comm = s->ranks->comm,
                                     .begin = domain->begin,
                                     .halo = s->shape.ws + 1,
                                     .plane =
                                         s->shape.root[1] * s->shape.root[2],
                                     .channels = FMM_RANKS_STATISTICS,
                                     .threads = task->threads,
                                     .precision = FARSUM_F64};
    return planes_create(&args, planes);
}

farsum_status fmm_ranks_create(const struct task *task, struct fmm *s)
{
    struct boxes_args boxes = s->boxes;
    struct p2p_args pairs = s->pairs;
    farsum_status status = MEM_NEW(s->ranks, 1);
    TRY(comm_agree(task->comm, status));
    struct fmm_ranks *k = s->ranks;
    k->comm = task->comm;
    TRY(comm_agree(k->comm, ranks_own(task, s)));
    TRY(fmm_ranks_planes(task, s, &k->domain, &k->planes));
    if (s->gpu)
        TRY(fmm_gpu_ranks_create(task, s));
    if (s->input.periodic)
        fmm_ranks_report(task, s);
    fmm_ranks_part(s, &boxes, &pairs);
    return fmm_ranks_states(task, s, fmm_states(task, s, &boxes, &pairs));
}

int64_t fmm_ranks_most(const struct boxes_args *whole, int ranks)
{
    return (whole->root[0] + ranks - 1) / ranks;
}

static int64_t part_of(int64_t all, int64_t layers, int64_t whole)
{
    double part = (double)layers / (double)whole;
    return all > 0 ? 1 + (int64_t)((double)all * part) : 0;
}

void fmm_ranks_slab(int64_t layers, struct boxes_args *boxes,
                    struct p2p_args *pairs)
{
    int64_t whole = boxes->root[0], planes = layers + 2 * boxes->ws;
    int64_t roots = planes * boxes->root[1] * boxes->root[2];
    boxes->root[0] = planes;
    boxes->periodic[0] = 0;
    boxes->ghosts = boxes->ws;
    boxes->n_leaves = roots << (3 * boxes->depth);
    boxes->n_boxes = (8 * boxes->n_leaves - roots) / 7;
    boxes->n_sources = part_of(boxes->n_sources, layers, whole);
    boxes->n_targets = part_of(boxes->n_targets, layers, whole);
    if (!pairs)
        return;
    pairs->n_sources = part_of(pairs->n_sources, layers, whole);
    pairs->n_targets = part_of(pairs->n_targets, layers, whole);
}

void fmm_ranks_part(const struct fmm *s, struct boxes_args *boxes,
                    struct p2p_args *pairs)
{
    struct fmm_ranks *k = s->ranks;
    k->whole = *boxes;
    fmm_ranks_slab(ranks_layers(k), boxes, pairs);
    if (s->gpu && pairs->n_targets == 0)
        pairs->n_targets = pairs->n_sources;
}

farsum_status fmm_ranks_tree(struct fmm *s)
{
    s->clustering = s->ranks->clustering;
    s->input.near = s->ranks->near_input;
    return FARSUM_OK;
}

farsum_status fmm_ranks_counts(struct fmm *s, int64_t n, int64_t m,
                               int64_t *first)
{
    struct comm *comm = s->ranks->comm;
    const int64_t own[2] = {n, m};
    int64_t(*all)[2] = NULL;
    farsum_status status = FARSUM_OK;
    GO(comm_agree(comm, MEM_NEW(all, comm->size)));
    GO(comm_agree(comm, comm_gather(comm, own, all, sizeof own)));
    s->all_n = s->all_m = *first = 0;
    for (int r = 0; r < comm->size; r++) {
        *first += r < comm->rank ? all[r][1] : 0;
        s->all_n += all[r][0];
        s->all_m += all[r][1];
    }
    if (s->all_n < 1)
        GO_FAIL(ERR_ARGUMENT, "all ranks have 0 sources, at least 1 is needed");
done:
    mem_free(all);
    return status;
}

struct tree_args ranks_part_args(const struct fmm_ranks *k,
                                 const struct tree_layers *points)
{
    struct tree_args args = k->tree;
    int64_t first = k->domain.begin[k->domain.rank] - k->domain.halo;
    int64_t layers = domain_planes(&k->domain, k->domain.rank);
    double layer = args.edge[0] / (double)args.root[0];
    args.corner[0] += (double)first * layer;
    args.edge[0] = (double)layers * layer;
    args.root[0] = layers;
    args.periodic[0] = 0;
    args.ghosts = k->domain.halo;
    args.layers = points;
    return args;
}

void fmm_ranks_report(const struct task *task, const struct fmm *s)
{
    const struct fmm_ranks *k = s->ranks;
    const struct domain *domain = &k->domain;
    struct ranks_report *r = &task->report->ranks;
    double per = task_per(task), mesh0 = (double)domain->mesh0;
    for (int i = 0; i < 9 && s->input.periodic; i++)
        r->cell[i] = s->cell.a[i] / per;
    for (int d = 0; d < 3; d++) {
        double corner = 0;
        if (!s->input.periodic) { /* the region has a corner */
            r->cell[4 * d] = k->tree.edge[d] / per;
            corner = k->tree.corner[d] / k->tree.edge[d];
        }
        r->low[d] = corner;
        r->high[d] = corner + 1;
    }
    r->high[0] = r->low[0] + (double)domain->begin[domain->rank + 1] / mesh0;
    r->low[0] += (double)domain->begin[domain->rank] / mesh0;
}

const struct boxes_args *fmm_ranks_whole(const struct fmm *s)
{
    return &s->ranks->whole;
}

static int lattice_is(const struct boxes_args *a, const struct boxes_args *b)
{
    return a->p == b->p && a->ws == b->ws
           && memcmp(a->root, b->root, sizeof a->root) == 0
           && memcmp(a->box, b->box, sizeof a->box) == 0;
}

static farsum_status ranks_near_state(struct fmm *s)
{
    struct fmm_ranks *k = s->ranks;
    const struct variant *variant = s->choice[FMM_P2P].row->variant;
    struct p2p_args args = s->pairs;
    if (args.n_targets == 0)
        args.n_targets = args.n_sources;
    if (k->near_state && memcmp(&k->near_pairs, &args, sizeof args) == 0)
        return FARSUM_OK;
    if (k->near_state)
        variant->destroy(k->near_state);
    k->near_state = NULL;
    TRY(variant->create(&args, &k->near_state));
    k->near_pairs = args;
    return FARSUM_OK;
}

static farsum_status ranks_lattice(struct fmm_ranks *k)
{
    const struct ranks_lattice_args args = {.comm = k->comm,
                                            .begin = k->domain.begin,
                                            .halo = k->domain.halo,
                                            .boxes = k->whole};
    ranks_lattice_destroy(k->lattice);
    k->lattice = NULL;
    return ranks_lattice_create(&args, &k->lattice);
}

farsum_status fmm_ranks_states(const struct task *task, struct fmm *s,
                               farsum_status status)
{
    struct fmm_ranks *k = s->ranks;
    if (status == FARSUM_OK && !s->gpu)
        status = ranks_near_state(s);
    status = task_agree(task, status);
    if (status != FARSUM_OK) { /* no rank keeps its stages */
        s->boxes = (struct boxes_args){0};
        return status;
    }
    if (lattice_is(&k->made, &k->whole)
        && k->made_by == s->choice[FMM_LATTICE].row)
        return FARSUM_OK;
    k->made = (struct boxes_args){0};
    TRY(s->gpu ? fmm_gpu_ranks_lattice(s) : ranks_lattice(k));
    k->made = k->whole;
    k->made_by = s->choice[FMM_LATTICE].row;
    return FARSUM_OK;
}
