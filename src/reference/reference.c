/* SPDX-License-Identifier: Apache-2.0 */
/* reference.c: memory and execute of the two reference methods. */
#include "reference/reference.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/progress.h"
#include "reference/exclusions.h"
#include "reference/kernels.h"

/* 1: the problem has the output `particle_virial`. */
static int reference_particle(const struct task *task)
{
    return (task->problem.outputs & FARSUM_PARTICLE_VIRIAL) != 0;
}

const struct reference_kind *reference_kind_of(const struct task *task)
{
    if (strcmp(task->pair.name, reference_laplace.name) != 0)
        return reference_kind_find(task->pair.name);
    if (task_axes(task) % 3 != 0)
        return &reference_laplace;
    if (!reference_particle(task))
        return NULL;
    /* direct has no laplace of this kind: yukawa, whose kappa is 0 here */
    return task_axes(task) == 3 ? &reference_laplace
                                : reference_kind_find("yukawa");
}

/* Allocates n numbers; n = 0: none. */
static farsum_status reference_array(double **p, int64_t n)
{
    mem_free(*p);
    *p = NULL;
    return n > 0 ? MEM_RAW(*p, n) : FARSUM_OK;
}

/* 1: the problem has the output `gradient`. */
static int reference_gradient(const struct task *task)
{
    return (task->problem.outputs & FARSUM_GRADIENT) != 0;
}

/* 1: the problem has the output `third`. */
static int reference_third(const struct task *task)
{
    return (task->problem.outputs & FARSUM_THIRD) != 0;
}

/* Most values per target that a sum of this problem has; 0: it has no array of
 * them. */
static int reference_values(const struct task *task)
{
    const struct reference_kind *kind = reference_kind_of(task);
    unsigned outputs = task->problem.outputs;
    double some = 0;
    if (!task->pair.kind->gradient || !kind)
        return 0;
    const struct host_sums sums = {
        .field = outputs & FARSUM_FIELD ? &some : NULL,
        .gradient = outputs & FARSUM_GRADIENT ? &some : NULL,
        .third = outputs & FARSUM_THIRD ? &some : NULL,
        .energy = outputs & FARSUM_ENERGY ? &some : NULL,
        .virial = outputs & FARSUM_VIRIAL ? &some : NULL,
        .particle = reference_particle(task) ? &some : NULL,
    };
    return reference_wants(kind, &sums);
}

farsum_status reference_set_points(struct reference *s, struct task *task,
                                   int64_t n, const void *x, int64_t m,
                                   const void *y)
{
    int64_t targets = m > 0 ? m : n;
    s->n = s->m = 0;
    TRY(progress_step(0, 0, "placing points"));
    TRY(reference_array(&s->x, 3 * n));
    TRY(reference_array(&s->y, 3 * m));
    const struct positions source = positions_rows(s->x, n);
    const struct positions target = positions_rows(s->y, m);
    TRY(host_positions(task, &source, x, &target, y, NULL));
    TRY(reference_array(&s->q, n * task->pair.strengths));
    if (task->pair.kind->gradient)
        TRY(reference_array(&s->potential, targets));
    TRY(reference_array(&s->field, 3 * targets));
    if (reference_gradient(task))
        TRY(reference_array(&s->gradient, 6 * targets));
    if (reference_third(task))
        TRY(reference_array(&s->third, 10 * targets));
    if (reference_particle(task))
        TRY(reference_array(&s->particle, 9 * targets));
    if (reference_values(task) > 0)
        TRY(reference_array(&s->values, reference_values(task) * targets));
    s->n = n;
    s->m = m;
    return FARSUM_OK;
}

void reference_bytes(const struct task *task, double *held, double *more)
{
    const farsum_problem *p = &task->problem;
    double n = (double)p->n_sources, m = (double)p->n_targets, slots = 16;
    double targets = m > 0 ? m : n, each = 3;
    if (task->pair.kind->gradient)
        each += 1 + 6 * reference_gradient(task) + 10 * reference_third(task)
                + reference_values(task) + 9 * reference_particle(task);
    while (slots < 2 * n)
        slots *= 2;
    *held = 8 * (n * (3 + task->pair.strengths) + 3 * m + targets * each);
    *more = p->exclude_coincident ? 0 : 8 * (3 * n + slots);
    *held += (double)sizeof *task + 8192; /* the plan's other fields */
}

