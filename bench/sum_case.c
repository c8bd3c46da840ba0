/* SPDX-License-Identifier: Apache-2.0 */
/* sum_case.c: particles to sum, and their reference sums. */
#include "sum_case.h"

#include "io.h"
#include "rng.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void sum_need(farsum_status status)
{
    if (status == FARSUM_OK)
        return;
    fprintf(stderr, "%s\n", farsum_message());
    exit(1);
}

static void fail(const char *what)
{
    fprintf(stderr, "%s\n", what);
    exit(1);
}

static void *memory(int64_t count, size_t size)
{
    void *p = malloc((size_t)count * size);
    if (!p)
        fail("out of memory");
    return p;
}

int sum_case_charges(const struct sum_case *c)
{
    return c->p.strengths == 1;
}

/* Reads one cell of the file; the other cells repeat it. */
static void from_file(struct sum_case *c, const char *path, int copies)
{
    char error[512];
    struct io_reader *reader = NULL;
    struct io_frame f = {0};
    if (io_open(path, &(struct io_options){0}, &reader, error, sizeof error)
        || io_read(reader, &f, error, sizeof error) != 1)
        fail(error);
    io_close(reader);
    if (!f.q || !f.has_cell)
        fail("the file has no charges or no cell");
    int64_t m = copies, all = m * m * m * f.n;
    c->p = (struct case_particles){.n = all, .strengths = 1};
    c->p.x = memory(3 * all, sizeof *c->p.x);
    c->p.q = memory(all, sizeof *c->p.q);
    for (int64_t i = 0; i < all; i++) {
        int64_t k = i / f.n, j = i % f.n;
        const int64_t at[3] = {k / (m * m), k / m % m, k % m};
        for (int d = 0; d < 3; d++) {
            double x = f.x[3 * j + d];
            for (int a = 0; a < 3; a++)
                x += (double)at[a] * f.cell[3 * a + d];
            c->p.x[3 * i + d] = x;
        }
        c->p.q[i] = f.q[j];
    }
    for (int d = 0; d < 9; d++)
        c->p.cell[d] = (double)m * f.cell[d];
    for (int d = 0; d < 3; d++)
        c->p.periodic[d] = 1;
    c->period = f.n;
    io_frame_clear(&f);
}

void sum_case_make(const char *text, struct sum_case *c)
{
    char error[512], path[512];
    const char *suffix = strstr(text, ".xyz");
    *c = (struct sum_case){.text = text, .reference = ""};
    if (suffix) {
        int copies = suffix[4] == ':' ? atoi(suffix + 5) : 1;
        if (copies < 1 || copies > 100)
            fail("from 1 to 100 copies along an edge are possible");
        snprintf(path, sizeof path, "%.*s", (int)(suffix + 4 - text), text);
        if (case_parse("laplace", &c->spec, error, sizeof error) != 0)
            fail(error);
        from_file(c, path, copies);
    } else if (case_parse(text, &c->spec, error, sizeof error) != 0
               || case_make(&c->spec, &c->p, error, sizeof error) != 0) {
        fail(error);
    }
}

farsum_problem sum_case_problem(const struct sum_case *c)
{
    farsum_problem p = FARSUM_PROBLEM_INIT;
    p.kernel = c->spec.kernel;
    p.kappa = c->spec.kappa;
    memcpy(p.cell, c->p.cell, sizeof p.cell);
    memcpy(p.periodic, c->p.periodic, sizeof p.periodic);
    p.outputs = sum_case_charges(c) ? FARSUM_FIELD : FARSUM_VELOCITY;
    p.n_sources = c->p.n;
    p.sample_x = c->p.x;
    p.sample_q = c->p.q;
    return p;
}

/* Sums the first n particles, at m targets, into v. */
static void sum(const struct sum_case *c, farsum_problem *problem,
                const farsum_options *how, const double *y, double *v)
{
    farsum_plan *plan = NULL;
    farsum_result out = FARSUM_RESULT_INIT;
    if (sum_case_charges(c))
        out.field = v;
    else
        out.velocity = v;
    sum_need(farsum_plan_create(problem, how, &plan));
    sum_need(farsum_plan_set_points(plan, problem->n_sources, c->p.x,
                                    problem->n_targets, y));
    sum_need(farsum_plan_execute(plan, 1, c->p.q, &out));
    farsum_plan_destroy(plan);
}

/* Turns fields into forces. */
static void times_charge(const struct sum_case *c, int64_t i, double *v)
{
    for (int d = 0; d < 3 && sum_case_charges(c); d++)
        v[d] *= c->p.q[i];
}

/* The reference at a few particles, by a method whose time is proportional to
 * their number. */
