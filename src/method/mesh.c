/* mesh.c: spread and interp by themselves. */
#include "method/mesh.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"

void mesh_log(const farsum_mesh_options *options, const struct choice *choice)
{
    char line[320];
    if (!options->log)
        return;
    snprintf(line, sizeof line, "%s: %s (%s)", choice->stage->name,
             choice->row->name, choice->reason);
    options->log(line, options->log_data);
}

static void mesh_args(struct farsum_mesh *m)
{
    const farsum_mesh_problem *p = &m->problem;
    int parts = p->is_complex ? 2 : 1;
    m->spread = (struct spread_args){.precision = p->precision,
                                     .isa = m->isa,
                                     .threads = m->threads,
                                     .ldz = p->ldz,
                                     .channels = p->channels,
                                     .parts = parts,
                                     .repeats = p->repeats,
                                     .window = &m->window,
                                     .n = p->n_points};
    m->interp = (struct interp_args){.precision = p->precision,
                                     .isa = m->isa,
                                     .threads = m->threads,
                                     .ldz = p->ldz,
                                     .channels = p->channels,
                                     .parts = parts,
                                     .repeats = p->repeats,
                                     .window = &m->window,
                                     .cell = &m->mirror,
                                     .n = p->n_points};
    if (p->uses & FARSUM_MESH_VALUE)
        m->interp.outputs |= FARSUM_POTENTIAL;
    if (p->uses & FARSUM_MESH_GRADIENT)
        m->interp.outputs |= FARSUM_FIELD;
    for (int d = 0; d < 3; d++) {
        m->spread.mesh[d] = m->interp.mesh[d] = p->mesh[d];
        m->spread.open[d] = m->interp.open[d] = !p->periodic[d];
    }
}

farsum_status mesh_think(struct farsum_mesh *m,
                         const farsum_mesh_problem *problem,
                         const farsum_mesh_options *options,
                         const int64_t *modes, int dry)
{
    struct mesh_band band[3];
    const unsigned gather = FARSUM_MESH_VALUE | FARSUM_MESH_GRADIENT;
    TRY(mesh_problem_check(problem, &m->problem));
    TRY(mesh_options_check(options, &m->options));
    m->options.measure = m->options.measure && !dry;
    TRY(mesh_cell(&m->cell, m->problem.cell));
    m->mirror = m->cell;
    for (int i = 0; i < 9; i++)
        m->mirror.inv[i] = -m->cell.inv[i];
    TRY(isa_find(m->options.isa, &m->isa));
    m->threads = mesh_threads(m->options.threads, m->problem.n_points);
    for (int d = 0; d < 3; d++)
        band[d] =
            modes ? (struct mesh_band){modes[d],
                                       2 * M_PI / (double)m->problem.mesh[d]}
                  : (struct mesh_band){0, M_PI / m->problem.upsampling};
    TRY(mesh_window(&m->window, &m->problem, band, dry));
    mesh_args(m);
    if (m->problem.uses & FARSUM_MESH_SPREAD)
        TRY(mesh_plan_room(m, MESH_SPREAD, &spread_stage, m->options.spread,
                           &m->spread));
    if (m->problem.uses & gather)
        TRY(mesh_plan_room(m, MESH_INTERP, &interp_stage, m->options.interp,
                           &m->interp));
    return FARSUM_OK;
}

static farsum_status mesh_make(struct farsum_mesh *m)
{
    for (int room = 0; room < MESH_ROOMS; room++) {
        if (!m->choice[room].row)
            continue;
        TRY(m->choice[room].row->variant->create(m->args[room],
                                                 &m->state[room]));
        mesh_log(&m->options, &m->choice[room]);
    }
    /* the caller's, which may not outlive create */
    m->problem.window = m->options.device = m->options.isa = NULL;
    m->options.spread = m->options.interp = m->options.fft = NULL;
    return FARSUM_OK;
}

farsum_status mesh_create(const farsum_mesh_problem *problem,
                          const farsum_mesh_options *options,
                          const int64_t *modes, struct farsum_mesh **mesh)
{
    farsum_status status = FARSUM_OK;
    struct farsum_mesh *m = NULL;
    double start = clock_seconds();
    int64_t before = mem_bytes();
    GO(MEM_NEW(m, 1));
    GO(mesh_think(m, problem, options, modes, 0));
    GO(mesh_make(m));
    m->bytes = mem_bytes() - before;
    m->seconds_create = clock_seconds() - start;
    *mesh = m;
    m = NULL;
    /* what was refused on the way here is no failure */
    status = status_fail(FARSUM_OK, "%s", "");
done:
    farsum_mesh_destroy(m);
    return status;
}

farsum_status farsum_mesh_create(const farsum_mesh_problem *problem,
                                 const farsum_mesh_options *options,
                                 farsum_mesh **mesh)
{
    if (!mesh)
        FAIL(ERR_ARGUMENT, "mesh is NULL");
    if (options && (options->fft || options->upsampling > 0))
        FAIL(ERR_ARGUMENT, "fft and upsampling are options of a NUFFT; a "
                           "mesh's upsampling is in its problem");
    return mesh_create(problem, options, NULL, mesh);
}

void farsum_mesh_destroy(farsum_mesh *mesh)
{
    if (!mesh)
        return;
    for (int room = 0; room < MESH_ROOMS; room++)
        if (mesh->choice[room].row)
            mesh->choice[room].row->variant->destroy(mesh->state[room]);
    points_clear(&mesh->points);
    mem_free(mesh);
}

