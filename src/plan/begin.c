/* SPDX-License-Identifier: Apache-2.0 */
/* begin.c: a plan before its method is chosen: the problem and the options are
 * checked, the device is open and the sample measured. */
#include "plan/plan.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/args.h"
#include "base/arrays.h"
#include "base/mem.h"
#include "base/par.h"
#include "base/store.h"
#include "plan/options.h"
#include "task/sample_flow.h"

/* Longest mesh axis: bytes of a whole mesh then stay below 2^63. */
enum { MESH_MOST = 1 << 19 };
/* Minimum number of particles per thread. */
enum { PER_THREAD = 256 };

/* Sets the device: the caller's, one by name, or the host. */
static farsum_status plan_device(struct farsum_plan *plan)
{
    const farsum_device_options *o = &plan->task.options.device;
    TRY(options_check_device(&plan->task.options));
    if (o->handle) {
        plan->task.device = o->handle->device;
        TRY(device_usable(plan->task.device));
    } else if (!device_is_host(o->name)) {
        TRY(device_open(o->name, &plan->task.device));
        plan->owns_device = 1;
    }
    if (!plan->task.device && plan->task.problem.memory == FARSUM_DEVICE)
        FAIL(ERR_ARGUMENT, "memory is FARSUM_DEVICE, but this plan runs on "
                           "the host");
    return FARSUM_OK;
}

static farsum_status plan_spectral_options(const struct farsum_plan *plan)
{
    const farsum_spectral_options *o = &plan->task.options.spectral;
    if (o->upsampling > 0 && o->upsampling < 1)
        FAIL(ERR_ARGUMENT, "upsampling is %g, below 1", o->upsampling);
    if (o->near_cells < 0 || o->near_team[0] < 0 || o->near_team[1] < 0)
        FAIL(ERR_ARGUMENT, "near_cells or near_team is below 0");
    if ((o->near_cells || o->near_team[0] || o->near_team[1])
        && !plan->task.device)
        FAIL(ERR_UNSUPPORTED, "near_cells and near_team require a device; "
                              "this plan runs on the host");
    if (o->support != 0 && (o->support < 2 || o->support > 16))
        FAIL(ERR_ARGUMENT, "support is %d, not 2 .. 16", o->support);
    for (int d = 0; d < 3; d++)
        if (o->mesh[d] < 0 || (o->mesh[d] == 0) != (o->mesh[0] == 0)
            || o->mesh[d] == 1)
            FAIL(ERR_ARGUMENT, "mesh is %lld x %lld x %lld; all three must be "
                               "at least 2, or all 0",
                 (long long)o->mesh[0], (long long)o->mesh[1],
                 (long long)o->mesh[2]);
    for (int d = 0; d < 3; d++)
        if (o->mesh[d] > MESH_MOST)
            FAIL(ERR_MEMORY, "a mesh axis has %lld points, above %d",
                 (long long)o->mesh[d], MESH_MOST);
    return FARSUM_OK;
}

static farsum_status plan_options(struct farsum_plan *plan,
                                  const farsum_options *options)
{
    farsum_options *o = &plan->task.options;
    *o = (farsum_options)FARSUM_OPTIONS_INIT;
    if (options)
        TRY(struct_take(o, sizeof *o, options, options->size,
                        "FARSUM_OPTIONS_INIT"));
    plan->task.given_cutoff = o->cutoff;
    plan->task.given_skin = o->spectral.skin;
    if (o->method && strcmp(o->method, "auto") == 0)
        o->method = NULL;
    TRY(plan_device(plan));
    if (o->threads < 0 || o->threads > 4096)
        FAIL(ERR_ARGUMENT, "threads is %d, not 0 .. 4096", o->threads);
    TRY(options_check_kinds(o));
    TRY(plan_spectral_options(plan));
    if (o->verify < -1 || o->verify > 1)
        FAIL(ERR_ARGUMENT, "verify is %d, not -1 (off), 0 or 1", o->verify);
    if ((int)o->on_excess < 0 || o->on_excess > FARSUM_EXCESS_FAIL)
        FAIL(ERR_ARGUMENT, "on_excess is %d, not 0, 1 (say) or 2 (fail)",
             (int)o->on_excess);
    if (o->device.queues < 0 || o->device.queues > 2)
        FAIL(ERR_ARGUMENT, "queues is %d, not 0 .. 2", o->device.queues);
    if (o->device.queues == 2 && !plan->task.device)
        FAIL(ERR_UNSUPPORTED, "queues = 2 requires a device; this plan runs "
                              "on the host");
    TRY(count_product(o->spectral.mesh, 3, "mesh"));
    TRY(count_product(o->fmm.boxes, 3, "boxes"));
    TRY(count_check(o->fmm.leaf, "leaf"));
    if (o->memory_limit == 0)
        o->memory_limit = plan_memory(plan->task.device);
    TRY(isa_find(o->isa, &plan->task.isa));
    plan->task.threads = par_threads(o->threads);
    int64_t n = plan->task.problem.n_sources + plan->task.problem.n_targets;
    if (o->threads == 0 && n / PER_THREAD < plan->task.threads)
        plan->task.threads = n / PER_THREAD > 1 ? (int)(n / PER_THREAD) : 1;
    return FARSUM_OK;
}

