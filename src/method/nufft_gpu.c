/* nufft_gpu.c: a NUFFT's execute on a device: complex meshes and transforms. */
#include "method/nufft_gpu.h"

#include "base/mem.h"

enum { GROUP = 256 };

/* The host's twin of nufft_gpu.k's struct. */
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

/* 1: strengths or values go through `c`: the rows begin at a buffer's start. */
static int gpu_staged(const struct farsum_nufft *n)
{
    return n->problem.c_memory == FARSUM_HOST || n->problem.channels > n->batch;
}

void nufft_gpu_destroy(struct farsum_nufft *n)
{
    struct nufft_gpu *g = n->gpu;
    if (!g)
        return;
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
    jit_begin(&g->jit, n->device, "method/nufft_gpu.k", n->problem.precision);
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

/* A batch of vectors c, with f from that real on. */
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

/* Where a batch's vectors are: of c, f or both. */
struct ends {
    struct buf c, f;      /* the caller's, or ours for the host's */
    struct buf part;      /* what the rows get of c */
    int64_t first, bytes; /* of c's batch, bytes */
    int64_t base;         /* of f's, reals */
};

static farsum_status gpu_ends(struct farsum_nufft *n, int v, char *c, char *f,
                              struct ends *e)
{
    struct nufft_gpu *g = n->gpu;
    const farsum_nufft_problem *p = &n->problem;
    int64_t real = (int64_t)nufft_real(n), points = n->mesh->points.n;
    int64_t each_c = 2 * points * real, each_f = 2 * gpu_modes(n) * real;
    int there_c = p->c_memory == FARSUM_DEVICE;
    int there_f = p->f_memory == FARSUM_DEVICE;
    /* whole arrays of the device's, this batch of the host's */
    const struct mesh_array c_array = {
        "c", p->c_memory, there_c || !c ? c : c + v * each_c,
        (there_c ? p->channels : n->batch) * each_c};
    const struct mesh_array f_array = {
        "f", p->f_memory, there_f ? f : f + v * each_f,
        (there_f ? p->channels : n->batch) * each_f};
    TRY(mesh_gpu_array(n->device, &f_array, p->type == 2, &g->f, &e->f));
    e->base = there_f ? v * 2 * gpu_modes(n) : 0;
    e->first = v * each_c;
    e->bytes = n->batch * each_c;
    e->c = e->part = g->grid; /* without points nothing is read */
    if (points == 0)
        return FARSUM_OK;
    TRY(mesh_gpu_array(n->device, &c_array, p->type == 1, &g->c, &e->c));
    e->part = e->c;
    if (!there_c || !gpu_staged(n))
        return FARSUM_OK;
    e->part = g->c;
    return p->type == 1 ? buf_copy(&g->c, 0, &e->c, e->first, e->bytes)
                        : FARSUM_OK;
}

/* Vectors from v on, of arrays on either side. */
static farsum_status gpu_batch(struct farsum_nufft *n, int v, char *c, char *f)
{
    const farsum_nufft_problem *p = &n->problem;
    int there_c = p->c_memory == FARSUM_DEVICE;
    int64_t real = (int64_t)nufft_real(n), modes = 2 * gpu_modes(n) * real;
    struct ends e;
    TRY(gpu_ends(n, v, c, f, &e));
    if (p->type == 1) {
        TRY(gpu_type_1(n, &e.part, &e.f, e.base));
        if (p->f_memory == FARSUM_DEVICE)
            return FARSUM_OK;
        TRY(mesh_gpu_check(n->mesh));
        return buf_download(&e.f, 0, f + v * modes, n->batch * modes);
    }
    TRY(gpu_type_2(n, &e.part, &e.f, e.base));
    if (there_c)
        return gpu_staged(n) ? buf_copy(&e.c, e.first, &e.part, 0, e.bytes)
                             : FARSUM_OK;
    TRY(mesh_gpu_check(n->mesh));
    return buf_download(&e.c, 0, c + e.first, e.bytes);
}

/* Of the last batch, times their number. */
static void gpu_seconds(struct farsum_nufft *n)
{
    struct nufft_gpu *g = n->gpu;
    int room = n->problem.type == 1 ? MESH_SPREAD : MESH_INTERP;
    double seconds = 0;
    if (!g->timed)
        return;
    n->mesh->seconds[room] *= g->batches;
    /* a caller's queue may keep no times */
    if (stopwatch_seconds(&g->watch, &seconds) == FARSUM_OK)
        n->seconds_fft = seconds * g->batches;
    g->timed = 0;
}

farsum_status nufft_gpu_execute(struct farsum_nufft *n, void *c, void *f)
{
    const farsum_nufft_problem *p = &n->problem;
    n->gpu->batches = p->channels / n->batch;
    for (int v = 0; v < p->channels; v += n->batch)
        TRY(gpu_batch(n, v, c, f));
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
