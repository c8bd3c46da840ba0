/* SPDX-License-Identifier: Apache-2.0 */
/* run.c: points, spreading and interpolation over ranks.
 *
 * A rank that fails takes part in all exchanges until the ranks agree, so that
 * no rank waits for it. */
#include "mesh/ranks/mesh.h"

#include <math.h>
#include <string.h>

#include "base/fpenv.h"
#include "base/mem.h"
#include "base/par.h"
#include "mesh/ranks/device.h"
#include "task/units.h"

static int64_t real_of(const struct farsum_mesh *m)
{
    return m->problem.precision == FARSUM_F32 ? 4 : 8;
}

/* This rank's points, in fractions of the whole cell. */
static farsum_status points_given(struct farsum_mesh *m, int64_t n,
                                  const void *x)
{
    if (n == 0)
        return FARSUM_OK;
    TRY(mesh_inside(m, n, x));
    return points_set(&m->ranks->given, &m->cell, n, x, m->problem.precision,
                      "point", m->threads);
}

/* Memory for own points, their strengths and results. */
static farsum_status points_reserve(struct farsum_mesh *m)
{
    struct mesh_ranks *k = m->ranks;
    unsigned uses = m->problem.uses;
    size_t real = (size_t)real_of(m);
    TRY(points_hold(&m->points, k->route.n_own));
    if (!k->grid) /* a NUFFT has arrays of its own */
        return FARSUM_OK;
    int64_t values = mesh_value_bytes(m, 1) / (int64_t)real;
    if (uses & (FARSUM_MESH_SPREAD | FARSUM_MESH_VALUE))
        TRY(mem_reserve(&k->value, &k->have_value, values, real));
    if (uses & FARSUM_MESH_GRADIENT)
        TRY(mem_reserve(&k->gradient, &k->have_gradient, 3 * values, real));
    return FARSUM_OK;
}

/* From fractions of the whole cell to those of the own cell; then to the
 * stages. */
static farsum_status points_place(struct farsum_mesh *m)
{
    int32_t tiles[3];
    domain_place(&m->ranks->domain, m->points.s[0], m->points.n, m->threads);
    spread_tiles(&m->spread, tiles);
    TRY(bins_build(&m->points, tiles, m->threads));
    return mesh_set_stages(m);
}

farsum_status mesh_ranks_points(struct farsum_mesh *m, int64_t n, const void *x)
{
    farsum_status status = FARSUM_OK;
    struct mesh_ranks *k = m->ranks;
    if (m->device)
        return mesh_ranks_gpu_points(m, n, x);
    TRY(comm_agree(k->comm, points_given(m, n, x)));
    TRY(route_set(&k->route, k->comm, &k->domain, n, k->given.s));
    TRY(comm_agree(k->comm, points_reserve(m)));
    for (int d = 0; d < 3; d++)
        KEEP_ON(route_there(&k->route, k->comm, k->given.s[d], sizeof(double),
                            m->points.s[d]));
    /* after a failure of the network all fractions are 0 */
    KEEP_ON(points_place(m));
    return mesh_ranks_placed(m, n, k->route.n_all, status);
}

farsum_status mesh_ranks_placed(struct farsum_mesh *m, int64_t n, int64_t n_all,
                                farsum_status status)
{
    struct mesh_ranks *k = m->ranks;
    double most = (double)m->points.n;
    KEEP_ON(comm_max(k->comm, &most, 1));
    TRY(comm_agree(k->comm, status));
    k->n = n;
    k->n_all = n_all;
    k->own = m->points.n;
    k->imbalance = n_all > 0 ? most * k->comm->size / (double)n_all : 1;
    return FARSUM_OK;
}

