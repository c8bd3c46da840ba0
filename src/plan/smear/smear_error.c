/* SPDX-License-Identifier: Apache-2.0 */
/* smear_error.c: the error of clouds that are much nearer than they are wide.
 * The method's 1/r and the difference's -1/r come from differently rounded
 * positions.  An error d of the distance leaves d/r^2, although 1/r cancels. */
#include <float.h>
#include <math.h>

#include "base/arrays.h"
#include "base/hypot.h"
#include "base/par.h"
#include "plan/smear/smear.h"

/* The rounding of a position: of its fraction before it is wrapped, and in f32
 * of its place within the cutoff. */
static double blur_of(const struct cell *cell, const double x[3], double near)
{
    double sum = near;
    for (int d = 0; d < 3; d++) {
        const double *a = cell->a + 3 * d;
        double s = 0, edge = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
        for (int k = 0; k < 3; k++)
            s += cell->unit * x[k] * cell->inv[3 * k + d];
        s = fmax(fabs(s), !cell->open[d]);
        sum = hypot_of(sum, DBL_EPSILON * s * edge);
    }
    return sum;
}

void smear_blur(struct farsum_plan *plan, const struct cell *cell,
                const void *x)
{
    struct smear *s = plan->smear;
    const struct task *task = &plan->task;
    farsum_precision type = task->problem.arrays;
    int host = plan->method->wide, f32 = !host && task->pairs == FARSUM_F32;
    int exact = host && task_axes(task) == 0; /* differences of given numbers */
    double cutoff = plan->report.info.cutoff; /* 0: edges are 1 to 2 */
    double near = f32 ? 0.5 * FLT_EPSILON * (cutoff > 0 ? cutoff : 2) : 0;
    PAR_FOR(task->threads, schedule(static))
    for (int64_t i = 0; i < s->n; i++) {
        double at[3];
        for (int a = 0; a < 3; a++)
            at[a] = array_get(x, type, 3 * i + a);
        s->blur[i] = exact ? 0 : blur_of(cell, at, near);
    }
}

/* An error, the norm of the results that it is relative to, and the size of
 * results by neighbours at the mean distance. */
struct error {
    double is, norm, typical;
};

static double error_part(struct error e)
{
    return e.is > 0 ? e.is / e.norm : 0;
}

/* The error of the energy over half the sum of |q phi|, or over what is known
 * not to exceed it. */
static struct error energy_error(const struct task *task,
                                 const farsum_result *result, int r,
                                 const struct smear_loss *loss, double typical)
{
    struct scale energy = scale_of(-task_exponent_energy(task));
    struct error e = {sqrt(loss->energy), typical, typical};
    if (result->potential) {
        e.norm = 0.5 * loss->each;
    } else if (result->energy) {
        e.norm = fabs(scale_by(energy, result->energy[r]));
    } else if (result->virial) {
        const double *w = result->virial + 9 * r;
        e.norm = fabs(scale_by(energy, w[0] + w[4] + w[8]));
    }
    return e;
}

/* Fails for the pair that loses most. */
static farsum_status refuse(const struct smear *s)
{
    const struct smear_pair *worst = s->pair;
    int64_t of = 0;
    double most = -1;
    for (int64_t i = 0; i < s->n; i++)
        for (int64_t k = s->start[i]; k < s->start[i + 1]; k++) {
            double lost = fabs(s->q[i] * s->q[s->pair[k].j]) * s->pair[k].off;
            if (lost > most) {
                most = lost;
                worst = s->pair + k;
                of = i;
            }
        }
    double g = hypot_of(s->width[of], s->width[worst->j]);
    FAIL(ERR_TOLERANCE,
         "clouds %lld and %lld lie so close together, for their width of %.3g, "
         "that rounded positions leave no digit of the sum; give them the same "
         "position and exclude their pair with factor 0",
         (long long)of, (long long)worst->j, g);
}

farsum_status smear_judge(struct farsum_plan *plan, const farsum_result *result,
                          int r, const struct smear_loss *loss)
{
    struct smear *s = plan->smear;
    const struct task *task = &plan->task;
    farsum_error_kind kind = task->problem.error, given = task->given.error;
    double n = (double)s->n, q2 = 0, volume = 1;
    struct cell cell;
    if (task_axes(task) > 0) {
        TRY(task_cell(task, &cell));
        volume = cell.volume;
    }
    for (int64_t i = 0; i < s->n; i++)
        q2 += s->q[i] * s->q[i] / n;
    double c = task_constant(task), near = cbrt(n / volume);
    struct error energy =
        energy_error(task, result, r, loss, 0.5 * n * c * q2 * near);
    struct error e = energy;
    if (given == FARSUM_ERROR_ENERGY || given == FARSUM_ERROR_PRESSURE) {
        e = energy;
    } else if (kind == FARSUM_ERROR_POTENTIAL && result->potential) {
        e.is = sqrt(loss->potential / n);
        e.norm = sqrt(loss->phi / n);
        e.typical = c * sqrt(q2) * near;
    } else if (kind != FARSUM_ERROR_POTENTIAL
               && (result->field || kind == FARSUM_ERROR_ABSOLUTE)) {
        e.is = sqrt(loss->force / n);
        e.norm = sqrt(loss->f / n);
        e.typical = c * q2 * near * near;
        if (task_axes(task) > 0)
            e.norm = fmax(e.norm, e.typical);
        if (kind == FARSUM_ERROR_ABSOLUTE)
            e.norm = 1;
    }
    s->error[0] = fmax(s->error[0], error_part(e));
    s->error[1] = fmax(s->error[1], error_part(energy));
    return e.is > e.typical ? refuse(s) : FARSUM_OK;
}
