/* nufft_gpu.c: a NUFFT on a device: as nufft_run.c, with its arrays there. */
#include "method/nufft_gpu.h"

#include "base/mem.h"

enum { GROUP = 256 };

/* The host's twin of nufft_gpu.k's struct. */
struct nufft_args {
    int64_t base, step, total;
    int32_t modes[3], mesh[3];
    int32_t ldz, turn, batch, more;
};
_Static_assert(sizeof(struct nufft_args) == 64, "as the kernels have it");

static int64_t gpu_modes(const struct farsum_nufft *n)
{
    return n->problem.modes[0] * n->problem.modes[1] * n->problem.modes[2];
}

/* 1: strengths or values go through `planar`. */
static int gpu_planar(const struct farsum_nufft *n)
{
    return n->problem.type == 2 || n->problem.channels > 1;
}

void nufft_gpu_destroy(struct farsum_nufft *n)
{
    struct nufft_gpu *g = n->gpu;
    if (!g)
        return;
    for (int ch = 0; g->part && ch < 2 * n->batch; ch++)
        buf_clear(&g->part[ch]);
    mem_free(g->part);
    struct buf *all[] = {&g->grid, &g->scale, &g->planar, &g->c, &g->f};
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
    TRY(jit_kernel(&g->jit, "nufft_place", GROUP, 0, &g->place));
    TRY(jit_kernel(&g->jit, "nufft_split", GROUP, 0, &g->split));
    return jit_kernel(&g->jit, "nufft_merge", GROUP, 0, &g->merge);
}

static farsum_status gpu_memory(struct farsum_nufft *n)
{
    struct nufft_gpu *g = n->gpu;
    int64_t real = (int64_t)nufft_real(n), tables = 0, at = 0;
    int64_t bytes = n->step * real;
    TRY(buf_alloc(&g->grid, n->device, 2 * n->batch * bytes));
    TRY(MEM_NEW(g->part, 2 * n->batch));
    for (int ch = 0; ch < 2 * n->batch; ch++)
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
    if (gpu_planar(n))
        TRY(buf_reserve(&g->planar, n->device, bytes));
    if (n->problem.c_memory == FARSUM_HOST)
        TRY(buf_reserve(&g->c, n->device, bytes));
    return FARSUM_OK;
}

static struct nufft_args gpu_args(const struct farsum_nufft *n, int64_t base)
{
    struct nufft_args a = {.base = base,
                           .step = n->step,
                           .ldz = (int32_t)n->fft.ldz,
                           .batch = n->batch};
    for (int d = 0; d < 3; d++) {
        a.modes[d] = (int32_t)n->problem.modes[d];
        a.mesh[d] = (int32_t)n->fft.mesh[d];
    }
    return a;
}

static farsum_status gpu_transform(struct farsum_nufft *n, int backward)
{
    struct nufft_gpu *g = n->gpu;
    TRY(stopwatch_start(&g->watch));
    for (int ch = 0; ch < 2 * n->batch; ch++) {
        struct fft_io io = {.data = &g->part[ch], .backward = backward};
        TRY(n->choice.row->variant->run(n->state, &io));
    }
    g->timed = 1;
    return stopwatch_stop(&g->watch);
}

/* Between c and its separate parts. */
static farsum_status gpu_planes(struct farsum_nufft *n,
                                const struct kernel *kernel,
                                const struct buf *c, int64_t base)
{
    int64_t points = n->mesh->points.n, all = points * n->batch;
    if (all == 0)
        return FARSUM_OK;
    return LAUNCH(kernel, kernel_groups(kernel, all), ARG_BUF(c),
                  ARG_BUF(&n->gpu->planar), ARG_I64(base), ARG_I64(points),
                  ARG_I64(all));
}

