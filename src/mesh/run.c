/* SPDX-License-Identifier: Apache-2.0 */
/* run.c: the public functions that set a mesh's points, spread and
 * interpolate.  Meshes on a device use mesh/device.c. */
#include "mesh/mesh.h"

#include <math.h>
#include <string.h>

#include "base/args.h"
#include "base/clock.h"
#include "base/fpenv.h"
#include "base/mem.h"
#include "base/par.h"
#include "mesh/device.h"
#include "task/units.h"

/* Fails if points are outside the cell along an open axis, where they cannot be
 * wrapped. */
static farsum_status run_inside(const struct farsum_mesh *m, int64_t n,
                                const void *x)
{
    int f32 = m->problem.precision == FARSUM_F32;
    int64_t bad = INT64_MAX;
    const double *inv = m->cell.inv;
    const int *open = m->spread.open;
    if (!open[0] && !open[1] && !open[2])
        return FARSUM_OK;
    PAR_FOR(m->threads, reduction(min : bad))
    for (int64_t i = 0; i < n; i++) {
        double r[3];
        for (int j = 0; j < 3; j++)
            r[j] = f32 ? (double)((const float *)x)[3 * i + j]
                       : ((const double *)x)[3 * i + j];
        for (int d = 0; d < 3; d++) {
            double s = r[0] * inv[d] + r[1] * inv[3 + d] + r[2] * inv[6 + d];
            if (open[d] && isfinite(s) && !(s >= 0 && s < 1) && i < bad)
                bad = i;
        }
    }
    if (bad == INT64_MAX)
        return FARSUM_OK;
    double r[3];
    for (int j = 0; j < 3; j++)
        r[j] = f32 ? (double)((const float *)x)[3 * bad + j]
                   : ((const double *)x)[3 * bad + j];
    return mesh_outside(m, bad, r);
}

static farsum_status run_points(struct farsum_mesh *m, int64_t n, const void *x)
{
    int32_t tiles[3];
    if (m->device && m->problem.x_memory == FARSUM_HOST)
        TRY(buf_given_host(m->device, x, n, "positions"));
    if (m->problem.x_memory == FARSUM_HOST)
        TRY(run_inside(m, n, x));
    if (m->device)
        return mesh_gpu_points(m, n, x);
    TRY(points_set(&m->points, &m->cell, n, x, m->problem.precision, "point",
                   m->threads));
    spread_tiles(&m->spread, tiles);
    return bins_build(&m->points, tiles, m->threads);
}

farsum_status farsum_mesh_set_points(farsum_mesh *mesh, int64_t n,
                                     const void *x)
{
    FP_GUARD;
    struct farsum_mesh *m = mesh;
    double start = clock_seconds();
    farsum_status status = FARSUM_OK;
    if (!m || (!x && n != 0))
        FAIL(ERR_ARGUMENT, "%s is NULL", m ? "x" : "mesh");
    TRY(device_usable(m->device));
    TRY(count_product((int64_t[]){n, m->problem.channels}, 2,
                      "points and channels"));
    if (m->asked)
        FAIL(ERR_STATE, "the mesh was made by farsum_mesh_tune");
    struct mesh_held before = mesh_held(m->device);
    m->has_points = 0;
    GO(run_points(m, n, x));
    GO(mesh_plan_points(m));
    for (int stage = 0; stage < MESH_STAGES; stage++)
        if (m->choice[stage].row && m->choice[stage].row->variant->set)
            GO(m->choice[stage].row->variant->set(m->state[stage], &m->points,
                                                  NULL));
    m->has_points = 1;
    m->seconds_set_points = clock_seconds() - start;
done:
    mesh_holds(m, before);
    return status;
}

/* Checks that the sums on the mesh are finite, except the padding between its
 * rows.  Called only if the strengths do not guarantee it. */
static farsum_status run_sums(const struct farsum_mesh *m, const void *grid)
{
    const farsum_mesh_problem *p = &m->problem;
    int64_t parts = m->spread.parts,
            rows = p->mesh[0] * p->mesh[1] * p->channels,
            row = p->ldz * parts * (p->precision == FARSUM_F32 ? 4 : 8);
    for (int64_t i = 0; i < rows; i++)
        TRY(mesh_finite((const char *)grid + i * row, p->precision,
                        p->mesh[2] * parts, 1, "sums on the mesh"));
    return FARSUM_OK;
}

