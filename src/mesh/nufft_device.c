/* SPDX-License-Identifier: Apache-2.0 */
/* nufft_device.c: execute of a NUFFT on a device, with complex meshes and
 * transforms. */
#include "mesh/nufft_device.h"

#include "base/mem.h"

enum { GROUP = 256 };

/* Must equal the struct in mesh/nufft_device.k. */
struct nufft_args {
    int64_t base, step, total;
    int32_t modes[3], mesh[3];
    int32_t batch, more;
};
_Static_assert(sizeof(struct nufft_args) == 56, "as the kernels have it");

static int64_t gpu_modes(const struct farsum_nufft *n)
{
    return n->problem.modes[0] * n->problem.modes[1] * n->problem.modes[2];
}

/* 1: strengths or values are copied through `c`, because variants expect arrays
 * at a buffer's start. */
static int gpu_staged(const struct farsum_nufft *n)
{
    return n->problem.c_memory == FARSUM_HOST || n->problem.channels > n->batch;
}

void nufft_gpu_destroy(struct farsum_nufft *n)
{
    struct nufft_gpu *g = n->gpu;
    if (!g)
        return;
    graph_clear(&g->recording);
    for (int ch = 0; g->part && ch < n->batch; ch++)
        buf_clear(&g->part[ch]);
    mem_free(g->part);
    struct buf *all[] = {&g->grid, &g->scale, &g->c, &g->f};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        buf_clear(all[i]);
    if (g->has_watch)
        stopwatch_clear(&g->watch);
    if (g->jit.device)
        jit_clear(&g->jit);
    mem_free(g);
    n->gpu = NULL;
}

static farsum_status gpu_kernels(struct farsum_nufft *n)
{
    struct nufft_gpu *g = n->gpu;
    jit_begin(&g->jit, n->device, "mesh/nufft_device.k", n->problem.precision);
    jit_define(&g->jit, "GROUP", "%d", GROUP);
    TRY(jit_build(&g->jit));
    TRY(jit_kernel(&g->jit, "nufft_collect", GROUP, 0, &g->collect));
    return jit_kernel(&g->jit, "nufft_place", GROUP, 0, &g->place);
}

static farsum_status gpu_memory(struct farsum_nufft *n)
{
    struct nufft_gpu *g = n->gpu;
    int64_t real = (int64_t)nufft_real(n), tables = 0, at = 0;
    int64_t bytes = n->step * real;
    TRY(buf_alloc(&g->grid, n->device, n->batch * bytes));
    TRY(MEM_NEW(g->part, n->batch));
    for (int ch = 0; ch < n->batch; ch++)
        TRY(buf_view(&g->part[ch], &g->grid, ch * bytes, bytes));
    for (int d = 0; d < 3; d++)
        tables += n->problem.modes[d] / 2 + 1;
    TRY(buf_alloc(&g->scale, n->device, 8 * tables));
    for (int d = 0; d < 3; d++) {
        int64_t size = 8 * (n->problem.modes[d] / 2 + 1);
        TRY(buf_upload(&g->scale, at, n->scale[d], size));
        at += size;
    }
    if (n->problem.f_memory == FARSUM_HOST)
        TRY(buf_alloc(&g->f, n->device, 2 * n->batch * gpu_modes(n) * real));
    return FARSUM_OK;
}

farsum_status nufft_gpu_create(struct farsum_nufft *n)
{
    TRY(MEM_NEW(n->gpu, 1));
    TRY(gpu_kernels(n));
    TRY(gpu_memory(n));
    TRY(stopwatch_create(&n->gpu->watch, n->device));
    n->gpu->has_watch = 1;
    return FARSUM_OK;
}

farsum_status nufft_gpu_points(struct farsum_nufft *n, int64_t points)
{
    struct nufft_gpu *g = n->gpu;
    int64_t bytes = 2 * n->batch * points * (int64_t)nufft_real(n);
    if (gpu_staged(n))
        TRY(buf_reserve(&g->c, n->device, bytes));
    return FARSUM_OK;
}

