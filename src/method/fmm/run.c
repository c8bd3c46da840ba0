/* SPDX-License-Identifier: Apache-2.0 */
/* run.c: execute on the host. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/hypot.h"
#include "base/par.h"
#include "base/arrays.h"
#include "base/progress.h"
#include "method/fmm/kernels.h"
#include "reference/exclusions.h"
#include "reference/kernels.h"
#include "math/pair_quadrupole.h"
#include "tune/parameters.h"

/* Sums over the sources of q, q u and q u^2, u from the centre of the root box
 * along the cell's axes: (10.14).  A dipole p is a derivative by u: it adds p
 * and 2 p.u to the last two. */
struct moments {
    double q, d[3], trace, square;
};

/* The centre of a leaf minus that of its root box. */
static double run_centre(const struct tree *t, int64_t leaf, double centre[3])
{
    int64_t box = tree_leaf_box(t, leaf), place[3];
    int level = tree_level(t, box);
    double h = tree_h(t, level);
    tree_place(t, level, box, place);
    for (int d = 0; d < 3; d++) {
        int64_t within = place[d] - (place[d] >> level << level);
        centre[d] = t->box[d] * h
                    * ((double)within + 0.5 - ldexp(0.5, level));
    }
    return h;
}

static struct moments run_moments(const struct task *task, const struct fmm *s,
                                  double unit)
{
    const struct tree *t = &s->tree;
    farsum_precision type = task->problem.precision;
    const int moments = task->pair.kind->moments;
    struct moments m = {0};
    double centre[3];
    for (int64_t leaf = 0; leaf < t->n_leaves; leaf++) {
        double h = run_centre(t, leaf, centre);
        for (int64_t i = t->source.begin[leaf]; i < t->source.begin[leaf + 1];
             i++) {
            double q = unit * array_get(s->q, type, i);
            m.q += q;
            m.square += q * q;
            for (int d = 0; d < 3; d++) {
                double u = centre[d] + h * array_get(t->source.x[d], type, i);
                double p = moments ? unit
                                         * array_get(s->q, type,
                                                     (1 + d) * s->source.n + i)
                                   : 0;
                m.d[d] += q * u + p;
                m.trace += (q * u + 2 * p) * u;
            }
        }
    }
    double all[] = {m.q, m.d[0], m.d[1], m.d[2], m.trace, m.square};
    (void)task_sum(task, all, sizeof all / sizeof *all);
    return (struct moments){all[0], {all[1], all[2], all[3]}, all[4], all[5]};
}

/* Copies strengths to the order of leaves.  Returns the power of two that they
 * are divided by. */
static double run_in(const struct task *task, struct fmm *s)
{
    farsum_precision type = task->problem.precision;
    const int64_t *order = s->tree.source.order;
    double most = 0;
    for (int64_t i = 0; i < s->source.n; i++)
        most = fmax(most, fabs(s->caller.q[i]));
    (void)task_max(task, &most, 1);
    double unit = most > 0 ? ldexp(1, ilogb(most)) : 1;
    PAR_FOR(task->threads)
    for (int64_t i = 0; i < s->source.n; i++)
        array_put(s->q, type, i, s->caller.q[order[i]] / unit);
    return unit;
}

/* Runs a stage.  Over ranks `lattice` is collective, so that a rank that failed
 * runs it too. */
farsum_status fmm_run_stage(struct fmm *s, int r, farsum_status status,
                            const struct p2p_io *pairs,
                            const struct boxes_io *boxes)
{
    double start = clock_seconds();
    if (status == FARSUM_OK)
        status = progress_step(r, FMM_STAGES, "summing: %s",
                               s->choice[r].stage->name);
    if (s->ranks && r == FMM_LATTICE)
        KEEP_ON(fmm_ranks_lattice(s, boxes));
    else if (status == FARSUM_OK)
        status = s->choice[r].row->variant->run(
            s->states[r], r == FMM_P2P ? (const void *)pairs : boxes);
    if (s->ranks && r == FMM_P2P && status == FARSUM_OK)
        status = fmm_ranks_near(s, pairs);
    if (s->ranks && r == FMM_P2M && status == FARSUM_OK)
        status = fmm_ranks_multipoles(s, boxes);
    s->seconds[r] += clock_seconds() - start;
    return status;
}

