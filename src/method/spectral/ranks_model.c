/* SPDX-License-Identifier: Apache-2.0 */
/* ranks_model.c: counts of a rank.  The parts of a sum count for themselves
 * (planes_sent, slab_sent), so that the model cannot differ from them. */
#include "method/spectral/ranks_model.h"

#include <math.h>

#include "base/arrays.h"
#include "base/mem.h"
#include "cost/expected_rates.h"
#include "method/spectral/ranks.h"

/* What the counts read. */
struct counted {
    const struct task *task;
    const struct parameters *t;
    struct ranks_cut cut;
    struct comm comm; /* rank and size only */
    int64_t fill;     /* halo planes that other ranks need of this one */
    int64_t columns;
    struct ranks_model *m;
};

/* Outputs that need the way back from the mesh. */
static int model_back(const struct task *task)
{
    return (task->problem.outputs
            & (FARSUM_POTENTIAL | FARSUM_FIELD | FARSUM_VELOCITY))
           != 0;
}

static farsum_status model_planes(struct counted *c)
{
    const struct pair *pair = &c->task->pair;
    int64_t sent[2], stored, plane = c->t->mesh[1] * c->t->ldz;
    double bytes = (double)(plane * array_size(c->task->problem.precision));
    const struct planes_args args =
        ranks_cut_planes(&c->cut, c->task, c->t, &c->comm);
    TRY(planes_sent(&args, sent, &stored));
    int values = model_back(c->task) ? pair->values : 0;
    c->fill = sent[1];
    c->m->bytes[COMM_PLANES] =
        bytes * ((double)sent[0] * pair->channels + (double)sent[1] * values);
    c->m->exchanges[COMM_PLANES] = values > 0 ? 2 : 1;
    c->m->buffers += bytes * (double)stored * pair->channels;
    c->m->mesh = bytes * pair->channels
                 * (double)domain_planes(&c->cut.domain, c->comm.rank);
    return FARSUM_OK;
}

static void model_transform(struct counted *c)
{
    const struct pair *pair = &c->task->pair;
    const struct parameters *t = c->t;
    int64_t sent[2];
    const struct slab_args args = ranks_cut_slab(&c->cut, c->task, t, &c->comm);
    slab_sent(&args, sent, &c->columns);
    int values = model_back(c->task) ? pair->values : 0;
    c->m->bytes[COMM_TRANSFORM] =
        (double)sent[0] * pair->channels + (double)sent[1] * values;
    c->m->exchanges[COMM_TRANSFORM] = pair->channels + values;
    c->m->buffers += (double)(sent[0] + sent[1]);
    c->m->spectrum = (double)(pair->channels * c->cut.rows * t->mesh[0] * t->ldz
                              * array_size(c->task->problem.precision));
}

static void model_points(struct counted *c)
{
    const farsum_problem *p = &c->task->problem;
    const struct pair *pair = &c->task->pair;
    struct ranks_model *m = c->m;
    double given = (double)array_size(p->arrays), size = m->links.ranks;
    double n = (double)p->n_sources;
    double share = (double)m->planes / (double)m->mesh0;
    double to = p->n_targets > 0 ? (double)p->n_targets : n;
    int scalars =
        p->outputs & (FARSUM_POTENTIAL | FARSUM_VELOCITY) ? pair->values : 0;
    int fields = p->outputs & FARSUM_FIELD ? 3 : 0;
    double halo = m->planes > 0 ? 2 * (double)m->halo : 0;
    m->points = n * share;
    m->ghosts = n * halo / (double)m->mesh0;
    m->bytes[COMM_ROUTE] =
        given
        * (n / size * (1 - share) * pair->strengths
           + to * share * (1 - 1 / size) * (scalars + fields));
    m->exchanges[COMM_ROUTE] = 1 + (scalars > 0) + (fields > 0);
    m->bytes[COMM_GHOSTS] = n / (double)m->mesh0 * (double)c->fill
                            * pair->strengths
                            * (double)array_size(c->task->pairs);
    m->exchanges[COMM_GHOSTS] = 1;
}

/* The part of a point's pairs whose other point is in the same slab, of
 * thickness `slab` in cutoffs: an integral over the distance along axis 0. */
static double own_pairs(double slab)
{
    double u = fmin(slab, 1);
    if (slab <= 0)
        return 0;
    return 1.5
           * (u - u * u * u / 3 - u * u / (2 * slab)
              + u * u * u * u / (4 * slab));
}

static double stage_cost(const struct counted *c, int stage, const void *args)
{
    return c->t->choice[stage].row->variant->cost(args);
}

/* The near stage: pairs of own points; and pairs with ghosts, which count in
 * each of the two ranks, for targets within the cutoff of the slab's ends.  A
 * device sums both in one run.  slab: its thickness in cutoffs. */
static double near_cost(const struct counted *c, const struct near_args *args,
                        double slab)
{
    struct near_args own = *args, ghosts = *args;
    double inside = own_pairs(slab), targets = fmin(2 / slab, 1);
    int64_t n = own.n_targets > 0 ? own.n_targets : own.n_sources;
    if (c->task->device) {
        own.n_targets = n;
        own.n_sources += (int64_t)c->m->ghosts;
        return stage_cost(c, STAGE_NEAR, &own);
    }
    own.neighbours *= inside;
    ghosts.neighbours *= (1 - inside) / targets;
    ghosts.n_targets = (int64_t)((double)n * targets) + 1;
    ghosts.n_sources = (int64_t)c->m->ghosts + 1;
    return stage_cost(c, STAGE_NEAR, &own)
           + (c->m->ghosts > 0 ? stage_cost(c, STAGE_NEAR, &ghosts) : 0);
}