static struct nufft_args gpu_args(const struct farsum_nufft *n, int64_t base,
                                  int64_t total)
{
    struct nufft_args a = {
        .base = base, .step = n->step, .total = total, .batch = n->batch};
    for (int d = 0; d < 3; d++) {
        a.modes[d] = (int32_t)n->problem.modes[d];
        a.mesh[d] = (int32_t)n->fft.mesh[d];
    }
    return a;
}

static farsum_status gpu_transform(struct farsum_nufft *n)
{
    struct nufft_gpu *g = n->gpu;
    TRY(stopwatch_start(&g->watch));
    for (int ch = 0; ch < n->batch; ch++) {
        struct fft_io io = {.data = &g->part[ch],
                            .backward = n->problem.sign > 0};
        TRY(n->choice.row->variant->run(n->state, &io));
    }
    g->timed = 1;
    return stopwatch_stop(&g->watch);
}

/* Type 1 of a batch of vectors c; their modes start at real `base` of f. */
static farsum_status gpu_type_1(struct farsum_nufft *n, const struct buf *c,
                                const struct buf *f, int64_t base)
{
    struct nufft_gpu *g = n->gpu;
    struct nufft_args a = gpu_args(n, base, gpu_modes(n));
    struct spread_io io = {.q = c, .mesh = &g->grid, .mesh_channel = n->step};
    TRY(mesh_spread_run(n->mesh, &io));
    TRY(gpu_transform(n));
    return LAUNCH(&g->collect, kernel_groups(&g->collect, a.total),
                  ARG_BUF(&g->grid), ARG_BUF(&g->scale), ARG_BUF(f),
                  ARG_STRUCT(a));
}

static farsum_status gpu_type_2(struct farsum_nufft *n, struct buf *c,
                                const struct buf *f, int64_t base)
{
    struct nufft_gpu *g = n->gpu;
    const int64_t *mesh = n->fft.mesh;
    struct nufft_args a = gpu_args(n, base, mesh[0] * mesh[1] * mesh[2]);
    struct interp_io io = {
        .mesh = &g->grid, .potential = c, .mesh_channel = n->step};
    TRY(LAUNCH(&g->place, kernel_groups(&g->place, a.total), ARG_BUF(&g->grid),
               ARG_BUF(&g->scale), ARG_BUF(f), ARG_STRUCT(a)));
    TRY(gpu_transform(n));
    return mesh_interp_run(n->mesh, &io);
}

/* Arrays of an execute, or of one batch if an array is on the host. */
struct ends {
    struct farsum_nufft *nufft;
    struct buf c, f;     /* the caller's, or ours for host arrays */
    int first, last;     /* vectors */
    int64_t from, modes; /* of the first vector: offset in c in bytes, and in f
                            in reals */
};

/* Computes the batch that starts with vector v. */
static farsum_status gpu_batch(const struct ends *e, int v)
{
    struct farsum_nufft *n = e->nufft;
    struct nufft_gpu *g = n->gpu;
    int64_t each = 2 * n->mesh->points.n * (int64_t)nufft_real(n);
    int64_t from = e->from + (v - e->first) * each, bytes = n->batch * each;
    int64_t base = e->modes + 2 * (v - e->first) * gpu_modes(n);
    int copied =
        gpu_staged(n) && n->problem.c_memory == FARSUM_DEVICE && bytes > 0;
    struct buf c = copied ? g->c : e->c;
    if (n->problem.type == 1) {
        if (copied)
            TRY(buf_copy(&c, 0, &e->c, from, bytes));
        return gpu_type_1(n, &c, &e->f, base);
    }
    TRY(gpu_type_2(n, &c, &e->f, base));
    if (!copied)
        return FARSUM_OK;
    struct buf to = e->c;
    return buf_copy(&to, from, &c, 0, bytes);
}