static farsum_status run_stages(const struct task *task, struct fmm *s,
                                int potential, int field)
{
    farsum_status status = FARSUM_OK;
    size_t size = (size_t)array_size(task->problem.precision);
    size_t targets = (size_t)tree_targets(&s->tree)->n;
    const struct p2p_io pairs = {&s->tree,
                                 s->q,
                                 potential ? s->potential : NULL,
                                 field ? s->field : NULL,
                                 0,
                                 NULL};
    const struct boxes_io boxes = {&s->tree,    s->q,      s->multipole,
                                   s->local,    s->stride, pairs.potential,
                                   pairs.field, NULL};
    memset(s->potential, 0, targets * size);
    memset(s->field, 0, 3 * targets * size);
    for (int r = 0; r < FMM_STAGES; r++)
        if (s->choice[r].row)
            status = fmm_run_stage(s, r, status, &pairs, &boxes);
    if (status == FARSUM_OK)
        status = progress_step(FMM_STAGES, FMM_STAGES, "summing");
    return task_agree(task, status);
}

struct out {
    const struct task *task;
    const struct fmm *s;
    /* in the caller's order; NULL: not needed */
    double *potential, *field, *gradient;
    struct moments moments;
    double unit;
    double vacuum[3]; /* 4 pi M/(3V) */
};

/* Copies target k's gradient to i, xx xy xz yy yz zz, turned from the cell's
 * axes, with the second derivatives of (10.14). */
static void run_out_gradient(const struct out *o, int64_t k, int64_t i)
{
    const struct fmm *s = o->s;
    const int64_t n = tree_targets(&s->tree)->n;
    double g[6], *to = o->gradient + 6 * i;
    for (int t = 0; t < 6; t++)
        to[t] = g[t] = s->gradient[t * n + k];
    for (int a = 0; a < 3 && s->input.periodic; a++)
        g[pair_two[a][a]] += 4 * M_PI / (3 * s->input.volume) * o->moments.q;
    for (int a = 0; a < 3 && s->input.periodic; a++)
        for (int b = a; b < 3; b++) {
            double x = 0;
            for (int w = 0; w < 9; w++)
                x += s->axis[3 * (w / 3) + a] * s->axis[3 * (w % 3) + b]
                     * g[pair_two[w / 3][w % 3]];
            to[pair_two[a][b]] = x;
        }
}

/* Copies a target's sums from the order of leaves to the caller's. */
static void run_out_point(const struct out *o, const double centre[3],
                          double h, int64_t k)
{
    const struct fmm *s = o->s;
    const struct tree_points *points = tree_targets(&s->tree);
    farsum_precision type = o->task->problem.precision;
    const struct points *given = s->target.n > 0 ? &s->target : &s->source;
    int64_t i = points->order[k];
    double phi = o->unit * array_get(s->potential, type, k), e[3];
    for (int d = 0; d < 3; d++)
        e[d] = o->unit * array_get(s->field, type, d * points->n + k);
    if (s->input.periodic) {
        double turned[3] = {0};
        double front =
            s->input.axes == 3 ? 2 * M_PI / (3 * s->input.volume) : 0;
        phi += front * o->moments.trace;
        for (int d = 0; d < 3; d++) {
            double u = centre[d] + h * array_get(points->x[d], type, k);
            phi += front * u * (o->moments.q * u - 2 * o->moments.d[d])
                   + o->vacuum[d] * given->s[d][i];
            e[d] -= 2 * front * (o->moments.q * u - o->moments.d[d]);
            for (int a = 0; a < 3; a++)
                turned[a] += e[d] * s->axis[3 * d + a];
        }
        for (int d = 0; d < 3; d++)
            e[d] = turned[d] - o->vacuum[d];
    }
    if (o->potential)
        o->potential[i] = phi;
    for (int d = 0; d < 3 && o->field; d++)
        o->field[3 * i + d] = e[d];
    if (o->gradient)
        run_out_gradient(o, k, i);
}

static void run_out(const struct out *o)
{
    const struct tree *t = &o->s->tree;
    const int64_t *begin = tree_targets(t)->begin;
    PAR_FOR(o->task->threads, schedule(dynamic, 64))
    for (int64_t leaf = 0; leaf < t->n_leaves; leaf++) {
        double centre[3], h = run_centre(t, leaf, centre);
        for (int64_t k = begin[leaf]; k < begin[leaf + 1]; k++)
            run_out_point(o, centre, h, k);
    }
}

