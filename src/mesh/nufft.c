/* SPDX-License-Identifier: Apache-2.0 */
/* nufft.c: NUFFT, composed of a mesh, real transforms and a division by the
 * window's transform. */
#include "mesh/nufft.h"

#include <math.h>
#include <string.h>

#include "base/args.h"
#include "base/clock.h"
#include "base/fpenv.h"
#include "base/mem.h"
#include "mesh/nufft_device.h"

farsum_status nufft_check(const farsum_nufft_problem *given,
                          farsum_nufft_problem *problem)
{
    if (!given)
        FAIL(ERR_ARGUMENT, "problem is NULL");
    farsum_nufft_problem p;
    TRY(struct_take(&p, sizeof p, given, given->size,
                    "FARSUM_NUFFT_PROBLEM_INIT"));
    if (p.type != 1 && p.type != 2)
        FAIL(ERR_ARGUMENT, "type is %d, not 1 or 2", p.type);
    if (p.sign != 1 && p.sign != -1)
        FAIL(ERR_ARGUMENT, "sign is %d, not 1 or -1", p.sign);
    for (int d = 0; d < 3; d++) {
        if (p.modes[d] < 1 || p.modes[d] > 1 << 27)
            FAIL(ERR_ARGUMENT, "modes[%d] is %lld, not 1 .. %d", d,
                 (long long)p.modes[d], 1 << 27);
    }
    if (p.channels < 0 || p.channels > 1 << 20)
        FAIL(ERR_ARGUMENT, "channels is %d, not 1 .. %d", p.channels, 1 << 20);
    /* twice as many mesh points along an axis, and twice as many reals */
    TRY(count_product((int64_t[]){p.modes[0], p.modes[1], p.modes[2], 16,
                                  p.channels > 0 ? p.channels : 1},
                      5, "modes and channels"));
    TRY(count_product((int64_t[]){p.n_points, p.channels}, 2,
                      "n_points and channels"));
    TRY(mesh_memory(&p.memory, FARSUM_HOST, "memory"));
    TRY(mesh_memory(&p.x_memory, p.memory, "x_memory"));
    TRY(mesh_memory(&p.c_memory, p.memory, "c_memory"));
    TRY(mesh_memory(&p.f_memory, p.memory, "f_memory"));
    if (!(p.tolerance >= 0) || !isfinite(p.tolerance))
        FAIL(ERR_ARGUMENT, "tolerance is %g, not a positive number",
             p.tolerance);
    p.channels = p.channels > 0 ? p.channels : 1;
    p.n_points =
        p.n_points > 0 ? p.n_points : p.modes[0] * p.modes[1] * p.modes[2];
    p.tolerance = p.tolerance > 0 ? p.tolerance : 1e-5;
    p.precision = p.precision ? p.precision : FARSUM_F64;
    *problem = p;
    return FARSUM_OK;
}

farsum_status nufft_tables(struct farsum_nufft *n)
{
    for (int d = 0; d < 3; d++) {
        int64_t half = n->problem.modes[d] / 2;
        TRY(MEM_RAW(n->scale[d], half + 1));
        for (int64_t k = 0; k <= half; k++)
            n->scale[d][k] =
                1
                / window_hat(&n->mesh->window,
                             2 * M_PI * (double)k / (double)n->fft.mesh[d]);
    }
    return FARSUM_OK;
}

/* Allocates the meshes and the arrays for separate real and imaginary parts, on
 * the host. */
static farsum_status nufft_grid(struct farsum_nufft *n)
{
    char *grid = NULL;
    TRY(MEM_NEW(grid, n->step * 2 * n->batch * (int64_t)nufft_real(n)));
    n->grid = grid;
    return FARSUM_OK;
}

/* Each channel's mesh starts on a cache line, or at the alignment of a device
 * buffer's views. */
int64_t nufft_step(const struct farsum_nufft *n, int64_t reals)
{
    int64_t line = n->device ? BUF_ALIGN / (int64_t)nufft_real(n) : 16;
    return (reals + line - 1) / line * line;
}

static farsum_status nufft_make(struct farsum_nufft *n)
{
    farsum_mesh_problem p;
    int64_t work = n->problem.n_points;
    int64_t modes =
        n->problem.modes[0] * n->problem.modes[1] * n->problem.modes[2];
    n->options.threads =
        mesh_threads(n->options.threads, work > modes ? work : modes);
    TRY(nufft_tune(n, &p));
    TRY(mesh_create(&p, &n->options, n->device, n->problem.modes, &n->mesh));
    mesh_log(&n->options, &n->choice);
    TRY(n->choice.row->variant->create(&n->fft, &n->state));
    TRY(nufft_tables(n));
    n->step = nufft_step(n, p.mesh[0] * p.mesh[1] * n->fft.ldz);
    TRY(n->device ? nufft_gpu_create(n) : nufft_grid(n));
    n->options.device = n->options.isa = NULL;
    n->options.on_device = NULL;
    n->options.spread = n->options.interp = n->options.fft = NULL;
    return FARSUM_OK;
}

farsum_status nufft_places(const struct farsum_nufft *n)
{
    const farsum_nufft_problem *p = &n->problem;
    if (!n->device
        && (p->x_memory == FARSUM_DEVICE || p->c_memory == FARSUM_DEVICE
            || p->f_memory == FARSUM_DEVICE))
        FAIL(ERR_ARGUMENT, "arrays are on the device, and the NUFFT is on the "
                           "host");
    return FARSUM_OK;
}

