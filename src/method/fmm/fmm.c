/* SPDX-License-Identifier: Apache-2.0 */
/* fmm.c: the fast multipole method (Greengard and Rokhlin, J. Comput. Phys. 73
 * (1987) 325).  Points are sorted into nested boxes.  Near boxes interact pair
 * by pair, far boxes by expansions in solid harmonics (Dehnen, Comput.
 * Astrophys.  Cosmol.  1 (2014) 1). */
#include "base/progress.h"
#include "method/fmm/device/ranks.h"
#include "method/fmm/kernels.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arrays.h"
#include "base/hypot.h"
#include "base/mem.h"

/* The smallest error that rounding allows (method/fmm/boxes/error.c). */
static double fmm_best(const farsum_problem *p)
{
    if (p->precision != FARSUM_F32)
        return 1e-13;
    if (p->error == FARSUM_ERROR_POTENTIAL)
        return cell_axes(p->periodic) > 0 ? 1.5e-6 : 4.3e-7;
    return 1.1e-6;
}

/* What ranks do not have yet. */
static farsum_status fmm_fits_ranks(const struct task *task)
{
    const farsum_problem *p = &task->problem;
    const farsum_fmm_options *o = &task->options.fmm;
    if (task->options.strict)
        FAIL(ERR_UNSUPPORTED, "has no error bounds (strict) over ranks");
    if (task->shape.ranks[1] > 1)
        FAIL(ERR_UNSUPPORTED, "has only slabs over ranks, not %d x %d pencils",
             task->shape.ranks[0], task->shape.ranks[1]);
    if (p->periodic[0] && p->outputs & FARSUM_VIRIAL)
        FAIL(ERR_UNSUPPORTED,
             "has no virial of a periodic cell over ranks; leave it out of the "
             "outputs");
    if (o->tree && strcmp(o->tree, "dense") != 0)
        FAIL(ERR_UNSUPPORTED, "has dense trees only over ranks, not \"%s\"",
             o->tree);
    if (!o->lattice || (!task->device && strcmp(o->lattice, "fft") == 0)
        || (task->device
            && (strcmp(o->lattice, "gpu_fft") == 0
                || strcmp(o->lattice, "gpu_grid") == 0)))
        return FARSUM_OK;
    FAIL(ERR_UNSUPPORTED, "has %s of lattice only over ranks, not \"%s\"",
         task->device ? "variants gpu_fft and gpu_grid" : "variant fft",
         o->lattice);
}

/* One or two periodic axes. */
static farsum_status fmm_fits_open_axes(const struct task *task)
{
    int axes = task_axes(task);
    if (task->device)
        FAIL(ERR_UNSUPPORTED, "sums %d periodic axes on the host only", axes);
    if (task->links.ranks > 0)
        FAIL(ERR_UNSUPPORTED, "sums %d periodic axes in one process only",
             axes);
    if (task->options.strict)
        FAIL(ERR_UNSUPPORTED, "has no error bound (strict) of %d periodic axes",
             axes);
    /* the trace of others is the energy */
    if (axes == 1 && task->problem.softening > 0
        && task->problem.outputs & FARSUM_VIRIAL)
        FAIL(ERR_UNSUPPORTED, "has no virial of softened charges with one "
                              "periodic axis; leave it out of the outputs");
    return FARSUM_OK;
}

static farsum_status fmm_fits(const struct task *task)
{
    const farsum_problem *p = &task->problem;
    double best = fmm_best(p);
    if (fmm_kernel_of(task) != FMM_LAPLACE)
        TRY(fmm_kernel_fits(task));
    if (p->outputs & FARSUM_PARTICLE_VIRIAL)
        FAIL(ERR_UNSUPPORTED, "does not sum the virial of each particle");
    if (task_axes(task) % 3 != 0)
        TRY(fmm_fits_open_axes(task));
    if (task->options.strict && p->softening > 0)
        FAIL(ERR_UNSUPPORTED,
             "strict: of softened pairs far ones are summed as 1/r, whose "
             "error is estimated, not bounded; method direct has none");
    if (task->links.ranks > 0)
        TRY(fmm_fits_ranks(task));
    /* where another method is more accurate, its message is reported */
    if (p->error != FARSUM_ERROR_ABSOLUTE && p->tolerance < best)
        return status_fail(task->options.method ? FARSUM_ERR_TOLERANCE
                                                : FARSUM_ERR_UNSUPPORTED,
                           "tolerance %g is below %g, the best that %s reaches",
                           p->tolerance, best,
                           p->precision == FARSUM_F32 ? "f32" : "f64");
    return FARSUM_OK;
}

