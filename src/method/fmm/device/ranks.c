/* SPDX-License-Identifier: Apache-2.0 */
/* ranks.c: states of `fmm` over ranks with a device each. */
#include "method/fmm/device/ranks.h"

#include "base/mem.h"

/* NCCL can only abort its exchanges after the graphs with them are gone. */
static void ranks_broke(struct comm_guard *guard)
{
    graph_forget(((struct fmm_gpu_ranks *)guard)->recording);
}

static void side_clear(struct fmm_gpu_side *side)
{
    gpu_route_clear(&side->route);
    points_clear(&side->given);
    buf_clear(&side->arrived);
}

void fmm_gpu_ranks_destroy(struct fmm_gpu_ranks *r)
{
    if (!r)
        return;
    if (r->comm)
        comm_guard_remove(r->comm, &r->guard);
    struct buf *all[] = {&r->x,        &r->along,      &r->given_q, &r->q,
                         &r->sums,     &r->given_sums, &r->spare,   &r->records,
                         &r->layer[0], &r->layer[1],   &r->boxes};
    gpu_ranks_lattice_destroy(r->lattice);
    side_clear(&r->source);
    side_clear(&r->target);
    gpu_ghosts_clear(&r->ghosts);
    ranks_exclusions_clear(&r->exclude);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        buf_clear(all[i]);
    if (r->jit.device)
        jit_clear(&r->jit);
    transport_destroy(r->transport);
    mem_free(r);
}

/* The maximum of fmm_gpu_ranks_groups. */
static int64_t ranks_most(const struct fmm_gpu_ranks *r)
{
    int size = r->comm->size;
    return size < FMM_RECORDS ? FMM_RECORDS / size : 1;
}

/* A rank may have all points; other thread blocks would be idle. */
int64_t fmm_gpu_ranks_groups(const struct fmm_gpu_ranks *r)
{
    int64_t n = r->source.route.n_all, m = r->target.route.n_all;
    int64_t groups = fmm_groups(n > m ? n : m, FMM_GROUP);
    int64_t most = ranks_most(r);
    return groups < most ? groups : most;
}

const struct buf *fmm_gpu_ranks_records(const struct fmm_gpu_ranks *r,
                                        int64_t *records)
{
    *records = fmm_gpu_ranks_groups(r) * r->comm->size;
    return &r->records;
}

int fmm_gpu_ranks_giver(const struct fmm_gpu_ranks *r, int64_t *number)
{
    int size = r->comm->size;
    int rank = gpu_route_giver(&r->source.route, size, number);
    return size > 1 ? rank : -1;
}

void fmm_gpu_ranks_settle(const struct fmm_gpu_ranks *r)
{
    transport_settle(r->transport);
}

static farsum_status ranks_kernels(struct fmm_gpu_ranks *r,
                                   const struct task *task)
{
    const struct {
        const char *name;
        struct kernel *kernel;
    } all[] = {
        {"ranks_place", &r->place},
        {"ranks_along", &r->along_of},
        {"ranks_layers", &r->layers},
        {"ranks_given", &r->scale},
        {"ranks_in", &r->in},
        {"ranks_sums", &r->sum},
        {"ranks_exclude", &r->exclude_of},
        {"ranks_out", &r->out},
        {"ranks_some", &r->some},
        {"ranks_near", &r->near},
    };
    jit_begin(&r->jit, task->device, "method/fmm/device/ranks.k",
              task->problem.precision);
    jit_define(&r->jit, "GROUP", "%d", FMM_GROUP);
    jit_define(&r->jit, "VIRIAL", "%d",
               (task->problem.outputs & FARSUM_VIRIAL) != 0);
    TRY(jit_build(&r->jit));
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        TRY(jit_kernel(&r->jit, all[i].name, FMM_GROUP, 0, all[i].kernel));
    return FARSUM_OK;
}

/* What this rank makes without the others. */
static farsum_status ranks_own(const struct task *task, struct fmm *s)
{
    struct fmm_gpu *g = s->gpu;
    struct fmm_gpu_ranks *r = g->ranks;
    struct fmm_gpu_side *const sides[2] = {&r->source, &r->target};
    farsum_precision type = task->problem.precision;
    TRY(ranks_kernels(r, task));
    for (int i = 0; i < 2; i++) {
        TRY(gpu_route_create(&sides[i]->route, r->comm, g->device, r->transport,
                             FMM_SUMS, type));
        TRY(points_gpu_create(g->device, &sides[i]->given.gpu));
    }
    TRY(gpu_ghosts_create(&r->ghosts, r->comm, g->device, r->transport, 1,
                          type));
    if (!s->target.gpu)
        TRY(points_gpu_create(g->device, &s->target.gpu));
    int64_t records = ranks_most(r) * r->comm->size;
    return buf_alloc(&r->records, g->device, 8 * FMM_RECORD * records);
}

farsum_status fmm_gpu_ranks_create(const struct task *task, struct fmm *s)
{
    struct fmm_gpu_ranks *r = NULL;
    struct fmm_gpu *g = s->gpu;
    farsum_status status = MEM_NEW(r, 1);
    g->ranks = r;
    TRY(comm_agree(task->comm, status));
    r->comm = task->comm;
    TRY(transport_create(r->comm, g->device, task->transport, &r->transport));
    /* called before the transport's guard, which is older */
    r->guard.broke = ranks_broke;
    r->recording = &g->recording;
    comm_guard_add(r->comm, &r->guard);
    task->report->ranks.transport = transport_name(r->transport);
    return comm_agree(r->comm, ranks_own(task, s));
}

farsum_status fmm_gpu_ranks_lattice(struct fmm *s)
{
    struct fmm_gpu_ranks *r = s->gpu->ranks;
    struct fmm_ranks *k = s->ranks;
    const struct ranks_lattice_args args = {.comm = k->comm,
                                            .begin = k->domain.begin,
                                            .halo = k->domain.halo,
                                            .grid = fmm_ranks_grid(s),
                                            .boxes = k->whole};
    fmm_gpu_forget(s->gpu);
    gpu_ranks_lattice_destroy(r->lattice);
    r->lattice = NULL;
    return gpu_ranks_lattice_create(&args, r->transport, &r->lattice);
}