/* Along open axes points lie in the cell: there is no other place for them. */
static farsum_status mesh_inside(const struct farsum_mesh *m, int64_t n,
                                 const void *x)
{
    int f32 = m->problem.precision == FARSUM_F32;
    int64_t bad = INT64_MAX;
    const double *inv = m->cell.inv;
    const int *open = m->spread.open;
    if (!open[0] && !open[1] && !open[2])
        return FARSUM_OK;
#pragma omp parallel for num_threads(m->threads) reduction(min : bad)
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
    double r[3], s[3];
    for (int j = 0; j < 3; j++)
        r[j] = f32 ? (double)((const float *)x)[3 * bad + j]
                   : ((const double *)x)[3 * bad + j];
    for (int d = 0; d < 3; d++)
        s[d] = r[0] * inv[d] + r[1] * inv[3 + d] + r[2] * inv[6 + d];
    for (int d = 0; d < 3; d++)
        if (open[d] && !(s[d] >= 0 && s[d] < 1))
            FAIL(ERR_POSITION,
                 "point %lld: (%g, %g, %g) is off the cell along "
                 "open axis %d, at %g of 0 .. 1",
                 (long long)bad, r[0], r[1], r[2], d, s[d]);
    FAIL(ERR_INTERNAL, "point %lld was outside, and is not", (long long)bad);
}

farsum_status farsum_mesh_set_points(farsum_mesh *mesh, int64_t n,
                                     const void *x)
{
    struct farsum_mesh *m = mesh;
    double start = clock_seconds();
    int64_t before = mem_bytes();
    int32_t tiles[3];
    farsum_status status = FARSUM_OK;
    if (!m || (!x && n != 0))
        FAIL(ERR_ARGUMENT, "%s is NULL", m ? "x" : "mesh");
    if (n < 0)
        FAIL(ERR_ARGUMENT, "%lld points", (long long)n);
    m->has_points = 0;
    GO(mesh_inside(m, n, x));
    GO(points_set(&m->points, &m->cell, n, x, m->problem.precision, "point",
                  m->threads));
    spread_tiles(&m->spread, tiles);
    GO(bins_build(&m->points, tiles, m->threads));
    GO(mesh_plan_points(m));
    for (int room = 0; room < MESH_ROOMS; room++)
        if (m->choice[room].row && m->choice[room].row->variant->set)
            GO(m->choice[room].row->variant->set(m->state[room], &m->points,
                                                 NULL));
    m->has_points = 1;
    m->seconds_set_points = clock_seconds() - start;
done:
    m->bytes += mem_bytes() - before;
    return status;
}

farsum_status mesh_spread_run(struct farsum_mesh *mesh,
                              const struct spread_io *io)
{
    double start = clock_seconds();
    TRY(mesh->choice[MESH_SPREAD].row->variant->run(mesh->state[MESH_SPREAD],
                                                    io));
    mesh->seconds[MESH_SPREAD] = clock_seconds() - start;
    return FARSUM_OK;
}

static void mesh_clear(const struct farsum_mesh *m, void *out, int64_t each)
{
    int64_t bytes = m->points.n * m->interp.channels * m->interp.parts * each
                    * (m->problem.precision == FARSUM_F32 ? 4 : 8);
    if (out)
        memset(out, 0, (size_t)bytes);
}

farsum_status mesh_interp_run(struct farsum_mesh *mesh,
                              const struct interp_io *io)
{
    double start = clock_seconds();
    mesh_clear(mesh, io->potential, 1);
    mesh_clear(mesh, io->field, 3);
    TRY(mesh->choice[MESH_INTERP].row->variant->run(mesh->state[MESH_INTERP],
                                                    io));
    mesh->seconds[MESH_INTERP] = clock_seconds() - start;
    return FARSUM_OK;
}

farsum_status farsum_mesh_spread(farsum_mesh *mesh, const void *q, void *grid)
{
    if (!mesh || !grid)
        FAIL(ERR_ARGUMENT, "%s is NULL", mesh ? "grid" : "mesh");
    if (!mesh->has_points)
        FAIL(ERR_STATE, "no points are set");
    if (!(mesh->problem.uses & FARSUM_MESH_SPREAD))
        FAIL(ERR_STATE, "spread was not among the problem's uses");
    if (!q && mesh->points.n > 0)
        FAIL(ERR_ARGUMENT, "q is NULL");
    return mesh_spread_run(mesh, &(struct spread_io){.q = q, .mesh = grid});
}

farsum_status farsum_mesh_interp(farsum_mesh *mesh, const void *grid,
                                 void *value, void *gradient)
{
    if (!mesh || !grid)
        FAIL(ERR_ARGUMENT, "%s is NULL", mesh ? "grid" : "mesh");
    if (!mesh->has_points)
        FAIL(ERR_STATE, "no points are set");
    if ((value && !(mesh->problem.uses & FARSUM_MESH_VALUE))
        || (gradient && !(mesh->problem.uses & FARSUM_MESH_GRADIENT)))
        FAIL(ERR_STATE, "%s was not among the problem's uses",
             value && !(mesh->problem.uses & FARSUM_MESH_VALUE) ? "value"
                                                                : "gradient");
    if ((!value && !gradient) || mesh->points.n == 0)
        return FARSUM_OK;
    return mesh_interp_run(mesh, &(struct interp_io){.mesh = grid,
                                                     .potential = value,
                                                     .field = gradient});
}

double farsum_mesh_hat(const farsum_mesh *mesh, double theta)
{
    return mesh ? window_hat(&mesh->window, theta) : NAN;
}
