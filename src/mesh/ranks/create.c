/* SPDX-License-Identifier: Apache-2.0 */
/* create.c: creation of a mesh over ranks.
 *
 * Rank 0 chooses the window, and the variants for a rank with the most planes,
 * and sends them to the others.  So all ranks choose alike, also where their
 * machines or measured times differ. */
#include "mesh/ranks/mesh.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "mesh/ranks/device.h"
#include "mesh/ranks/same.h"
#include "ranks/device/name.h"
#include "tune/measured_choice.h"

enum { NAME = 48, REASON = sizeof((struct choice *)0)->reason };

/* What rank 0 has chosen; empty names: the mesh lacks the stage. */
struct chosen {
    char name[MESH_STAGES][NAME], reason[MESH_STAGES][REASON];
};

farsum_status mesh_ranks_agree(const struct farsum_mesh *m,
                               farsum_status status)
{
    if (m->ranks->comm->broken)
        FAIL(ERR_COMM, "the communication among the ranks failed in an earlier "
                       "call of this mesh or NUFFT; destroy it");
    return comm_agree(m->ranks->comm, status);
}

/* Sets the window on all ranks. */
static farsum_status ranks_window(struct farsum_mesh *m, const int64_t *modes)
{
    farsum_status status = FARSUM_OK;
    struct comm *comm = m->ranks->comm;
    if (comm->rank == 0)
        status = mesh_set_window(m, modes, 0);
    TRY(comm_agree(comm, status));
    TRY(comm_share(comm, &m->window, sizeof m->window));
    TRY(comm_share(comm, &m->estimated_error, sizeof m->estimated_error));
    /* rank 0 sent an address of its own */
    m->window.kind = window_kind_of(m->problem.window);
    return comm_agree(comm, FARSUM_OK); /* before the support decides */
}

/* The args of the stages for the slab of a rank. */
static void ranks_args(struct farsum_mesh *m, int rank)
{
    const struct domain *domain = &m->ranks->domain;
    struct interp_args *interp = &m->interp;
    mesh_args(m);
    interp->mesh[0] = domain_planes(domain, rank);
    interp->open[0] = 1;
    interp->n = m->problem.n_points / domain->size + 1;
    m->spread = planner_spread(interp);
}

/* Cuts the mesh; the cut is the same on all ranks.  Windows reach support / 2
 * planes beyond a slab; f32 may round a point onto the slab's end. */
static farsum_status ranks_cut(struct farsum_mesh *m)
{
    struct mesh_ranks *k = m->ranks;
    const farsum_mesh_problem *p = &m->problem;
    struct cell whole = m->mirror;
    int parts = p->is_complex ? 2 : 1;
    TRY(domain_create(&k->domain, k->comm->rank, k->comm->size, p->mesh[0],
                      m->window.support / 2 + 1, NULL));
    domain_cell(&k->domain, &whole, &m->mirror);
    k->plane = p->mesh[1] * p->ldz * parts;
    k->channel = domain_planes(&k->domain, k->comm->rank) * k->plane;
    return FARSUM_OK;
}

/* A rank with the most planes. */
static int ranks_thickest(const struct domain *domain)
{
    int most = 0;
    for (int r = 1; r < domain->size; r++)
        if (domain_planes(domain, r) > domain_planes(domain, most))
            most = r;
    return most;
}

/* Chooses on rank 0. */
static farsum_status ranks_first(struct farsum_mesh *m, struct chosen *chosen)
{
    ranks_args(m, ranks_thickest(&m->ranks->domain));
    TRY(mesh_choose(m, m->options.spread, m->options.interp));
    for (int stage = 0; stage < MESH_STAGES; stage++) {
        const struct choice *c = &m->choice[stage];
        if (!c->row)
            continue;
        if (strlen(c->row->name) >= NAME)
            FAIL(ERR_INTERNAL, "variant %s: its name is too long",
                 c->row->name);
        snprintf(chosen->name[stage], NAME, "%s", c->row->name);
        memcpy(chosen->reason[stage], c->reason, REASON);
    }
    return FARSUM_OK;
}

/* Chooses variants on all ranks. */
static farsum_status ranks_choose(struct farsum_mesh *m)
{
    farsum_status status = FARSUM_OK;
    struct comm *comm = m->ranks->comm;
    struct chosen chosen = {.name = {""}};
    if (comm->rank == 0)
        status = ranks_first(m, &chosen);
    TRY(comm_agree(comm, status));
    TRY(comm_share(comm, &chosen, sizeof chosen));
    ranks_args(m, comm->rank);
    status = mesh_choose(m, chosen.name[MESH_SPREAD], chosen.name[MESH_INTERP]);
    for (int stage = 0; stage < MESH_STAGES; stage++)
        memcpy(m->choice[stage].reason, chosen.reason[stage], REASON);
    return comm_agree(comm, status);
}

static farsum_status ranks_think(struct farsum_mesh *m,
                                 const farsum_mesh_problem *problem,
                                 const farsum_mesh_options *options,
                                 struct device *device, const int64_t *modes)
{
    struct comm *comm = m->ranks->comm;
    TRY(comm_agree(comm, mesh_prepare(m, problem, options, device)));
    m->threads =
        mesh_threads(m->options.threads, m->problem.n_points / comm->size + 1);
    TRY(ranks_window(m, modes));
    TRY(comm_agree(comm, ranks_cut(m)));
    return ranks_choose(m);
}