static farsum_status gpu_work(void *data)
{
    const struct ends *e = data;
    struct farsum_nufft *n = e->nufft;
    const farsum_nufft_problem *p = &n->problem;
    int64_t vectors = e->last - e->first, each = 2 * gpu_modes(n);
    for (int v = e->first; v < e->last; v += n->batch)
        TRY(gpu_batch(e, v));
    if ((p->type == 1 ? p->f_memory : p->c_memory) == FARSUM_HOST)
        return FARSUM_OK;
    if (p->type == 1)
        return mesh_gpu_look(n->mesh, MESH_MODES, &e->f, e->modes, 1,
                             vectors * each, vectors * each);
    each = 2 * n->mesh->points.n;
    return mesh_gpu_look(n->mesh, MESH_MODES, &e->c,
                         e->from / (int64_t)nufft_real(n), 1, vectors * each,
                         vectors * each);
}

/* Computes vectors first to last of arrays on either side. */
static farsum_status gpu_vectors(struct farsum_nufft *n, int first, int last,
                                 char *c, char *f)
{
    struct nufft_gpu *g = n->gpu;
    const farsum_nufft_problem *p = &n->problem;
    int64_t real = (int64_t)nufft_real(n);
    int64_t each_c = 2 * n->mesh->points.n * real;
    int64_t each_f = 2 * gpu_modes(n) * real;
    int there_c = p->c_memory == FARSUM_DEVICE;
    int there_f = p->f_memory == FARSUM_DEVICE;
    /* a device array is passed whole, a host array only with these vectors */
    const struct mesh_array c_array = {
        "c", p->c_memory, there_c || !c ? c : c + first * each_c,
        (there_c ? p->channels : last - first) * each_c};
    const struct mesh_array f_array = {
        "f", p->f_memory, there_f ? f : f + first * each_f,
        (there_f ? p->channels : last - first) * each_f};
    struct ends e = {.nufft = n,
                     .first = first,
                     .last = last,
                     .from = there_c ? first * each_c : 0,
                     .modes = there_f ? 2 * first * gpu_modes(n) : 0};
    TRY(mesh_gpu_array(n->device, &f_array, p->type == 2, &g->f, &e.f));
    e.c = g->grid; /* without points nothing is read */
    if (each_c > 0)
        TRY(mesh_gpu_array(n->device, &c_array, p->type == 1, &g->c, &e.c));
    TRY(graph_run(&g->recording, n->device, gpu_work, &e));
    if (p->type == 1 ? there_f : there_c) {
        n->mesh->gpu->looked = 1;
        return FARSUM_OK;
    }
    TRY(mesh_gpu_check(n->mesh));
    if (p->type == 1)
        return buf_download(&e.f, 0, f + first * each_f, f_array.bytes);
    return buf_download(&e.c, 0, c + first * each_c, c_array.bytes);
}

/* Seconds of the last batch, times the number of batches. */
static void gpu_seconds(struct farsum_nufft *n)
{
    struct nufft_gpu *g = n->gpu;
    int stage = n->problem.type == 1 ? MESH_SPREAD : MESH_INTERP;
    double seconds = 0;
    if (!g->timed)
        return;
    n->mesh->seconds[stage] *= g->batches;
    /* a caller's queue may not support timing */
    if (stopwatch_seconds(&g->watch, &seconds) == FARSUM_OK)
        n->seconds_fft = seconds * g->batches;
    g->timed = 0;
}

farsum_status nufft_gpu_execute(struct farsum_nufft *n, void *c, void *f)
{
    const farsum_nufft_problem *p = &n->problem;
    n->gpu->batches = p->channels / n->batch;
    /* the copies of host arrays hold one batch */
    int here = p->c_memory == FARSUM_HOST || p->f_memory == FARSUM_HOST;
    int step = here ? n->batch : p->channels;
    for (int v = 0; v < p->channels; v += step)
        TRY(gpu_vectors(n, v, v + step, c, f));
    if (p->type == 1 ? p->f_memory == FARSUM_DEVICE
                     : p->c_memory == FARSUM_DEVICE)
        return FARSUM_OK;
    return nufft_gpu_finish(n);
}

farsum_status nufft_gpu_finish(struct farsum_nufft *n)
{
    TRY(mesh_gpu_finish(n->mesh));
    gpu_seconds(n);
    return FARSUM_OK;
}