/* W = sum F x, which equals that of all pairs if there are no images.  A wire
 * has none across it; W is symmetric, and its trace is the energy. */
static void wire_virial(const struct fmm *s, const double v[9],
                        double virial[9])
{
    const struct fmm_caller *c = &s->caller;
    const double *axis = s->axis;
    int along = !s->input.open[0] ? 0 : !s->input.open[1] ? 1 : 2;
    double w[9] = {0}, energy = 0;
    for (int64_t i = 0; i < s->source.n; i++)
        energy += 0.5 * c->q[i] * c->potential[i];
    for (int a = 0; a < 9; a++) /* along the cell's axes */
        for (int b = 0; b < 9; b++)
            w[a] += axis[a / 3 * 3 + b / 3] * v[b] * axis[a % 3 * 3 + b % 3];
    w[4 * along] = energy;
    for (int d = 0; d < 3; d++)
        if (d != along) {
            w[3 * d + along] = w[3 * along + d];
            w[4 * along] -= w[4 * d];
        }
    for (int a = 0; a < 9; a++)
        for (int b = 0; b < 9; b++)
            virial[a] +=
                axis[b / 3 * 3 + a / 3] * w[b] * axis[b % 3 * 3 + a % 3];
}

static void run_virial(const struct task *task, const struct fmm *s,
                       double virial[9])
{
    const struct points *p = &s->source;
    const double *field = s->caller.field;
    double middle[3] = {0}, v[9] = {0};
    for (int64_t i = 0; i < p->n; i++)
        for (int d = 0; d < 3; d++)
            middle[d] += p->s[d][i] / (double)s->all_n;
    (void)task_sum(task, middle, 3);
    for (int64_t i = 0; i < p->n; i++)
        for (int a = 0; a < 9; a++)
            v[a] += s->caller.q[i] * field[3 * i + a / 3]
                    * (p->s[a % 3][i] - middle[a % 3]);
    if (s->input.axes > 0) {
        wire_virial(s, v, virial);
        return;
    }
    for (int a = 0; a < 9; a++)
        virial[a] += v[a];
}

farsum_status fmm_estimate_sum(const struct task *task, const struct fmm *s,
                               const struct fmm_norms *norms)
{
    double targets = (double)(s->all_m > 0 ? s->all_m : s->all_n);
    double n = (double)s->all_n;
    struct fmm_input f = s->input;
    f.q1 = norms->q / n;
    f.q2 = norms->q2 / n;
    if (norms->force >= 0) /* the norm includes near pairs */
        f.near = 0;
    if (norms->force >= 0)
        f.force = sqrt(norms->force / targets);
    if (norms->force >= 0 && f.periodic)
        f.force = parameters_force_norm(task, f.force, norms->q2, s->all_n);
    if (norms->potential >= 0)
        f.potential = sqrt(norms->potential / targets);
    task->report->info.norm =
        task->problem.error == FARSUM_ERROR_ABSOLUTE
            ? 1
            : task->problem.coulomb
                  * (task->problem.error == FARSUM_ERROR_POTENTIAL ? f.potential
                                                                   : f.force);
    task->report->size[0] =
        norms->force >= 0 && f.q2 > 0 ? sqrt(norms->force / targets) / f.q2 : 0;
    task->report->size[1] =
        norms->potential >= 0 && f.q2 > 0 ? f.potential / sqrt(f.q2) : 0;
    double soft = fmm_soften(task, s, &s->shape);
    if (task->problem.error == FARSUM_ERROR_ABSOLUTE)
        soft *= task->problem.coulomb * f.force;
    task->report->info.estimated_error =
        hypot_of(fmm_estimate(task, s, &f), soft);
    return fmm_strict_sum(task, s, &f);
}

static farsum_status run_estimate(const struct task *task, const struct fmm *s,
                                  const struct out *o)
{
    int64_t targets = tree_targets(&s->tree)->n;
    struct fmm_norms norms = {.q = o->moments.q, .q2 = o->moments.square};
    double q_rms = sqrt(o->moments.square / (double)s->all_n);
    norms.force = o->field ? 0 : -1;
    norms.potential = o->potential ? 0 : -1;
    for (int64_t i = 0; i < targets; i++) {
        double q = s->target.n > 0 ? q_rms : s->caller.q[i];
        if (o->potential)
            norms.potential += o->potential[i] * o->potential[i];
        for (int d = 0; d < 3 && o->field; d++)
            norms.force += q * q * o->field[3 * i + d] * o->field[3 * i + d];
    }
    double all[] = {norms.force, norms.potential};
    (void)task_sum(task, all, 2);
    norms.force = o->field ? all[0] : -1;
    norms.potential = o->potential ? all[1] : -1;
    return fmm_estimate_sum(task, s, &norms);
}

