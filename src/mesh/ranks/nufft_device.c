/* SPDX-License-Identifier: Apache-2.0 */
/* nufft_device.c: NUFFTs over ranks with a device each.
 *
 * A rank that fails takes part in all exchanges until the ranks agree.  They
 * agree before they wait for a device, which may wait for other ranks. */
#include "mesh/ranks/nufft_device.h"

#include "base/mem.h"

void nufft_ranks_gpu_destroy(struct nufft_ranks_gpu *g)
{
    if (!g)
        return;
    gpu_slab_destroy(g->slab);
    rank_modes_gpu_destroy(g->modes);
    buf_clear(&g->spectra);
    buf_clear(&g->c);
    buf_clear(&g->f);
    if (g->has_watch)
        stopwatch_clear(&g->watch);
    mem_free(g);
}

/* Reals of this rank's modes of a vector. */
static int64_t modes_reals(const struct farsum_nufft *n)
{
    return 2 * n->ranks->own * n->problem.modes[1] * n->problem.modes[2];
}

static farsum_status gpu_memory(struct farsum_nufft *n)
{
    struct nufft_ranks_gpu *g = n->ranks->gpu;
    int64_t real = (int64_t)nufft_real(n);
    TRY(buf_alloc(&g->spectra, n->device,
                  2 * n->batch * n->ranks->spectrum * real));
    if (n->problem.f_memory == FARSUM_HOST)
        TRY(buf_alloc(&g->f, n->device, n->batch * modes_reals(n) * real));
    TRY(stopwatch_create(&g->watch, n->device));
    g->has_watch = 1;
    return FARSUM_OK;
}

farsum_status nufft_ranks_gpu_create(struct farsum_nufft *n,
                                     const struct rank_modes_args *modes)
{
    farsum_status status = FARSUM_OK;
    struct nufft_ranks *k = n->ranks;
    struct transport *transport = n->mesh->ranks->gpu->transport;
    int64_t *begin = NULL, *columns = NULL;
    KEEP_ON(MEM_NEW(k->gpu, 1));
    KEEP_ON(MEM_RAW(begin, k->comm->size + 1));
    KEEP_ON(MEM_RAW(columns, modes->mesh[1]));
    GO(comm_agree(k->comm, status));
    rank_modes_rows(modes, begin, columns);
    const struct gpu_slab_args slab = {
        .slab = {.comm = k->comm,
                 .begin0 = n->mesh->ranks->domain.begin,
                 .begin1 = begin,
                 .columns = columns,
                 .mesh = {modes->mesh[0], modes->mesh[1], modes->mesh[2]},
                 .ldz = modes->ldz,
                 .precision = n->problem.precision,
                 .threads = modes->threads,
                 .choose = {.name = n->choice.row->name}},
        .device = n->device,
        .transport = transport,
        .halo = n->mesh->ranks->domain.halo,
        .channels = 2 * n->batch};
    k->spectrum =
        2 * gpu_slab_lines(&slab.slab, k->comm->rank) * modes->mesh[0];
    GO(gpu_slab_create(&slab, &k->gpu->slab));
    GO(rank_modes_gpu_create(modes, n->device, transport, &k->gpu->modes));
    GO(comm_agree(k->comm, gpu_memory(n)));
done:
    mem_free(begin);
    mem_free(columns);
    return status;
}

farsum_status nufft_ranks_gpu_points(struct farsum_nufft *n)
{
    int64_t points = n->mesh->ranks->n > 0 ? n->mesh->ranks->n : 1;
    if (n->problem.c_memory == FARSUM_DEVICE)
        return FARSUM_OK;
    return gpu_buf_grow(&n->ranks->gpu->c, n->device,
                        2 * n->batch * points * (int64_t)nufft_real(n));
}

/* The batch's arrays on the device. */
struct batch {
    struct buf c, f;
    int64_t first_c, first_f; /* reals before the batch */
    char *to; /* where results go on the host; NULL: they are on the device */
    int64_t reals; /* of the results */
};

/* A caller's array of `reals` per vector: its own, or `stage`, to which the
 * batch's vectors are copied if `in`. */
static farsum_status batch_array(struct farsum_nufft *n, int v,
                                 const char *what, farsum_memory memory,
                                 void *given, int64_t reals, int in,
                                 struct buf *stage, struct buf *buf,
                                 int64_t *first)
{
    int there = memory == FARSUM_DEVICE;
    int64_t vectors = there ? n->problem.channels : n->batch;
    *first = there ? v * reals : 0;
    *buf = n->ranks->gpu->spectra; /* without numbers nothing is used */
    buf->owned = 0;
    if (reals == 0)
        return FARSUM_OK;
    const struct mesh_array array = {
        what, memory, there ? given : nufft_at(n, given, v * reals),
        vectors * reals * (int64_t)nufft_real(n)};
    return mesh_gpu_array(n->device, &array, in, stage, buf);
}

