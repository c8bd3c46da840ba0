/* SPDX-License-Identifier: Apache-2.0 */
/* clouds.c: points in open space with strengths of any kernel. */
#include "fmm_kernels/clouds.h"

#include <string.h>

const char *const cloud_kernels[CLOUD_KERNELS] = {"stokeslet", "rotlet",
                                                  "stresslet", "charge_dipole"};

static double uniform(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-53;
}

static double normal(uint64_t *state)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += uniform(state);
    return sum;
}

void cloud_set(struct cloud *c, const char *kernel, enum cloud_kind kind, int n,
               int m)
{
    uint64_t state = 7;
    memset(c, 0, sizeof *c);
    c->kernel = kernel;
    c->flow = strcmp(kernel, "charge_dipole") != 0;
    c->width = !c->flow ? 4 : strcmp(kernel, "stresslet") == 0 ? 6 : 3;
    c->n = n;
    c->m = m;
    c->sample = 1;
    c->tolerance = 1e-6;
    c->error = c->flow ? FARSUM_ERROR_VELOCITY : FARSUM_ERROR_FORCE;
    c->precision = FARSUM_F64;
    c->options = (farsum_options)FARSUM_OPTIONS_INIT;
    c->options.threads = 1;
    c->options.verify = FARSUM_VERIFY_OFF;
    for (int i = 0; i < n; i++) {
        double size = exp(-6 * uniform(&state));
        for (int d = 0; d < 3; d++)
            c->x[3 * i + d] = kind == CLOUD_BLOBS
                                  ? 5 + size * normal(&state)
                                  : 10 + uniform(&state) * (d == 1 ? 1.7 : 1);
        for (int a = 0; a < c->width; a++)
            c->q[c->width * i + a] =
                kind == CLOUD_ALIKE && a % 3 == 2
                    ? 1
                    : normal(&state) * (kind == CLOUD_ALIKE ? 0.1 : 1);
        for (int a = 0; a < 4 && !c->flow; a++)
            c->q[4 * i + a] *= a ? 0.05 : 1;
        if (!c->flow && kind == CLOUD_ALIKE)
            c->q[4 * i] = 1;
    }
    for (int k = 0; k < 3 * m; k++)
        c->y[k] = 10 + 2 * uniform(&state);
}

farsum_problem cloud_problem(const struct cloud *c)
{
    farsum_problem p = FARSUM_PROBLEM_INIT;
    p.kernel = c->kernel;
    p.n_sources = c->n;
    p.n_targets = c->m;
    p.tolerance = c->tolerance;
    p.error = c->error;
    p.precision = c->precision;
    p.arrays = FARSUM_F64;
    p.exclude_coincident = c->exclude_coincident;
    p.n_exclusions = c->n_exclusions;
    p.exclusions = c->exclusions;
    p.exclusion_factors = c->factors;
    p.outputs = FARSUM_VELOCITY;
    if (!c->flow)
        p.outputs = FARSUM_POTENTIAL | FARSUM_FIELD | FARSUM_GRADIENT;
    if (!c->flow && c->m == 0)
        p.outputs |= FARSUM_ENERGY | FARSUM_VIRIAL;
    if (c->sample) {
        p.sample_x = c->x;
        p.sample_q = c->q;
    }
    return p;
}

farsum_status cloud_try(const struct cloud *c, const char *method,
                        struct cloud_sums *sums)
{
    farsum_options o = c->options;
    farsum_result r = FARSUM_RESULT_INIT;
    farsum_plan *plan = NULL;
    farsum_problem p = cloud_problem(c);
    o.method = method;
    if (method && strcmp(method, "direct") == 0) { /* knows no boxes */
        o.fmm = (farsum_fmm_options){0};
        o.verify = FARSUM_VERIFY_OFF;
        p.tolerance = 1e-12;
    }
    memset(sums, 0, sizeof *sums);
    if (c->flow) {
        r.velocity = sums->vector;
    } else {
        r.potential = sums->potential;
        r.field = sums->vector;
        r.gradient = sums->gradient;
        r.energy = c->m ? NULL : &sums->energy;
        r.virial = c->m ? NULL : sums->virial;
    }
    farsum_status status = farsum_plan_create(&p, &o, &plan);
    if (status == FARSUM_OK)
        status =
            farsum_plan_set_points(plan, c->n, c->x, c->m, c->m ? c->y : NULL);
    if (status == FARSUM_OK)
        status = farsum_plan_execute(plan, 1, c->q, &r);
    sums->info.size = sizeof sums->info;
    if (status == FARSUM_OK)
        status = farsum_plan_get_info(plan, &sums->info);
    farsum_plan_destroy(plan);
    return status;
}

double cloud_gap(const double *a, const double *b, int n)
{
    double off = 0, size = 0;
    for (int i = 0; i < n; i++) {
        off += (a[i] - b[i]) * (a[i] - b[i]);
        size += b[i] * b[i];
    }
    return sqrt(off / size);
}

/* Sets f to the force on source i. */
static void force(const struct cloud *c, const struct cloud_sums *s, int i,
                  double f[3])
{
    static const int at[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    for (int a = 0; a < 3; a++) {
        f[a] = c->q[4 * i] * s->vector[3 * i + a];
        for (int b = 0; b < 3; b++)
            f[a] -= s->gradient[6 * i + at[a][b]] * c->q[4 * i + 1 + b];
    }
}

double cloud_error(const struct cloud *c, const struct cloud_sums *a,
                   const struct cloud_sums *b)
{
    double off = 0, size = 0;
    if (c->error == FARSUM_ERROR_POTENTIAL)
        return cloud_gap(a->potential, b->potential, c->m ? c->m : c->n);
    if (c->flow || c->m)
        return cloud_gap(a->vector, b->vector, 3 * (c->m ? c->m : c->n));
    for (int i = 0; i < c->n; i++) {
        double f[3], g[3];
        force(c, a, i, f);
        force(c, b, i, g);
        for (int d = 0; d < 3; d++) {
            off += (f[d] - g[d]) * (f[d] - g[d]);
            size += g[d] * g[d];
        }
    }
    return sqrt(off / size);
}
