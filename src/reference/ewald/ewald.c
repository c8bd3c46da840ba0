/* SPDX-License-Identifier: Apache-2.0 */
/* ewald.c: method `ewald`: converged Ewald summation, by ewald_sum.h for
 * laplace and ewald_any.h for other kernels.  It is the reference for all
 * periodic problems, and uses no table of the fast methods. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/progress.h"
#include "reference/ewald/ewald_any.h"
#include "reference/reference.h"
#include "points/wrap.h"
#include "stage/device.h"

static farsum_status ewald_fits(const struct task *task)
{
    if (!task->pair.kind->charged && !reference_kind_find(task->pair.name))
        FAIL(ERR_UNSUPPORTED, "does not know kernel %s", task->pair.name);
    TRY(gpu_not_wanted(task->device));
    if (task->problem.softening > 0
        && task->problem.outputs & FARSUM_PARTICLE_VIRIAL)
        FAIL(ERR_UNSUPPORTED,
             "does not sum the virial of each particle with softening");
    if (task_axes(task) == 0)
        FAIL(ERR_UNSUPPORTED,
             "sums one to three periodic axes; the problem has none");
    if (task->problem.error == FARSUM_ERROR_ABSOLUTE)
        FAIL(ERR_UNSUPPORTED, "takes a relative tolerance");
    if (task->problem.tolerance < EWALD_BEST)
        FAIL(ERR_TOLERANCE,
             "tolerance %g is below %g, the best that it "
             "reaches",
             task->problem.tolerance, EWALD_BEST);
    return FARSUM_OK;
}

static double ewald_least(const struct task *task)
{
    (void)task;
    return 0;
}

static farsum_status ewald_sums(const struct task *task, struct reference *s,
                                const struct host_sums *sums)
{
    if (!s->any)
        return ewald_run(s->ewald, s->q, sums->potential, sums->field,
                         sums->energy, sums->virial);
    const struct reference_kind *kind = reference_kind_of(task);
    double *values = reference_results(s, sums), norm;
    struct ewald_info info;
    int width = reference_wants(kind, sums);
    if (values)
        TRY(ewald_any_run(s->any, s->q, width, values));
    exact_spread(task, s, width, sums);
    ewald_any_get_info(s->any, &info);
    if (task->pair.kind->moments && sums->potential
        && task->problem.error == FARSUM_ERROR_POTENTIAL)
        task->report->info.estimated_error = fmax(
            info.estimate, ewald_any_rounding(s->any, s->q, sums->potential));
    if (!sums->velocity)
        return FARSUM_OK;
    task->report->info.estimated_error =
        ewald_any_estimate(s->any, s->q, sums->velocity, &norm);
    task->report->info.norm = task->problem.coulomb * norm;
    return FARSUM_OK;
}

static void ewald_method_destroy(void *state)
{
    struct reference *s = state;
    if (!s)
        return;
    ewald_destroy(s->ewald);
    ewald_any_destroy(s->any);
    reference_clear(s);
    mem_free(s);
}

/* Creates the sum's state for a cell and replaces the current one. */
static farsum_status ewald_make(const struct task *task, const double cell[9],
                                struct reference *s)
{
    const farsum_problem *p = &task->problem;
    const struct reference_kind *kind = reference_kind_of(task);
    struct ewald_setup setup = {
        .accuracy = p->tolerance,
        .n = p->n_sources,
        .share_of = task->share_of,
        .m = p->n_targets,
        .threads = task->threads,
        .isa = task->isa,
        .cutoff = task->options.cutoff,
        .soft = p->softening,
        .vacuum = p->surface == FARSUM_VACUUM,
        .memory = (double)task->options.memory_limit / 2,
    };
    struct ewald *ewald = NULL;
    struct ewald_any *any = NULL;
    memcpy(setup.cell, cell, sizeof setup.cell);
    for (int d = 0; d < 3; d++)
        setup.open[d] = !p->periodic[d];
    if (setup.cutoff > 0 && setup.cutoff < setup.soft)
        FAIL(ERR_ARGUMENT, "cutoff %g is shorter than the softening, %g",
             task_length(task, setup.cutoff), task_length(task, setup.soft));
    TRY(kind ? ewald_any_create(kind, task->pair.kappa, &setup, &any)
             : ewald_create(&setup, &ewald));
    ewald_destroy(s->ewald);
    ewald_any_destroy(s->any);
    s->ewald = ewald;
    s->any = any;
    return FARSUM_OK;
}

