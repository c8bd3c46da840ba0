/* SPDX-License-Identifier: Apache-2.0 */
/* device_ranks.c: states of `spectral` over ranks with a device each. */
#include "method/spectral/device_ranks.h"

#include <string.h>

#include "base/arrays.h"
#include "base/mem.h"

enum { GROUP = 256 };

static void mesh_clear(struct gpu_ranks_mesh *mesh)
{
    gpu_planes_destroy(mesh->planes);
    gpu_slab_destroy(mesh->slab);
    ranks_balance_clear(&mesh->balance);
    ranks_cut_clear(&mesh->cut);
    buf_clear(&mesh->bins);
    buf_clear(&mesh->mesh);
    buf_clear(&mesh->spectrum);
    memset(mesh, 0, sizeof *mesh);
}

/* NCCL can only abort its exchanges after the graphs with them are gone. */
static void ranks_broke(struct comm_guard *guard)
{
    graph_forget(((struct gpu_ranks *)guard)->recording);
}

void gpu_ranks_destroy(struct gpu_ranks *r)
{
    if (!r)
        return;
    if (r->comm)
        comm_guard_remove(r->comm, &r->guard);
    struct buf *all[] = {&r->arrived,
                         &r->target_arrived,
                         &r->x,
                         &r->y,
                         &r->q,
                         &r->channel,
                         &r->potential,
                         &r->field,
                         &r->near_potential,
                         &r->near_field,
                         &r->gradient,
                         &r->near_gradient,
                         &r->near_energy,
                         &r->near_virial,
                         &r->records,
                         &r->part,
                         &r->parts,
                         &r->spare};
    mesh_clear(&r->mesh);
    gpu_route_clear(&r->route);
    gpu_route_clear(&r->target_route);
    gpu_ghosts_clear(&r->ghosts);
    ranks_exclusions_clear(&r->exclude);
    points_clear(&r->given);
    points_clear(&r->all);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        buf_clear(all[i]);
    if (r->jit.device)
        jit_clear(&r->jit);
    transport_destroy(r->transport);
    mem_free(r);
}

static farsum_status ranks_kernels(struct gpu_ranks *r, struct device *device)
{
    jit_begin(&r->jit, device, "method/spectral/device_ranks.k", FARSUM_F64);
    jit_define(&r->jit, "GROUP", "%d", GROUP);
    TRY(jit_build(&r->jit));
    TRY(jit_kernel(&r->jit, "ranks_part", GROUP, 0, &r->part_of));
    TRY(jit_kernel(&r->jit, "ranks_total", GROUP, 0, &r->total));
    return jit_kernel(&r->jit, "ranks_bins", GROUP, 0, &r->bins);
}

/* The maximum of a rank's records, so that all ranks have as many as one
 * process. */
static int64_t ranks_most(const struct gpu_ranks *r)
{
    int size = r->comm->size;
    return size < SUM_RECORDS ? SUM_RECORDS / size : 1;
}

/* A rank may give all points; other records would be empty. */
static int64_t ranks_share(const struct gpu_ranks *r,
                           const struct kernel *kernel)
{
    int64_t n = r->route.n_all, m = r->target_route.n_all;
    int64_t groups = kernel_groups(kernel, n > m ? n : m);
    int64_t most = ranks_most(r);
    return groups < most ? groups : most;
}

int64_t gpu_given_records(const struct spectral_gpu *g,
                          const struct kernel *kernel, int64_t n)
{
    return g->ranks ? ranks_share(g->ranks, kernel)
                    : gpu_records(kernel, n);
}

const struct buf *gpu_all_record(const struct spectral_gpu *g)
{
    return g->ranks ? &g->ranks->records : &g->record;
}

int64_t gpu_all_records(const struct spectral_gpu *g, int64_t groups)
{
    return g->ranks ? groups * g->ranks->comm->size : groups;
}

