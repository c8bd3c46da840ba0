/* SPDX-License-Identifier: Apache-2.0 */
/* model.c: counts of a rank.  Planes, columns and modes count for themselves,
 * so that the model cannot differ from what ranks send. */
#include "mesh/ranks/model.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "cost/expected_rates.h"
#include "mesh/ranks/nufft.h"

/* Exchanges of few numbers: arguments, largest strength, agreement. */
enum { TALKS = 4 };

struct counted {
    const struct links *links;
    struct comm comm; /* rank and size only */
    struct mesh_ranks ranks;
    struct farsum_mesh mesh; /* of the rank; owns nothing but ranks.domain */
    double real;             /* bytes */
    double share;            /* the rank's part of the planes */
};

static void counted_clear(struct counted *c)
{
    domain_destroy(&c->ranks.domain);
}

/* Chooses as a rank does.  modes: of a NUFFT, else NULL. */
static farsum_status counted_set(struct counted *c,
                                 const farsum_mesh_problem *problem,
                                 const farsum_mesh_options *options,
                                 struct device *device, const int64_t *modes,
                                 const struct links *links, int rank)
{
    memset(c, 0, sizeof *c);
    c->links = links;
    c->comm = (struct comm){.rank = rank, .size = links->ranks};
    c->ranks.comm = &c->comm;
    c->mesh.ranks = &c->ranks;
    TRY(mesh_ranks_dry(&c->mesh, problem, options, device, modes));
    c->real = c->mesh.problem.precision == FARSUM_F32 ? 4 : 8;
    c->share = (double)mesh_ranks_own(&c->ranks)
               / (double)c->mesh.problem.mesh[0];
    return FARSUM_OK;
}

static void model_begin(const struct counted *c, struct ranks_model *m)
{
    const struct farsum_mesh *mesh = &c->mesh;
    *m = (struct ranks_model){.links = *c->links,
                              .threads = mesh->device ? 0 : mesh->threads,
                              .shape = {c->links->ranks, 1},
                              .mesh0 = mesh->problem.mesh[0],
                              .planes = mesh_ranks_own(&c->ranks),
                              .halo = c->ranks.domain.halo,
                              .mesh1 = mesh->problem.mesh[1],
                              .rows = mesh->problem.mesh[1]};
    m->points = (double)mesh->problem.n_points * c->share;
    m->mesh =
        c->real * mesh->problem.channels * (double)c->ranks.channel;
    m->exchanges[COMM_TALK] = TALKS;
}

/* Strengths to owners, or values back: bytes per point, in so many messages. */
static void model_route(const struct counted *c, int back, double bytes,
                        double messages, struct ranks_model *m)
{
    double n = (double)c->mesh.problem.n_points, ranks = c->links->ranks;
    m->bytes[COMM_ROUTE] = bytes
                           * (back ? n * c->share * (1 - 1 / ranks)
                                   : n / ranks * (1 - c->share));
    m->exchanges[COMM_ROUTE] = messages;
}

static void model_order(const struct counted *c, double bytes,
                        struct ranks_model *m)
{
    const struct farsum_mesh *mesh = &c->mesh;
    if (!mesh->device)
        return;
    int k = m->stages++;
    m->stage[k] = "order";
    m->alone[k] = 0;
    m->seconds[k] = ranks_model_order(mesh->device, mesh->problem.precision,
                                      bytes * m->points);
}

/* Halo planes: added after a spread, filled before an interp. */
static farsum_status model_planes(const struct counted *c, int back,
                                  struct ranks_model *m)
{
    const struct farsum_mesh *mesh = &c->mesh;
    int64_t sent[2], stored;
    const struct planes_args args = mesh_ranks_planes(mesh);
    TRY(planes_sent(&args, sent, &stored));
    double plane = c->real * (double)args.plane * args.channels;
    m->bytes[COMM_PLANES] = plane * (double)sent[back];
    m->exchanges[COMM_PLANES] = 1;
    m->buffers += plane * (double)stored;
    return FARSUM_OK;
}

