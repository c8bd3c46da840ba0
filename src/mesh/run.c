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

farsum_status mesh_inside(const struct farsum_mesh *m, int64_t n, const void *x)
{
    int f32 = m->problem.precision == FARSUM_F32;
    int64_t bad = INT64_MAX;
    const double *inv = m->cell.inv;
    const int *wrapped = m->problem.periodic;
    if (wrapped[0] && wrapped[1] && wrapped[2])
        return FARSUM_OK;
    PAR_FOR(m->threads, reduction(min : bad))
    for (int64_t i = 0; i < n; i++) {
        double r[3];
        for (int j = 0; j < 3; j++)
            r[j] = f32 ? (double)((const float *)x)[3 * i + j]
                       : ((const double *)x)[3 * i + j];
        for (int d = 0; d < 3; d++) {
            double s = r[0] * inv[d] + r[1] * inv[3 + d] + r[2] * inv[6 + d];
            if (!wrapped[d] && isfinite(s) && !(s >= 0 && s < 1) && i < bad)
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
    if (m->device)
        return mesh_gpu_points(m, n, x);
    TRY(mesh_inside(m, n, x));
    TRY(points_set(&m->points, &m->cell, n, x, m->problem.precision, "point",
                   m->threads));
    spread_tiles(&m->spread, tiles);
    return bins_build(&m->points, tiles, m->threads);
}

farsum_status mesh_set_stages(struct farsum_mesh *m)
{
    for (int stage = 0; stage < MESH_STAGES; stage++)
        if (m->choice[stage].row && m->choice[stage].row->variant->set)
            TRY(m->choice[stage].row->variant->set(m->state[stage], &m->points,
                                                   NULL));
    return FARSUM_OK;
}

/* Checks the arguments of farsum_mesh_set_points. */
static farsum_status run_given(const struct farsum_mesh *m, int64_t n,
                               const void *x)
{
    if (!x && n != 0)
        FAIL(ERR_ARGUMENT, "x is NULL");
    TRY(device_usable(m->device));
    TRY(count_product((int64_t[]){n, m->problem.channels}, 2,
                      "points and channels"));
    if (m->asked)
        FAIL(ERR_STATE, "the mesh was made by farsum_mesh_tune");
    return FARSUM_OK;
}

farsum_status farsum_mesh_set_points(farsum_mesh *mesh, int64_t n,
                                     const void *x)
{
    FP_GUARD;
    struct farsum_mesh *m = mesh;
    double start = clock_seconds();
    farsum_status status = FARSUM_OK;
    if (!m)
        FAIL(ERR_ARGUMENT, "mesh is NULL");
    TRY(mesh_agree(m, run_given(m, n, x)));
    struct mesh_held before = mesh_held(m->device);
    m->has_points = 0;
    if (m->over) {
        GO(m->over->points(m, n, x));
    } else {
        GO(run_points(m, n, x));
        GO(mesh_plan_points(m));
        GO(mesh_set_stages(m));
    }
    m->has_points = 1;
    m->seconds_set_points = clock_seconds() - start;
done:
    mesh_holds(m, before);
    return status;
}

farsum_status mesh_sums_finite(const struct farsum_mesh *m, int64_t planes,
                               const void *grid)
{
    const farsum_mesh_problem *p = &m->problem;
    int64_t parts = m->spread.parts, rows = planes * p->mesh[1] * p->channels,
            row = p->ldz * parts * (p->precision == FARSUM_F32 ? 4 : 8);
    for (int64_t i = 0; i < rows; i++)
        TRY(mesh_finite((const char *)grid + i * row, p->precision,
                        p->mesh[2] * parts, 1, "sums on the mesh"));
    return FARSUM_OK;
}

int mesh_small(const struct farsum_mesh *m, double largest, int64_t n)
{
    const double weight = 0x1p40; /* above any product of a window's values */
    double all = (double)n * m->interp.channels * m->interp.parts;
    return largest * all
           < (m->problem.precision == FARSUM_F32 ? 0x1p127 : 0x1p1023) / weight;
}

farsum_status mesh_strengths(const struct farsum_mesh *m, const void *q,
                             int64_t n, double *largest)
{
    *largest =
        units_largest(q, m->problem.precision,
                      n * m->interp.channels * m->interp.parts, m->threads);
    if (!isfinite(*largest))
        FAIL(ERR_STRENGTH, "a strength is not finite");
    return FARSUM_OK;
}

static farsum_status run_spread(struct farsum_mesh *m, const void *q,
                                void *grid)
{
    const farsum_mesh_problem *p = &m->problem;
    int64_t n = m->points.n;
    double largest = 0;
    if (n > 0 && p->q_memory == FARSUM_HOST) {
        if (m->device)
            TRY(buf_given_host(m->device, q, mesh_value_bytes(m, 1),
                               "strengths"));
        TRY(mesh_strengths(m, q, n, &largest));
    }
    if (m->device)
        TRY(mesh_gpu_spread(m, q, grid));
    else
        TRY(mesh_spread_run(m, &(struct spread_io){.q = q, .mesh = grid}));
    /* only strengths on the host can show that no sum overflows */
    if (p->grid_memory != FARSUM_HOST
        || (p->q_memory == FARSUM_HOST && mesh_small(m, largest, n)))
        return FARSUM_OK;
    return mesh_sums_finite(m, p->mesh[0], grid);
}

farsum_status mesh_usable(const struct farsum_mesh *m, unsigned use)
{
    static const struct {
        unsigned use;
        const char *name;
    } uses[] = {{FARSUM_MESH_SPREAD, "spread"},
                {FARSUM_MESH_VALUE, "value"},
                {FARSUM_MESH_GRADIENT, "gradient"}};
    TRY(device_usable(m->device));
    if (!m->has_points)
        FAIL(ERR_STATE, "no points are set");
    for (int i = 0; i < 3; i++)
        if (use & uses[i].use & ~m->problem.uses)
            FAIL(ERR_STATE, "%s was not among the problem's uses",
                 uses[i].name);
    return FARSUM_OK;
}

farsum_status farsum_mesh_spread(farsum_mesh *mesh, const void *q, void *grid)
{
    FP_GUARD;
    if (mesh && mesh->over)
        return mesh->over->spread(mesh, q, grid);
    if (!mesh || !grid)
        FAIL(ERR_ARGUMENT, "%s is NULL", mesh ? "grid" : "mesh");
    TRY(mesh_usable(mesh, FARSUM_MESH_SPREAD));
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
    if (mesh && mesh->over)
        return mesh->over->interp(mesh, grid, value, gradient);
    if (!mesh || !grid)
        FAIL(ERR_ARGUMENT, "%s is NULL", mesh ? "grid" : "mesh");
    TRY(mesh_usable(mesh, (value ? FARSUM_MESH_VALUE : 0)
                              | (gradient ? FARSUM_MESH_GRADIENT : 0)));
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