/* 1: no sum of n strengths times weights overflows. */
static int run_small(double largest, int64_t n, farsum_precision precision)
{
    const double weight = 0x1p40; /* above any product of a window's values */
    return largest * (double)n
           < (precision == FARSUM_F32 ? 0x1p127 : 0x1p1023) / weight;
}

static farsum_status run_spread(struct farsum_mesh *m, const void *q,
                                void *grid)
{
    const farsum_mesh_problem *p = &m->problem;
    int64_t n = mesh_value_bytes(m, 1) / (p->precision == FARSUM_F32 ? 4 : 8);
    double largest = 0;
    if (n > 0 && p->q_memory == FARSUM_HOST) {
        if (m->device)
            TRY(buf_given_host(m->device, q, mesh_value_bytes(m, 1),
                               "strengths"));
        largest = units_largest(q, p->precision, n, m->threads);
        if (!isfinite(largest))
            FAIL(ERR_STRENGTH, "a strength is not finite");
    }
    if (m->device)
        TRY(mesh_gpu_spread(m, q, grid));
    else
        TRY(mesh_spread_run(m, &(struct spread_io){.q = q, .mesh = grid}));
    if (p->grid_memory != FARSUM_HOST
        || (p->q_memory == FARSUM_HOST && run_small(largest, n, p->precision)))
        return FARSUM_OK;
    return run_sums(m, grid);
}

farsum_status farsum_mesh_spread(farsum_mesh *mesh, const void *q, void *grid)
{
    FP_GUARD;
    if (!mesh || !grid)
        FAIL(ERR_ARGUMENT, "%s is NULL", mesh ? "grid" : "mesh");
    TRY(device_usable(mesh->device));
    if (!mesh->has_points)
        FAIL(ERR_STATE, "no points are set");
    if (!(mesh->problem.uses & FARSUM_MESH_SPREAD))
        FAIL(ERR_STATE, "spread was not among the problem's uses");
    if (!q && mesh->points.n > 0)
        FAIL(ERR_ARGUMENT, "q is NULL");
    return run_spread(mesh, q, grid);
}

static farsum_status run_interp(struct farsum_mesh *m, const void *grid,
                                void *value, void *gradient)
{
    const farsum_mesh_problem *p = &m->problem;
    int64_t n = mesh_value_bytes(m, 1) / (p->precision == FARSUM_F32 ? 4 : 8);
    if (m->device)
        TRY(mesh_gpu_interp(m, grid, value, gradient));
    else
        TRY(mesh_interp_run(m, &(struct interp_io){.mesh = grid,
                                                   .potential = value,
                                                   .field = gradient}));
    if (p->value_memory != FARSUM_HOST)
        return FARSUM_OK;
    TRY(mesh_finite(value, p->precision, n, m->threads, "values"));
    return mesh_finite(gradient, p->precision, 3 * n, m->threads, "gradients");
}

farsum_status farsum_mesh_interp(farsum_mesh *mesh, const void *grid,
                                 void *value, void *gradient)
{
    FP_GUARD;
    if (!mesh || !grid)
        FAIL(ERR_ARGUMENT, "%s is NULL", mesh ? "grid" : "mesh");
    TRY(device_usable(mesh->device));
    if (!mesh->has_points)
        FAIL(ERR_STATE, "no points are set");
    if ((value && !(mesh->problem.uses & FARSUM_MESH_VALUE))
        || (gradient && !(mesh->problem.uses & FARSUM_MESH_GRADIENT)))
        FAIL(ERR_STATE, "%s was not among the problem's uses",
             value && !(mesh->problem.uses & FARSUM_MESH_VALUE) ? "value"
                                                                : "gradient");
    if ((!value && !gradient) || mesh->points.n == 0)
        return FARSUM_OK;
    return run_interp(mesh, grid, value, gradient);
}

farsum_status farsum_mesh_finish(farsum_mesh *mesh)
{
    FP_GUARD;
    if (!mesh)
        FAIL(ERR_ARGUMENT, "mesh is NULL");
    TRY(device_usable(mesh->device));
    return mesh->gpu ? mesh_gpu_finish(mesh) : FARSUM_OK;
}
