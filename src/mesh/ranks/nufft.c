/* SPDX-License-Identifier: Apache-2.0 */
/* nufft.c: NUFFTs over ranks.
 *
 * Rank 0 chooses mesh, batch and transform, and sends them to the others.  A
 * rank that fails takes part in all exchanges until the ranks agree. */
#include "mesh/ranks/nufft.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "mesh/ranks/nufft_device.h"
#include "mesh/ranks/same.h"

ISA_TABLE(struct nufft_kern, nufft)

enum { NAME = 48 };

/* What rank 0 has chosen. */
struct chosen {
    farsum_mesh_problem mesh; /* names no window */
    int batch;
    char fft[NAME];
};

/* Chooses on rank 0. */
static farsum_status first_choice(struct farsum_nufft *n, struct chosen *chosen)
{
    TRY(nufft_tune(n, &chosen->mesh));
    chosen->batch = n->batch;
    if (strlen(n->choice.row->name) >= NAME)
        FAIL(ERR_INTERNAL, "variant %s: its name is too long",
             n->choice.row->name);
    snprintf(chosen->fft, NAME, "%s", n->choice.row->name);
    return FARSUM_OK;
}

/* Chooses on all ranks. */
static farsum_status ranks_choose(struct farsum_nufft *n,
                                  farsum_mesh_problem *p)
{
    farsum_status status = FARSUM_OK;
    struct comm *comm = n->ranks->comm;
    struct chosen chosen = {.batch = 1};
    char reason[sizeof n->choice.reason];
    int64_t work = n->problem.n_points / comm->size + 1, modes = n->ranks->own;
    modes *= n->problem.modes[1] * n->problem.modes[2];
    n->options.threads =
        mesh_threads(n->options.threads, work > modes ? work : modes);
    if (comm->rank == 0)
        status = first_choice(n, &chosen);
    memcpy(reason, n->choice.reason, sizeof reason);
    TRY(comm_agree(comm, status));
    TRY(comm_share(comm, &chosen, sizeof chosen));
    TRY(comm_share(comm, reason, sizeof reason));
    *p = chosen.mesh;
    p->x_memory = n->problem.x_memory;
    n->batch = chosen.batch;
    n->fft = (struct fft_args){.precision = p->precision,
                               .threads = n->options.threads,
                               .mesh = {p->mesh[0], p->mesh[1], p->mesh[2]},
                               .ldz = p->ldz,
                               .device = n->device};
    const struct choose_options how = {.name = chosen.fft};
    status = choose(&fft_stage, &n->fft, &how, &n->choice);
    memcpy(n->choice.reason, reason, sizeof reason);
    return comm_agree(comm, status);
}

static struct rank_modes_args modes_of(const struct farsum_nufft *n)
{
    const farsum_nufft_problem *p = &n->problem;
    struct rank_modes_args args = {
        .comm = n->ranks->comm,
        .type = p->type,
        .sign = p->sign,
        .threads = n->mesh->threads,
        .ldz = n->fft.ldz,
        .size = 2 * (int64_t)nufft_real(n),
        .kern = isa_nufft[n->mesh->isa][p->precision == FARSUM_F32]};
    for (int d = 0; d < 3; d++) {
        args.modes[d] = p->modes[d];
        args.mesh[d] = n->fft.mesh[d];
        args.scale[d] = n->scale[d];
    }
    return args;
}

/* The transform and the exchange of modes, on hosts. */
static farsum_status ranks_exchanges(struct farsum_nufft *n)
{
    farsum_status status = FARSUM_OK;
    struct nufft_ranks *k = n->ranks;
    const struct rank_modes_args modes = modes_of(n);
    int64_t *begin = NULL, *columns = NULL;
    KEEP_ON(MEM_RAW(begin, k->comm->size + 1));
    KEEP_ON(MEM_RAW(columns, n->fft.mesh[1]));
    GO(comm_agree(k->comm, status));
    rank_modes_rows(&modes, begin, columns);
    const struct slab_args slab = {
        .comm = k->comm,
        .begin0 = n->mesh->ranks->domain.begin,
        .begin1 = begin,
        .columns = columns,
        .mesh = {modes.mesh[0], modes.mesh[1], modes.mesh[2]},
        .ldz = modes.ldz,
        .kept_rows = 1,
        .precision = n->problem.precision,
        .threads = modes.threads,
        .choose = {.name = n->choice.row->name}};
    GO(slab_create(&slab, &k->slab));
    GO(rank_modes_create(&modes, &k->modes));
done:
    mem_free(begin);
    mem_free(columns);
    return status;
}

