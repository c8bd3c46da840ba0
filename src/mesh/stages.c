/* SPDX-License-Identifier: Apache-2.0 */
/* stages.c: checked and timed run of a mesh's stage, on host or device. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/par.h"
#include "mesh/device.h"
#include "task/units.h"

farsum_status mesh_outside(const struct farsum_mesh *m, int64_t i,
                           const double r[3])
{
    const double *inv = m->cell.inv;
    for (int d = 0; d < 3; d++) {
        double s = r[0] * inv[d] + r[1] * inv[3 + d] + r[2] * inv[6 + d];
        if (!m->problem.periodic[d] && !(s >= 0 && s < 1))
            FAIL(ERR_POSITION,
                 "point %lld: (%g, %g, %g) is off the cell along "
                 "open axis %d, at %g of 0 .. 1",
                 (long long)i, r[0], r[1], r[2], d, s);
    }
    FAIL(ERR_POSITION,
         "point %lld: (%g, %g, %g) is off the cell along an open "
         "axis",
         (long long)i, r[0], r[1], r[2]);
}

/* Runs a stage. */
static farsum_status run_stage(struct farsum_mesh *m, int stage, const void *io)
{
    const struct variant *v = m->choice[stage].row->variant;
    double start = clock_seconds();
    if (m->device)
        return mesh_gpu_stage(m, stage, io);
    TRY(v->run(m->state[stage], io));
    m->seconds[stage] = clock_seconds() - start;
    return FARSUM_OK;
}

farsum_status mesh_spread_run(struct farsum_mesh *mesh,
                              const struct spread_io *io)
{
    return run_stage(mesh, MESH_SPREAD, io);
}

int64_t mesh_value_bytes(const struct farsum_mesh *m, int64_t each)
{
    return m->points.n * m->interp.channels * m->interp.parts * each
           * (m->problem.precision == FARSUM_F32 ? 4 : 8);
}

/* Zeroes interp's output. */
static farsum_status run_clear(const struct farsum_mesh *m, void *out,
                               int64_t each)
{
    int64_t bytes = mesh_value_bytes(m, each);
    if (out && m->device)
        return buf_fill_part(out, 0, 0, bytes);
    if (out)
        memset(out, 0, (size_t)bytes);
    return FARSUM_OK;
}

farsum_status mesh_interp_run(struct farsum_mesh *mesh,
                              const struct interp_io *io)
{
    TRY(run_clear(mesh, io->potential, 1));
    TRY(run_clear(mesh, io->field, 3));
    return run_stage(mesh, MESH_INTERP, io);
}

farsum_status mesh_gpu_stage(struct farsum_mesh *m, int stage, const void *io)
{
    struct mesh_gpu *g = m->gpu;
    TRY(stopwatch_start(&g->watch[stage]));
    TRY(m->choice[stage].row->variant->run(m->state[stage], io));
    g->timed[stage] = 1;
    return stopwatch_stop(&g->watch[stage]);
}

farsum_status mesh_not_finite(farsum_precision precision, const char *what)
{
    FAIL(ERR_STRENGTH,
         "the %s are not finite in %s: strengths or the mesh are not, or are "
         "too large to be summed; take other units",
         what, precision == FARSUM_F32 ? "f32" : "f64");
}

farsum_status mesh_finite(const void *v, farsum_precision precision, int64_t n,
                          int threads, const char *what)
{
    if (!v || isfinite(units_largest(v, precision, n, threads)))
        return FARSUM_OK;
    return mesh_not_finite(precision, what);
}