void mesh_ranks_beyond(const struct farsum_mesh *m, int end, int64_t *first,
                       int64_t *count)
{
    const struct domain *domain = &m->ranks->domain;
    int64_t planes = domain_planes(domain, domain->rank);
    int64_t begin = domain->halo - domain->begin[domain->rank]; /* of plane 0 */
    int64_t stop = begin + domain->mesh0;
    begin = begin < 0 ? 0 : begin < planes ? begin : planes;
    stop = stop < 0 ? 0 : stop < planes ? stop : planes;
    *first = end ? stop : 0;
    *count = m->problem.periodic[0] ? 0 : end ? planes - stop : begin;
}

/* Sets the planes beyond the whole mesh to 0. */
static void run_drop(const struct farsum_mesh *m, void *mesh, int64_t channel)
{
    int64_t real = real_of(m), first, count;
    for (int c = 0; c < m->problem.channels; c++)
        for (int end = 0; end < 2; end++) {
            mesh_ranks_beyond(m, end, &first, &count);
            memset((char *)mesh
                       + (c * channel + first * m->ranks->plane) * real,
                   0, (size_t)(count * m->ranks->plane * real));
        }
}

farsum_status mesh_ranks_spread_run(struct farsum_mesh *m,
                                    const struct spread_io *io)
{
    farsum_status status = FARSUM_OK;
    struct mesh_ranks *k = m->ranks;
    if (mesh_ranks_own(k) > 0) {
        KEEP_ON(mesh_spread_run(m, io));
        run_drop(m, io->mesh, io->mesh_channel);
    }
    KEEP_ON(
        planes_add(k->planes, io->mesh, io->mesh_channel, m->problem.channels));
    return status;
}

farsum_status mesh_ranks_interp_run(struct farsum_mesh *m, void *grid,
                                    const struct interp_io *io)
{
    farsum_status status = FARSUM_OK;
    struct mesh_ranks *k = m->ranks;
    KEEP_ON(
        planes_fill(k->planes, grid, io->mesh_channel, m->problem.channels));
    if (m->points.n == 0)
        return status;
    run_drop(m, grid, io->mesh_channel);
    KEEP_ON(mesh_interp_run(m, io));
    return status;
}

/* Copies the caller's planes to the extended meshes, or back. */
static void run_copy(const struct farsum_mesh *m, char *grid, int back)
{
    const struct mesh_ranks *k = m->ranks;
    int64_t real = real_of(m), own = mesh_ranks_own(k);
    int64_t bytes = k->plane * real, all = own * m->problem.channels;
    PAR_FOR(m->threads, schedule(static))
    for (int64_t i = 0; i < all; i++) {
        char *there = (char *)k->grid
                      + (i / own * k->channel + mesh_ranks_skip(k)) * real
                      + i % own * bytes;
        char *here = grid + i * bytes;
        memcpy(back ? here : there, back ? there : here, (size_t)bytes);
    }
}

/* Brings values of all channels, `each` reals per point, to the owners, or
 * back. */
static farsum_status run_route(struct farsum_mesh *m, char *values, char *own,
                               int64_t each, int back)
{
    farsum_status status = FARSUM_OK;
    struct mesh_ranks *k = m->ranks;
    int64_t bytes = each * m->interp.parts * real_of(m);
    for (int c = 0; c < m->problem.channels; c++) {
        /* a rank without points may have no array */
        char *one = k->n > 0 ? values + c * k->n * bytes : NULL;
        char *there = m->points.n > 0 ? own + c * m->points.n * bytes : NULL;
        KEEP_ON(back ? route_back(&k->route, k->comm, there, bytes, one)
                     : route_there(&k->route, k->comm, one, bytes, there));
    }
    return status;
}

farsum_status mesh_ranks_spread_given(const struct farsum_mesh *m,
                                      const void *q, const void *grid,
                                      double *largest)
{
    const struct mesh_ranks *k = m->ranks;
    TRY(mesh_usable(m, FARSUM_MESH_SPREAD));
    if (!grid && mesh_ranks_own(k) > 0)
        FAIL(ERR_ARGUMENT, "grid is NULL");
    if (!q && k->n > 0)
        FAIL(ERR_ARGUMENT, "q is NULL");
    *largest = m->problem.q_memory == FARSUM_DEVICE ? INFINITY : 0;
    if (k->n == 0 || m->problem.q_memory == FARSUM_DEVICE)
        return FARSUM_OK;
    return mesh_strengths(m, q, k->n, largest);
}