struct planes_args mesh_ranks_planes(const struct farsum_mesh *m)
{
    const struct mesh_ranks *k = m->ranks;
    return (struct planes_args){.comm = k->comm,
                                .begin = k->domain.begin,
                                .halo = k->domain.halo,
                                .plane = k->plane,
                                .channels = m->problem.channels,
                                .threads = m->threads,
                                .precision = m->problem.precision};
}

farsum_status mesh_ranks_dry(struct farsum_mesh *m,
                             const farsum_mesh_problem *problem,
                             const farsum_mesh_options *options,
                             struct device *device, const int64_t *modes)
{
    const struct comm *comm = m->ranks->comm;
    TRY(mesh_prepare(m, problem, options, device));
    m->threads =
        mesh_threads(m->options.threads, m->problem.n_points / comm->size + 1);
    TRY(mesh_set_window(m, modes, 0));
    TRY(ranks_cut(m));
    ranks_args(m, comm->rank);
    return mesh_choose(m, m->options.spread, m->options.interp);
}

/* The states, exchanges and memory. */
static farsum_status ranks_make(struct farsum_mesh *m, const char *transport,
                                int of_nufft)
{
    struct mesh_ranks *k = m->ranks;
    const farsum_mesh_problem *p = &m->problem;
    const struct planes_args planes = mesh_ranks_planes(m);
    size_t real = p->precision == FARSUM_F32 ? 4 : 8;
    if (m->device)
        return mesh_ranks_gpu_create(m, &planes, transport);
    farsum_status status =
        route_create(&k->route, k->comm, 6 * sizeof(double), m->threads);
    if (status == FARSUM_OK)
        status = mesh_states(m);
    if (status == FARSUM_OK && !of_nufft)
        status = mem_alloc(&k->grid, p->channels * k->channel, real, 1);
    TRY(comm_agree(k->comm, status));
    return planes_create(&planes, &k->planes);
}

static const struct mesh_over ranks_over = {
    mesh_ranks_agree,  mesh_ranks_points,  mesh_ranks_spread,
    mesh_ranks_interp, mesh_ranks_destroy,
};

static farsum_status ranks_new(struct comm *comm, struct farsum_mesh **mesh)
{
    TRY(MEM_NEW(*mesh, 1));
    TRY(MEM_NEW((*mesh)->ranks, 1));
    (*mesh)->ranks->comm = comm;
    (*mesh)->over = &ranks_over;
    return FARSUM_OK;
}

farsum_status mesh_ranks_create(struct comm *comm,
                                const farsum_mesh_problem *problem,
                                const farsum_mesh_options *options,
                                struct device *device, const char *transport,
                                const int64_t *modes, int of_nufft,
                                struct farsum_mesh **mesh)
{
    farsum_status status = FARSUM_OK;
    struct farsum_mesh *m = NULL;
    double start = clock_seconds();
    struct mesh_held before = mesh_held(device);
    GO(comm_agree(comm, ranks_new(comm, &m)));
    GO(ranks_think(m, problem, options, device, modes));
    GO(ranks_make(m, transport, of_nufft));
    mesh_holds(m, before);
    m->seconds_create = clock_seconds() - start;
    *mesh = m;
    m = NULL;
    /* discard the message of an attempt that was not required */
    status = status_fail(FARSUM_OK, "%s", "");
done:
    farsum_mesh_destroy(m);
    return status;
}

farsum_status mesh_ranks_device(struct comm *comm,
                                const farsum_mesh_options *options,
                                struct device **device, int *owned)
{
    farsum_mesh_options own = *options;
    char name[64];
    if (!own.on_device && !device_is_host(own.device)) {
        TRY(gpu_name_of_rank(comm, own.device, name, sizeof name));
        own.device = name;
    }
    return mesh_device(&own, device, owned);
}

farsum_status mesh_over_ranks(struct comm *comm,
                              const farsum_mesh_problem *problem,
                              const farsum_mesh_options *options,
                              const char *transport, struct farsum_mesh **mesh)
{
    farsum_mesh_problem same;
    farsum_mesh_options how;
    struct device *device = NULL;
    int owned = 0;
    TRY(mesh_ranks_same(comm, problem, options, transport, &same, &how));
    farsum_status status =
        comm_agree(comm, mesh_ranks_device(comm, &how, &device, &owned));
    if (status == FARSUM_OK)
        status = mesh_ranks_create(comm, &same, &how, device, transport, NULL,
                                   0, mesh);
    if (status == FARSUM_OK)
        (*mesh)->owns_device = owned;
    else if (owned)
        device_close(device);
    return status;
}

void mesh_ranks_destroy(struct mesh_ranks *k)
{
    if (!k)
        return;
    mesh_ranks_gpu_destroy(k->gpu);
    planes_destroy(k->planes);
    route_destroy(&k->route);
    domain_destroy(&k->domain);
    points_clear(&k->given);
    mem_free(k->grid);
    mem_free(k->value);
    mem_free(k->gradient);
    if (k->owns_comm)
        comm_destroy(k->comm);
    mem_free(k);
}

void mesh_ranks_info(const struct mesh_ranks *k, struct ranks_info *info)
{
    *info = (struct ranks_info){
        .ranks = k->comm->size,
        .rank = k->comm->rank,
        .own = k->own,
        .imbalance = k->imbalance,
        .transport = k->gpu ? transport_name(k->gpu->transport) : ""};
    memcpy(info->spent, k->comm->spent, sizeof info->spent);
}
