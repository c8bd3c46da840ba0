/* SPDX-License-Identifier: Apache-2.0 */
/* ranks_model.c: what a rank of a sum by `fmm` stores, sends and computes.  The
 * lattice counts for itself (ranks_lattice_sent), so that the model cannot
 * differ from it. */
#include "method/fmm/fmm.h"

#include <math.h>

#include "base/arrays.h"
#include "base/mem.h"
#include "cost/expected_rates.h"
#include "ranks/device/lattice.h"
#include "ranks/domain.h"
#include "task/ranks_model.h"

/* Exchanges of few numbers: outputs, sums, agreements. */
enum { TALKS = 6 };

struct counted {
    const struct task *task;
    const struct fmm *s;
    int rank;
    double layers, all;  /* of the rank, of all ranks */
    double ghosts, sent; /* layers of ghosts; layers sent as ghosts */
    struct lattice_sent lattice;
    struct ranks_model *m;
};

/* Counts the ghost layers of rank r, and those that rank c->rank sends to it.
 * Open regions have none beyond their ends. */
static void model_ghosts(struct counted *c, const struct domain *domain, int r)
{
    int64_t begin = domain->begin[r], end = domain->begin[r + 1];
    if (begin == end)
        return;
    for (int64_t i = 0; i < 2 * domain->halo; i++) {
        int64_t layer =
            i < domain->halo ? begin - 1 - i : end + i - domain->halo;
        if (!c->s->input.periodic && (layer < 0 || layer >= domain->mesh0))
            continue;
        c->ghosts += r == c->rank;
        c->sent += r != c->rank && domain_owner(domain, layer) == c->rank;
    }
}

/* Layers, and the grid of root boxes.  Without a far field of roots nothing is
 * sent. */
static farsum_status model_layers(struct counted *c)
{
    farsum_status status = FARSUM_OK;
    struct ranks_model *m = c->m;
    struct comm comm = {.rank = c->rank, .size = m->links.ranks};
    struct domain domain = {.begin = NULL};
    GO(domain_create(&domain, c->rank, comm.size, m->mesh0, m->halo, NULL));
    m->planes = domain.begin[c->rank + 1] - domain.begin[c->rank];
    c->layers = (double)m->planes;
    c->all = (double)m->mesh0;
    for (int r = 0; r < comm.size; r++)
        model_ghosts(c, &domain, r);
    struct ranks_lattice_args args = {.comm = &comm,
                                      .begin = domain.begin,
                                      .halo = m->halo,
                                      .grid = fmm_ranks_grid(c->s),
                                      .boxes = c->s->boxes};
    if (c->s->choice[FMM_LATTICE].row)
        GO(c->task->device ? gpu_ranks_lattice_sent(&args, &c->lattice)
                           : ranks_lattice_sent(&args, &c->lattice));
    m->bytes[COMM_TRANSFORM] = (double)c->lattice.bytes;
    m->exchanges[COMM_TRANSFORM] = (double)c->lattice.exchanges;
    m->buffers = (double)c->lattice.planes;
    m->spectrum = (double)c->lattice.spectrum;
done:
    domain_destroy(&domain);
    return status;
}

/* Strengths go to the owners of points and to ghosts, results back. */
static void model_points(struct counted *c)
{
    const farsum_problem *p = &c->task->problem;
    struct ranks_model *m = c->m;
    double real = (double)array_size(p->precision), ranks = m->links.ranks;
    double given = c->task->device ? real : (double)array_size(p->arrays);
    double n = (double)p->n_sources, share = c->layers / c->all;
    double to = p->n_targets > 0 ? (double)p->n_targets : n;
    int arrays, results = ranks_model_results(c->task, &arrays);
    m->points = n * share;
    m->ghosts = n / c->all * c->ghosts;
    m->bytes[COMM_ROUTE] =
        given
        * (n / ranks * (1 - share) + to * share * (1 - 1 / ranks) * results);
    m->exchanges[COMM_ROUTE] = 1 + arrays;
    m->bytes[COMM_GHOSTS] =
        n / c->all * c->sent * (c->task->device ? real : sizeof(double));
    m->exchanges[COMM_GHOSTS] = 1;
}

/* On hosts a point given has its position and leaf, and what it sends; an own
 * one its leaf, another place in the tree of the ghosts, and strength and
 * results as the caller gets them. */
double fmm_ranks_bytes(const struct task *task, const struct fmm *s,
                       double share, double layers)
{
    const farsum_problem *p = &task->problem;
    double all = (double)(p->n_sources + p->n_targets);
    double ghosts =
        (double)p->n_sources * fmin(2 * (double)s->shape.ws / layers, 1);
    double real = (double)array_size(p->precision);
    const double given = 24 + 16 + 8 + 24 + 8;
    double own = 16 + 32 + 5 * (double)array_size(p->arrays);
    if (task->device) /* positions, leaves and strengths of ghosts */
        return ghosts * (8 * 4 + 3 * real);
    return all / task->links.ranks * given + share * all * own
           + ghosts * (24 + 16 + 32 + 16 + 8 + real);
}

static double stage_cost(const struct choice *choice, const void *args)
{
    return choice->row->variant->cost(args);
}

/* Near pairs: a device sums own points and ghosts in one run.  A host sums
 * pairs of own points, then those with ghosts.  On each side ws (ws + 1)/2 of
 * the 2 ws + 1 times `leaves` layers that own leaves see are ghosts'. */
