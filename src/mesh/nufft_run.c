/* SPDX-License-Identifier: Apache-2.0 */
/* nufft_run.c: execute of a NUFFT.
 *
 * Complex strengths are treated as two real vectors, so that every variant of
 * spread, interp and fft can be used.  In-place real transforms of real and
 * imaginary part take as much time and memory as one complex transform. */
#include "base/clock.h"
#include "base/fpenv.h"
#include "base/par.h"
#include "mesh/nufft.h"
#include "mesh/nufft_device.h"
#include "mesh/nufft_kern.h"

ISA_TABLE(struct nufft_kern, nufft)

static farsum_status transform(struct farsum_nufft *n, int backward)
{
    double start = clock_seconds();
    for (int ch = 0; ch < 2 * n->batch; ch++) {
        struct fft_io io = {.data = nufft_at(n, n->grid, ch * n->step),
                            .backward = backward};
        TRY(n->choice.row->variant->run(n->state, &io));
    }
    n->seconds_fft += clock_seconds() - start;
    return FARSUM_OK;
}

void nufft_split(const struct farsum_nufft *n, void *c, int to)
{
    int64_t points = n->mesh->points.n, all = points * n->batch;
    int f32 = n->problem.precision == FARSUM_F32;
    PAR_FOR(n->mesh->threads)
    for (int64_t k = 0; k < all; k++) {
        int64_t re = k / points * 2 * points + k % points;
        for (int part = 0; part < 2; part++) {
            int64_t i = 2 * k + part, j = re + part * points;
            if (f32 && to)
                ((float *)n->planar)[j] = ((float *)c)[i];
            else if (f32)
                ((float *)c)[i] = ((float *)n->planar)[j];
            else if (to)
                ((double *)n->planar)[j] = ((double *)c)[i];
            else
                ((double *)c)[i] = ((double *)n->planar)[j];
        }
    }
}

/* Computes modes from spectra (type 1), or the reverse, for every vector of the
 * batch. */
static void divide(struct farsum_nufft *n, void *f)
{
    const struct nufft_kern *kern =
        isa_nufft[n->mesh->isa][n->problem.precision == FARSUM_F32];
    const int64_t *modes = n->problem.modes, *mesh = n->fft.mesh;
    int type = n->problem.type;
    int64_t rows = type == 1 ? modes[0] * modes[1] : mesh[0] * mesh[1];
    struct nufft_job job = {
        .ldz = n->fft.ldz, .step = n->step, .sign = n->problem.sign};
    for (int d = 0; d < 3; d++) {
        job.modes[d] = modes[d];
        job.mesh[d] = mesh[d];
        job.scale[d] = n->scale[d];
    }
    for (int b = 0; b < n->batch; b++) {
        job.grid = nufft_at(n, n->grid, 2 * b * n->step);
        job.f = nufft_at(n, f, 2 * b * modes[0] * modes[1] * modes[2]);
        PAR_FOR(n->mesh->threads, schedule(static))
        for (int64_t row = 0; row < rows; row++)
            if (type == 1)
                kern->collect(&job, row);
            else
                kern->place(&job, row);
    }
}

static farsum_status type_1(struct farsum_nufft *n, void *c, void *f)
{
    struct spread_io io = {.q = c,
                           .mesh = n->grid,
                           .q_channel = 1,
                           .q_point = 2,
                           .mesh_channel = n->step};
    if (nufft_planar(n)) {
        nufft_split(n, c, 1);
        io.q = n->planar;
        io.q_channel = io.q_point = 0;
    }
    TRY(mesh_spread_run(n->mesh, &io));
    TRY(transform(n, 0));
    divide(n, f);
    return FARSUM_OK;
}

static farsum_status type_2(struct farsum_nufft *n, void *c, void *f)
{
    struct interp_io io = {
        .mesh = n->grid, .potential = n->planar, .mesh_channel = n->step};
    divide(n, f);
    TRY(transform(n, 1));
    TRY(mesh_interp_run(n->mesh, &io));
    nufft_split(n, c, 0);
    return FARSUM_OK;
}

/* Checks the results on the host. */
static farsum_status nufft_finite(const struct farsum_nufft *n, const void *c,
                                  const void *f)
{
    const farsum_nufft_problem *p = &n->problem;
    int64_t numbers = 2 * p->channels;
    if (p->type == 1 && p->f_memory == FARSUM_HOST)
        return mesh_finite(f, p->precision,
                           numbers * p->modes[0] * p->modes[1] * p->modes[2],
                           n->mesh->threads, "modes");
    if (p->type == 2 && p->c_memory == FARSUM_HOST)
        return mesh_finite(c, p->precision, numbers * n->mesh->points.n,
                           n->mesh->threads, "values");
    return FARSUM_OK;
}

farsum_status farsum_nufft_execute(farsum_nufft *nufft, void *c, void *f)
{
    FP_GUARD;
    struct farsum_nufft *n = nufft;
    if (n && n->over)
        return n->over->execute(n, c, f);
    if (!n || !f)
        FAIL(ERR_ARGUMENT, "%s is NULL", n ? "f" : "nufft");
    TRY(device_usable(n->device));
    if (!n->mesh->has_points)
        FAIL(ERR_STATE, "no points are set");
    if (!c && n->mesh->points.n > 0)
        FAIL(ERR_ARGUMENT, "c is NULL");
    if (n->problem.type == 2 && n->mesh->points.n == 0)
        return FARSUM_OK;
    if (n->device) {
        TRY(nufft_gpu_execute(n, c, f));
        return nufft_finite(n, c, f);
    }
    int64_t modes =
        n->problem.modes[0] * n->problem.modes[1] * n->problem.modes[2];
    double stages[MESH_STAGES] = {0};
    n->seconds_fft = 0;
    for (int v = 0; v < n->problem.channels; v += n->batch) {
        void *cv = c ? nufft_at(n, c, 2 * v * n->mesh->points.n) : NULL;
        void *fv = nufft_at(n, f, 2 * v * modes);
        TRY(n->problem.type == 1 ? type_1(n, cv, fv) : type_2(n, cv, fv));
        for (int stage = 0; stage < MESH_STAGES; stage++)
            stages[stage] += n->mesh->seconds[stage];
    }
    for (int stage = 0; stage < MESH_STAGES; stage++)
        n->mesh->seconds[stage] = stages[stage];
    return nufft_finite(n, c, f);
}
