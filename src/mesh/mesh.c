/* SPDX-License-Identifier: Apache-2.0 */
/* mesh.c: public interface of spreading and interpolation without a plan. */
#include "mesh/mesh.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/fpenv.h"
#include "base/mem.h"
#include "mesh/device.h"
#include "tune/measured_choice.h"

void mesh_args(struct farsum_mesh *m)
{
    const farsum_mesh_problem *p = &m->problem;
    int parts = p->is_complex ? 2 : 1;
    m->interp = (struct interp_args){.precision = p->precision,
                                     .device = m->device,
                                     .isa = m->isa,
                                     .threads = m->threads,
                                     .ldz = p->ldz,
                                     .channels = p->channels,
                                     .parts = parts,
                                     .repeats = p->repeats,
                                     .clustering = p->crowding,
                                     .window = &m->window,
                                     .cell = &m->mirror,
                                     .n = p->n_points};
    if (p->uses & FARSUM_MESH_VALUE)
        m->interp.outputs |= FARSUM_POTENTIAL;
    if (p->uses & FARSUM_MESH_GRADIENT)
        m->interp.outputs |= FARSUM_FIELD;
    for (int d = 0; d < 3; d++) {
        m->interp.mesh[d] = p->mesh[d];
        m->interp.open[d] = !p->periodic[d];
    }
    m->spread = planner_spread(&m->interp);
}

/* Fails if arrays are on a device but the mesh is not. */
static farsum_status mesh_places(const struct farsum_mesh *m)
{
    const farsum_mesh_problem *p = &m->problem;
    if (!m->device
        && (p->x_memory == FARSUM_DEVICE || p->q_memory == FARSUM_DEVICE
            || p->grid_memory == FARSUM_DEVICE
            || p->value_memory == FARSUM_DEVICE))
        FAIL(ERR_ARGUMENT, "arrays are on the device, and the mesh is on the "
                           "host");
    return FARSUM_OK;
}

farsum_status mesh_prepare(struct farsum_mesh *m,
                           const farsum_mesh_problem *problem,
                           const farsum_mesh_options *options,
                           struct device *device)
{
    m->device = device;
    TRY(mesh_problem_check(problem, &m->problem));
    TRY(mesh_options_check(options, &m->options));
    TRY(mesh_places(m));
    TRY(mesh_cell(&m->cell, m->problem.cell));
    m->mirror = m->cell;
    for (int i = 0; i < 9; i++)
        m->mirror.inv[i] = -m->cell.inv[i];
    TRY(isa_find(m->options.isa, &m->isa));
    m->threads = mesh_threads(m->options.threads, m->problem.n_points);
    return FARSUM_OK;
}

farsum_status mesh_set_window(struct farsum_mesh *m, const int64_t *modes,
                              int dry)
{
    struct mesh_band band[3];
    for (int d = 0; d < 3; d++)
        band[d] =
            modes ? (struct mesh_band){modes[d],
                                       2 * M_PI / (double)m->problem.mesh[d]}
                  : (struct mesh_band){0, M_PI / m->problem.upsampling};
    return mesh_window(&m->window, &m->problem, band, dry, &m->estimated_error);
}

farsum_status mesh_choose(struct farsum_mesh *m, const char *spread,
                          const char *interp)
{
    const unsigned gather = FARSUM_MESH_VALUE | FARSUM_MESH_GRADIENT;
    if (m->problem.uses & FARSUM_MESH_SPREAD)
        TRY(mesh_choose_stage(m, MESH_SPREAD, &spread_stage, spread,
                              &m->spread));
    if (m->problem.uses & gather)
        TRY(mesh_choose_stage(m, MESH_INTERP, &interp_stage, interp,
                              &m->interp));
    return FARSUM_OK;
}

farsum_status mesh_think(struct farsum_mesh *m,
                         const farsum_mesh_problem *problem,
                         const farsum_mesh_options *options,
                         struct device *device, const int64_t *modes, int dry)
{
    TRY(mesh_prepare(m, problem, options, device));
    m->options.measure = m->options.measure && (m->asked || !dry);
    TRY(mesh_set_window(m, modes, dry));
    mesh_args(m);
    return mesh_choose(m, m->options.spread, m->options.interp);
}