/* The dipole of the sources, times 4 pi/(3V). */
static void run_vacuum(const struct task *task, const struct fmm *s,
                       double vacuum[3])
{
    const struct points *p = &s->source;
    const int width = task->pair.strengths;
    for (int64_t i = 0; i < p->n; i++)
        for (int d = 0; d < 3; d++) {
            const double *q = s->caller.q + width * i;
            double dipole = width > 1 ? q[1 + d] : 0;
            vacuum[d] +=
                4 * M_PI / (3 * s->input.volume) * (q[0] * p->s[d][i] + dipole);
        }
    (void)task_sum(task, vacuum, 3);
}

void fmm_kernel_out(const struct task *task, const struct fmm *s)
{
    const struct fmm_caller *c = &s->caller;
    struct out o = {.task = task,
                    .s = s,
                    .potential = c->potential,
                    .field = c->field,
                    .gradient = s->gradient ? c->gradient : NULL,
                    .unit = 1};
    if (s->input.periodic)
        o.moments = run_moments(task, s, o.unit);
    if (task->problem.surface == FARSUM_VACUUM)
        run_vacuum(task, s, o.vacuum);
    run_out(&o);
}

/* Sums s->caller.q. */
static farsum_status run_sum(const struct task *task, struct fmm *s,
                             const struct host_sums *sums)
{
    const struct fmm_caller *c = &s->caller;
    struct out o = {.task = task, .s = s};
    int trace = sums->virial && s->input.axes > 0; /* it is the energy */
    o.potential =
        sums->potential || sums->energy || trace ? c->potential : NULL;
    o.field = sums->field || sums->virial ? c->field : NULL;
    o.unit = run_in(task, s);
    o.moments = run_moments(task, s, o.unit);
    if (s->ranks)
        fmm_ranks_send(s, o.unit);
    TRY(run_stages(task, s, o.potential != NULL, o.field != NULL));
    if (task->problem.surface == FARSUM_VACUUM)
        run_vacuum(task, s, o.vacuum);
    run_out(&o);
    for (int64_t i = 0; i < s->source.n && sums->energy; i++)
        *sums->energy += 0.5 * c->q[i] * c->potential[i];
    if (sums->virial)
        run_virial(task, s, sums->virial);
    return run_estimate(task, s, &o);
}

farsum_status fmm_host_one(struct task *task, struct fmm *s, int r,
                           const void *q, farsum_result *result)
{
    const struct fmm_caller *c = &s->caller;
    const struct positions source = fmm_positions(&s->source);
    const struct positions target = fmm_positions(&s->target);
    double energy = 0, virial[9] = {0};
    struct host_sums sums =
        host_sums(result, c->potential, c->field, &energy, virial);
    sums.gradient = result->gradient ? c->gradient : NULL;
    host_strengths(task, source.n, r, q, c->q);
    TRY(s->input.kernel != FMM_LAPLACE ? fmm_kernel_sum(task, s, &sums)
                                       : run_sum(task, s, &sums));
    TRY(s->ranks ? fmm_ranks_exclude(task, s, &sums)
                 : reference_exclude(task, &source, &target, c->q, &sums));
    (void)task_sum(task, &energy, 1);
    (void)task_sum(task, virial, 9);
    TRY(task_agree(
        task, host_results(task, tree_targets(&s->tree)->n, r, &sums, result)));
    host_net(task, source.n, c->q);
    const struct reference_kind *kind = reference_kind_find(task->pair.name);
    if (kind)
        task->report->info.net_strength = kind->net(source.n, c->q);
    return FARSUM_OK;
}

farsum_status fmm_host_execute(struct task *task, struct fmm *s, int rhs,
                               const void *q, farsum_result *result)
{
    for (int r = 0; r < rhs; r++) {
        TRY(progress_step(r, rhs, "summing"));
        TRY(fmm_host_one(task, s, r, q, result));
    }
    return FARSUM_OK;
}
