/* SPDX-License-Identifier: Apache-2.0 */
/* ranks_model.c: counts of a rank.  The parts of a sum count for themselves
 * (planes_sent, pencil_sent), so that the model cannot differ from them. */
#include "method/spectral/ranks_model.h"

#include <math.h>

#include "base/arrays.h"
#include "base/mem.h"
#include "cost/expected_rates.h"
#include "method/spectral/each/each.h"
#include "method/spectral/ranks.h"

/* What the counts read. */
struct counted {
    const struct task *task;
    const struct parameters *t;
    struct ranks_cut cut;
    struct comm comm; /* rank and size only */
    /* Along each axis: halo planes that other ranks need of this one, and all,
     * with images that it needs itself */
    int64_t fill[2], images[2];
    double halo[2], columns_sent[2]; /* bytes of halos along each axis; of the
                                        transform's exchanges */
    int64_t columns, stored;
    struct ranks_model *m;
};

/* Outputs that need the way back from the mesh. */
static int model_back(const struct task *task)
{
    return (task->problem.outputs
            & (FARSUM_POTENTIAL | FARSUM_FIELD | FARSUM_VELOCITY
               | FARSUM_GRADIENT))
           != 0;
}

/* Meshes that come back one after another, besides those of the values. */
static int model_each(const struct task *task)
{
    return task->problem.outputs & FARSUM_PARTICLE_VIRIAL ? EACH_COMPONENTS : 0;
}

/* Halos along an axis. */
static farsum_status model_axis(struct counted *c, int d)
{
    const struct pair *pair = &c->task->pair;
    const struct domain *axis = domain_axis(&c->cut.domain, d);
    int64_t sent[2], stored;
    int values = model_back(c->task) ? pair->values : 0;
    int each = model_each(c->task);
    const struct planes_args args =
        d == 0 ? ranks_cut_planes(&c->cut, c->task, c->t, &c->comm)
               : ranks_cut_rows(&c->cut, c->task, c->t, &c->comm);
    TRY(planes_sent(&args, sent, &stored));
    double plane = (double)(args.plane * (args.step ? args.blocks : 1)
                            * array_size(c->task->problem.precision));
    int empty = axis->begin[axis->rank] == axis->begin[axis->rank + 1];
    c->fill[d] = sent[1];
    c->images[d] = stored - (empty ? 0 : 2 * axis->halo);
    c->halo[d] = plane
                 * ((double)sent[0] * pair->channels
                    + (double)sent[1] * (values + each));
    c->m->bytes[COMM_PLANES] += c->halo[d];
    c->m->exchanges[COMM_PLANES] += (values > 0 ? 2 : 1) + each;
    c->m->buffers += plane * (double)stored * pair->channels;
    return FARSUM_OK;
}

static farsum_status model_planes(struct counted *c)
{
    const struct pair *pair = &c->task->pair;
    double real = (double)array_size(c->task->problem.precision);
    for (int d = 0; d < 2 && domain_axis(&c->cut.domain, d); d++)
        TRY(model_axis(c, d));
    c->m->mesh =
        real * pair->channels * (double)ranks_cut_channel(&c->cut, c->t);
    return FARSUM_OK;
}

static void model_transform(struct counted *c)
{
    const struct pair *pair = &c->task->pair;
    const struct parameters *t = c->t;
    int64_t sent[2][2];
    const struct pencil_args args =
        ranks_cut_pencil(&c->cut, c->task, t, &c->comm);
    pencil_sent(&args, sent, &c->columns, &c->stored);
    int values = model_back(c->task) ? pair->values + model_each(c->task) : 0;
    for (int k = 0; k < 2; k++) {
        c->columns_sent[k] =
            (double)sent[k][0] * pair->channels + (double)sent[k][1] * values;
        c->m->bytes[COMM_TRANSFORM] += c->columns_sent[k];
        c->m->buffers += (double)(sent[k][0] + sent[k][1]);
    }
    c->m->buffers += (double)c->stored;
    int exchanges = c->cut.domain.across ? 2 : 1;
    c->m->exchanges[COMM_TRANSFORM] = exchanges * (pair->channels + values);
    c->m->spectrum = (double)(pair->channels * ranks_cut_spectrum(&c->cut, t)
                              * array_size(c->task->problem.precision));
}