/* A fifth of the time that a host or GPU takes at low accuracy. */
static double fmm_least(const struct task *task)
{
    const farsum_problem *p = &task->problem;
    double points = (double)(p->n_sources + p->n_targets);
    return task->device ? 5e-11 * points : 2e-7 * points / task->threads;
}

/* Copies the names, because the caller's strings may be freed. */
static farsum_status fmm_names(const struct task *task, struct fmm_names *names)
{
    const farsum_fmm_options *o = &task->options.fmm;
    const char *const given[FMM_STAGES] = {o->p2p,     o->p2m, o->m2m, o->m2l,
                                           o->lattice, o->l2l, o->l2p};
    for (int r = 0; r < FMM_STAGES; r++)
        snprintf(names->name[r], sizeof names->name[r], "%s",
                 given[r] ? given[r] : "");
    names->lattice = o->lattice != NULL;
    if (task->links.ranks > 0) { /* fmm_fits_ranks has refused others */
        if (!task->device)
            strcpy(names->name[FMM_LATTICE], "fft");
        names->tree = 1;
    }
    if (!o->tree)
        return FARSUM_OK;
    names->tree = strcmp(o->tree, "dense") == 0    ? 1
                  : strcmp(o->tree, "sparse") == 0 ? 2
                                                   : 0;
    if (!names->tree)
        FAIL(ERR_UNKNOWN, "tree \"%s\": there are dense and sparse", o->tree);
    return FARSUM_OK;
}

static void fmm_destroy(void *state)
{
    struct fmm *s = state;
    if (!s)
        return;
    fmm_ranks_destroy(s);
    fmm_gpu_forget(s->gpu);
    fmm_clear_states(s);
    fmm_gpu_destroy(s->gpu);
    fmm_strict_destroy(s->strict);
    fmm_strict_destroy(s->alike);
    tree_clear(&s->tree);
    points_clear(&s->source);
    points_clear(&s->target);
    fmm_kernel_clear(s);
    mem_free(s->caller.q);
    mem_free(s->caller.potential);
    mem_free(s->caller.field);
    mem_free(s->q);
    mem_free(s->potential);
    mem_free(s->field);
    mem_free(s->multipole);
    mem_free(s->local);
    mem_free(s);
}

double fmm_bytes(const struct task *task, const struct fmm *s, int64_t layers)
{
    double size = task->problem.precision == FARSUM_F32 ? 4 : 8;
    double points = (double)(task->problem.n_sources + task->problem.n_targets);
    double share = 1, more = 0;
    const struct boxes_args *whole = s->ranks ? fmm_ranks_whole(s) : &s->boxes;
    struct boxes_args boxes = *whole;
    struct p2p_args pairs = s->pairs;
    if (layers >= 0) {
        share = (double)layers / (double)whole->root[0];
        fmm_ranks_slab(layers, &boxes, s->ranks ? NULL : &pairs);
        more = fmm_ranks_bytes(task, s, share, (double)whole->root[0]);
    }
    double bytes =
        more
        + 2 * size * multipole_size(s->shape.order) * (double)boxes.n_boxes;
    if (s->strict) /* weights, sizes, and sums of four orders */
        bytes += 48 * (double)s->boxes.n_boxes;
    for (int r = 0; r < FMM_STAGES; r++) {
        const void *args = r == FMM_P2P       ? (const void *)&pairs
                           : r == FMM_LATTICE ? whole
                                              : &boxes;
        if (s->choice[r].row) /* the ranks share the lattice evenly */
            bytes += (r == FMM_LATTICE ? share : 1)
                     * (double)s->choice[r].row->variant->bytes(args);
    }
    double low = task->problem.precision == FARSUM_F32 ? 4 : 0;
    /* strengths, potentials, fields, positions; on the host the order of the
     * points in the tree, on a device a second copy of their positions */
    double given = task->device ? 8 * 11 : 8 * 9;
    int strengths = task->pair.strengths;
    if (s->input.kernel != FMM_LAPLACE) /* strengths and gradient twice */
        given += 16 * (strengths - 1) + (fmm_kernel_gradient(task) ? 96 : 0);
    if (s->input.kernel >= FMM_STOKESLET) /* passes */
        given += 8 * (4 + (fmm_kernel_moments(s->input.kernel) ? 4 : 1));
    return bytes + share * points * (given + size * 8 + low);
}

