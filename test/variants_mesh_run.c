/* SPDX-License-Identifier: Apache-2.0 */
/* variants_mesh_run.c: runs of the variants of spread and interp against
 * plain. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "variants_mesh.h"

static const double untouched = 1e3;

/* spread writes every point: old values must not matter */
static void spread_again(void *data)
{
    struct mesh_work *w = data;
    for (int64_t i = 0; i < w->mesh.n; i++)
        mesh_put(w, &w->mesh, i, untouched);
    mesh_up(w, &w->mesh);
}

static farsum_status spread_run(int k, const struct trial *trial,
                                struct outcome *outcome)
{
    farsum_status status = FARSUM_OK;
    struct mesh_work *w = NULL;
    GO(mesh_make(k, trial, &w));
    const struct mesh_case *c = &w->c;
    GO(trial_run(trial, &w->spread, &w->points, &w->points, &w->spread_io,
                 spread_again, w));
    mesh_down(w, &w->mesh);
    int64_t rows = c->mesh[0] * c->mesh[1], points = rows * c->mesh[2];
    double size = pow(window_hat(&w->window, 0), 3)
                  * sqrt((double)(c->n > 0 ? c->n : 1)) / (double)points;
    double *v = outcome_part(outcome, "mesh", c->channels * c->parts * points,
                             size);
    for (int ch = 0; ch < c->channels; ch++)
        for (int64_t r = 0; r < rows; r++)
            for (int64_t z = 0; z < c->mesh[2]; z++)
                for (int part = 0; part < c->parts; part++)
                    *v++ = mesh_get(w, &w->mesh, mesh_at(w, ch, r, z, part));
    /* gaps between channels do not belong to the variant */
    for (int ch = 0; ch < c->channels; ch++)
        for (int64_t i = mesh_at(w, ch, rows, 0, 0);
             i < mesh_at(w, ch + 1, 0, 0, 0); i++)
            CHECK(mesh_get(w, &w->mesh, i) == untouched,
                  "spread, case %d: wrote past the end of channel %d", k, ch);
done:
    mesh_free(w);
    return status;
}

static void interp_again(void *data)
{
    struct mesh_work *w = data;
    for (int64_t i = 0; i < w->potential.n; i++)
        mesh_put(w, &w->potential, i, 0.25); /* results are added */
    for (int64_t i = 0; i < w->field.n; i++)
        mesh_put(w, &w->field, i, -0.5);
    for (int64_t i = 0; i < w->gradient.n; i++)
        mesh_put(w, &w->gradient, i, 0.75);
    mesh_up(w, &w->potential);
    mesh_up(w, &w->field);
    mesh_up(w, &w->gradient);
}

/* Compares a whole array: plain does not write gaps. */
static void take(struct mesh_work *w, const struct mesh_array *a,
                 const char *name, struct outcome *outcome)
{
    double *v = outcome_part(outcome, name, a->n, 0);
    for (int64_t i = 0; i < a->n; i++)
        v[i] = mesh_get(w, a, i);
}

static farsum_status interp_run(int k, const struct trial *trial,
                                struct outcome *outcome)
{
    farsum_status status = FARSUM_OK;
    struct mesh_work *w = NULL;
    GO(mesh_make(k, trial, &w));
    GO(trial_run(trial, &w->interp, &w->points, &w->points, &w->interp_io,
                 interp_again, w));
    mesh_down(w, &w->potential);
    mesh_down(w, &w->field);
    mesh_down(w, &w->gradient);
    take(w, &w->potential, "potential", outcome);
    take(w, &w->field, "field", outcome);
    take(w, &w->gradient, "gradient", outcome);
done:
    mesh_free(w);
    return status;
}

double mesh_edge(const struct mesh_case *c)
{
    if (strcmp(c->dist, "lattice") != 0)
        return 0;
    struct window *w = check_memory(1, sizeof *w);
    double value = 0, slope = 0, most = 0, sign = 1;
    if (window_set(w, c->window, c->support, 0, 1.5, 1e-14) != FARSUM_OK)
        check_stop("%s: %s", c->window, farsum_message());
    for (int d = 0; d <= w->degree; d++, sign = -sign) {
        value += sign * w->coef[d][0];
        slope -= 2 * d * sign * w->coef[d][0];
        most += sign * w->coef[d][c->support / 2];
    }
    free(w);
    return 4 * (fabs(value) + fabs(slope)) / fabs(most);
}

/* Sums of many cancelling terms have larger rounding.  So has a second
 * derivative, whose coefficients are d (d - 1) times those of the window. */
static double mesh_bound(int k, farsum_precision precision)
{
    struct mesh_case c = mesh_case(k);
    double f32 = c.moments ? 9e-6 : 3e-6;
    double rounding = (precision == FARSUM_F32 ? f32 : 1e-12)
                      * (1 + 0.05 * sqrt((double)c.n));
    return fmax(rounding, mesh_edge(&c));
}

const struct harness harness_spread = {
    .stage = "spread",
    .cases = MESH_CASES,
    .name = mesh_name,
    .run = spread_run,
    .bound = mesh_bound,
    .on_device = MESH_ON_DEVICE,
    .more_on_device = MESH_MORE_ON_DEVICE,
    .more = mesh_adjoint,
};
const struct harness harness_interp = {
    .stage = "interp",
    .cases = MESH_CASES,
    .name = mesh_name,
    .run = interp_run,
    .bound = mesh_bound,
    .on_device = MESH_ON_DEVICE,
    .more_on_device = MESH_MORE_ON_DEVICE,
};