static void ewald_info_of(const struct reference *s, struct ewald_info *info)
{
    if (s->any)
        ewald_any_get_info(s->any, info);
    else
        ewald_get_info(s->ewald, info);
}

static double ewald_bytes(const struct task *task,
                          const struct ewald_info *info)
{
    double held, more;
    reference_bytes(task, &held, &more);
    return held + fmax(more, (double)info->bytes);
}

static void ewald_about(const struct task *task, const struct reference *s)
{
    struct ewald_info info;
    ewald_info_of(s, &info);
    task->report->info.cutoff = info.cutoff;
    task->report->info.bandwidth = info.kmax * info.cutoff;
    task->report->info.estimated_error = info.estimate;
    if (task->dry)
        task->report->info.bytes = (uint64_t)ewald_bytes(task, &info);
}

static farsum_status ewald_method_tune(const struct task *task, void **state,
                                       double *seconds)
{
    farsum_status status = FARSUM_OK;
    struct reference *s = NULL;
    struct ewald_info info;
    GO(MEM_NEW(s, 1));
    s->sum = ewald_sums;
    GO(ewald_make(task, task->problem.cell, s));
    ewald_info_of(s, &info);
    GO(task_has_memory(task, ewald_bytes(task, &info)));
    *seconds = info.seconds;
    *state = s;
    s = NULL;
done:
    ewald_method_destroy(s);
    return status;
}

static farsum_status ewald_method_create(struct task *task, void *state)
{
    exact_stage(task, "ewald", "the reference");
    task->report->info.split = "gaussian";
    ewald_about(task, state);
    return FARSUM_OK;
}

/* Fails if sources coincide.  Open edges are so long that no points are a
 * whole one apart, which would count as images. */
static farsum_status ewald_distinct(struct task *task,
                                    const struct reference *s, int64_t n,
                                    const void *x)
{
    farsum_status status = FARSUM_OK;
    struct points p = {0};
    struct cell cell;
    double most = 1; /* edges of a period are 1 to 2 */
    if (task->problem.exclude_coincident)
        return FARSUM_OK;
    TRY(task_cell(task, &cell));
    for (int64_t i = 0; i < 3 * n; i++)
        most = fmax(most, fabs(s->x[i]));
    for (int d = 0; d < 3; d++)
        if (cell.open[d])
            cell_stretch(&cell, d, 8 * most);
    GO(points_set(&p, &cell, n, x, task->problem.arrays, "source",
                  task->threads));
    GO(points_distinct(&p, 1, task->threads, &task->exclusions));
done:
    points_clear(&p);
    return status;
}

static farsum_status ewald_method_points(struct task *task, void *state,
                                         int64_t n, const void *x, int64_t m,
                                         const void *y)
{
    struct reference *s = state;
    TRY(progress_step(0, 0, "placing points"));
    TRY(reference_set_points(s, task, n, x, m, y));
    TRY(ewald_distinct(task, s, n, x));
    if (s->any)
        TRY(ewald_any_set_points(s->any, n, s->x, m, m > 0 ? s->y : NULL));
    else
        TRY(ewald_set_points(s->ewald, n, s->x, m, m > 0 ? s->y : NULL));
    ewald_about(task, s);
    return FARSUM_OK;
}

static farsum_status ewald_method_cell(struct task *task, void *state,
                                       const double cell[9])
{
    struct reference *s = state;
    TRY(ewald_make(task, cell, s));
    ewald_about(task, s);
    return FARSUM_OK;
}

const struct method method_ewald = {
    .fits = ewald_fits,
    .least = ewald_least,
    .tune = ewald_method_tune,
    .create = ewald_method_create,
    .set_points = ewald_method_points,
    .set_cell = ewald_method_cell,
    .execute = reference_execute,
    .destroy = ewald_method_destroy,
    .options = METHOD_CUTOFF,
    .reference = 1,
    .wide = 1,
};