/* Seconds in which a device copies the columns of one transform: from planes to
 * messages, and from there to lines, or back. */
static double columns_cost(const struct counted *c)
{
    double bytes = 2 * (double)c->columns * (double)c->t->mesh[0]
                   * (double)array_size(c->task->problem.precision);
    if (!c->task->device || c->m->links.ranks == 1)
        return 0;
    return 4 * bytes
           / gpu_rates(c->task->device, c->task->problem.precision).bytes;
}

/* Seconds of each stage.  Costs of near, spread and interp are those of the
 * variants for the rank's own args.  Two thirds of a transform are in the
 * planes. */
static void model_seconds_of(struct counted *c)
{
    union stage_args whole[STAGE_COUNT], own[STAGE_COUNT];
    struct ranks_model *m = c->m;
    const struct parameters *t = c->t;
    static const int stages[RANKS_STAGES] = {
        STAGE_NEAR, STAGE_SPREAD, STAGE_FFT, STAGE_SCALE, STAGE_INTERP};
    int back = model_back(c->task);
    double half = (double)(t->mesh[2] / 2 + 1), share[RANKS_STAGES];
    double slab = (double)m->planes / (double)m->mesh0;
    parameters_args(t, c->task, whole);
    ranks_cut_args(&c->cut, c->task, t, own);
    share[RANKS_NEAR] = near_cost(c, &own[STAGE_NEAR].near,
                                  fmax(slab, 1e-9) * t->cell.height[0])
                        / stage_cost(c, STAGE_NEAR, &whole[STAGE_NEAR]);
    share[RANKS_SPREAD] = stage_cost(c, STAGE_SPREAD, &own[STAGE_SPREAD])
                          / stage_cost(c, STAGE_SPREAD, &whole[STAGE_SPREAD]);
    share[RANKS_INTERP] = stage_cost(c, STAGE_INTERP, &own[STAGE_INTERP])
                          / stage_cost(c, STAGE_INTERP, &whole[STAGE_INTERP]);
    share[RANKS_TRANSFORM] =
        slab * 2 / 3 + (double)c->columns / ((double)t->mesh[1] * half) / 3;
    share[RANKS_SCALE] = (double)c->cut.rows / (double)t->mesh[1];
    for (int k = 0; k < RANKS_STAGES; k++) {
        const struct choice *choice = &t->choice[stages[k]];
        double times =
            k == RANKS_TRANSFORM
                ? c->task->pair.channels + (back ? c->task->pair.values : 0)
            : k == RANKS_INTERP ? back
                                : 1;
        double factor =
            choice->measured ? 1 : c->task->machine.factor[stages[k]];
        m->alone[k] = times * choice->cost * factor;
        m->seconds[k] =
            m->planes > 0 || k == RANKS_TRANSFORM || k == RANKS_SCALE
                ? share[k] * m->alone[k]
                : 0;
        if (k == RANKS_TRANSFORM)
            m->seconds[k] += times * columns_cost(c);
    }
}

/* Near pairs begin with the halo's exchange. */
static void model_exchanges(struct ranks_model *m)
{
    const struct links *l = &m->links;
    double reach = fmin(ceil((double)m->halo / fmax((double)m->planes, 1)),
                        fmax(l->ranks - 1, 1));
    for (int k = 0; k < COMM_PARTS; k++)
        m->exchange[k] =
            k == COMM_TALK ? links_talk(l, m->exchanges[k])
            : k == COMM_PLANES || k == COMM_GHOSTS
                ? links_neighbours(l, m->exchanges[k], m->bytes[k], reach)
                : links_all(l, m->exchanges[k], m->bytes[k]);
    m->hidden =
        l->beside ? fmin(m->seconds[RANKS_NEAR],
                         m->exchange[COMM_PLANES] + m->exchange[COMM_TRANSFORM])
                  : 0;
}

farsum_status spectral_ranks_model(const struct task *task,
                                   const struct spectral *s,
                                   const struct links *links, int rank,
                                   struct ranks_model *model)
{
    farsum_status status = FARSUM_OK;
    struct counted c = {.task = task, .t = &s->parameters, .m = model};
    const struct parameters *t = c.t;
    c.comm = (struct comm){.rank = rank, .size = links->ranks};
    GO(ranks_cut_set(&c.cut, task, t, rank, links->ranks, 1, NULL));
    *model = (struct ranks_model){.links = *links,
                                  .threads = task->device ? 0 : task->threads,
                                  .mesh0 = t->mesh[0],
                                  .halo = c.cut.domain.halo};
    model->planes =
        c.cut.domain.begin[rank + 1] - c.cut.domain.begin[rank];
    model->exchanges[COMM_TALK] = 6;
    GO(model_planes(&c));
    model_transform(&c);
    model_points(&c);
    model_seconds_of(&c);
    model_exchanges(model);
done:
    ranks_cut_clear(&c.cut);
    return status;
}
