/* SPDX-License-Identifier: Apache-2.0 */
/* far_pairs.c: polynomials for the pairs for which f32 suffices. */
#include "stage/near/device/far_pairs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/poly.h"

#define FN static inline
#define PAIR_REAL double
#define PAIR_TABLE const struct near_poly *
#define PAIR_POLY(t, k, v) poly_eval((t)->c[k], (t)->n, v)
#include "math/pair.kh"

/* RMS rounding of f32: of a coordinate difference whose ends are relative to a
 * point less than a cutoff away; of a value by the sum that computes it. */
#define OFF_PLACE 4e-8
#define OFF_VALUE 1e-7
#define WORTH 0.93 /* beyond this inner, a second loop does not pay */

typedef void outer_whole(const struct near_poly *poly, double y, double u,
                         double v, double *c);
static const struct {
    const char *name;
    outer_whole *whole;
} kernels[] = {
#define SCALAR(name, polys, note) {#name, pair_##name##_whole},
#define FLOW(name, strengths, channels, polys, note) SCALAR(name, polys, note)
#include "math/pair.def"
#undef SCALAR
#undef FLOW
};

static outer_whole *outer_kernel(const struct pair *pair)
{
    size_t k = 0;
    while (strcmp(kernels[k].name, pair->name) != 0)
        k++;
    return kernels[k].whole;
}

struct outer_data {
    const struct near_args *args;
    struct near_outer *outer;
    outer_whole *whole;
    int poly;
};

static void outer_at(const struct outer_data *d, double r, double *c)
{
    memset(c, 0, NEAR_POLYS * sizeof *c);
    d->whole(d->args->poly, 1 / r, 2 * r * r, 2 * r * r - 1, c);
}

static double outer_value(double w, const void *data)
{
    const struct outer_data *d = data;
    double c[NEAR_POLYS];
    outer_at(d, sqrt((w - d->outer->shift) / d->outer->scale), c);
    return c[d->poly];
}

/* Squared error of a pair at r if it is computed in f32. */
static double outer_rounding(const struct outer_data *d, double r)
{
    enum { H = 1 << 10 };
    const struct near_args *a = d->args;
    const struct pair *pair = near_kernel(a);
    double here[NEAR_POLYS], next[NEAR_POLYS], value[NEAR_POLYS];
    double weight[NEAR_POLYS], sum = 0;
    outer_at(d, r, here);
    outer_at(d, r - 1.0 / H, next);
    pair->kind->exact(pair, a->split, r, value, weight);
    if (pair->kind->gradient) /* its potential does not show this error */
        for (int k = 0; k < pair->polys; k++)
            weight[k] = fmax(weight[k], 1);
    for (int k = 0; k < pair->polys; k++) {
        double slope = (next[k] - here[k]) * H;
        double place = OFF_PLACE * slope, off = OFF_VALUE * here[k];
        sum += weight[k] * weight[k] * (place * place + off * off);
    }
    return sum;
}

/* Distance from which f32 suffices. */
static double outer_edge(const struct outer_data *d)
{
    enum { STEPS = 200 };
    double allowed = d->args->allowed, sum = 0, r = 1;
    for (int i = STEPS; i > 1; i--) {
        double middle = (i - 0.5) / STEPS;
        sum += 3 * middle * middle / STEPS * outer_rounding(d, middle);
        if (sum > allowed * allowed)
            break;
        r = (i - 1.0) / STEPS;
    }
    return r;
}

/* Polynomials from outer->inner on, none longer than OUTER_MAX; returns 0 if
 * there are none so short. */
static int outer_polys(struct outer_data *d, struct near_outer *outer)
{
    enum { PROBES = 200 };
    const struct near_args *a = d->args;
    const struct pair *pair = near_kernel(a);
    double from = outer->inner * outer->inner;
    outer->scale = 2 / (1 - from);
    outer->shift = 1 - outer->scale;
    for (outer->n = 2; outer->n <= OUTER_MAX; outer->n++) {
        double worst = 0;
        for (d->poly = 0; d->poly < pair->polys; d->poly++)
            poly_fit(outer_value, d, outer->n, outer->c[d->poly]);
        for (int i = 0; i <= PROBES; i++) {
            double r2 = from + (1 - from) * i / PROBES, r = sqrt(r2);
            double c[NEAR_POLYS], value[NEAR_POLYS], weight[NEAR_POLYS];
            outer_at(d, r, c);
            pair->kind->exact(pair, a->split, r, value, weight);
            for (int k = 0; k < pair->polys; k++) {
                double w = outer->scale * r2 + outer->shift;
                double off = c[k] - poly_eval(outer->c[k], outer->n, w);
                worst = fmax(worst, fmax(weight[k], pair->kind->gradient)
                                        * fabs(off));
            }
        }
        if (worst < a->allowed)
            return 1;
    }
    return 0;
}

static double inner_value(double v, const void *data)
{
    const struct outer_data *d = data;
    double r2 = (v + 1) / d->outer->span;
    return poly_eval(d->args->poly->c[d->poly], d->args->poly->n, 2 * r2 - 1);
}

/* The shortest polynomials that represent args->poly up to outer->inner. */
static void inner_polys(struct outer_data *d, struct near_poly *inner)
{
    enum { PROBES = 200 };
    const struct near_poly *poly = d->args->poly;
    for (int n = 4; n < poly->n; n++) {
        double worst = 0;
        for (d->poly = 0; d->poly < near_kernel(d->args)->polys; d->poly++) {
            double *c = inner->c[d->poly];
            memset(c, 0, sizeof inner->c[0]);
            poly_fit(inner_value, d, n, c);
            for (int i = 0; i <= PROBES; i++) {
                double v = 2.0 * i / PROBES - 1;
                worst = fmax(worst,
                             fabs(poly_eval(c, n, v) - inner_value(v, d)));
            }
        }
        inner->n = n;
        if (worst < d->args->allowed)
            return;
    }
    *inner = *poly;
    d->outer->span = 2;
}

void near_outer_fit(const struct near_args *args, struct near_outer *outer,
                    struct near_poly *inner)
{
    const struct pair *pair = near_kernel(args);
    struct outer_data d = {args, outer, NULL, 0};
    memset(outer, 0, sizeof *outer);
    outer->inner = 1;
    outer->span = 2;
    *inner = *args->poly;
    /* moments: their terms fall as different powers, so f32 saves little */
    if (args->precision == FARSUM_F32 || !(args->allowed > 0) || !args->split
        || pair->kind->moments)
        return;
    d.whole = outer_kernel(pair);
    outer->inner = fmax(outer_edge(&d), args->soft);
    while (outer->inner < WORTH && !outer_polys(&d, outer))
        outer->inner += 0.02;
    if (outer->inner >= WORTH) {
        outer->inner = 1;
        outer->n = 0;
    } else if (!pair->kind->radial) {
        outer->span = 2 / (outer->inner * outer->inner);
        inner_polys(&d, inner);
    }
}

void near_outer_define(const struct near_outer *outer, const struct pair *pair,
                       struct jit *jit)
{
    jit_define(jit, "OUTER", "%d", outer->n);
    for (int k = 0; outer->n > 0 && k < pair->polys; k++) {
        char name[24];
        snprintf(name, sizeof name, "OUTER_%d", k);
        jit_define_table(jit, name, outer->c[k], outer->n);
    }
    jit_define_real(jit, "SPAN", outer->span);
}
