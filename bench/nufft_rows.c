/* SPDX-License-Identifier: Apache-2.0 */
/* nufft_rows.c: NUFFTs of types 1 and 2, timed, with errors measured against
 * direct sums at some modes and points.
 *
 *     nufft_rows DEVICE PRECISION MODES N DIST TOLERANCE [ERROR]
 *
 *     nufft_rows host f64 64 1e6 uniform 1e-6
 *     nufft_rows host f32 64 1e5 clustered 1e-4 3e-5 upsampling=2
 *
 * MODES along each axis; DIST as in mesh_rows.  With ERROR, the tolerance
 * starts at four times ERROR and is tightened until the measured error is at
 * most ERROR; that transform counts.  upsampling=S fixes the upsampling,
 * threads=T the host's threads.  On a device all arrays are there.  Lines as
 * those of bench/peers/cufinufft_rows.py. */
#include "mesh_case.h"

#include "base/clock.h"
#include "base/mem.h"
#include "farsum/device.h"
#include "farsum/mesh.h"
#include "plan/plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPEATS = 7, SAMPLES = 24, TRIES = 8 };
#define LONG 1.0

struct nufft {
    struct bench b; /* for its points */
    const char *device;
    int64_t modes, all; /* along an axis, of a transform */
    double upsampling;
    int threads;
    farsum_device *on; /* NULL: the host */
    struct buf x_there, c_there, f_there;
    void *x, *c, *f;             /* on the host */
    double exact[2][SAMPLES][2]; /* of type 1, type 2 */
    int64_t at[2][SAMPLES];
};

static double real_at(const struct nufft *s, const void *a, int64_t i)
{
    return bench_f32(&s->b) ? (double)((const float *)a)[i]
                            : ((const double *)a)[i];
}

static void real_put(const struct nufft *s, void *a, int64_t i, double v)
{
    if (bench_f32(&s->b))
        ((float *)a)[i] = (float)v;
    else
        ((double *)a)[i] = v;
}

/* k of mode m along an axis. */
static double mode(const struct nufft *s, int64_t m)
{
    return (double)(m - s->modes / 2);
}

static void sum_1(struct nufft *s, int i)
{
    int64_t m = s->at[0][i], n = s->modes;
    double k[3] = {mode(s, m / (n * n)), mode(s, m / n % n), mode(s, m % n)};
    double re = 0, im = 0;
#pragma omp parallel for reduction(+ : re, im)
    for (int64_t j = 0; j < s->b.n; j++) {
        double phase = 0, a = real_at(s, s->c, 2 * j),
               b = real_at(s, s->c, 2 * j + 1);
        for (int d = 0; d < 3; d++)
            phase += k[d] * real_at(s, s->x, 3 * j + d);
        re += a * cos(phase) - b * sin(phase);
        im += a * sin(phase) + b * cos(phase);
    }
    s->exact[0][i][0] = re;
    s->exact[0][i][1] = im;
}

static void sum_2(struct nufft *s, int i)
{
    int64_t j = s->at[1][i], n = s->modes;
    double *e = NULL, re = 0, im = 0;
    bench_need(MEM_RAW(e, 6 * n));
    for (int64_t k = 0; k < 3 * n; k++) {
        double phase = -mode(s, k % n) * real_at(s, s->x, 3 * j + k / n);
        e[2 * k] = cos(phase);
        e[2 * k + 1] = sin(phase);
    }
#pragma omp parallel for reduction(+ : re, im)
    for (int64_t xy = 0; xy < n * n; xy++) {
        const double *ex = e + 2 * (xy / n), *ey = e + 2 * (n + xy % n);
        double row[2] = {0, 0};
        for (int64_t z = 0; z < n; z++) {
            const double *ez = e + 2 * (2 * n + z);
            double a = real_at(s, s->f, 2 * (xy * n + z)),
                   b = real_at(s, s->f, 2 * (xy * n + z) + 1);
            row[0] += a * ez[0] - b * ez[1];
            row[1] += a * ez[1] + b * ez[0];
        }
        double u = ex[0] * ey[0] - ex[1] * ey[1],
               v = ex[0] * ey[1] + ex[1] * ey[0];
        re += row[0] * u - row[1] * v;
        im += row[0] * v + row[1] * u;
    }
    s->exact[1][i][0] = re;
    s->exact[1][i][1] = im;
    mem_free(e);
}