/* The same of the plan; over ranks of the one with the most layers. */
static double fmm_bytes_most(const struct task *task, const struct fmm *s)
{
    const struct boxes_args *whole = s->ranks ? fmm_ranks_whole(s) : &s->boxes;
    int ranks = task->links.ranks;
    return fmm_bytes(task, s, ranks > 0 ? fmm_ranks_most(whole, ranks) : -1);
}

static farsum_status fmm_memory(const struct task *task, const struct fmm *s)
{
    double bytes = fmm_bytes_most(task, s);
    if (bytes > (double)task->options.memory_limit)
        FAIL(ERR_MEMORY,
             "points and %lld boxes of order %d need %.3g bytes in all, the "
             "limit is %llu",
             (long long)s->boxes.n_boxes, s->shape.order, bytes,
             (unsigned long long)task->options.memory_limit);
    return FARSUM_OK;
}

/* Open space: sets *uneven to 1 if the sample requires a sparse tree. */
static farsum_status fmm_sample_uneven(const struct task *task,
                                       const struct fmm *s, int *uneven)
{
    const farsum_problem *p = &task->problem;
    struct fmm_places places = {
        .n = p->n_sources, .step = 3, .type = p->arrays, .per = task_per(task)};
    for (int d = 0; d < 3; d++)
        places.x[d] = (const char *)p->sample_x + d * array_size(p->arrays);
    return fmm_uneven(&places, s->input.edge, task->threads, uneven);
}

static farsum_status fmm_tune(const struct task *task, void **state,
                              double *seconds)
{
    farsum_status status = FARSUM_OK;
    const farsum_problem *p = &task->problem;
    struct fmm *s = NULL;
    double found = 0;
    int uneven = 0;
    GO(MEM_NEW(s, 1));
    GO(fmm_names(task, &s->names));
    GO(fmm_input(task, s));
    GO(fmm_strict_create(task, s));
    if (s->input.periodic && !s->names.tree)
        GO(fmm_uneven_cell(task, s, 1, p->n_sources, p->n_targets, 0, &found,
                           &uneven));
    else if (s->sampled && !task->device && !s->names.tree)
        GO(fmm_sample_uneven(task, s, &uneven));
    GO(fmm_shape(task, s, uneven, p->n_sources, p->n_targets, &s->shape));
    fmm_args(task, s, &s->shape, p->n_sources, p->n_targets, &s->boxes,
             &s->pairs);
    fmm_shape_clustering(s, &s->shape, p->n_sources, &s->clustering);
    GO(fmm_choose(task, s, &s->boxes, &s->pairs, s->choice));
    GO(fmm_memory(task, s));
    *seconds = (found > 0 ? found : s->shape.seconds)
               + s->shape.making / FMM_PLAN_SUMS;
    *state = s;
    s = NULL;
done:
    fmm_destroy(s);
    return status;
}

/* A proof knows the rounding of near pairs where points are: a sample whose
 * rounding is too large is refused here, not by set_points. */
static farsum_status fmm_sample(struct task *task, struct fmm *s)
{
    const farsum_problem *p = &task->problem;
    const struct fmm_learnt learnt[2] = {s->learnt[0], s->learnt[1]};
    if (!s->strict || s->gpu || task->dry || !p->sample_x || p->n_targets > 0)
        return FARSUM_OK;
    TRY(fmm_set_points(task, s, p->n_sources, p->sample_x, 0, NULL));
    memcpy(s->learnt, learnt,
           sizeof learnt); /* the next points choose as the first */
    return FARSUM_OK;
}