/* The meshes and spectra. */
static farsum_status ranks_memory(struct farsum_nufft *n)
{
    struct nufft_ranks *k = n->ranks;
    const struct rank_modes_args modes = modes_of(n);
    n->step = nufft_step(n, n->mesh->ranks->channel);
    k->spectrum = rank_modes_used(&modes) * modes.mesh[0] * modes.ldz;
    TRY(mem_alloc(&n->grid, 2 * n->batch * n->step, nufft_real(n), 1));
    return mem_alloc(&k->spectra, 2 * k->spectrum, nufft_real(n), 1);
}

static farsum_status ranks_make(struct farsum_nufft *n, const char *transport)
{
    farsum_mesh_problem p;
    struct comm *comm = n->ranks->comm;
    TRY(ranks_choose(n, &p));
    TRY(mesh_ranks_create(comm, &p, &n->options, n->device, transport,
                          n->problem.modes, 1, &n->mesh));
    mesh_log(&n->options, &n->choice);
    TRY(comm_agree(comm, nufft_tables(n)));
    if (n->device) {
        const struct rank_modes_args modes = modes_of(n);
        TRY(nufft_ranks_gpu_create(n, &modes));
    } else {
        TRY(ranks_exchanges(n));
        TRY(comm_agree(comm, ranks_memory(n)));
    }
    n->options.device = n->options.isa = NULL;
    n->options.on_device = NULL;
    n->options.spread = n->options.interp = n->options.fft = NULL;
    return FARSUM_OK;
}

const struct nufft_over nufft_over_ranks = {
    nufft_ranks_points, nufft_ranks_execute, nufft_ranks_destroy};

static farsum_status ranks_new(struct comm *comm, struct farsum_nufft **nufft)
{
    TRY(MEM_NEW(*nufft, 1));
    TRY(MEM_NEW((*nufft)->ranks, 1));
    (*nufft)->ranks->comm = comm;
    (*nufft)->over = &nufft_over_ranks;
    return FARSUM_OK;
}

farsum_status nufft_ranks_create(struct comm *comm,
                                 const farsum_nufft_problem *problem,
                                 const farsum_mesh_options *options,
                                 const char *transport,
                                 struct farsum_nufft **nufft)
{
    farsum_status status = FARSUM_OK;
    farsum_nufft_problem same;
    farsum_mesh_options how;
    struct farsum_nufft *n = NULL;
    double start = clock_seconds();
    struct mesh_held before = mesh_held(NULL);
    TRY(nufft_ranks_same(comm, problem, options, transport, &same, &how));
    GO(comm_agree(comm, ranks_new(comm, &n)));
    n->options = how;
    GO(comm_agree(comm,
                  mesh_ranks_device(comm, &how, &n->device, &n->owns_device)));
    before.device = n->device ? n->device->bytes : 0;
    status = nufft_check(&same, &n->problem);
    KEEP_ON(nufft_places(n));
    GO(comm_agree(comm, status));
    rank_modes_own(n->problem.modes[0], comm->rank, comm->size,
                   &n->ranks->first, &n->ranks->own);
    GO(ranks_make(n, transport));
    nufft_holds(n, before, n->mesh->bytes, n->mesh->device_bytes);
    n->seconds_create = clock_seconds() - start;
    *nufft = n;
    n = NULL;
    status = status_fail(FARSUM_OK, "%s", "");
done:
    farsum_nufft_destroy(n);
    return status;
}

void nufft_ranks_destroy(struct nufft_ranks *k)
{
    if (!k)
        return;
    nufft_ranks_gpu_destroy(k->gpu);
    slab_destroy(k->slab);
    rank_modes_destroy(k->modes);
    mem_free(k->spectra);
    mem_free(k->c);
    mem_free(k);
}

farsum_status nufft_ranks_points(struct farsum_nufft *n)
{
    struct nufft_ranks *k = n->ranks;
    if (n->device)
        return nufft_ranks_gpu_points(n);
    return mem_reserve(&k->c, &k->have_c, n->batch * n->mesh->points.n,
                       2 * nufft_real(n));
}

/* Brings the batch's vectors at c to the points' owners, or back. */
static farsum_status batch_route(struct farsum_nufft *n, void *c, int back)
{
    farsum_status status = FARSUM_OK;
    struct nufft_ranks *k = n->ranks;
    struct route *route = &n->mesh->ranks->route;
    int64_t each = 2 * (int64_t)nufft_real(n);
    for (int b = 0; b < n->batch; b++) {
        char *given = route->n > 0 ? nufft_at(n, c, 2 * b * route->n) : NULL;
        char *own =
            route->n_own > 0 ? nufft_at(n, k->c, 2 * b * route->n_own) : NULL;
        KEEP_ON(back ? route_back(route, k->comm, own, each, given)
                     : route_there(route, k->comm, given, each, own));
    }
    return status;
}

/* Transforms vector b of the batch: its meshes to its modes at f (type 1), or
 * back. */