/* Random strengths or modes, and the direct sums at the samples. */
static void input(struct nufft *s, int type)
{
    uint64_t seed = 7;
    int64_t count = type == 1 ? s->b.n : s->all;
    void *to = type == 1 ? s->c : s->f;
    for (int64_t i = 0; i < 2 * count; i++)
        real_put(s, to, i, bench_number(&seed) - 0.5);
    for (int i = 0; i < SAMPLES; i++) {
        int64_t of = type == 1 ? s->all : s->b.n;
        s->at[type - 1][i] = (int64_t)(bench_number(&seed) * (double)of);
        if (type == 1)
            sum_1(s, i);
        else
            sum_2(s, i);
    }
}

static double error(const struct nufft *s, int type)
{
    const void *out = type == 1 ? s->f : s->c;
    double sum = 0, norm = 0;
    for (int i = 0; i < SAMPLES; i++)
        for (int part = 0; part < 2; part++) {
            double exact = s->exact[type - 1][i][part];
            double d = real_at(s, out, 2 * s->at[type - 1][i] + part) - exact;
            sum += d * d;
            norm += exact * exact;
        }
    return sqrt(sum / norm);
}

/* Starts timing, on the device's queue if there is one. */
static void start(const struct nufft *s, struct stopwatch *watch, double *at)
{
    if (s->on)
        bench_need(stopwatch_start(watch));
    *at = clock_seconds();
}

static void least(const struct nufft *s, struct stopwatch *watch, double at,
                  double *best)
{
    double now = clock_seconds() - at;
    if (s->on) {
        bench_need(stopwatch_stop(watch));
        bench_need(stopwatch_seconds(watch, &now));
    }
    now *= 1e3;
    *best = now < *best ? now : *best;
}

static void ask(const struct nufft *s, int type, double tolerance,
                farsum_nufft_problem *problem, farsum_mesh_options *options)
{
    problem->type = type;
    problem->sign = type == 1 ? 1 : -1;
    for (int d = 0; d < 3; d++)
        problem->modes[d] = s->modes;
    problem->tolerance = tolerance;
    problem->precision = s->b.spread.precision;
    problem->n_points = s->b.n;
    problem->memory = s->on ? FARSUM_DEVICE : FARSUM_HOST;
    options->on_device = s->on;
    options->threads = s->threads;
    options->upsampling = s->upsampling;
}

/* Measures a plan: milliseconds and error. */
static farsum_status measure(struct nufft *s, int type, double tolerance,
                             double *ms, double *off, farsum_mesh_info *info)
{
    farsum_nufft_problem problem = FARSUM_NUFFT_PROBLEM_INIT;
    farsum_mesh_options options = FARSUM_MESH_OPTIONS_INIT;
    farsum_status status = FARSUM_OK;
    farsum_nufft *plan = NULL;
    struct stopwatch watch = {0};
    struct buf *out = type == 1 ? &s->f_there : &s->c_there;
    void *x = s->on ? s->x_there.handle : s->x,
         *c = s->on ? s->c_there.handle : s->c,
         *f = s->on ? s->f_there.handle : s->f;
    double at, begin;
    ask(s, type, tolerance, &problem, &options);
    GO(farsum_nufft_create(&problem, &options, &plan));
    if (s->on)
        GO(stopwatch_create(&watch, s->on->device));
    begin = clock_seconds();
    ms[0] = ms[1] = 1e9;
    for (int k = 0; k < REPEATS; k++) {
        start(s, &watch, &at);
        GO(farsum_nufft_set_points(plan, s->b.n, x));
        least(s, &watch, at, &ms[0]);
        start(s, &watch, &at);
        GO(farsum_nufft_execute(plan, c, f));
        least(s, &watch, at, &ms[1]);
        GO(farsum_nufft_finish(plan));
        if (k > 0 && clock_seconds() - begin > LONG)
            break;
    }
    if (s->on)
        GO(buf_download(out, 0, type == 1 ? s->f : s->c, out->bytes));
    *off = error(s, type);
    GO(farsum_nufft_get_info(plan, info));
done:
    stopwatch_clear(&watch);
    farsum_nufft_destroy(plan);
    return status;
}

