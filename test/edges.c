/* SPDX-License-Identifier: Apache-2.0 */
/* edges.c: common code of the tests with bad and extreme input. */
#include "edges.h"

#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "farsum/device.h"

static const double cube[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

double edge_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

void edge_make(struct edge *e, int k, int64_t n, const double *cell,
               uint64_t seed)
{
    farsum_kernel_info info = FARSUM_KERNEL_INFO_INIT;
    const double *a = cell ? cell : cube;
    if (farsum_list_kernels(k, &info) != FARSUM_OK)
        check_stop("there is no kernel %d", k);
    memset(e, 0, sizeof *e);
    e->kernel = info.name;
    e->flow = info.outputs == FARSUM_VELOCITY;
    e->width = info.strengths;
    e->n = n;
    e->x = check_memory(3 * (size_t)n, sizeof *e->x);
    e->q = check_memory((size_t)(n * e->width), sizeof *e->q);
    for (int64_t i = 0; i < n; i++) {
        double s[3] = {edge_random(&seed), edge_random(&seed),
                       edge_random(&seed)};
        for (int d = 0; d < 3; d++)
            e->x[3 * i + d] = s[0] * a[d] + s[1] * a[3 + d] + s[2] * a[6 + d];
    }
    for (int64_t i = 0; i < n * e->width; i++)
        e->q[i] = 2 * edge_random(&seed) - 0.8;
    e->problem = (farsum_problem)FARSUM_PROBLEM_INIT;
    e->problem.kernel = e->kernel;
    if (strcmp(e->kernel, "yukawa") == 0)
        e->problem.kappa = 3 / cbrt(cell_determinant(a));
    memcpy(e->problem.cell, a, sizeof e->problem.cell);
    for (int d = 0; d < 3; d++)
        e->problem.periodic[d] = 1;
    e->problem.precision = e->problem.arrays = FARSUM_F64;
    e->problem.tolerance = 1e-6;
    e->problem.outputs = info.outputs;
    e->problem.n_sources = n;
    e->problem.sample_x = e->x;
    e->problem.sample_q = e->q;
    e->options = (farsum_options)FARSUM_OPTIONS_INIT;
    e->options.method = "spectral";
    e->options.threads = 1;
    e->options.spectral.split = "gaussian"; /* tuned faster */
}

void edge_free(struct edge *e)
{
    free(e->x);
    free(e->q);
    memset(e, 0, sizeof *e);
}

void edge_sum_free(struct edge_sum *sum)
{
    free(sum->v);
    memset(sum, 0, sizeof *sum);
}

static void edge_info(const farsum_plan *plan, struct edge_sum *sum)
{
    FILE *f = fmemopen(sum->said, sizeof sum->said, "w");
    if (!f)
        check_stop("no memory for a text");
    farsum_plan_print(plan, f);
    fclose(f);
    sum->info = (farsum_plan_info)FARSUM_PLAN_INFO_INIT;
    CHECK_OK(farsum_plan_get_info(plan, &sum->info));
    for (int s = 0; s < FARSUM_MAX_STAGES; s++) /* borrowed */
        sum->info.stages[s].reason = "";
}

/* Arrays of the problem's type. */
static void *edge_array(const struct edge *e, const double *from, int64_t n)
{
    int f32 = e->problem.arrays == FARSUM_F32;
    void *to = check_memory((size_t)n + 1, f32 ? 4 : 8);
    for (int64_t i = 0; from && i < n; i++)
        if (f32)
            ((float *)to)[i] = (float)from[i];
        else
            ((double *)to)[i] = from[i];
    return to;
}

farsum_status edge_run(const struct edge *e, struct edge_sum *sum)
{
    farsum_plan *plan = NULL;
    farsum_problem problem = e->problem;
    farsum_result out = FARSUM_RESULT_INIT;
    int64_t n = e->n, count = n * (e->flow ? 3 : 4);
    int f32 = problem.arrays == FARSUM_F32;
    void *x = edge_array(e, e->x, 3 * n), *v = edge_array(e, NULL, count);
    void *q = edge_array(e, e->q, n * e->width);
    memset(sum, 0, sizeof *sum);
    problem.sample_x = problem.sample_x ? x : NULL;
    problem.sample_q = problem.sample_q ? q : NULL;
    if (e->flow) {
        out.velocity = v;
    } else {
        out.potential = v;
        out.field = (char *)v + n * (f32 ? 4 : 8);
        out.energy = &sum->energy;
        out.virial = sum->virial;
    }
    farsum_status status = farsum_plan_create(&problem, &e->options, &plan);
    if (status == FARSUM_OK)
        status = farsum_plan_set_points(plan, n, x, 0, NULL);
    if (status == FARSUM_OK)
        status = farsum_plan_execute(plan, 1, q, &out);
    if (status == FARSUM_OK) {
        sum->count = count;
        sum->v = check_memory((size_t)count, sizeof *sum->v);
        for (int64_t i = 0; i < count; i++)
            sum->v[i] = f32 ? (double)((float *)v)[i] : ((double *)v)[i];
        edge_info(plan, sum);
    }
    farsum_plan_destroy(plan);
    free(x);
    free(v);
    free(q);
    return status;
}

farsum_status edge_reference(const struct edge *e, struct edge_sum *sum)
{
    struct edge r = *e;
    r.options = (farsum_options)FARSUM_OPTIONS_INIT;
    r.options.method = "ewald";
    r.options.threads = 1;
    r.problem.precision = r.problem.arrays = FARSUM_F64;
    r.problem.tolerance = fmax(1e-12, 1e-3 * e->problem.tolerance);
    r.problem.error = (farsum_error_kind)0;
    return edge_run(&r, sum);
}

double edge_gap(const struct edge *e, const struct edge_sum *a,
                const struct edge_sum *b)
{
    int64_t n = e->n, at = e->flow ? 0 : n;
    double gap = 0, all = 0, q2 = 0, unit[2], norm;
    for (int64_t i = 0; i < 3 * n; i++) {
        double q = e->flow ? 1 : e->q[i / 3], v = q * b->v[at + i];
        double off = q * a->v[at + i] - v;
        gap += off * off;
        all += v * v;
        q2 += e->flow || i % 3 ? 0 : q * q;
    }
    norm = sqrt(all / (double)n);
    if (!e->flow) {
        struct system s = {.kappa = e->problem.kappa};
        snprintf(s.kernel, sizeof s.kernel, "%s", e->kernel);
        system_unit(&s, cbrt(cell_determinant(e->problem.cell) / (double)n),
                    unit);
        norm = fmax(norm, q2 / (double)n * unit[0]);
    }
    return sqrt(gap / (double)n) / norm;
}

double edge_gap_potential(const struct edge *e, const struct edge_sum *a,
                          const struct edge_sum *b)
{
    double gap = 0, all = 0;
    for (int64_t i = 0; i < e->n; i++) {
        gap += (a->v[i] - b->v[i]) * (a->v[i] - b->v[i]);
        all += b->v[i] * b->v[i];
    }
    return sqrt(gap / all);
}

void edge_finite(const char *what, const struct edge *e,
                 const struct edge_sum *a)
{
    int64_t bad = -1;
    for (int64_t i = a->count - 1; i >= 0; i--)
        if (!isfinite(a->v[i]))
            bad = i;
    CHECK(bad < 0, "%s, %s: value %lld of %lld is %g", e->kernel, what,
          (long long)bad, (long long)a->count, bad < 0 ? 0 : a->v[bad]);
    double sum = a->energy;
    for (int i = 0; i < 9; i++)
        sum += a->virial[i];
    CHECK(isfinite(sum), "%s, %s: energy %g, virial %g %g %g", e->kernel, what,
          a->energy, a->virial[0], a->virial[4], a->virial[8]);
    CHECK(isfinite(a->info.estimated_error) && isfinite(a->info.norm),
          "%s, %s: estimated error %g, norm %g", e->kernel, what,
          a->info.estimated_error, a->info.norm);
}

void edge_same(const char *what, const struct edge *e,
               const struct edge_sum *a, const struct edge_sum *b, double most)
{
    double gap = edge_gap(e, a, b);
    edge_finite(what, e, a);
    CHECK(gap <= most, "%s, %s: off by %.3g, above %.3g (estimated %.3g)\n%s",
          e->kernel, what, gap, most, a->info.estimated_error, a->said);
    if (e->flow)
        return;
    double potential = edge_gap_potential(e, a, b);
    CHECK(potential <= 100 * most, "%s, %s: potential off by %.3g\n%s",
          e->kernel, what, potential, a->said);
    CHECK(fabs(a->energy - b->energy) <= 100 * most * fabs(b->energy),
          "%s, %s: energy %.9g, not %.9g\n%s", e->kernel, what, a->energy,
          b->energy, a->said);
}

void edge_right(const char *what, const struct edge *e, double factor)
{
    struct edge_sum a, b;
    int good = edge_run(e, &a) == FARSUM_OK;
    CHECK(good, "%s, %s: %s", e->kernel, what, farsum_message());
    if (good && CHECK_OK(edge_reference(e, &b))) {
        edge_same(what, e, &a, &b, factor * e->problem.tolerance);
        edge_sum_free(&b);
    }
    edge_sum_free(&a);
}

int edge_device(farsum_options *options)
{
    const char *name = getenv("FARSUM_TEST_DEVICE");
    farsum_device *device = NULL;
    name = name ? name : "opencl:0";
    if (farsum_device_open(name, &device) != FARSUM_OK) {
        printf("no device: %s\n", farsum_message());
        return 0;
    }
    farsum_device_close(device);
    options->device.name = name;
    return 1;
}

/* "cells": only these; "device": only if requested. */
int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } stages[] = {
        {"net", edges_net},
        {"points", edges_points},
        {"cells", edges_cells},
        {"meshes", edges_meshes},
        {"strengths", edges_strengths},
        {"device", edges_device},
    };
    size_t n = sizeof stages / sizeof *stages;
    for (size_t r = 0; r < n; r++)
        if (argc < 2 ? r < n - 1 : strcmp(argv[1], stages[r].name) == 0)
            stages[r].run();
    return check_end();
}
