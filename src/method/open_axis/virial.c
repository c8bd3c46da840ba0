/* SPDX-License-Identifier: Apache-2.0 */
/* virial.c: energy and virial of a slab's images. */
#include "method/open_axis/inside.h"

#include <string.h>

#include "base/arrays.h"

/* Re of a conj(b). */
static double real_of(const double a[2], const double b[2])
{
    return a[0] * b[0] + a[1] * b[1];
}

/* u delta_ab + u' kappa_a kappa_b/s per mode, u' = du/ds. */
double open_axis_energy(const struct open_axis *b, double virial[9])
{
    double energy = open_mean_energy(b->mean);
    memset(virial, 0, 9 * sizeof *virial);
    for (int64_t k = 0; k < b->count; k++) {
        const struct open_mode *mode = b->mode + k;
        const double(*sum)[2] = open_axis_sums(b, k, 1), (*slope)[2] = sum + 2;
        double u = mode->front * real_of(sum[0], sum[1]);
        double by =
            -u * (1 / mode->size - b->edge / expm1(-mode->size * b->edge))
            + mode->front
                  * (real_of(slope[0], sum[1]) - real_of(sum[0], slope[1]));
        energy += u;
        for (int a = 0; a < 9; a++)
            virial[a] += by * mode->k[a / 3] * mode->k[a % 3] / mode->size;
    }
    for (int a = 0; a < 9; a++)
        virial[a] +=
            energy * ((a % 4 == 0) - b->normal[a / 3] * b->normal[a % 3]);
    return energy;
}

/* The virial is that of the cell with the gap and the images' one, both
 * along the periodic axes, (9.33).  Along the open one, v = sum F z does not
 * wrap; and the trace of unsoftened 1/r is the energy. */
farsum_status open_axis_virial(const struct task *task,
                               const struct spectral *s, const double images[9],
                               struct spectral_sums *sums)
{
    const struct open_axis *b = s->open_axis;
    const double *q = b->source.q, *e = b->normal;
    double rc = s->parameters.rc, v[3] = {0}, half[9] = {0}, flat[9] = {0};
    double back = 0.5 * spectral_background(s, sums->q1) * sums->q1;
    double trace = 0, along = 0;
    for (int64_t i = 0; i < s->n; i++)
        for (int d = 0; d < 3; d++)
            v[d] += q[i]
                    * array_get(s->field, task->problem.precision, 3 * i + d)
                    * (b->source.z[i] - b->extent / 2) / rc;
    farsum_status status = task_sum(task, v, 3);
    for (int a = 0; a < 9; a++) /* P W P, P = 1 - n n */
        for (int d = 0; d < 3; d++)
            half[a] +=
                ((a / 3 == d) - e[a / 3] * e[d])
                * (sums->virial[3 * d + a % 3] + rc * images[3 * d + a % 3]);
    for (int a = 0; a < 9; a++)
        for (int d = 0; d < 3; d++)
            flat[a] += half[a - a % 3 + d] * ((a % 3 == d) - e[a % 3] * e[d]);
    for (int d = 0; d < 3; d++) {
        trace += flat[4 * d];
        along += v[d] * e[d];
    }
    /* spectral_out adds `back` to the energy and to the diagonal */
    int no_trace = task->pair.kind->screened || task->problem.softening > 0;
    double last = no_trace ? along - back : sums->energy - trace - 2 * back;
    for (int a = 0; a < 9; a++) {
        int c = a / 3, d = a % 3;
        sums->virial[a] = flat[a] + (v[c] - along * e[c]) * e[d]
                          + e[c] * (v[d] - along * e[d]) + last * e[c] * e[d];
    }
    return status;
}