/* Seconds of a mesh's stage, without a share of set_points, and without kept
 * times. */
static double stage_seconds(const struct farsum_mesh *mesh, int which)
{
    struct spread_args spread = mesh->spread;
    struct interp_args interp = mesh->interp;
    spread.repeats = interp.repeats = 1e9;
    return mesh->choice[which].row->variant->cost(
        which == MESH_SPREAD ? (void *)&spread : (void *)&interp);
}

/* The mesh's stage, in one process and on the rank. */
static void model_stage(const struct farsum_mesh *alone,
                        const struct farsum_mesh *rank, int which,
                        struct ranks_model *m)
{
    int k = m->stages++;
    m->stage[k] = rank->choice[which].stage->name;
    m->alone[k] = stage_seconds(alone, which);
    m->seconds[k] = m->planes > 0 ? stage_seconds(rank, which) : 0;
}

farsum_status mesh_ranks_model(const farsum_mesh_problem *problem,
                               const farsum_mesh_options *options,
                               struct device *device, const struct links *links,
                               int rank, struct ranks_model model[2])
{
    farsum_status status = FARSUM_OK;
    struct farsum_mesh *alone = NULL;
    struct counted *c = NULL;
    GO(MEM_NEW(c, 1));
    GO(MEM_NEW(alone, 1));
    GO(mesh_think(alone, problem, options, device, NULL, 1));
    GO(counted_set(c, problem, options, device, NULL, links, rank));
    const farsum_mesh_problem *p = &c->mesh.problem;
    double each = c->real * p->channels * c->mesh.interp.parts;
    for (int back = 0; back < 2; back++) {
        struct ranks_model *m = &model[back];
        int stage = back ? MESH_INTERP : MESH_SPREAD;
        model_begin(c, m);
        if (!c->mesh.choice[stage].row)
            continue;
        model_stage(alone, &c->mesh, stage, m);
        model_order(c, each, m);
        model_route(c, back, each, device ? 1 : p->channels, m);
        GO(model_planes(c, back, m));
        ranks_model_exchanges(m);
    }
done:
    if (c)
        counted_clear(c);
    mem_free(c);
    mem_free(alone);
    return status;
}

/* The transforms' columns and modes, for one vector; *columns: of the rank. */
static farsum_status nufft_exchanges(const struct counted *c,
                                     const struct farsum_nufft *n,
                                     struct ranks_model *m, int64_t *columns)
{
    farsum_status status = FARSUM_OK;
    int64_t *begin = NULL, *kept = NULL, sent[2], modes_sent;
    int back = n->problem.type == 2;
    struct rank_modes_args modes = {.comm = c->ranks.comm,
                                    .type = n->problem.type,
                                    .sign = n->problem.sign,
                                    .ldz = c->mesh.problem.ldz,
                                    .size = 2 * (int64_t)c->real};
    memcpy(modes.modes, n->problem.modes, sizeof modes.modes);
    memcpy(modes.mesh, c->mesh.problem.mesh, sizeof modes.mesh);
    GO(MEM_RAW(begin, c->comm.size + 1));
    GO(MEM_RAW(kept, modes.mesh[1]));
    rank_modes_rows(&modes, begin, kept);
    const struct slab_args slab = {
        .comm = c->ranks.comm,
        .begin0 = c->ranks.domain.begin,
        .begin1 = begin,
        .columns = kept,
        .mesh = {modes.mesh[0], modes.mesh[1], modes.mesh[2]},
        .ldz = modes.ldz,
        .kept_rows = 1,
        .precision = n->problem.precision};
    slab_sent(&slab, sent, columns);
    GO(rank_modes_sent(&modes, &modes_sent));
    m->bytes[COMM_TRANSFORM] =
        n->problem.channels * (2 * (double)sent[back] + (double)modes_sent);
    m->exchanges[COMM_TRANSFORM] = n->problem.channels * 3;
    m->spectrum = 2 * c->real * (double)rank_modes_used(&modes)
                  * (double)modes.mesh[0] * (double)modes.ldz;
done:
    mem_free(begin);
    mem_free(kept);
    return status;
}