static farsum_status batch_set(struct farsum_nufft *n, int v, void *c, void *f,
                               struct batch *b)
{
    const farsum_nufft_problem *p = &n->problem;
    struct nufft_ranks_gpu *g = n->ranks->gpu;
    int one = p->type == 1;
    int64_t points = 2 * n->mesh->ranks->n, modes = modes_reals(n);
    *b = (struct batch){.reals = n->batch * (one ? modes : points)};
    if ((one ? p->f_memory : p->c_memory) == FARSUM_HOST && b->reals > 0)
        b->to = nufft_at(n, one ? f : c, v * (one ? modes : points));
    TRY(batch_array(n, v, "c", p->c_memory, c, points, one, &g->c, &b->c,
                    &b->first_c));
    return batch_array(n, v, "f", p->f_memory, f, modes, !one, &g->f, &b->f,
                       &b->first_f);
}

/* Brings the real and the imaginary parts of strengths to the points' owners,
 * or values back. */
static farsum_status batch_travel(struct farsum_nufft *n, struct batch *b,
                                  int back)
{
    farsum_status status = FARSUM_OK;
    struct farsum_mesh *m = n->mesh;
    struct mesh_ranks_gpu *g = m->ranks->gpu;
    struct gpu_sends *sends = &g->route.sends;
    struct buf *own = back ? &g->value : &g->q;
    for (int ch = 0; ch < 2 * n->batch; ch++) {
        int64_t first = b->first_c + ch / 2 * 2 * m->ranks->n + ch % 2;
        const struct gpu_values given = {&b->c, first, 2, 1};
        const struct gpu_values here = {own, ch * m->points.n, 1, 1};
        KEEP_ON(back ? gpu_sends_back(sends, 1, &here, NULL, &given)
                     : gpu_sends_there(sends, 1, &given, own, here.first));
    }
    return status;
}

/* The meshes to the modes, or back. */
static farsum_status batch_transform(struct farsum_nufft *n, struct batch *b)
{
    farsum_status status = FARSUM_OK;
    struct nufft_ranks *k = n->ranks;
    struct nufft_ranks_gpu *g = k->gpu;
    int one = n->problem.type == 1;
    const struct gpu_slab_io io = {.mesh = &n->mesh->gpu->grid,
                                   .mesh_channel = n->mesh->ranks->channel,
                                   .spectrum = &g->spectra,
                                   .spectrum_channel = k->spectrum,
                                   .channels = 2 * n->batch};
    KEEP_ON(stopwatch_start(&g->watch));
    if (one)
        KEEP_ON(gpu_slab_forward(g->slab, &io));
    for (int i = 0; i < n->batch; i++)
        KEEP_ON(rank_modes_gpu_run(g->modes, &g->spectra, 2 * i * k->spectrum,
                                   k->spectrum, &b->f,
                                   (b->first_f + i * modes_reals(n)) / 2));
    if (!one)
        KEEP_ON(gpu_slab_backward(g->slab, &io));
    KEEP_ON(stopwatch_stop(&g->watch));
    return status;
}

/* Waits for the batch, and takes its results and times. */
static farsum_status batch_finish(struct farsum_nufft *n, struct batch *b)
{
    farsum_status status = FARSUM_OK;
    double seconds = 0;
    int64_t bytes = b->reals * (int64_t)nufft_real(n);
    if (b->to)
        KEEP_ON(buf_download(n->problem.type == 1 ? &b->f : &b->c, 0, b->to,
                             bytes));
    KEEP_ON(mesh_gpu_finish(n->mesh));
    transport_settle(n->mesh->ranks->gpu->transport);
    /* a caller's queue may not support timing */
    if (status == FARSUM_OK
        && stopwatch_seconds(&n->ranks->gpu->watch, &seconds) == FARSUM_OK)
        n->seconds_fft += seconds;
    return comm_agree(n->ranks->comm, status);
}

farsum_status nufft_ranks_gpu_batch(struct farsum_nufft *n, int v, void *c,
                                    void *f)
{
    farsum_status status = FARSUM_OK;
    struct farsum_mesh *m = n->mesh;
    struct comm *comm = n->ranks->comm;
    struct batch b;
    int one = n->problem.type == 1;
    TRY(comm_agree(comm, batch_set(n, v, c, f, &b)));
    if (one) {
        KEEP_ON(batch_travel(n, &b, 0));
        KEEP_ON(mesh_ranks_gpu_spread_run(m));
    }
    KEEP_ON(batch_transform(n, &b));
    if (!one) {
        KEEP_ON(mesh_ranks_gpu_interp_run(m, &m->ranks->gpu->value, NULL));
        KEEP_ON(batch_travel(n, &b, 1));
    }
    KEEP_ON(mesh_gpu_look(m, MESH_MODES, one ? &b.f : &b.c,
                          one ? b.first_f : b.first_c, 1, b.reals, b.reals));
    m->gpu->looked = 1;
    TRY(comm_agree(comm, status));
    return batch_finish(n, &b);
}