farsum_status gpu_records_gather(struct spectral_gpu *g,
                                 const struct task *task, int64_t groups)
{
    int words = task->pair.kind->moments    ? SUM_RECORD_MOMENTS
                : task->pair.kind->gradient ? SUM_RECORD_SCALAR
                                            : SUM_RECORD;
    return g->ranks ? transport_gather(g->ranks->transport, &g->record,
                                       &g->ranks->records, 8 * words * groups)
                    : FARSUM_OK;
}

/* What this rank makes without the others. */
static farsum_status ranks_own(const struct task *task, struct gpu_ranks *r)
{
    struct device *device = task->device;
    const struct pair *pair = &task->pair;
    farsum_precision type = task->problem.precision;
    int numbers =
        pair->strengths > pair->channels ? pair->strengths : pair->channels;
    int results = pair->kind->moments ? 6 : pair->values > 3 ? pair->values : 3;
    int64_t size = r->comm->size;
    numbers = numbers > results ? numbers : results;
    TRY(ranks_kernels(r, device));
    TRY(gpu_route_create(&r->route, r->comm, device, r->transport, numbers,
                         type));
    TRY(gpu_route_create(&r->target_route, r->comm, device, r->transport,
                         results, type));
    TRY(gpu_ghosts_create(&r->ghosts, r->comm, device, r->transport,
                          pair->strengths, type));
    TRY(points_gpu_create(device, &r->given.gpu));
    TRY(points_gpu_create(device, &r->all.gpu));
    TRY(buf_alloc(&r->near_energy, device, 8));
    TRY(buf_alloc(&r->near_virial, device, 72));
    TRY(buf_alloc(&r->part, device, 80));
    TRY(buf_alloc(&r->parts, device, 80 * size));
    int64_t bytes = 8 * SUM_RECORD * ranks_most(r);
    return buf_alloc(&r->records, device, size * bytes);
}

/* The states that depend on the cut, and the mesh. */
static farsum_status mesh_states(const struct task *task,
                                 const struct parameters *t,
                                 struct gpu_ranks_mesh *mesh,
                                 struct near_lists *lists,
                                 void *states[STAGE_COUNT])
{
    static const int stages[] = {STAGE_NEAR, STAGE_SPREAD, STAGE_SCALE,
                                 STAGE_INTERP};
    const struct ranks_cut *cut = &mesh->cut;
    union stage_args args[STAGE_COUNT];
    int64_t real = array_size(task->problem.precision);
    int64_t planes = domain_planes(&cut->domain, cut->domain.rank);
    int64_t channels = task->pair.channels;
    TRY(buf_alloc(&mesh->mesh, task->device,
                  channels * planes * t->mesh[1] * t->ldz * real));
    TRY(buf_fill(&mesh->mesh, 0));
    TRY(buf_alloc(&mesh->bins, task->device,
                  4 * load_bins(&mesh->balance.load)));
    TRY(buf_alloc(&mesh->spectrum, task->device,
                  2 * channels * mesh->lines * t->mesh[0] * real));
    ranks_cut_args(cut, task, t, args);
    args[STAGE_NEAR].near.lists = lists;
    args[STAGE_NEAR].near.distinct = 0;
    if (args[STAGE_NEAR].near.n_targets == 0) /* ghosts are sources only */
        args[STAGE_NEAR].near.n_targets = args[STAGE_NEAR].near.n_sources;
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++) {
        int k = stages[i];
        if (k == STAGE_SCALE && mesh->lines == 0)
            continue;
        TRY(t->choice[k].row->variant->create(&args[k], &states[k]));
    }
    return FARSUM_OK;
}

static void states_clear(const struct parameters *t, void *states[STAGE_COUNT])
{
    for (int k = 0; k < STAGE_COUNT; k++) {
        if (states[k])
            t->choice[k].row->variant->destroy(states[k]);
        states[k] = NULL;
    }
}

/* Cuts the mesh, and makes what depends on the cut.  t must stay where it
 * is. */