/* Reports, once per process, a cache folder that may not be used. */
static void plan_store(const struct farsum_plan *plan)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;
    struct store store;
    if (!plan->task.options.log)
        return;
    if (store_open(&store, 0) != FARSUM_OK && !atomic_flag_test_and_set(&told))
        task_log(&plan->task, "%s", farsum_message());
    store_close(&store);
}

/* The extent of points along an open axis, in the task's units: that of the
 * sample, or the cell's. */
static double plan_reach(const struct farsum_plan *plan,
                         const struct cell *cell, int open)
{
    const farsum_problem *p = &plan->task.problem;
    double low = INFINITY, high = -INFINITY, edge = cell->height[open];
    if (!p->sample_x)
        return edge;
    for (int64_t i = 0; i < p->n_sources; i++) {
        double s = 0;
        for (int d = 0; d < 3; d++)
            s += cell->unit * array_get(p->sample_x, p->arrays, 3 * i + d)
                 * cell->inv[3 * d + open];
        low = fmin(low, edge * s);
        high = fmax(high, edge * s);
    }
    return isfinite(high - low) ? high - low : edge;
}

/* 1: a sample in open space is for method spectral.  Method fmm measures its
 * own. */
static int plan_open_sample(const struct farsum_plan *plan)
{
    const struct task *task = &plan->task;
    const char *method = task->options.method;
    int wanted = method ? strcmp(method, "spectral") == 0
                        : task->pair.kind->screened;
    return wanted && task_axes(task) == 0 && task_cuts(task)
           && task->problem.sample_x && !task->device
           && task->links.ranks == 0;
}

/* Sets the extents of slabs, wires and points in open space. */
static void plan_extents(struct farsum_plan *plan, const struct cell *cell,
                         struct sample *sample)
{
    const double margin = 1.1, flat = 1e-3; /* a plane has a volume, too */
    const farsum_problem *p = &plan->task.problem;
    double most = 0;
    for (int d = 0; d < 3; d++)
        if (!p->periodic[d]) {
            sample->reach[d] = plan_reach(plan, cell, d);
            double extent =
                p->sample_x ? margin * sample->reach[d] : cell->height[d];
            if (p->n_targets > 0 && task_axes(&plan->task) > 0)
                extent = fmax(extent, cell->height[d]);
            if (task_is_slab(&plan->task))
                sample->extent = extent;
            else if (task_cuts(&plan->task))
                sample->across[d] = extent;
            most = fmax(most, sample->across[d]);
        }
    for (int d = 0; task_axes(&plan->task) == 0 && d < 3; d++)
        sample->across[d] = fmax(sample->across[d], flat * most);
}

/* Sets a cell around sources and targets where the problem has none; the sample
 * is measured in it. */
static farsum_status plan_sample(struct farsum_plan *plan)
{
    const farsum_problem *p = &plan->task.problem;
    struct cell cell;
    plan->task.sample = (struct sample){.n = p->n_sources,
                                        .m = p->n_targets,
                                        .q2 = (double)p->n_sources,
                                        .soft = p->softening};
    if (task_axes(&plan->task) == 0 && !plan_open_sample(plan))
        return FARSUM_OK;
    TRY(task_cell(&plan->task, &cell));
    struct sample *sample = &plan->task.sample;
    plan_extents(plan, &cell, sample);
    const struct sample extents = *sample;
    task_stretch(&plan->task, 0, &cell);
    /* only references, which need none */
    if (task_axes(&plan->task) < 3 && !task_is_slab(&plan->task)
        && !task_is_truncated(&plan->task))
        return sample_take(&plan->task.sample, &cell, p->n_sources,
                           p->n_targets, NULL, NULL, p->arrays, NULL, NULL,
                           plan->task.isa, plan->task.threads);
    if (plan->task.pair.kind->moments)
        return sample_take_dipoles(&plan->task.sample, &plan->task.pair,
                                   task_volume(&plan->task), &cell, p,
                                   &plan->task.exclusions, plan->task.isa,
                                   plan->task.threads);
    if (!plan->task.pair.kind->charged)
        TRY(sample_take_flow(&plan->task.sample, &plan->task.pair, &cell, p,
                             &plan->task.exclusions, plan->task.isa,
                             plan->task.threads));
    else
        TRY(sample_take(&plan->task.sample, &cell, p->n_sources, p->n_targets,
                        p->sample_x, plan->task.sample_q, p->arrays,
                        &plan->task.exclusions, NULL, plan->task.isa,
                        plan->task.threads));
    sample->extent = extents.extent;
    memcpy(sample->reach, extents.reach, sizeof sample->reach);
    memcpy(sample->across, extents.across, sizeof sample->across);
    return sample_moments_set(&plan->task.sample,
                              p->error == FARSUM_ERROR_POTENTIAL
                                  || !plan->task.pair.kind->gradient);
}