/* Clears pointers to the caller's data, which may be freed after create. */
static void mesh_forget(struct farsum_mesh *m)
{
    m->problem.window = m->options.device = m->options.isa = NULL;
    m->options.on_device = NULL;
    m->options.spread = m->options.interp = m->options.fft = NULL;
}

farsum_status mesh_states(struct farsum_mesh *m)
{
    if (m->device)
        TRY(mesh_gpu_create(m));
    for (int stage = 0; stage < MESH_STAGES; stage++) {
        if (!m->choice[stage].row)
            continue;
        TRY(m->choice[stage].row->variant->create(m->args[stage],
                                                  &m->state[stage]));
        mesh_log(&m->options, &m->choice[stage]);
    }
    mesh_forget(m);
    return FARSUM_OK;
}

farsum_status mesh_create(const farsum_mesh_problem *problem,
                          const farsum_mesh_options *options,
                          struct device *device, const int64_t *modes,
                          struct farsum_mesh **mesh)
{
    farsum_status status = FARSUM_OK;
    struct farsum_mesh *m = NULL;
    double start = clock_seconds();
    struct mesh_held before = mesh_held(device);
    GO(MEM_NEW(m, 1));
    GO(mesh_think(m, problem, options, device, modes, 0));
    GO(mesh_states(m));
    mesh_holds(m, before);
    m->seconds_create = clock_seconds() - start;
    *mesh = m;
    m = NULL;
    /* discard the message of an attempt that was not required */
    status = status_fail(FARSUM_OK, "%s", "");
done:
    farsum_mesh_destroy(m);
    return status;
}

/* Creates everything except the variants' states. */
static farsum_status mesh_ask(const farsum_mesh_problem *problem,
                              const farsum_mesh_options *options,
                              struct device *device, struct farsum_mesh **mesh)
{
    farsum_status status = FARSUM_OK;
    struct farsum_mesh *m = NULL;
    GO(MEM_NEW(m, 1));
    m->asked = 1;
    GO(mesh_think(m, problem, options, device, NULL, 1));
    mesh_forget(m);
    *mesh = m;
    m = NULL;
    status = status_fail(FARSUM_OK, "%s", "");
done:
    farsum_mesh_destroy(m);
    return status;
}

static farsum_status mesh_open(const farsum_mesh_problem *problem,
                               const farsum_mesh_options *options, int ask,
                               farsum_mesh **mesh)
{
    farsum_mesh_options checked;
    struct device *device = NULL;
    int owned = 0;
    if (!mesh)
        FAIL(ERR_ARGUMENT, "mesh is NULL");
    TRY(mesh_options_check(options, &checked));
    if (checked.fft || checked.upsampling > 0)
        FAIL(ERR_ARGUMENT, "%s", MESH_NUFFT_ONLY);
    TRY(mesh_device(&checked, &device, &owned));
    farsum_status status =
        ask ? mesh_ask(problem, options, device, mesh)
            : mesh_create(problem, options, device, NULL, mesh);
    if (status == FARSUM_OK)
        (*mesh)->owns_device = owned;
    else if (owned)
        device_close(device);
    return status;
}

farsum_status farsum_mesh_create(const farsum_mesh_problem *problem,
                                 const farsum_mesh_options *options,
                                 farsum_mesh **mesh)
{
    FP_GUARD;
    return mesh_open(problem, options, 0, mesh);
}

farsum_status farsum_mesh_tune(const farsum_mesh_problem *problem,
                               const farsum_mesh_options *options,
                               farsum_mesh **mesh)
{
    FP_GUARD;
    return mesh_open(problem, options, 1, mesh);
}

void farsum_mesh_destroy(farsum_mesh *mesh)
{
    FP_GUARD;
    if (!mesh || device_usable(mesh->device) != FARSUM_OK)
        return;
    for (int stage = 0; stage < MESH_STAGES; stage++)
        if (mesh->choice[stage].row)
            mesh->choice[stage].row->variant->destroy(mesh->state[stage]);
    points_clear(&mesh->points);
    if (mesh->over)
        mesh->over->destroy(mesh->ranks);
    mesh_gpu_destroy(mesh->gpu);
    if (mesh->owns_device)
        device_close(mesh->device);
    mem_free(mesh);
}

double farsum_mesh_hat(const farsum_mesh *mesh, double theta)
{
    FP_GUARD;
    return mesh ? window_hat(&mesh->window, theta) : NAN;
}
