/* SPDX-License-Identifier: Apache-2.0 */
/* truncated.c: checks and virial of problems that are open along two or three
 * axes. */
#include "method/truncated/truncated.h"

#include <math.h>
#include <string.h>

#include "base/arrays.h"

farsum_status truncated_fits(const struct task *task)
{
    int axes = task_axes(task);
    if (!task_cuts(task))
        FAIL(ERR_UNSUPPORTED,
             "sums %s of kernels laplace and yukawa, not of kernel %s",
             axes ? "one periodic axis" : "open space", task->pair.name);
    if (task->problem.softening > 0) /* the virial has no trace then */
        FAIL(ERR_UNSUPPORTED, "does not soften %s",
             axes ? "with one periodic axis; ewald does"
                  : "in open space; fmm and direct do");
    if (task->device || task->links.ranks > 0)
        FAIL(ERR_UNSUPPORTED, "sums %s only on hosts and in one process",
             axes ? "one periodic axis" : "open space");
    if (!task_is_truncated(task))
        FAIL(ERR_UNSUPPORTED, "sums open space where a sample tells how far "
                              "the points extend; the problem has no sample "
                              "of different positions");
    return FARSUM_OK;
}

void truncated_rows(const struct task *task, const struct parameters *t,
                    double rows[9])
{
    for (int d = 0; d < 3; d++) {
        double *a = rows + 3 * d;
        double length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
        for (int k = 0; k < 3 && !task->problem.periodic[d]; k++)
            a[k] *= t->rc * t->cell.height[d] / length;
    }
}

void truncated_wanted(const struct task *task, const struct spectral *s,
                      farsum_result *wanted)
{
    if (task_is_truncated(task) && wanted->virial) {
        wanted->field = s->field;
        wanted->energy = wanted->virial; /* not NULL */
    }
}

void truncated_virial(const struct task *task, const struct spectral *s,
                      const farsum_result *wanted, struct spectral_sums *sums)
{
    farsum_precision type = task->problem.precision;
    const struct cell *cell = &s->parameters.cell;
    double cross[3], rc = s->parameters.rc, w[9] = {0}, e[3] = {0}, along = 0,
                     trace = 0;
    if (!task_is_truncated(task) || !wanted->virial)
        return;
    for (int d = 0; d < 3; d++)
        for (int k = 0; k < 3 && task->problem.periodic[d]; k++)
            e[k] = cell->a[3 * d + k] / cell->height[d];
    for (int a = 0; a < 9; a++)
        along += e[a / 3] * sums->virial[a] * e[a % 3];
    /* sum F x of the parts x of positions across the wire, which do not wrap;
     * from one of them, as the forces' sum is about 0 */
    for (int64_t i = 0; i < s->n; i++) {
        double x[3], on = 0, q = array_get(s->q, type, i);
        for (int k = 0; k < 3; k++) {
            x[k] = (s->x[3 * i + k] - s->x[k]) / rc;
            on += x[k] * e[k];
        }
        for (int a = 0; a < 9; a++)
            w[a] += q * array_get(s->field, type, 3 * i + a / 3)
                    * (x[a % 3] - on * e[a % 3]);
    }
    for (int a = 0; a < 3; a++) {
        trace += w[4 * a];
        cross[a] = 0; /* W_ea, force along the wire */
        for (int k = 0; k < 3; k++)
            cross[a] += e[k] * w[3 * k + a];
    }
    /* the trace of 1/r is the energy */
    double last = s->parameters.pair.kappa > 0 ? along : sums->energy - trace;
    for (int a = 0; a < 9; a++) {
        int c = a / 3, d = a % 3;
        /* w without its part of forces along the wire, symmetric */
        double flat =
            0.5
            * (w[3 * c + d] - e[c] * cross[d] + w[3 * d + c] - e[d] * cross[c]);
        sums->virial[a] =
            flat + e[c] * cross[d] + cross[c] * e[d] + last * e[c] * e[d];
    }
}
