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
    modes->limit = pair->kind->limit;
    poly_fit(modes_smooth, args, MODES_TERMS, modes->smooth);
    poly_derivative(modes->smooth, MODES_TERMS, modes->slope);
    for (int d = 0; d < 3; d++) {
        int64_t n = args->mesh[d];
        TRY(MEM_RAW(modes->decon[d], n));
        for (int64_t i = 0; i < n; i++) {
            double hat = window_hat(args->window,
                                    2 * M_PI * (double)modes_signed(i, n)
                                        / (double)n);
            modes->decon[d][i] = 2 * i == n ? 0 : 1 / (hat * hat);
        }
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
    if (!(k2 > 0 || m->limit) || u > 1)
        return 0;
    double smooth = poly_eval(m->smooth, MODES_TERMS, v);
    double front = m->front / m->volume * decon, shifted = k2 + m->shift;
    for (int i = 0; i < m->fall; i++)
        front /= shifted;
    if (bend && k2 > 0) {
        /* k d/dk = 4 u d/dv, or half of it where v goes as k */
        double kdk = 2 * (v + 1) * poly_eval(m->slope, MODES_TERMS, v);
        kdk *= m->odd ? 0.5 : 1;
        *bend = front * (kdk / k2 - 2 * m->fall * smooth / shifted);
    }
    return front * smooth;
}