/* Transforms of the whole mesh in one process; on a rank two thirds of each for
 * its planes, and a third for its columns, which a device copies four times. */
static void nufft_transforms(const struct counted *c,
                             const struct farsum_nufft *alone,
                             const struct farsum_nufft *n, int alone_channels,
                             int64_t columns, struct ranks_model *m)
{
    int k = m->stages++;
    const int64_t *mesh = c->mesh.problem.mesh;
    double half = (double)(mesh[2] / 2 + 1);
    double part = (double)columns / ((double)mesh[1] * half);
    double times = 2 * n->problem.channels;
    double bytes = 2 * c->real * (double)columns * (double)mesh[0];
    m->stage[k] = "transform";
    m->alone[k] = (double)n->problem.channels / alone->batch * alone_channels
                  * alone->choice.cost;
    m->seconds[k] = times * n->choice.cost * (2 * c->share + part) / 3;
    if (c->mesh.device && c->links->ranks > 1)
        m->seconds[k] +=
            times * 4 * bytes
            / gpu_rates(c->mesh.device, c->mesh.problem.precision).bytes;
}

/* Chooses the mesh, in one process or as rank 0 does. */
static farsum_status nufft_think(struct farsum_nufft *n,
                                 const farsum_nufft_problem *problem,
                                 const farsum_mesh_options *options,
                                 struct device *device, int ranks,
                                 farsum_mesh_problem *mesh)
{
    memset(n, 0, sizeof *n);
    TRY(nufft_check(problem, &n->problem));
    TRY(mesh_options_check(options, &n->options));
    n->device = device;
    n->over = ranks > 0 ? &nufft_over_ranks : NULL;
    if (ranks > 0)
        n->options.threads =
            mesh_threads(n->options.threads, n->problem.n_points / ranks + 1);
    return nufft_tune(n, mesh);
}

farsum_status nufft_ranks_model(const farsum_nufft_problem *problem,
                                const farsum_mesh_options *options,
                                struct device *device,
                                const struct links *links, int rank,
                                struct ranks_model *m)
{
    farsum_status status = FARSUM_OK;
    farsum_mesh_problem p, one;
    struct farsum_nufft n, alone;
    struct farsum_mesh *mesh = NULL;
    struct counted *c = NULL;
    int64_t columns;
    GO(MEM_NEW(c, 1));
    GO(MEM_NEW(mesh, 1));
    GO(nufft_think(&alone, problem, options, device, 0, &one));
    GO(mesh_think(mesh, &one, &alone.options, device, alone.problem.modes, 1));
    GO(nufft_think(&n, problem, options, device, links->ranks, &p));
    GO(counted_set(c, &p, &n.options, device, n.problem.modes, links, rank));
    int back = n.problem.type == 2, stage = back ? MESH_INTERP : MESH_SPREAD;
    double batches = (double)n.problem.channels / n.batch;
    model_begin(c, m);
    model_stage(mesh, &c->mesh, stage, m);
    m->alone[0] *= (double)n.problem.channels / alone.batch;
    m->seconds[0] *= batches;
    model_order(c, 2 * c->real * n.problem.channels, m);
    model_route(c, back, 2 * c->real * n.problem.channels,
                device ? batches : n.problem.channels, m);
    GO(model_planes(c, back, m));
    m->bytes[COMM_PLANES] *= batches;
    m->exchanges[COMM_PLANES] *= batches;
    GO(nufft_exchanges(c, &n, m, &columns));
    nufft_transforms(c, &alone, &n, one.channels, columns, m);
    ranks_model_exchanges(m);
done:
    if (c)
        counted_clear(c);
    mem_free(c);
    mem_free(mesh);
    return status;
}