/* Finds where the particles of a sample are that ranks will share. */
static farsum_status plan_heights(struct farsum_plan *plan,
                                  const struct heights *known)
{
    const farsum_problem *p = &plan->task.problem;
    double extent[2] = {-INFINITY, -INFINITY}, count[HEIGHTS] = {0};
    struct cell cell;
    if (known)
        plan->task.heights = *known;
    if (known || plan->task.links.ranks == 0 || !p->sample_x)
        return FARSUM_OK;
    TRY(task_cell(&plan->task, &cell));
    heights_extent(&cell, p->n_sources, p->sample_x, p->arrays, extent);
    heights_count(&cell, p->n_sources, p->sample_x, p->arrays, extent, count);
    heights_set(&plan->task.heights, count);
    return FARSUM_OK;
}

/* Forgets a sample that was measured before. */
static void begin_forget(struct farsum_plan *plan)
{
    plan->task.problem.sample_x = plan->task.problem.sample_q = NULL;
    plan->task.given.sample_x = plan->task.given.sample_q = NULL;
}

static void plan_about(struct farsum_plan *plan)
{
    farsum_plan_info *i = &plan->report.info;
    i->size = sizeof *i;
    i->kernel = plan->task.problem.kernel;
    i->device = plan->task.device ? plan->task.device->name : "host";
    i->device_model =
        plan->task.device ? plan->task.device->properties.model : NULL;
    i->isa = isa_name(plan->task.isa);
    i->threads = plan->task.threads;
    i->n_sources = plan->task.problem.n_sources;
    i->n_targets = plan->task.problem.n_targets > 0
                       ? plan->task.problem.n_targets
                       : plan->task.problem.n_sources;
    i->tolerance = plan->task.given.tolerance;
}

farsum_status plan_begin(struct farsum_plan *p, const farsum_problem *problem,
                         const farsum_options *options, int how,
                         struct plan_aim aim, struct plan_held *before)
{
    p->task.report = &p->report;
    p->task.dry = how & PLAN_DRY ? 1 : 0;
    p->task.part = FARSUM_WHOLE;
    p->report.net_size = p->checked = -1;
    p->energies[0] = p->energies[1] = -1;
    p->task.finer = aim.finer;
    p->most_seconds = aim.most;
    p->task.comm = aim.comm;
    p->task.links = aim.links;
    p->task.transport = aim.transport;
    p->task.shape = aim.shape;
    p->task.share_of = aim.share_of;
    TRY(problem_check(problem, &p->task.problem, &p->task.pair));
    if (aim.wide && p->task.problem.precision == FARSUM_AUTO)
        p->task.problem.precision = FARSUM_F64;
    p->task.given = p->task.problem;
    p->task.sign = p->task.given.coulomb < 0 ? -1 : 1;
    TRY(plan_options(p, options));
    TRY(plan_norm(p));
    p->progress.call = p->task.options.progress;
    p->progress.data = p->task.options.progress_data;
    progress_begin(&p->progress);
    /* an older header has a shorter struct, maybe without cell */
    if (task_axes(&p->task) == 3
        && memcmp(p->task.problem.cell, problem->cell,
                  sizeof p->task.problem.cell)
               != 0)
        task_log(&p->task,
                 "the cell is left-handed; it is summed with c reversed, "
                 "which gives the same lattice");
    if (aim.known)
        begin_forget(p);
    TRY(units_begin(&p->task));
    if (aim.known) {
        p->task.units = aim.known->units;
        p->task.pair.charge = aim.known->charge;
        p->task.pair.dipole = aim.known->dipole;
        p->task.pair.reach = aim.known->reach;
        p->task.pair.quadrupole = aim.known->quadrupole;
        units_tolerance(&p->task);
    }
    before->device = p->task.device ? p->task.device->bytes : 0;
    plan_store(p);
    TRY(plan_addresses(p));
    plan_about(p);
    TRY(plan_exclude_problem(p));
    TRY(plan_heights(p, aim.heights));
    return aim.known ? plan_known_copy(aim.known, &p->task.sample)
                     : plan_sample(p);
}