/* A batch of vectors, which begin at those reals of c and f. */
static farsum_status gpu_type_1(struct farsum_nufft *n, const struct buf *c,
                                int64_t c_base, const struct buf *f,
                                int64_t f_base)
{
    struct nufft_gpu *g = n->gpu;
    struct nufft_args a = gpu_args(n, f_base);
    struct spread_io io = {.q = c,
                           .mesh = &g->grid,
                           .q_channel = 1,
                           .q_point = 2,
                           .mesh_channel = n->step};
    a.total = gpu_modes(n);
    a.turn = n->problem.sign < 0 ? 1 : -1; /* the transform's sign is - */
    if (gpu_planar(n)) {
        TRY(gpu_planes(n, &g->split, c, c_base));
        io.q = &g->planar;
        io.q_channel = io.q_point = 0;
    }
    TRY(mesh_spread_run(n->mesh, &io));
    TRY(gpu_transform(n, 0));
    return LAUNCH(&g->collect, kernel_groups(&g->collect, a.total),
                  ARG_BUF(&g->grid), ARG_BUF(&g->scale), ARG_BUF(f),
                  ARG_STRUCT(a));
}

static farsum_status gpu_type_2(struct farsum_nufft *n, const struct buf *c,
                                int64_t c_base, const struct buf *f,
                                int64_t f_base)
{
    struct nufft_gpu *g = n->gpu;
    struct nufft_args a = gpu_args(n, f_base);
    struct interp_io io = {
        .mesh = &g->grid, .potential = &g->planar, .mesh_channel = n->step};
    a.total = n->fft.mesh[0] * n->fft.mesh[1] * (n->fft.ldz / 2);
    a.turn = n->problem.sign > 0 ? 1 : -1; /* the transform's sign is + */
    TRY(LAUNCH(&g->place, kernel_groups(&g->place, a.total), ARG_BUF(&g->grid),
               ARG_BUF(&g->scale), ARG_BUF(f), ARG_STRUCT(a)));
    TRY(gpu_transform(n, 1));
    TRY(mesh_interp_run(n->mesh, &io));
    return gpu_planes(n, &g->merge, c, c_base);
}

/* Vectors from v on, of arrays on either side. */
static farsum_status gpu_batch(struct farsum_nufft *n, int v, char *c, char *f)
{
    struct nufft_gpu *g = n->gpu;
    const farsum_nufft_problem *p = &n->problem;
    int64_t real = (int64_t)nufft_real(n), points = n->mesh->points.n;
    int64_t each_c = 2 * points, each_f = 2 * gpu_modes(n);
    int there_c = p->c_memory == FARSUM_DEVICE;
    int there_f = p->f_memory == FARSUM_DEVICE;
    /* whole arrays of the device's, this batch of the host's */
    int64_t bytes_c = (there_c ? p->channels : n->batch) * each_c * real;
    int64_t bytes_f = (there_f ? p->channels : n->batch) * each_f * real;
    int64_t base_c = there_c ? v * each_c : 0,
            base_f = there_f ? v * each_f : 0;
    struct buf here_c = g->grid, here_f;
    c = there_c || !c ? c : c + v * each_c * real;
    f = there_f ? f : f + v * each_f * real;
    const struct mesh_array c_array = {"c", p->c_memory, c, bytes_c};
    const struct mesh_array f_array = {"f", p->f_memory, f, bytes_f};
    if (points > 0) /* without, nothing is read */
        TRY(mesh_gpu_array(n->device, &c_array, p->type == 1, &g->c, &here_c));
    TRY(mesh_gpu_array(n->device, &f_array, p->type == 2, &g->f, &here_f));
    if (p->type == 1)
        TRY(gpu_type_1(n, &here_c, base_c, &here_f, base_f));
    else
        TRY(gpu_type_2(n, &here_c, base_c, &here_f, base_f));
    if (p->type == 1 ? there_f : there_c)
        return FARSUM_OK;
    TRY(mesh_gpu_check(n->mesh));
    return p->type == 1 ? buf_download(&here_f, 0, f, bytes_f)
                        : buf_download(&here_c, 0, c, bytes_c);
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