farsum_status mesh_ranks_spread(struct farsum_mesh *m, const void *q,
                                void *grid)
{
    farsum_status status = FARSUM_OK;
    struct mesh_ranks *k = m->ranks;
    double largest = 0;
    if (m->device)
        return mesh_ranks_gpu_spread(m, q, grid);
    TRY(mesh_ranks_agree(m, mesh_ranks_spread_given(m, q, grid, &largest)));
    KEEP_ON(comm_max(k->comm, &largest, 1));
    KEEP_ON(run_route(m, (char *)(uintptr_t)q, k->value, 1, 0));
    KEEP_ON(mesh_ranks_spread_run(
        m, &(struct spread_io){
               .q = k->value, .mesh = k->grid, .mesh_channel = k->channel}));
    if (mesh_ranks_own(k) > 0)
        run_copy(m, grid, 1);
    if (!mesh_small(m, largest, k->n_all))
        KEEP_ON(mesh_sums_finite(m, mesh_ranks_own(k), grid));
    return comm_agree(k->comm, status);
}

farsum_status mesh_ranks_interp_given(const struct farsum_mesh *m,
                                      const void *grid, const void *value,
                                      const void *gradient, double want[2])
{
    const struct mesh_ranks *k = m->ranks;
    const void *const arrays[] = {value, gradient};
    static const char *const names[] = {"value", "gradient"};
    farsum_status status =
        mesh_usable(m, (value ? FARSUM_MESH_VALUE : 0)
                           | (gradient ? FARSUM_MESH_GRADIENT : 0));
    for (int i = 0; i < 2; i++)
        want[i] = arrays[i] != NULL && k->n > 0;
    TRY(mesh_ranks_agree(m, status));
    KEEP_ON(comm_max(k->comm, want, 2));
    if (!grid && mesh_ranks_own(k) > 0)
        status = status_fail(FARSUM_ERR_ARGUMENT, "grid is NULL");
    for (int i = 0; i < 2; i++)
        if (want[i] > 0 && !arrays[i] && k->n > 0)
            status = status_fail(FARSUM_ERR_ARGUMENT,
                                 "%s is NULL, but another rank requests it; "
                                 "request the same arrays on all ranks",
                                 names[i]);
    return comm_agree(k->comm, status);
}

farsum_status mesh_ranks_interp(struct farsum_mesh *m, const void *grid,
                                void *value, void *gradient)
{
    farsum_status status = FARSUM_OK;
    struct mesh_ranks *k = m->ranks;
    double want[2];
    if (m->device)
        return mesh_ranks_gpu_interp(m, grid, value, gradient);
    TRY(mesh_ranks_interp_given(m, grid, value, gradient, want));
    int values = want[0] > 0, gradients = want[1] > 0;
    int64_t n = k->n * m->problem.channels * m->interp.parts;
    if (!values && !gradients)
        return FARSUM_OK;
    if (mesh_ranks_own(k) > 0)
        run_copy(m, (char *)(uintptr_t)grid, 0);
    KEEP_ON(mesh_ranks_interp_run(
        m, k->grid,
        &(struct interp_io){.mesh = k->grid,
                            .potential = values ? k->value : NULL,
                            .field = gradients ? k->gradient : NULL,
                            .mesh_channel = k->channel}));
    if (values)
        KEEP_ON(run_route(m, value, k->value, 1, 1));
    if (gradients)
        KEEP_ON(run_route(m, gradient, k->gradient, 3, 1));
    if (n > 0 && values)
        KEEP_ON(
            mesh_finite(value, m->problem.precision, n, m->threads, "values"));
    if (n > 0 && gradients)
        KEEP_ON(mesh_finite(gradient, m->problem.precision, 3 * n, m->threads,
                            "gradients"));
    return comm_agree(k->comm, status);
}
