/* SPDX-License-Identifier: Apache-2.0 */
/* modes.c: deconvolution arrays and the influence function. */
#include "stage/scale/modes.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "math/poly.h"

static double modes_smooth(double v, const void *data)
{
    const struct scale_args *args = data;
    const struct pair *pair = scale_kernel(args);
    double x = (v + 1) / 2;
    return pair->kind->smooth(pair, args->split,
                              args->split->c * (pair->kind->odd ? x : sqrt(x)));
}

void modes_set_cell(struct modes *modes, const struct cell *cell)
{
    memcpy(modes->cell_inv, cell->inv, sizeof modes->cell_inv);
    modes->volume = cell->volume;
}

/* For axis d: 1 over the square of the window's transform, which is even; axes
 * with equally many points share the values. */
static void modes_decon(struct modes *modes, const struct window *window, int d)
{
    const int64_t n = modes->mesh[d];
    double *decon = modes->decon[d];
    for (int other = 0; other < d; other++)
        if (modes->mesh[other] == n) {
            memcpy(decon, modes->decon[other], (size_t)n * sizeof *decon);
            return;
        }
    for (int64_t i = 0; i <= n / 2; i++) {
        double hat = window_hat(window, 2 * M_PI * (double)i / (double)n);
        decon[i] = 2 * i == n ? 0 : 1 / (hat * hat);
        if (i > 0)
            decon[n - i] = decon[i];
    }
}

farsum_status modes_create(struct modes *modes, const struct scale_args *args)
{
    const struct pair *pair = scale_kernel(args);
    memcpy(modes->mesh, args->mesh, sizeof modes->mesh);
    modes->c = args->split->c;
    modes_set_cell(modes, args->cell);
    modes->front = pair->kind->front * pair_gain(pair, args->split);
    modes->shift = pair->kappa * pair->kappa;
    modes->fall = pair->kind->fall;
    modes->odd = pair->kind->odd;
    poly_fit(modes_smooth, args, MODES_TERMS, modes->smooth);
    poly_derivative(modes->smooth, MODES_TERMS, modes->slope);
    for (int d = 0; d < 3; d++) {
        TRY(MEM_RAW(modes->decon[d], args->mesh[d]));
        modes_decon(modes, args->window, d);
    }
    return FARSUM_OK;
}

void modes_clear(struct modes *modes)
{
    for (int d = 0; d < 3; d++)
        mem_free(modes->decon[d]);
    memset(modes, 0, sizeof *modes);
}

double modes_influence(const struct modes *m, double k2, double decon,
                       double *bend)
{
    double u = k2 / (m->c * m->c), v = 2 * (m->odd ? sqrt(u) : u) - 1;
    if (bend)
        *bend = 0;
    if (!(k2 > 0) || u > 1)
        return 0;
    double smooth = poly_eval(m->smooth, MODES_TERMS, v);
    double front = m->front / m->volume * decon, shifted = k2 + m->shift;
    for (int i = 0; i < m->fall; i++)
        front /= shifted;
    if (bend) {
        /* k d/dk = 4 u d/dv, or half of it where v is linear in k */
        double kdk = 2 * (v + 1) * poly_eval(m->slope, MODES_TERMS, v);
        kdk *= m->odd ? 0.5 : 1;
        *bend = front * (kdk / k2 - 2 * m->fall * smooth / shifted);
    }
    return front * smooth;
}
