/* SPDX-License-Identifier: Apache-2.0 */
/* part.c: the near or the far part of a sum by itself, math.md (3.9). */
#include "method/spectral/part/part.h"

#include <math.h>

#include "base/arrays.h"
#include "base/mem.h"
#include "base/par.h"
#include "method/spectral/device.h"
#include "method/spectral/each/each.h"
#include "method/spectral/ranks.h"
#include "stage/near/one_pair.h"

enum { BLOCKS = 64 };

farsum_status spectral_part_fits(const struct task *task)
{
    if (task->given.part == FARSUM_WHOLE)
        return FARSUM_OK;
    const char *part = task->given.part == FARSUM_NEAR ? "near" : "far";
    if (task->device && task->given.part != FARSUM_FAR)
        FAIL(ERR_UNSUPPORTED, "part %s is summed only on hosts", part);
    if (task->device
        && (task->links.ranks > 0 || task->pair.kind->moments
            || task->exclusions.count > 0))
        FAIL(ERR_UNSUPPORTED,
             "part %s is not summed on devices yet with ranks, exclusions or "
             "dipoles",
             part);
    if (task->problem.softening > 0)
        FAIL(ERR_UNSUPPORTED,
             "part %s is not softened; soften the near part "
             "by your own near pairs",
             part);
    if (task_axes(task) != 3)
        FAIL(ERR_UNSUPPORTED, "part %s needs three periodic axes", part);
    return FARSUM_OK;
}

farsum_status spectral_part(struct task *task, void *state)
{
    struct spectral *s = state;
    for (int r = 0; r < STAGE_COUNT; r++)
        if ((r == STAGE_NEAR) != (task->part == FARSUM_NEAR))
            task->report->info.stages[r].reason = "left out by problem.part";
    if (s->ranks) {
        spectral_ranks_part(task, s);
        return FARSUM_OK;
    }
    if (s->gpu)
        TRY(gpu_part_create(task, s->gpu));
    for (int r = 0; r < STAGE_COUNT; r++) {
        if ((r == STAGE_NEAR) == (task->part == FARSUM_NEAR))
            continue;
        s->parameters.choice[r].row->variant->destroy(s->states[r]);
        s->states[r] = NULL;
    }
    if (task->part == FARSUM_NEAR) {
        mem_free(s->mesh);
        s->mesh = NULL;
    }
    return FARSUM_OK;
}

/* What the near stage adds to a source by itself: all sums of a pair without
 * distance and without singular part. */
static void self_pair(const struct task *task, const struct spectral *s,
                      const double *q, struct one_pair_sum *sum)
{
    static const double none[3];
    const struct near_poly *poly = &s->parameters.poly;
    if (task->pair.kind->moments)
        one_pair_add_moments(poly, s->parameters.pair.kappa, none, q, q, 0,
                             sum);
    else
        one_pair_add(one_pair_find(&task->pair), poly, none, q, 0, sum);
}

/* Adds v[a] to element step a + first of an array, if there is one. */
static void self_add(void *array, farsum_precision type, int64_t first,
                     int64_t step, const double *v, int n, double sign)
{
    for (int a = 0; array && a < n; a++)
        array_put(array, type, first + step * a,
                  array_get(array, type, first + step * a) + sign * v[a]);
}

/* Energy and virial of a block of sources. */
struct self_part {
    double energy, virial[9];
};

/* Adds source i to itself. */
static void self_one(const struct task *task, struct spectral *s,
                     const farsum_result *result, int64_t i,
                     struct self_part *part)
{
    const struct pair *pair = &task->pair;
    farsum_precision type = task->problem.precision;
    double less[9], q[PAIR_STRENGTHS], energy,
        sign = task->part == FARSUM_FAR ? 1 : -1;
    struct one_pair_sum sum = {.value = {0}};
    for (int a = 0; a < pair->strengths; a++)
        q[a] = array_get(s->q, type, i * pair->strengths + a);
    self_pair(task, s, q, &sum);
    if (result->potential || result->velocity)
        self_add(s->potential, type, i, s->n, sum.value, pair->values, sign);
    if (result->field)
        self_add(s->field, type, 3 * i, 1, sum.field, 3, sign);
    if (result->gradient)
        self_add(s->gradient, type, 6 * i, 1, sum.gradient, 6, sign);
    energy = q[0] * sum.value[0];
    for (int a = 0; pair->kind->moments && a < 3; a++)
        energy -= q[1 + a] * sum.field[a];
    part->energy += 0.5 * sign * energy;
    if (!pair->kind->moments) /* no virial */
        return;
    for (int a = 0; a < 9; a++) {
        part->virial[a] += 0.5 * sign * sum.virial[a];
        less[a] = -0.5 * sign * sum.virial[a];
    }
    if (result->particle_virial)
        spectral_each_less(s->each, i, less);
}

void spectral_part_self(const struct task *task, struct spectral *s,
                        const farsum_result *result, struct spectral_sums *sums)
{
    struct self_part part[BLOCKS] = {{0}};
    if (spectral_apart(s)) /* targets are no sources */
        return;
    /* fixed parts, added in order: independent of the number of threads */
    PAR_FOR(task->threads, schedule(static))
    for (int b = 0; b < BLOCKS; b++)
        for (int64_t i = par_start(s->n, BLOCKS, b);
             i < par_start(s->n, BLOCKS, b + 1); i++)
            self_one(task, s, result, i, &part[b]);
    for (int b = 0; b < BLOCKS; b++) {
        if (result->energy)
            sums->energy += part[b].energy;
        for (int a = 0; a < 9 && result->virial; a++)
            sums->virial[a] += part[b].virial[a];
    }
}

farsum_status spectral_near(const struct task *task, const void *state,
                            int64_t n, const double *r2, double *u, double *du)
{
    static const double one = 1, none[3];
    const struct parameters *t = &((const struct spectral *)state)->parameters;
    const struct one_pair *kernel = one_pair_find(&task->pair);
    int power = task->pair.kind->power;
    if (!kernel || !kernel->slope)
        FAIL(ERR_UNSUPPORTED,
             "kernel %s has no scalar near function; laplace, yukawa and r6 "
             "have one",
             task->pair.name);
    double rc = task_length(task, t->rc);
    double value = 1 / pow(rc, power), slope = value / (rc * rc);
    for (int64_t k = 0; k < n; k++) {
        double x = r2[k] / rc / rc, v = 0, g = 0;
        double y = r2[k] > 0 ? 1 / sqrt(x) : 0;
        if (x < 1) {
            kernel->value(&t->poly, none, y, 2 * x, 2 * x - 1, &one, &v);
            g = kernel->slope(&t->poly, y, 2 * x, 2 * x - 1);
        }
        if (u)
            u[k] = value * v;
        if (du)
            du[k] = -0.5 * slope * g;
    }
    return FARSUM_OK;
}