static farsum_status mesh_create(const struct task *task, struct spectral *s,
                                 double slack, const int64_t *begin)
{
    struct gpu_ranks *r = s->gpu->ranks;
    struct gpu_ranks_mesh *mesh = &r->mesh;
    const struct parameters *t = &s->parameters;
    struct comm *comm = r->comm;
    const int ranks[2] = {comm->size, 1};
    TRY(comm_agree(comm, ranks_cut_set(&mesh->cut, task, t, comm->rank, ranks,
                                       slack, begin)));
    TRY(spectral_ranks_balance(&mesh->balance, task, t, &mesh->cut, comm));
    const struct planes_args planes =
        ranks_cut_planes(&mesh->cut, task, t, comm);
    const struct gpu_slab_args slab = {
        .slab = ranks_cut_slab(&mesh->cut, task, t, comm),
        .device = task->device,
        .transport = r->transport,
        .halo = mesh->cut.domain.halo,
        .channels = task->pair.channels};
    mesh->lines = gpu_slab_lines(&slab.slab, comm->rank);
    TRY(gpu_planes_create(&planes, task->device, r->transport, &mesh->planes));
    TRY(gpu_slab_create(&slab, &mesh->slab));
    TRY(comm_agree(comm, mesh_states(task, t, mesh, &s->lists, s->states)));
    ranks_cut_cell(&mesh->cut, task, t, &t->cell);
    return FARSUM_OK;
}

farsum_status gpu_ranks_create(const struct task *task, struct spectral *s)
{
    struct gpu_ranks *r = NULL;
    farsum_status status = MEM_NEW(r, 1);
    s->gpu->ranks = r;
    TRY(comm_agree(task->comm, status));
    r->comm = task->comm;
    TRY(transport_create(r->comm, task->device, task->transport,
                         &r->transport));
    /* called before the transport's guard, which is older */
    r->guard.broke = ranks_broke;
    r->recording = &s->gpu->recording;
    comm_guard_add(r->comm, &r->guard);
    task->report->ranks.transport = transport_name(r->transport);
    TRY(comm_agree(task->comm, ranks_own(task, r)));
    return mesh_create(task, s, 1, NULL);
}

/* Replaces the mesh and the states; on failure s is as before. */
static farsum_status mesh_replace(const struct task *task, struct spectral *s,
                                  double slack, const int64_t *begin)
{
    struct gpu_ranks *r = s->gpu->ranks;
    struct gpu_ranks_mesh mesh = r->mesh;
    void *states[STAGE_COUNT];
    memcpy(states, s->states, sizeof states);
    memset(s->states, 0, sizeof s->states);
    memset(&r->mesh, 0, sizeof r->mesh);
    farsum_status status = mesh_create(task, s, slack, begin);
    if (status == FARSUM_OK) {
        states_clear(&s->parameters, states);
        mesh_clear(&mesh);
        r->route.share.marked = r->target_route.share.marked = 0;
        return FARSUM_OK;
    }
    states_clear(&s->parameters, s->states);
    mesh_clear(&r->mesh);
    memcpy(s->states, states, sizeof states);
    r->mesh = mesh;
    return status;
}

farsum_status gpu_ranks_cell(const struct task *task, struct spectral *s,
                             const struct parameters *trial)
{
    struct ranks_cut *cut = &s->gpu->ranks->mesh.cut;
    struct cell cell = s->parameters.cell;
    int follows = 0;
    graph_forget(&s->gpu->recording); /* as in gpu_ranks_points */
    TRY(ranks_cut_follow(cut, task, trial, &follows));
    if (follows)
        return FARSUM_OK;
    s->parameters.cell = trial->cell;
    farsum_status status =
        mesh_replace(task, s, RANKS_SLACK, cut->domain.begin);
    if (status != FARSUM_OK)
        s->parameters.cell = cell;
    return status;
}

farsum_status gpu_ranks_recut(const struct task *task, struct spectral *s,
                              const int64_t *begin)
{
    return mesh_replace(task, s, s->gpu->ranks->mesh.cut.slack, begin);
}