static void line(struct nufft *s, int type, double tolerance, double wanted)
{
    double ms[2] = {0, 0}, off = 0, tight = wanted > 0 ? 4 * wanted : tolerance;
    farsum_mesh_info info = FARSUM_MESH_INFO_INIT;
    input(s, type);
    if (s->on) {
        int size = bench_size(&s->b);
        bench_need(buf_upload(&s->c_there, 0, s->c, 2 * s->b.n * size));
        bench_need(buf_upload(&s->f_there, 0, s->f, 2 * s->all * size));
    }
    for (int k = 0; k < TRIES; k++, tight *= 0.5) {
        if (measure(s, type, tight, ms, &off, &info) != FARSUM_OK) {
            fprintf(stderr, "# type %d at %g: %s\n", type, tight,
                    farsum_message());
            if (wanted <= 0)
                return;
            continue; /* a larger or smaller tolerance may be refused */
        }
        if (wanted <= 0 || off <= wanted)
            break;
    }
    if (off == 0)
        return;
    const char *row = info.n_stages > 0 ? info.stages[0].variant : "";
    printf("farsum,,type %d,%s,%s,%g,%d,%lld,%lld,%s,%.5g,%.5g,%.3g,1\n", type,
           row, bench_f32(&s->b) ? "f32" : "f64", tolerance, info.support,
           (long long)s->modes, (long long)s->b.n, s->b.dist, ms[0], ms[1],
           off);
    fflush(stdout);
}

static void options(struct nufft *s, int count, char **word, double *wanted)
{
    for (int i = 0; i < count; i++) {
        if (strncmp(word[i], "upsampling=", 11) == 0)
            s->upsampling = atof(word[i] + 11);
        else if (strncmp(word[i], "threads=", 8) == 0)
            s->threads = atoi(word[i] + 8);
        else
            *wanted = atof(word[i]);
    }
}

static void arrays(struct nufft *s)
{
    int64_t size = bench_size(&s->b), n = s->b.n;
    uint64_t seed = 1;
    bench_need(mem_alloc(&s->x, 3 * n, (size_t)size, 0));
    bench_need(mem_alloc(&s->c, 2 * n, (size_t)size, 0));
    bench_need(mem_alloc(&s->f, 2 * s->all, (size_t)size, 0));
    for (int64_t i = 0; i < n; i++) {
        double x[3];
        bench_position(&s->b, i, &seed, x);
        for (int d = 0; d < 3; d++)
            real_put(s, s->x, 3 * i + d, 2 * M_PI * x[d] - M_PI);
    }
    if (device_is_host(s->device))
        return;
    bench_need(farsum_device_open(s->device, &s->on));
    struct device *device = s->on->device;
    bench_need(buf_alloc(&s->x_there, device, 3 * n * size));
    bench_need(buf_alloc(&s->c_there, device, 2 * n * size));
    bench_need(buf_alloc(&s->f_there, device, 2 * s->all * size));
    bench_need(buf_upload(&s->x_there, 0, s->x, 3 * n * size));
}

int main(int argc, char **argv)
{
    static struct nufft s;
    double wanted = 0;
    if (argc < 7) {
        fprintf(stderr, "usage: nufft_rows DEVICE PRECISION MODES N DIST "
                        "TOLERANCE [ERROR]\n");
        return 2;
    }
    s.device = argv[1];
    s.modes = atoll(argv[3]);
    s.all = s.modes * s.modes * s.modes;
    s.b.n = (int64_t)atof(argv[4]);
    s.b.dist = argv[5];
    s.b.spread.precision =
        strcmp(argv[2], "f32") == 0 ? FARSUM_F32 : FARSUM_F64;
    s.b.spread.mesh[0] = 2 * s.modes;
    options(&s, argc - 7, argv + 7, &wanted);
    arrays(&s);
    for (int type = 1; type <= 2; type++)
        line(&s, type, atof(argv[6]), wanted);
    mem_free(s.x);
    mem_free(s.c);
    mem_free(s.f);
    buf_clear(&s.x_there);
    buf_clear(&s.c_there);
    buf_clear(&s.f_there);
    farsum_device_close(s.on);
    return 0;
}