static void reference_net(const struct task *task, const struct reference *s)
{
    const struct reference_kind *kind = reference_kind_of(task);
    host_net(task, s->n, s->q);
    if (kind)
        task->report->info.net_strength = kind->net(s->n, s->q);
}

farsum_status reference_execute(struct task *task, void *state, int rhs,
                                const void *q, farsum_result *result)
{
    struct reference *s = state;
    const struct positions source = positions_rows(s->x, s->n);
    const struct positions target = positions_rows(s->y, s->m);
    double start = clock_seconds();
    for (int r = 0; r < rhs; r++) {
        double energy = 0, virial[9] = {0};
        struct host_sums sums =
            host_sums(result, s->potential, s->field, &energy, virial);
        sums.gradient = result->gradient ? s->gradient : NULL;
        sums.third = result->third ? s->third : NULL;
        sums.particle = result->particle_virial ? s->particle : NULL;
        TRY(progress_step(r, rhs, "summing"));
        host_strengths(task, s->n, r, q, s->q);
        TRY(s->sum(task, s, &sums));
        TRY(reference_exclude(task, &source, &target, s->q, &sums));
        TRY(host_results(task, s->m > 0 ? s->m : s->n, r, &sums, result));
        reference_net(task, s);
    }
    task->report->info.stages[0].seconds = clock_seconds() - start;
    return FARSUM_OK;
}

int reference_wants(const struct reference_kind *kind,
                    const struct host_sums *sums)
{
    if (kind->values == REFERENCE_FLOW)
        return REFERENCE_FLOW;
    if (sums->virial || sums->particle)
        return kind->values;
    if (sums->third)
        return REFERENCE_THIRD;
    if (sums->gradient || (kind->moments > 1 && sums->energy))
        return REFERENCE_GRADIENT;
    if (sums->field || (kind->moments && sums->energy))
        return REFERENCE_FIELD;
    return REFERENCE_PHI;
}

double *reference_results(const struct reference *s,
                          const struct host_sums *sums)
{
    return s->values ? s->values : sums->velocity;
}

void exact_spread(const struct task *task, const struct reference *s, int width,
                  const struct host_sums *sums)
{
    const struct reference_kind *kind = reference_kind_of(task);
    int64_t targets = s->m > 0 ? s->m : s->n;
    long double energy = 0, virial[9] = {0};
    for (int64_t i = 0; s->values && i < targets; i++) {
        const double *v = s->values + width * i;
        const double *q = s->q + kind->strengths * i;
        double of[9];
        if (sums->potential)
            sums->potential[i] = v[0];
        for (int d = 0; d < 3 && sums->field; d++)
            sums->field[3 * i + d] = v[1 + d];
        for (int a = 0; a < 6 && sums->gradient; a++)
            sums->gradient[6 * i + a] = v[REFERENCE_FIELD + a];
        for (int a = 0; a < 10 && sums->third; a++)
            sums->third[10 * i + a] = v[REFERENCE_GRADIENT + a];
        if (sums->energy)
            energy += reference_energy(kind, q, v);
        if (sums->virial || sums->particle)
            reference_virial(kind, q, v, of);
        if (sums->particle)
            memcpy(sums->particle + 9 * i, of, sizeof of);
        for (int a = 0; a < 9 && sums->virial; a++)
            virial[a] += of[a];
    }
    if (sums->energy)
        *sums->energy = (double)energy;
    for (int a = 0; a < 9 && sums->virial; a++)
        sums->virial[a] = (double)virial[a];
}

void reference_clear(struct reference *s)
{
    mem_free(s->x);
    mem_free(s->y);
    mem_free(s->q);
    mem_free(s->potential);
    mem_free(s->field);
    mem_free(s->gradient);
    mem_free(s->third);
    mem_free(s->particle);
    mem_free(s->values);
}

void exact_stage(const struct task *task, const char *name, const char *reason)
{
    task->report->info.n_stages = 1;
    task->report->info.stages[0] =
        (farsum_stage_info){name, name, reason, 0, 1};
}