static farsum_status batch_transform(struct farsum_nufft *n, int b, void *f)
{
    farsum_status status = FARSUM_OK;
    struct nufft_ranks *k = n->ranks;
    double start = clock_seconds();
    const struct slab_io io = {
        .mesh = nufft_at(n, n->grid,
                         2 * b * n->step + mesh_ranks_skip(n->mesh->ranks)),
        .mesh_channel = n->step,
        .spectrum = k->spectra,
        .spectrum_channel = k->spectrum,
        .channels = 2};
    if (n->problem.type == 1) {
        KEEP_ON(slab_forward(k->slab, &io));
        KEEP_ON(rank_modes_run(k->modes, k->spectra, k->spectrum, f));
    } else {
        KEEP_ON(rank_modes_run(k->modes, k->spectra, k->spectrum, f));
        KEEP_ON(slab_backward(k->slab, &io));
    }
    n->seconds_fft += clock_seconds() - start;
    return status;
}

/* The modes of vector b at f, which may be NULL without modes. */
static void *batch_modes(const struct farsum_nufft *n, void *f, int b)
{
    int64_t modes = n->ranks->own * n->problem.modes[1] * n->problem.modes[2];
    return modes > 0 ? nufft_at(n, f, 2 * b * modes) : NULL;
}

static farsum_status batch_1(struct farsum_nufft *n, void *c, void *f)
{
    farsum_status status = FARSUM_OK;
    struct spread_io io = {.q = n->ranks->c,
                           .mesh = n->grid,
                           .q_channel = 1,
                           .q_point = 2,
                           .mesh_channel = n->step};
    KEEP_ON(batch_route(n, c, 0));
    if (nufft_planar(n)) {
        nufft_split(n, n->ranks->c, 1);
        io.q = n->planar;
        io.q_channel = io.q_point = 0;
    }
    KEEP_ON(mesh_ranks_spread_run(n->mesh, &io));
    for (int b = 0; b < n->batch; b++)
        KEEP_ON(batch_transform(n, b, batch_modes(n, f, b)));
    return status;
}

static farsum_status batch_2(struct farsum_nufft *n, void *c, void *f)
{
    farsum_status status = FARSUM_OK;
    const struct interp_io io = {
        .mesh = n->grid, .potential = n->planar, .mesh_channel = n->step};
    for (int b = 0; b < n->batch; b++)
        KEEP_ON(batch_transform(n, b, batch_modes(n, f, b)));
    KEEP_ON(mesh_ranks_interp_run(n->mesh, n->grid, &io));
    nufft_split(n, n->ranks->c, 0);
    KEEP_ON(batch_route(n, c, 1));
    return status;
}

static farsum_status execute_given(const struct farsum_nufft *n, const void *c,
                                   const void *f)
{
    TRY(mesh_usable(n->mesh, 0));
    if (!f && n->ranks->own > 0)
        FAIL(ERR_ARGUMENT, "f is NULL");
    if (!c && n->mesh->ranks->n > 0)
        FAIL(ERR_ARGUMENT, "c is NULL");
    return FARSUM_OK;
}

/* Checks this rank's results. */
static farsum_status execute_finite(const struct farsum_nufft *n, const void *c,
                                    const void *f)
{
    const farsum_nufft_problem *p = &n->problem;
    int one = p->type == 1;
    int64_t each =
        one ? n->ranks->own * p->modes[1] * p->modes[2] : n->mesh->ranks->n;
    if (each == 0 || n->device) /* there it was searched */
        return FARSUM_OK;
    return mesh_finite(one ? f : c, p->precision, 2 * p->channels * each,
                       n->mesh->threads, one ? "modes" : "values");
}

farsum_status nufft_ranks_execute(struct farsum_nufft *n, void *c, void *f)
{
    farsum_status status = FARSUM_OK;
    double stages[MESH_STAGES] = {0};
    int64_t points = n->mesh->ranks->n;
    TRY(mesh_ranks_agree(n->mesh, execute_given(n, c, f)));
    n->seconds_fft = 0;
    for (int v = 0; v < n->problem.channels; v += n->batch) {
        void *cv = points > 0 ? nufft_at(n, c, 2 * v * points) : NULL;
        void *fv = batch_modes(n, f, v);
        memset(n->mesh->seconds, 0, sizeof n->mesh->seconds);
        if (n->device)
            TRY(nufft_ranks_gpu_batch(n, v, c, f));
        else
            KEEP_ON(n->problem.type == 1 ? batch_1(n, cv, fv)
                                         : batch_2(n, cv, fv));
        for (int stage = 0; stage < MESH_STAGES; stage++)
            stages[stage] += n->mesh->seconds[stage];
    }
    memcpy(n->mesh->seconds, stages, sizeof stages);
    KEEP_ON(execute_finite(n, c, f));
    return comm_agree(n->ranks->comm, status);
}