/* Opens the device, if one is requested. */
static farsum_status nufft_device(struct farsum_nufft *n)
{
    TRY(mesh_device(&n->options, &n->device, &n->owns_device));
    return nufft_places(n);
}

void nufft_holds(struct farsum_nufft *n, struct mesh_held before, int64_t bytes,
                 int64_t device_bytes)
{
    struct mesh_held now = mesh_held(n->device);
    int64_t there = now.device - before.device;
    n->bytes += now.host - before.host + there - bytes;
    n->device_bytes += there - device_bytes;
}

farsum_status farsum_nufft_create(const farsum_nufft_problem *problem,
                                  const farsum_mesh_options *options,
                                  farsum_nufft **nufft)
{
    FP_GUARD;
    farsum_status status = FARSUM_OK;
    struct farsum_nufft *n = NULL;
    double start = clock_seconds();
    if (!nufft)
        FAIL(ERR_ARGUMENT, "nufft is NULL");
    struct mesh_held before = mesh_held(NULL);
    GO(MEM_NEW(n, 1));
    GO(nufft_check(problem, &n->problem));
    GO(mesh_options_check(options, &n->options));
    GO(nufft_device(n));
    before.device = n->device ? n->device->bytes : 0;
    GO(nufft_make(n));
    nufft_holds(n, before, n->mesh->bytes, n->mesh->device_bytes);
    n->seconds_create = clock_seconds() - start;
    *nufft = n;
    n = NULL;
    status = status_fail(FARSUM_OK, "%s", "");
done:
    farsum_nufft_destroy(n);
    return status;
}

void farsum_nufft_destroy(farsum_nufft *nufft)
{
    FP_GUARD;
    if (!nufft || device_usable(nufft->device) != FARSUM_OK)
        return;
    if (nufft->choice.row)
        nufft->choice.row->variant->destroy(nufft->state);
    for (int d = 0; d < 3; d++)
        mem_free(nufft->scale[d]);
    if (nufft->over)
        nufft->over->destroy(nufft->ranks);
    nufft_gpu_destroy(nufft);
    mem_free(nufft->grid);
    mem_free(nufft->planar);
    farsum_mesh_destroy(nufft->mesh);
    if (nufft->owns_device)
        device_close(nufft->device);
    mem_free(nufft);
}

static farsum_status nufft_points(struct farsum_nufft *nufft, int64_t n)
{
    if (nufft->over)
        TRY(nufft->over->points(nufft));
    else if (nufft->device)
        return nufft_gpu_points(nufft, n);
    if (nufft->device || !nufft_planar(nufft))
        return FARSUM_OK;
    char *planar = nufft->planar;
    farsum_status status =
        MEM_RESERVE(planar, &nufft->planar_capacity,
                    2 * nufft->batch * n * (int64_t)nufft_real(nufft));
    nufft->planar = planar;
    return status;
}

farsum_status farsum_nufft_set_points(farsum_nufft *nufft, int64_t n,
                                      const void *x)
{
    FP_GUARD;
    if (!nufft)
        FAIL(ERR_ARGUMENT, "nufft is NULL");
    TRY(farsum_mesh_set_points(nufft->mesh, n, x));
    struct mesh_held before = mesh_held(nufft->device);
    farsum_status status = nufft_points(nufft, nufft->mesh->points.n);
    nufft_holds(nufft, before, 0, 0);
    status = mesh_agree(nufft->mesh, status);
    nufft->mesh->has_points = status == FARSUM_OK;
    return status;
}

farsum_status farsum_nufft_finish(farsum_nufft *nufft)
{
    FP_GUARD;
    if (!nufft)
        FAIL(ERR_ARGUMENT, "nufft is NULL");
    TRY(device_usable(nufft->device));
    /* over ranks results are complete when execute returns */
    return nufft->device && !nufft->over ? nufft_gpu_finish(nufft) : FARSUM_OK;
}

farsum_status farsum_nufft_get_info(const farsum_nufft *nufft,
                                    farsum_mesh_info *info)
{
    FP_GUARD;
    if (!nufft)
        FAIL(ERR_ARGUMENT, "nufft is NULL");
    if (!info)
        FAIL(ERR_ARGUMENT, "info is NULL");
    farsum_mesh_info i = FARSUM_MESH_INFO_INIT;
    TRY(farsum_mesh_get_info(nufft->mesh, &i));
    i.channels = nufft->problem.channels;
    i.bytes += (uint64_t)nufft->bytes;
    i.device_bytes += (uint64_t)nufft->device_bytes;
    i.seconds_create = nufft->seconds_create;
    i.stages[i.n_stages++] =
        (farsum_stage_info){nufft->choice.stage->name, nufft->choice.row->name,
                            nufft->choice.reason, nufft->seconds_fft,
                            nufft->choice.row->variant->deterministic};
    return struct_give(info, info->size, &i, sizeof i,
                       "FARSUM_MESH_INFO_INIT");
}

void farsum_nufft_print(const farsum_nufft *nufft, FILE *out)
{
    FP_GUARD;
    farsum_mesh_info info = FARSUM_MESH_INFO_INIT;
    if (!nufft || !out || farsum_nufft_get_info(nufft, &info) != FARSUM_OK)
        return;
    const farsum_nufft_problem *p = &nufft->problem;
    fprintf(out,
            "NUFFT of type %d, sign %+d, %lld x %lld x %lld modes, %d "
            "vector%s at a time\n",
            p->type, p->sign, (long long)p->modes[0], (long long)p->modes[1],
            (long long)p->modes[2], nufft->batch, nufft->batch == 1 ? "" : "s");
    mesh_info_print(&info, out);
}
