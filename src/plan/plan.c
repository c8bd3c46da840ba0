/* SPDX-License-Identifier: Apache-2.0 */
/* plan.c: the public functions of a plan: they check arguments and delegate. */
#include "plan/plan.h"

#include <stdatomic.h>
#include <string.h>

#include "base/args.h"
#include "base/c_locale.h"
#include "base/clock.h"
#include "base/fpenv.h"
#include "base/mem.h"
#include "base/par.h"
#include "base/store.h"
#include "device/buf.h"
#include "plan/options.h"
#include "task/method.h"
#include "task/sample_flow.h"

/* Longest mesh axis: bytes of a whole mesh then stay below 2^63. */
enum { MESH_MOST = 1 << 19 };
/* Minimum number of particles per thread. */
enum { PER_THREAD = 256 };

/* Sets the device: the caller's, one by name, or the host. */
static farsum_status plan_device(struct farsum_plan *plan)
{
    const farsum_device_options *o = &plan->task.options.device;
    if (o->handle && o->name)
        FAIL(ERR_ARGUMENT, "device.name is \"%s\", and device.handle is set "
                           "too; set one of them",
             o->name);
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
        o->memory_limit =
            (plan->task.device ? (uint64_t)plan->task.device->facts.memory
                               : mem_allowed())
            / 10 * 8;
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

/* Sets a cell around sources and targets where the problem has none; the sample
 * is measured in it. */
static farsum_status plan_sample(struct farsum_plan *plan)
{
    const farsum_problem *p = &plan->task.problem;
    struct cell cell;
    plan->task.sample = (struct sample){
        .n = p->n_sources, .m = p->n_targets, .q2 = (double)p->n_sources};
    if (!p->periodic[0])
        return FARSUM_OK;
    TRY(cell_set(&cell, p->cell, 1));
    cell.unit = task_per(&plan->task);
    if (!plan->task.pair.kind->charged)
        TRY(sample_take_flow(&plan->task.sample, &plan->task.pair, &cell, p,
                             &plan->task.exclusions, plan->task.isa,
                             plan->task.threads));
    else
        TRY(sample_take(&plan->task.sample, &cell, p->n_sources, p->n_targets,
                        p->sample_x, plan->task.sample_q, p->arrays,
                        &plan->task.exclusions, NULL, plan->task.isa,
                        plan->task.threads));
    return sample_moments_set(&plan->task.sample,
                              p->error == FARSUM_ERROR_POTENTIAL
                                  || !plan->task.pair.kind->gradient);
}

static void plan_about(struct farsum_plan *plan)
{
    farsum_plan_info *i = &plan->report.info;
    i->size = sizeof *i;
    i->kernel = plan->task.problem.kernel;
    i->device = plan->task.device ? plan->task.device->name : "host";
    i->device_model = plan->task.device ? plan->task.device->facts.model : NULL;
    i->isa = isa_name(plan->task.isa);
    i->threads = plan->task.threads;
    i->n_sources = plan->task.problem.n_sources;
    i->n_targets = plan->task.problem.n_targets > 0
                       ? plan->task.problem.n_targets
                       : plan->task.problem.n_sources;
    i->tolerance = plan->task.given.tolerance;
}

/* Clears the caller's pointers, which must not outlive create. */
static void plan_forget(struct farsum_plan *plan)
{
    farsum_options *o = &plan->task.options;
    farsum_problem *both[] = {&plan->task.problem, &plan->task.given};
    for (int k = 0; k < 2; k++) {
        both[k]->sample_x = both[k]->sample_q = NULL;
        both[k]->exclusions = NULL;
        both[k]->exclusion_factors = NULL;
    }
    options_forget_texts(o);
    o->device.handle = NULL;
}

farsum_status plan_make_for(const farsum_problem *problem,
                            const farsum_options *options, int how,
                            struct plan_aim aim, farsum_plan **plan)
{
    farsum_status status = FARSUM_OK;
    struct farsum_plan *p = NULL;
    double start = clock_seconds();
    struct plan_held before = {mem_bytes(), 0};
    if (!plan)
        FAIL(ERR_ARGUMENT, "plan is NULL");
    GO(MEM_NEW(p, 1));
    p->task.report = &p->report;
    p->task.dry = how & PLAN_DRY ? 1 : 0;
    p->report.net_size = p->checked = -1;
    p->energies[0] = p->energies[1] = -1;
    p->task.finer = aim.finer;
    p->most_seconds = aim.most;
    GO(problem_check(problem, &p->task.problem, &p->task.pair));
    if (aim.wide && p->task.problem.precision == FARSUM_AUTO)
        p->task.problem.precision = FARSUM_F64;
    p->task.given = p->task.problem;
    p->task.sign = p->task.given.coulomb < 0 ? -1 : 1;
    GO(plan_options(p, options));
    GO(plan_norm(p));
    p->progress.call = p->task.options.progress;
    p->progress.data = p->task.options.progress_data;
    progress_begin(&p->progress);
    /* an older header has a shorter struct, maybe without cell */
    if (p->task.problem.periodic[0]
        && memcmp(p->task.problem.cell, problem->cell,
                  sizeof p->task.problem.cell)
               != 0)
        task_log(&p->task,
                 "the cell is left-handed; it is summed with c reversed, "
                 "which gives the same lattice");
    GO(units_begin(&p->task));
    before.device = p->task.device ? p->task.device->bytes : 0;
    plan_store(p);
    GO(plan_addresses(p));
    plan_about(p);
    GO(plan_exclude_problem(p));
    GO(plan_sample(p));
    if (p->task.problem.precision == FARSUM_AUTO)
        GO(plan_precision(p));
    else
        GO(plan_method_in(p, p->task.problem.precision));
    if (!(how & PLAN_INNER))
        GO(plan_arrays(&p->task.problem));
    plan_holds(p, before);
    before = plan_held(p);
    GO(task_has_memory(&p->task, (double)p->bytes));
    mem_free(p->task.sample_q); /* later code uses only its sums */
    p->task.sample_q = NULL;
    p->task.problem.sample_q = NULL;
    GO(plan_state(p));
    GO(progress_check(&p->progress));
    progress_end(&p->progress, status);
    plan_forget(p);
    uint64_t expected = p->report.info.bytes;
    plan_holds(p, before);
    if (p->task.dry)
        p->report.info.bytes = expected;
    p->report.info.seconds_create = clock_seconds() - start;
    *plan = p;
    p = NULL;
    /* refusals on the way here are no failure */
    status = status_fail(FARSUM_OK, "%s", "");
done:
    if (p && !(how & PLAN_INNER))
        status = plan_advise(status, p, problem, options);
    if (p)
        status = progress_end(&p->progress, status);
    farsum_plan_destroy(p);
    return status;
}

farsum_status plan_make(const farsum_problem *problem,
                        const farsum_options *options, int how,
                        farsum_plan **plan)
{
    return plan_make_for(problem, options, how, (struct plan_aim){0}, plan);
}

farsum_status farsum_plan_create(const farsum_problem *problem,
                                 const farsum_options *options,
                                 farsum_plan **plan)
{
    FP_GUARD;
    farsum_status status = plan_make(problem, options, 0, plan);
    if (plan_refuses(status) && problem->error > FARSUM_ERROR_VELOCITY)
        status = plan_make_for(problem, options, 0,
                               (struct plan_aim){.finer = 1}, plan);
    if (status != FARSUM_OK)
        return status;
    return plan_verify(problem, options, plan);
}

farsum_status farsum_plan_tune(const farsum_problem *problem,
                               const farsum_options *options,
                               farsum_plan **plan)
{
    FP_GUARD;
    return plan_make(problem, options, PLAN_DRY, plan);
}

void farsum_plan_destroy(farsum_plan *plan)
{
    FP_GUARD;
    if (!plan || device_usable(plan->task.device) != FARSUM_OK)
        return;
    farsum_plan_destroy(plan->beside);
    verify_late_clear(plan);
    if (plan->method)
        plan->method->destroy(plan->state);
    sample_clear(&plan->task.sample);
    mem_free(plan->task.sample_q);
    exclusions_clear(&plan->task.exclusions);
    if (plan->owns_device)
        device_close(plan->task.device);
    mem_free(plan);
}

farsum_status plan_points(struct farsum_plan *plan, int64_t n, const void *x,
                          int64_t m, const void *y)
{
    FP_GUARD;
    double start = clock_seconds();
    TRY(device_usable(plan->task.device));
    if (plan->task.dry)
        FAIL(ERR_STATE, "a plan made by farsum_plan_tune accepts no points");
    if (n < 1)
        FAIL(ERR_ARGUMENT, "%lld sources are too few, at least 1 is needed",
             (long long)n);
    TRY(count_check(n, "the number of sources"));
    TRY(count_check(m < 0 ? 0 : m, "the number of targets"));
    if (m < 0 || (m > 0) != (y != NULL))
        FAIL(ERR_ARGUMENT, "%lld targets with %s positions", (long long)m,
             y ? "given" : "no");
    if (m > 0 && plan->task.problem.n_targets == 0)
        FAIL(ERR_STATE, "this plan has no separate targets: set "
                        "problem.n_targets before farsum_plan_create()");
    plan->has_points = 0;
    if (plan->beside)
        plan->beside->has_points = 0;
    units_again(&plan->task);
    struct plan_held before = plan_held(plan);
    struct plan_limit limit = plan_limit(plan);
    device_gather(plan->task.device);
    farsum_status status = plan_exclude_rows(plan, n, m);
    if (status == FARSUM_OK)
        status = plan->method->set_points(&plan->task, plan->state, n, x, m, y);
    if (status == FARSUM_OK)
        status = plan_exclude_hand(plan);
    if (status == FARSUM_OK && plan->beside) /* m is 0 then */
        status = plan_points(plan->beside, n, x, 0, NULL);
    status = device_settle(plan->task.device, status);
    if (status == FARSUM_OK)
        status = verify_late_points(plan, n, x, m, y);
    plan_unlimit(plan, limit);
    if (status == FARSUM_OK)
        status = progress_check(&plan->progress);
    plan_holds(plan, before);
    if (status != FARSUM_OK)
        return status;
    plan->n = n;
    plan->m = m;
    plan->report.info.n_sources = n;
    plan->report.info.n_targets = m > 0 ? m : n;
    plan->has_points = 1;
    plan->report.info.seconds_set_points = clock_seconds() - start;
    return FARSUM_OK;
}

farsum_status farsum_plan_set_points(farsum_plan *plan, int64_t n,
                                     const void *x, int64_t m, const void *y)
{
    if (!plan || !x)
        FAIL(ERR_ARGUMENT, "%s is NULL", plan ? "x" : "plan");
    progress_begin(&plan->progress);
    farsum_status status = plan_points(plan, n, x, m, y);
    if (status != FARSUM_OK)
        status = plan_advise_points(status, plan, n, x, m);
    return progress_end(&plan->progress, status);
}

farsum_status farsum_plan_set_cell(farsum_plan *plan, const double cell[9])
{
    FP_GUARD;
    if (!plan || !cell)
        FAIL(ERR_ARGUMENT, "%s is NULL", plan ? "cell" : "plan");
    TRY(device_usable(plan->task.device));
    if (plan->task.dry)
        FAIL(ERR_STATE, "a plan made by farsum_plan_tune accepts no cell");
    if (!plan->task.problem.periodic[0])
        FAIL(ERR_STATE, "the problem has no periodic axis, so it has no cell");
    struct cell checked;
    double old[9], right[9], inside[9];
    memcpy(right, cell, sizeof right);
    cell_right(right);
    TRY(units_cell(&plan->task, right, inside));
    TRY(cell_set(&checked, right, task_per(&plan->task)));
    units_again(&plan->task);
    struct plan_held before = plan_held(plan);
    struct plan_limit limit = plan_limit(plan);
    verify_late_drop(plan);
    memcpy(old, plan->task.problem.cell, sizeof old);
    farsum_status status =
        plan->method->set_cell(&plan->task, plan->state, inside);
    if (status == FARSUM_OK && plan->beside)
        status = plan_beside_cell(plan, old, right);
    plan_unlimit(plan, limit);
    plan_holds(plan, before);
    if (status != FARSUM_OK)
        return status;
    memcpy(plan->task.problem.cell, inside, sizeof inside);
    memcpy(plan->task.given.cell, right, sizeof plan->task.given.cell);
    plan->has_points = 0;
    return FARSUM_OK;
}

farsum_status farsum_plan_get_info(const farsum_plan *plan,
                                   farsum_plan_info *info)
{
    FP_GUARD;
    if (!plan || !info)
        FAIL(ERR_ARGUMENT, "%s is NULL", plan ? "info" : "plan");
    farsum_plan_info all = plan->report.info;
    plan_units_info(plan, &all);
    plan_beside_info(plan, &all);
    return struct_give(info, info->size, &all, sizeof all,
                       "FARSUM_PLAN_INFO_INIT");
}