static void by_targets(struct sum_case *c, const farsum_options *how,
                       int64_t targets, double tolerance)
{
    farsum_problem problem = sum_case_problem(c);
    double *y = NULL;
    problem.tolerance = tolerance;
    problem.precision = FARSUM_F64;
    if (c->period) { /* copies: the first one represents all */
        double m = cbrt((double)c->p.n / (double)c->period);
        for (int d = 0; d < 9; d++)
            problem.cell[d] /= round(m);
        problem.n_sources = c->period;
        c->targets = c->p.n;
    } else {
        struct rng r = rng_seed(12345);
        c->targets = c->period = targets < c->p.n ? targets : c->p.n;
        c->target = memory(c->targets, sizeof *c->target);
        y = memory(3 * c->targets, sizeof *y);
        for (int64_t k = 0; k < c->targets; k++) {
            c->target[k] = rng_below(&r, c->p.n);
            memcpy(y + 3 * k, c->p.x + 3 * c->target[k], 3 * sizeof *y);
        }
        problem.n_targets = c->targets;
    }
    c->exact = memory(3 * c->period, sizeof *c->exact);
    sum(c, &problem, how, y, c->exact);
    for (int64_t k = 0; k < c->period; k++)
        times_charge(c, c->target ? c->target[k] : k, c->exact + 3 * k);
    free(y);
}

static void by_plan(struct sum_case *c, double tolerance, const char *device)
{
    farsum_options how = FARSUM_OPTIONS_INIT;
    farsum_problem problem = sum_case_problem(c);
    how.method = "spectral";
    how.device.name = device;
    problem.tolerance = tolerance;
    problem.precision = FARSUM_F64;
    c->targets = c->period = c->p.n;
    c->exact = memory(3 * c->p.n, sizeof *c->exact);
    sum(c, &problem, &how, NULL, c->exact);
    for (int64_t i = 0; i < c->p.n; i++)
        times_charge(c, i, c->exact + 3 * i);
}

void sum_case_reference(struct sum_case *c, const char *how, const char *device)
{
    double targets = 1000, tolerance = 1e-13, boxes = 1;
    farsum_options by = FARSUM_OPTIONS_INIT;
    c->reference = how;
    if (strncmp(how, "ewald", 5) == 0) {
        by.method = "ewald";
        if (how[5] == ':')
            sscanf(how + 6, "%lf:%lf", &targets, &tolerance);
        by_targets(c, &by, (int64_t)targets, tolerance);
    } else if (strncmp(how, "direct", 6) == 0) {
        by.method = "direct";
        if (how[6] == ':')
            sscanf(how + 7, "%lf", &targets);
        by_targets(c, &by, (int64_t)targets, tolerance);
    } else if (strncmp(how, "fmm:", 4) == 0) {
        by.method = "fmm";
        by.device.name = device;
        by.fmm.tree = "dense";
        by.fmm.levels = by.fmm.separation = 1;
        by.fmm.order = 14;
        sscanf(how + 4, "%lf:%lf:%d", &targets, &boxes, &by.fmm.order);
        by.fmm.boxes[0] = by.fmm.boxes[1] = by.fmm.boxes[2] = (int64_t)boxes;
        c->all = 1;
        by_targets(c, &by, (int64_t)targets, 1e-2);
    } else if (strncmp(how, "spectral", 8) == 0) {
        if (how[8] == ':')
            sscanf(how + 9, "%lf", &tolerance);
        by_plan(c, tolerance, device);
    } else {
        fail("a reference is ewald:TARGETS:TOLERANCE, direct:TARGETS, "
             "fmm:TARGETS:BOXES:ORDER or spectral:TOLERANCE");
    }
}

/* Sum of the squares of all vectors, from `targets` of them. */
static double norm_of_all(const struct sum_case *c, const double *v)
{
    double norm = 0;
#pragma omp parallel for reduction(+ : norm)
    for (int64_t i = 0; i < c->p.n; i++) {
        double u[3] = {v[3 * i], v[3 * i + 1], v[3 * i + 2]};
        times_charge(c, i, u);
        norm += u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
    }
    return norm / (double)c->p.n * (double)c->targets;
}

double sum_case_error(const struct sum_case *c, const double *v)
{
    double difference = 0, norm = 0;
    if (!c->exact)
        return -1;
    for (int64_t k = 0; k < c->targets; k++) {
        int64_t i = c->target ? c->target[k] : k;
        const double *exact = c->exact + 3 * (k % c->period);
        double u[3] = {v[3 * i], v[3 * i + 1], v[3 * i + 2]};
        times_charge(c, i, u);
        for (int d = 0; d < 3; d++) {
            difference += (u[d] - exact[d]) * (u[d] - exact[d]);
            norm += exact[d] * exact[d];
        }
    }
    return sqrt(difference / (c->all ? norm_of_all(c, v) : norm));
}

void sum_case_clear(struct sum_case *c)
{
    case_free(&c->p);
    free(c->target);
    free(c->exact);
}