/* The part of the points that the rank owns. */
static double model_share(const struct ranks_model *m)
{
    return (double)m->planes / (double)m->mesh0 * (double)m->rows
           / (double)m->mesh1;
}

static void model_points(struct counted *c)
{
    const farsum_problem *p = &c->task->problem;
    const struct pair *pair = &c->task->pair;
    struct ranks_model *m = c->m;
    double given = (double)array_size(p->arrays), size = m->links.ranks;
    double n = (double)p->n_sources;
    double share = model_share(m);
    double to = p->n_targets > 0 ? (double)p->n_targets : n;
    int arrays, results = ranks_model_results(c->task, &arrays);
    double cell = n / ((double)m->mesh0 * (double)m->mesh1);
    double planes = (double)m->planes, rows = (double)m->rows;
    double others =
        (planes + 2 * (double)m->halo) * (rows + 2 * (double)m->row_halo)
        - planes * rows;
    /* own planes and rows as all ranks see them, less what this one needs */
    double images =
        (planes + (double)c->images[0]) * (rows + (double)c->images[1]);
    images -= (planes + (double)(c->images[0] - c->fill[0]))
              * (rows + (double)(c->images[1] - c->fill[1]));
    m->points = n * share;
    m->ghosts = share > 0 ? cell * others : 0;
    m->bytes[COMM_ROUTE] = given
                           * (n / size * (1 - share) * pair->strengths
                              + to * share * (1 - 1 / size) * results);
    m->exchanges[COMM_ROUTE] = 1 + arrays;
    m->bytes[COMM_GHOSTS] =
        cell * images * pair->strengths * (double)array_size(c->task->pairs);
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
 * each of the two ranks, for targets within the cutoff of the parts' ends.  A
 * device sums both in one run.  thick: of the parts in cutoffs. */
static double near_cost(const struct counted *c, const struct near_args *args,
                        const double thick[2])
{
    struct near_args own = *args, ghosts = *args;
    double inside = own_pairs(thick[0]) * own_pairs(thick[1]);
    double targets =
        1 - (1 - fmin(2 / thick[0], 1)) * (1 - fmin(2 / thick[1], 1));
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

/* Leaves the share of set_points out of the variants' costs. */
static void model_run_only(union stage_args args[STAGE_COUNT])
{
    args[STAGE_NEAR].near.repeats = args[STAGE_SPREAD].spread.repeats =
        args[STAGE_INTERP].interp.repeats = 1e9;
}

/* Bytes of the points that the rank gives, owns and receives as ghosts.  Hosts
 * also store what a point sends, 48 bytes and an index, and the results of own
 * points as the caller gets them. */
static double points_held(const struct counted *c)
{
    const struct task *task = c->task;
    const struct pair *pair = &task->pair;
    const farsum_problem *p = &task->problem;
    const struct ranks_model *m = c->m;
    double to = (double)p->n_targets * model_share(m);
    double real = (double)array_size(p->precision);
    double arrays = (double)array_size(p->arrays);
    double given = 24, ghost = 24 + 24 + 8 + real * pair->strengths;
    double own =
        (double)parameters_points(task, (int64_t)m->points, (int64_t)to);
    if (task->device) {
        given += 8;
    } else {
        given += 48 + 8;
        ghost += 24 + 48 + 8;
        own += arrays * m->points * pair->strengths
               + (to > 0 ? to : m->points)
                     * (arrays * (pair->values + 3) + real * pair->values);
        if (model_each(task) > 0) /* on the host: each/each.c */
            own += m->points * (9 * arrays + 4 * real + 72 + 16);
    }
    return own + ghost * m->ghosts
           + given * (double)(p->n_sources + p->n_targets) / m->links.ranks;
}

/* Bytes of the planes and points of this rank, and of the stages that have
 * states: on hosts near pairs with ghosts have their own. */
static void model_held(struct counted *c,
                       const union stage_args own[STAGE_COUNT])
{
    static const int stages[] = {STAGE_NEAR, STAGE_SPREAD, STAGE_SCALE,
                                 STAGE_INTERP};
    struct ranks_model *m = c->m;
    struct near_args near = own[STAGE_NEAR].near;
    m->held = m->mesh + m->spectrum + m->buffers + points_held(c);
    if (model_each(c->task) > 0 && !c->task->device)
        m->held +=
            m->spectrum
            + 8 * m->spectrum / (double)array_size(c->task->problem.precision);
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
        const struct variant *v = c->t->choice[stages[i]].row->variant;
        if (v->bytes)
            m->held += (double)v->bytes(&own[stages[i]]);
        if (v->bytes && stages[i] == STAGE_NEAR && !c->task->device) {
            near.n_sources = (int64_t)m->ghosts;
            m->held += (double)v->bytes(&near);
        }
    }
}

/* Seconds of each stage.  Costs of near, spread and interp are those of the
 * variants for the rank's own args.  Each axis has a third of a transform. */
static void model_seconds_of(struct counted *c)
{
    union stage_args whole[STAGE_COUNT], own[STAGE_COUNT];
    struct ranks_model *m = c->m;
    const struct parameters *t = c->t;
    static const int stages[RANKS_SPECTRAL] = {
        STAGE_NEAR, STAGE_SPREAD, STAGE_FFT, STAGE_SCALE, STAGE_INTERP};
    int back = model_back(c->task);
    double half = (double)(t->mesh[2] / 2 + 1), share[RANKS_SPECTRAL];
    double slab = (double)m->planes / (double)m->mesh0;
    double thick[2] = {fmax(slab, 1e-9) * t->cell.height[0], INFINITY};
    double modes = half;
    const struct domain *across = c->cut.domain.across;
    if (across) {
        thick[1] =
            fmax((double)m->rows / (double)m->mesh1, 1e-9) * t->cell.height[1];
        modes = (double)(c->cut.begin2[across->rank + 1]
                         - c->cut.begin2[across->rank]);
    }
    parameters_args(t, c->task, whole);
    ranks_cut_args(&c->cut, c->task, t, own);
    model_held(c, own);
    model_run_only(whole);
    model_run_only(own);
    share[RANKS_NEAR] = near_cost(c, &own[STAGE_NEAR].near, thick)
                        / stage_cost(c, STAGE_NEAR, &whole[STAGE_NEAR]);
    share[RANKS_SPREAD] = stage_cost(c, STAGE_SPREAD, &own[STAGE_SPREAD])
                          / stage_cost(c, STAGE_SPREAD, &whole[STAGE_SPREAD]);
    share[RANKS_INTERP] = stage_cost(c, STAGE_INTERP, &own[STAGE_INTERP])
                          / stage_cost(c, STAGE_INTERP, &whole[STAGE_INTERP]);
    share[RANKS_TRANSFORM] =
        model_share(m) / 3 + slab * modes / half / 3
        + (double)c->columns / ((double)t->mesh[1] * half) / 3;
    share[RANKS_SCALE] =
        (double)c->cut.rows / (double)t->mesh[1] * modes / half;
    for (int k = 0; k < RANKS_SPECTRAL; k++) {
        const struct choice *choice = &t->choice[stages[k]];
        double times =
            k == RANKS_TRANSFORM
                ? c->task->pair.channels
                      + (back ? c->task->pair.values + model_each(c->task) : 0)
            : k == RANKS_INTERP ? back + model_each(c->task)
                                : 1;
        double cost = choice->measured
                          ? choice->cost
                          : stage_cost(c, stages[k], &whole[stages[k]])
                                * c->task->machine.factor[stages[k]];
        m->alone[k] = times * cost;
        m->seconds[k] =
            model_share(m) > 0 || k == RANKS_TRANSFORM || k == RANKS_SCALE
                ? share[k] * m->alone[k]
                : 0;
        if (k == RANKS_TRANSFORM)
            m->seconds[k] += times * columns_cost(c);
    }
    if (c->task->device) {
        m->stage[m->stages] = "ends";
        m->seconds[m->stages++] = ranks_model_ends(c->task, m->points);
    }
}

/* Seconds of exchanges along both axes with neighbours.  part: of the bytes
 * along axis 0. */
static double model_beside(const struct counted *c, double exchanges,
                           const double bytes[2])
{
    const struct ranks_model *m = c->m;
    const int64_t halo[2] = {m->halo, m->row_halo};
    const int64_t planes[2] = {m->planes, m->rows};
    const int step[2] = {m->shape[1], 1};
    double seconds = 0;
    for (int d = 0; d < 2; d++) {
        int size = m->shape[d];
        double reach = fmin(ceil((double)halo[d] / fmax((double)planes[d], 1)),
                            fmax(size - 1, 1));
        seconds += links_group_neighbours(&m->links, exchanges, bytes[d], reach,
                                          size, step[d]);
    }
    return seconds;
}

/* Near pairs begin with the halo's exchange. */
static void model_exchanges(struct counted *c)
{
    struct ranks_model *m = c->m;
    const struct links *l = &m->links;
    int pencils = c->cut.domain.across != NULL, p1 = m->shape[0];
    double *seconds = m->exchange, *n = m->exchanges, *bytes = m->bytes;
    double rows = (double)m->row_halo * (double)m->planes;
    double planes = (double)m->halo * (double)m->rows;
    double along = pencils ? planes / fmax(planes + rows, 1) : 1;
    const double ghosts[2] = {bytes[COMM_GHOSTS] * along,
                              bytes[COMM_GHOSTS] * (1 - along)};
    seconds[COMM_TALK] = links_talk(l, n[COMM_TALK]);
    seconds[COMM_ROUTE] = links_all(l, n[COMM_ROUTE], bytes[COMM_ROUTE]);
    seconds[COMM_GHOSTS] = model_beside(c, n[COMM_GHOSTS], ghosts);
    seconds[COMM_PLANES] =
        model_beside(c, n[COMM_PLANES] / (pencils + 1), c->halo);
    double each = n[COMM_TRANSFORM] / (pencils + 1);
    seconds[COMM_TRANSFORM] =
        links_group_all(l, each, c->columns_sent[1], p1, m->shape[1])
        + links_group_all(l, each, c->columns_sent[0], m->shape[1], 1);
    m->hidden = l->beside ? fmin(m->seconds[RANKS_NEAR],
                                 seconds[COMM_PLANES] + seconds[COMM_TRANSFORM])
                          : 0;
}

int ranks_model_fullest(const int64_t mesh[3], const int shape[2])
{
    int part[2];
    for (int d = 0; d < 2; d++) {
        int64_t size = shape[d], most = (mesh[d] + size - 1) / size;
        int r = 0;
        while (mesh[d] * (r + 1) / size - mesh[d] * r / size < most)
            r++;
        part[d] = r;
    }
    return part[0] * shape[1] + part[1];
}

farsum_status spectral_ranks_model(const struct task *task,
                                   const struct spectral *s,
                                   const struct links *links,
                                   const int shape[2], int rank,
                                   struct ranks_model *model)
{
    farsum_status status = FARSUM_OK;
    struct counted c = {.task = task, .t = &s->parameters, .m = model};
    const struct parameters *t = c.t;
    c.comm = (struct comm){.rank = rank, .size = links->ranks};
    GO(ranks_cut_set(&c.cut, task, t, rank, shape, 1, NULL));
    const struct domain *axis = &c.cut.domain, *across = axis->across;
    *model = (struct ranks_model){
        .links = *links,
        .threads = task->device ? 0 : task->threads,
        .shape = {shape[0], shape[1]},
        .mesh0 = t->mesh[0],
        .halo = axis->halo,
        .mesh1 = t->mesh[1],
        .rows = t->mesh[1],
        .stages = RANKS_SPECTRAL,
        .stage = {"near", "spread", "transform", "scale", "interp"}};
    model->planes = axis->begin[axis->rank + 1] - axis->begin[axis->rank];
    if (across) {
        model->rows =
            across->begin[across->rank + 1] - across->begin[across->rank];
        model->row_halo = across->halo;
    }
    model->exchanges[COMM_TALK] = 6;
    GO(model_planes(&c));
    model_transform(&c);
    model_points(&c);
    model_seconds_of(&c);
    model_exchanges(&c);
done:
    ranks_cut_clear(&c.cut);
    return status;
}