static double near_cost(const struct counted *c, struct p2p_args own)
{
    const struct choice *choice = &c->s->choice[FMM_P2P];
    double ws = c->s->shape.ws;
    double leaves = ldexp(c->layers, c->s->shape.depth);
    double out = fmin(ws * (ws + 1) / ((2 * ws + 1) * leaves), 1);
    struct p2p_args ghosts = own;
    if (own.n_targets == 0)
        own.n_targets = ghosts.n_targets = own.n_sources;
    if (c->task->device) {
        own.n_sources += (int64_t)c->m->ghosts;
        return stage_cost(choice, &own);
    }
    own.neighbours *= 1 - out;
    ghosts.neighbours *= out;
    ghosts.n_sources = (int64_t)c->m->ghosts + 1;
    return stage_cost(choice, &own)
           + (c->m->ghosts > 0 ? stage_cost(choice, &ghosts) : 0);
}

/* Seconds in which a device copies the columns of both transforms: from planes
 * to messages, and from there to lines, or back. */
static double columns_cost(const struct counted *c)
{
    double bytes =
        2 * ((double)c->lattice.planes + (double)c->lattice.spectrum);
    if (!c->task->device || c->m->links.ranks == 1)
        return 0;
    return bytes / gpu_rates(c->task->device, c->task->problem.precision).bytes;
}

/* The part of a stage's seconds in one process that the rank takes. */
static double stage_share(const struct counted *c, int r,
                          const struct boxes_args *own,
                          const struct p2p_args *pairs)
{
    const struct fmm *s = c->s;
    const struct choice *choice = &s->choice[r];
    if (r == FMM_P2P)
        return near_cost(c, *pairs) / stage_cost(choice, &s->pairs);
    if (r == FMM_LATTICE)
        return 0.5 * (c->layers / c->all + c->lattice.rows);
    double all = stage_cost(choice, &s->boxes); /* 0: no shifts at one level */
    return all > 0 ? stage_cost(choice, own) / all : 0;
}

static void model_seconds(struct counted *c)
{
    const struct fmm *s = c->s;
    struct ranks_model *m = c->m;
    struct boxes_args own = s->boxes;
    struct p2p_args pairs = s->pairs;
    double per = (c->layers + 2 * (double)m->halo) / fmax(c->layers, 1);
    fmm_ranks_slab(m->planes, &own, &pairs);
    /* multipoles of ghosts are computed from ghosts */
    own.n_sources = (int64_t)((double)own.n_sources * per);
    m->mesh = 2.0 * (double)array_size(c->task->problem.precision)
              * multipole_size(s->shape.order) * (double)own.n_boxes;
    for (int r = 0; r < FMM_STAGES; r++) {
        const struct choice *choice = &s->choice[r];
        if (!choice->row)
            continue;
        int k = m->stages++;
        m->stage[k] = choice->stage->name;
        m->alone[k] = choice->cost;
        m->seconds[k] = m->planes > 0 || r == FMM_LATTICE
                            ? choice->cost * stage_share(c, r, &own, &pairs)
                            : 0;
        if (r == FMM_LATTICE)
            m->seconds[k] += columns_cost(c);
    }
    if (c->task->device) {
        m->stage[m->stages] = "ends";
        m->seconds[m->stages++] = ranks_model_ends(c->task, m->points);
    }
}

/* Layers are cut evenly: the first rank that has the most. */
static int model_fullest(int64_t layers, int ranks)
{
    int r = 0;
    int64_t most = (layers + ranks - 1) / ranks;
    while (layers * (r + 1) / ranks - layers * r / ranks < most)
        r++;
    return r;
}

farsum_status fmm_ranks_model_of(const struct task *task, const struct fmm *s,
                                 const struct links *links, int rank,
                                 struct ranks_model *model)
{
    struct counted c = {.task = task, .s = s, .rank = rank, .m = model};
    if (links->ranks > 1 && !s->shape.dense)
        FAIL(ERR_UNSUPPORTED, "fmm has dense trees only over ranks; this plan "
                              "has a sparse one, of one process");
    *model = (struct ranks_model){.links = *links,
                                  .threads = task->device ? 0 : task->threads,
                                  .shape = {links->ranks, 1},
                                  .boxes = 1,
                                  .mesh0 = s->shape.root[0],
                                  .halo = s->shape.ws,
                                  .mesh1 = s->shape.root[1],
                                  .rows = s->shape.root[1]};
    TRY(model_layers(&c));
    model->exchanges[COMM_TALK] = TALKS;
    model_points(&c);
    model_seconds(&c);
    model->held = fmm_bytes(task, s, model->planes);
    ranks_model_exchanges(model);
    /* near pairs begin with the far field, which exchanges meanwhile */
    if (model->links.beside)
        model->hidden =
            fmin(model->seconds[0], model->exchange[COMM_TRANSFORM]);
    return FARSUM_OK;
}

farsum_status fmm_ranks_model(const struct task *task, const void *state,
                              const struct links *links,
                              struct ranks_model *model)
{
    const struct fmm *s = state;
    int rank = model_fullest(s->shape.root[0], links->ranks);
    return fmm_ranks_model_of(task, s, links, rank, model);
}
