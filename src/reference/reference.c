/* SPDX-License-Identifier: Apache-2.0 */
/* reference.c: memory and execute of the two reference methods. */
#include "reference/reference.h"

#include <math.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/progress.h"
#include "reference/exclusions.h"
#include "reference/kernels.h"

/* Allocates n numbers; n = 0: none. */
static farsum_status reference_array(double **p, int64_t n)
{
    mem_free(*p);
    *p = NULL;
    return n > 0 ? MEM_RAW(*p, n) : FARSUM_OK;
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
    if (task->pair.kind->gradient && reference_kind_find(task->pair.name))
        TRY(reference_array(&s->values, REFERENCE_VIRIAL * targets));
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
        each += reference_kind_find(task->pair.name) ? 1 + REFERENCE_VIRIAL : 1;
    while (slots < 2 * n)
        slots *= 2;
    *held = 8 * (n * (3 + task->pair.strengths) + 3 * m + targets * each);
    *more = p->exclude_coincident ? 0 : 8 * (3 * n + slots);
    *held += (double)sizeof *task + 8192; /* the plan's other fields */
}

static void reference_net(const struct task *task, const struct reference *s)
{
    const struct reference_kind *kind = reference_kind_find(task->pair.name);
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
        const struct host_sums sums =
            host_sums(result, s->potential, s->field, &energy, virial);
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
    return reference_width(kind, sums->field != NULL, sums->virial != NULL);
}

double *reference_results(const struct reference *s,
                          const struct host_sums *sums)
{
    return s->values ? s->values : sums->velocity;
}

void exact_spread(const struct reference *s, int width,
                  const struct host_sums *sums)
{
    static const int at[9] = {4, 7, 8, 7, 5, 9, 8, 9, 6};
    int64_t targets = s->m > 0 ? s->m : s->n;
    long double energy = 0, virial[9] = {0};
    for (int64_t i = 0; s->values && i < targets; i++) {
        const double *v = s->values + width * i;
        if (sums->potential)
            sums->potential[i] = v[0];
        for (int d = 0; d < 3 && sums->field; d++)
            sums->field[3 * i + d] = v[1 + d];
        if (sums->energy)
            energy += 0.5L * s->q[i] * v[0];
        for (int a = 0; a < 9 && sums->virial; a++)
            virial[a] += 0.5L * s->q[i] * v[at[a]];
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
    mem_free(s->values);
}

void exact_stage(const struct task *task, const char *name, const char *reason)
{
    task->report->info.n_stages = 1;
    task->report->info.stages[0] =
        (farsum_stage_info){name, name, reason, 0, 1};
}