static farsum_status fmm_create(struct task *task, void *state)
{
    struct fmm *s = state;
    const farsum_problem *p = &task->problem;
    const struct boxes_args boxes = s->boxes;
    const struct p2p_args pairs = s->pairs;
    task->pair.reach = s->input.reach;
    /* its kernels compile while the stages are created */
    if (!task->dry && task->device)
        TRY(task_agree(task, fmm_gpu_create(task, s)));
    if (!task->dry)
        TRY(task->comm ? fmm_ranks_create(task, s)
                       : fmm_states(task, s, &boxes, &pairs));
    fmm_about(task, s);
    double norm = p->coulomb
                  * (p->error == FARSUM_ERROR_POTENTIAL ? s->input.potential
                                                        : s->input.force);
    int absolute = p->error == FARSUM_ERROR_ABSOLUTE;
    task->report->info.norm = absolute ? 1 : norm;
    task->report->info.estimated_error =
        hypot_of(fmm_estimate(task, s, &s->input),
                 fmm_soften(task, s, &s->shape) * (absolute ? norm : 1));
    task->report->info.bytes = (uint64_t)fmm_bytes_most(task, s);
    TRY(fmm_strict_about(task, s));
    if (task->options.fmm.order != 0
        && task->report->info.estimated_error
               > task->problem.tolerance * task->finer)
        task_log(task,
                 "WARNING: order %d, which was given, leaves %.3g by the "
                 "estimate, above the tolerance %g",
                 task->report->info.order,
                 task_error(task, task->report->info.estimated_error),
                 task->report->info.tolerance);
    return fmm_sample(task, s);
}

static void fmm_choice(const void *state, farsum_options *to)
{
    const struct fmm *s = state;
    to->fmm.order = s->shape.order > 0 ? s->shape.order : FARSUM_ORDER_0;
    to->fmm.separation = s->shape.ws;
    to->fmm.tree = s->shape.dense ? "dense" : "sparse";
    for (int d = 0; d < 3; d++)
        to->fmm.boxes[d] = s->shape.root[d];
    if (s->shape.dense)
        to->fmm.levels = s->shape.depth + 1;
    else
        to->fmm.leaf = s->shape.leaf;
}

/* The cell's edges may change as long as it stays rectangular. */
static farsum_status fmm_set_cell(struct task *task, void *state,
                                  const double cell[9])
{
    struct fmm *s = state;
    struct fmm_input input = s->input;
    double before[9], axis[9];
    struct cell reduced = s->cell;
    memcpy(before, task->problem.cell, sizeof before);
    memcpy(axis, s->axis, sizeof axis);
    memcpy(task->problem.cell, cell, sizeof before);
    farsum_status status = fmm_input(task, s);
    if (status == FARSUM_OK) {
        if (s->ranks)
            fmm_ranks_report(task, s);
        return status;
    }
    memcpy(task->problem.cell, before, sizeof before);
    memcpy(s->axis, axis, sizeof axis);
    s->input = input;
    s->cell = reduced;
    return status;
}

static farsum_status fmm_execute(struct task *task, void *state, int rhs,
                                 const void *q, farsum_result *result)
{
    struct fmm *s = state;
    if (s->gpu)
        return fmm_gpu_execute(task, s, rhs, q, result);
    memset(s->seconds, 0, sizeof s->seconds);
    TRY(s->ranks ? fmm_ranks_execute(task, s, rhs, q, result)
                 : fmm_host_execute(task, s, rhs, q, result));
    task->report->info.seconds_stages = 0;
    for (int r = 0; r < FMM_STAGES; r++)
        task->report->info.seconds_stages += s->seconds[r];
    fmm_seconds(task, s, s->seconds);
    return FARSUM_OK;
}

static farsum_status fmm_finish(struct task *task, void *state)
{
    struct fmm *s = state;
    return s->gpu ? fmm_gpu_finish(task, s) : FARSUM_OK;
}

static farsum_status fmm_exclude(struct task *task, void *state)
{
    struct fmm *s = state;
    if (s->gpu && s->ranks)
        return fmm_gpu_ranks_exclusions(task, s);
    return s->gpu     ? fmm_gpu_exclude(task, s)
           : s->ranks ? fmm_ranks_exclusions(task, s)
                      : FARSUM_OK;
}

const struct method method_fmm = {
    .fits = fmm_fits,
    .least = fmm_least,
    .tune = fmm_tune,
    .create = fmm_create,
    .set_points = fmm_set_points,
    .set_cell = fmm_set_cell,
    .execute = fmm_execute,
    .finish = fmm_finish,
    .destroy = fmm_destroy,
    .choice = fmm_choice,
    .measured = fmm_measured,
    .exclude = fmm_exclude,
    .model = fmm_ranks_model,
    .options = METHOD_BOXES,
    .lacks = FARSUM_VIRIAL,
    .lacks_axes = 2,
    .bounded = 1,
};
