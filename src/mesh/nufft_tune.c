/* SPDX-License-Identifier: Apache-2.0 */
/* nufft_tune.c: choice of upsampling, mesh and window by cost. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "mesh/nufft.h"

/* Limit of the meshes' bytes in one batch. */
#define BATCH_BYTES (256.0 * (1 << 20))

/* The number of vectors that can share their weights within that memory. */
static int batch_of(const struct farsum_nufft *n)
{
    double bytes = 2.0 * (double)nufft_real(n);
    for (int d = 0; d < 3; d++)
        bytes *= 2.0 * (double)n->problem.modes[d];
    int most = bytes < BATCH_BYTES ? (int)fmin(BATCH_BYTES / bytes, 8) : 1;
    while (n->problem.channels % most)
        most--;
    return most;
}

/* The mesh for an upsampling; may be larger than required. */
static void mesh_of(const struct farsum_nufft *n, double sigma,
                    farsum_mesh_problem *p)
{
    *p = (farsum_mesh_problem)FARSUM_MESH_PROBLEM_INIT;
    p->upsampling = INFINITY;
    for (int d = 0; d < 3; d++) {
        double modes = (double)n->problem.modes[d];
        p->cell[4 * d] = 2 * M_PI;
        p->periodic[d] = 1;
        p->mesh[d] = fft_good_size((int64_t)ceil(sigma * modes));
        p->upsampling = fmin(p->upsampling, (double)p->mesh[d] / modes);
    }
    p->is_complex = n->device && !n->over; /* over ranks: real transforms */
    p->ldz = p->is_complex ? p->mesh[2] : 2 * (p->mesh[2] / 2 + 1);
    p->precision = n->problem.precision;
    p->channels = p->is_complex ? n->batch : 2 * n->batch;
    p->n_points = n->problem.n_points;
    p->tolerance = n->problem.tolerance;
    if (n->device)
        p->memory = FARSUM_DEVICE; /* except for the caller's positions */
    p->x_memory = n->problem.x_memory;
    p->uses = n->problem.type == 1 ? FARSUM_MESH_SPREAD : FARSUM_MESH_VALUE;
}

static farsum_status cost_of(struct farsum_nufft *n, struct farsum_mesh *m,
                             const farsum_mesh_problem *p, double *cost)
{
    struct choose_options wanted = {.name = n->options.fft,
                                    .deterministic = n->options.deterministic};
    memset(m, 0, sizeof *m);
    TRY(mesh_think(m, p, &n->options, n->device, n->problem.modes, 1));
    n->fft = (struct fft_args){.precision = p->precision,
                               .threads = m->threads,
                               .ldz = p->is_complex ? 2 * p->ldz : p->ldz,
                               .device = n->device,
                               .is_complex = p->is_complex};
    memcpy(n->fft.mesh, p->mesh, sizeof n->fft.mesh);
    TRY(choose(&fft_stage, &n->fft, &wanted, &n->choice));
    int stage = n->problem.type == 1 ? MESH_SPREAD : MESH_INTERP;
    *cost = m->choice[stage].cost + p->channels * n->choice.cost;
    return FARSUM_OK;
}

farsum_status nufft_tune(struct farsum_nufft *n, farsum_mesh_problem *best)
{
    static const double sigmas[] = {2, 1.75, 1.5, 1.375, 1.25};
    farsum_status status = FARSUM_OK, why = FARSUM_OK;
    struct farsum_mesh *m = NULL;
    farsum_mesh_problem p;
    double least = INFINITY, cost, given = n->options.upsampling;
    n->batch = batch_of(n);
    TRY(MEM_NEW(m, 1));
    for (size_t i = 0; i < sizeof sigmas / sizeof *sigmas; i++) {
        mesh_of(n, given > 0 ? given : sigmas[i], &p);
        farsum_status s = cost_of(n, m, &p, &cost);
        if (s != FARSUM_OK && i == 0)
            why = s; /* the largest upsampling needs the smallest support */
        if (s == FARSUM_OK && cost < least) {
            least = cost;
            *best = p;
        }
        if (given > 0 || why != FARSUM_OK)
            break;
    }
    if (!isfinite(least)) {
        status = why;
        goto done;
    }
    GO(cost_of(n, m, best, &cost)); /* restores fft's args and choice of the
                                       best */
done:
    mem_free(m);
    return status;
}
