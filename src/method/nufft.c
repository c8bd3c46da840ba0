/* nufft.c: a NUFFT is a mesh, real transforms and a division. */
#include "method/nufft.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"

static farsum_status nufft_check(const farsum_nufft_problem *given,
                                 farsum_nufft_problem *problem)
{
    if (!given)
        FAIL(ERR_ARGUMENT, "problem is NULL");
    if (given->size != sizeof *given)
        FAIL(ERR_ARGUMENT,
             "problem was not made by FARSUM_NUFFT_PROBLEM_INIT "
             "of this version (size %zu, not %zu)",
             given->size, sizeof *given);
    farsum_nufft_problem p = *given;
    double modes = 1;
    if (p.type != 1 && p.type != 2)
        FAIL(ERR_ARGUMENT, "type is %d, not 1 or 2", p.type);
    if (p.sign != 1 && p.sign != -1)
        FAIL(ERR_ARGUMENT, "sign is %d, not 1 or -1", p.sign);
    for (int d = 0; d < 3; d++) {
        if (p.modes[d] < 1 || p.modes[d] > 1 << 27)
            FAIL(ERR_ARGUMENT, "modes[%d] is %lld, not 1 .. %d", d,
                 (long long)p.modes[d], 1 << 27);
        modes *= (double)p.modes[d];
    }
    if (modes > 0x1p50)
        FAIL(ERR_MEMORY, "%.3g modes are beyond any memory", modes);
    if (p.channels < 0 || p.channels > 1 << 20)
        FAIL(ERR_ARGUMENT, "channels is %d, not 1 .. %d", p.channels, 1 << 20);
    if (p.n_points < 0)
        FAIL(ERR_ARGUMENT, "n_points is %lld", (long long)p.n_points);
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

static farsum_status nufft_tables(struct farsum_nufft *n)
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

static farsum_status nufft_make(struct farsum_nufft *n)
{
    farsum_mesh_problem p;
    int64_t work = n->problem.n_points;
    int64_t modes =
        n->problem.modes[0] * n->problem.modes[1] * n->problem.modes[2];
    n->options.threads =
        mesh_threads(n->options.threads, work > modes ? work : modes);
    TRY(nufft_tune(n, &p));
    TRY(mesh_create(&p, &n->options, n->problem.modes, &n->mesh));
    mesh_log(&n->options, &n->choice);
    TRY(n->choice.row->variant->create(&n->fft, &n->state));
    TRY(nufft_tables(n));
    /* every channel's mesh on a line of the cache */
    n->step = (p.mesh[0] * p.mesh[1] * p.ldz + 15) / 16 * 16;
    char *grid = NULL;
    TRY(MEM_NEW(grid, n->step * p.channels * (int64_t)nufft_real(n)));
    n->grid = grid;
    n->options.device = n->options.isa = NULL;
    n->options.spread = n->options.interp = n->options.fft = NULL;
    return FARSUM_OK;
}

farsum_status farsum_nufft_create(const farsum_nufft_problem *problem,
                                  const farsum_mesh_options *options,
                                  farsum_nufft **nufft)
{
    farsum_status status = FARSUM_OK;
    struct farsum_nufft *n = NULL;
    double start = clock_seconds();
    int64_t before = mem_bytes();
    if (!nufft)
        FAIL(ERR_ARGUMENT, "nufft is NULL");
    GO(MEM_NEW(n, 1));
    GO(nufft_check(problem, &n->problem));
    GO(mesh_options_check(options, &n->options));
    GO(nufft_make(n));
    n->bytes = mem_bytes() - before - n->mesh->bytes;
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
    if (!nufft)
        return;
    if (nufft->choice.row)
        nufft->choice.row->variant->destroy(nufft->state);
    for (int d = 0; d < 3; d++)
        mem_free(nufft->scale[d]);
    mem_free(nufft->grid);
    mem_free(nufft->planar);
    farsum_mesh_destroy(nufft->mesh);
    mem_free(nufft);
}

farsum_status farsum_nufft_set_points(farsum_nufft *nufft, int64_t n,
                                      const void *x)
{
    if (!nufft)
        FAIL(ERR_ARGUMENT, "nufft is NULL");
    TRY(farsum_mesh_set_points(nufft->mesh, n, x));
    if (!nufft_planar(nufft))
        return FARSUM_OK;
    nufft->mesh->has_points = 0;
    int64_t before = mem_bytes();
    char *planar = nufft->planar;
    farsum_status status =
        MEM_RESERVE(planar, &nufft->planar_room,
                    2 * nufft->batch * n * (int64_t)nufft_real(nufft));
    nufft->planar = planar;
    nufft->bytes += mem_bytes() - before;
    nufft->mesh->has_points = status == FARSUM_OK;
    return status;
}

farsum_status farsum_nufft_get_info(const farsum_nufft *nufft,
                                    farsum_mesh_info *info)
{
    if (!nufft)
        FAIL(ERR_ARGUMENT, "nufft is NULL");
    TRY(farsum_mesh_get_info(nufft->mesh, info));
    info->channels = nufft->problem.channels;
    info->bytes += (uint64_t)nufft->bytes;
    info->seconds_create = nufft->seconds_create;
    info->stages[info->n_stages++] =
        (farsum_stage_info){nufft->choice.stage->name, nufft->choice.row->name,
                            nufft->choice.reason, nufft->seconds_fft,
                            nufft->choice.row->variant->deterministic};
    return FARSUM_OK;
}

void farsum_nufft_print(const farsum_nufft *nufft, FILE *out)
{
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
