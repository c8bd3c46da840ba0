/* SPDX-License-Identifier: Apache-2.0 */
/* plan_create.c: seconds of farsum_plan_create on the host, periodic, with a
 * sample: for the first plan of a process, for the same plan again, and for
 * others of similar size (another cell, another count).  Every case has a
 * process of its own.
 *
 *     plan_create [threads [kernel [method]]] >plan_create.csv
 *
 * Without a kernel or with "all": six kernels.  The method is spectral unless
 * given, or the library's choice: "auto".
 *
 * The last columns are the bits of the choices and of a sum: two builds with
 * equal choices print the same. */
#include <farsum/farsum.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 3200, VALUES = 6 };

static const char *const kernels[] = {"laplace",   "yukawa", "r6",
                                      "stokeslet", "rotlet", "stresslet"};
static const double tolerances[] = {1e-3, 1e-5, 1e-8, 1e-10};
static const char *const precisions[] = {NULL, "f64", "f32", "mixed", "auto"};
static const int counts[] = {100, 1000, 3000};

static const char *method = "spectral"; /* NULL: the library's choice */

static double x[3 * MOST], q[VALUES * MOST], out[3 * MOST];

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double uniform(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-53;
}

/* n points, one at each of n sites of a lattice, displaced by at most a third
 * of the spacing; charges of both signs. */
static void points(int n, double edge, uint64_t seed)
{
    int side = (int)ceil(cbrt(n) - 1e-9);
    for (int i = 0; i < n; i++) {
        const int place[3] = {i % side, i / side % side, i / side / side};
        for (int d = 0; d < 3; d++)
            x[3 * i + d] = edge / side
                           * (place[d] + 0.5 + 0.66 * (uniform(&seed) - 0.5));
        for (int a = 0; a < VALUES; a++)
            q[VALUES * i + a] = uniform(&seed) - 0.5;
    }
}

static int strengths_of(const char *kernel)
{
    farsum_kernel_info info = FARSUM_KERNEL_INFO_INIT;
    for (int k = 0; farsum_list_kernels(k, &info) == FARSUM_OK; k++)
        if (strcmp(info.name, kernel) == 0)
            return info.strengths;
    return 1;
}

static void bits(double v)
{
    uint64_t u;
    memcpy(&u, &v, sizeof u);
    printf(",%016llx", (unsigned long long)u);
}

static void failed(const char *what)
{
    printf(",%s: %s\n", what, farsum_message());
}

/* Makes one plan and prints its line. */
static void plan_line(const char *which, const char *kernel, int precision,
                      double tolerance, int n, double edge, int threads)
{
    farsum_problem problem = FARSUM_PROBLEM_INIT;
    farsum_options options = FARSUM_OPTIONS_INIT;
    options.verify = FARSUM_VERIFY_OFF; /* it would cost several executes */
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    farsum_result result = FARSUM_RESULT_INIT;
    farsum_plan *plan = NULL;
    double *strengths = malloc(sizeof q), energy = 0;
    int width = strengths_of(kernel), flow = width > 1;
    for (int i = 0; i < n && strengths; i++)
        memcpy(strengths + width * i, q + VALUES * i,
               (size_t)width * sizeof *q);
    problem.kernel = kernel;
    problem.kappa = strcmp(kernel, "yukawa") == 0 ? 0.7 : 0;
    for (int d = 0; d < 3; d++) {
        problem.cell[4 * d] = edge;
        problem.periodic[d] = 1;
    }
    problem.precision = (farsum_precision)precision;
    problem.arrays = FARSUM_F64;
    problem.tolerance = tolerance;
    problem.n_sources = n;
    problem.sample_x = x;
    problem.sample_q = strengths;
    options.threads = threads;
    options.method = method;
    printf("%s,%s,%g,%d,%s", kernel, precisions[precision], tolerance, n,
           which);
    double start = now(), busy = cpu();
    farsum_status status = farsum_plan_create(&problem, &options, &plan);
    printf(",%.4f,%.4f", 1e3 * (now() - start), 1e3 * (cpu() - busy));
    if (status == FARSUM_OK)
        status = farsum_plan_set_points(plan, n, x, 0, NULL);
    if (flow)
        result.velocity = out;
    else {
        result.field = out;
        result.energy = &energy;
    }
    if (status == FARSUM_OK)
        status = farsum_plan_execute(plan, 1, strengths, &result);
    if (status == FARSUM_OK)
        status = farsum_plan_get_info(plan, &info);
    if (status != FARSUM_OK) {
        failed("refused");
    } else {
        double sum = energy;
        for (int i = 0; i < 3 * n; i++)
            sum += (i % 7 + 1) * out[i];
        printf(",%d,%lld,%d,%d", (int)info.precision, (long long)info.mesh[0],
               info.support, info.near_coefficients);
        bits(info.cutoff);
        bits(info.bandwidth);
        bits(info.shape);
        bits(info.estimated_error);
        bits(sum);
        printf("\n");
    }
    farsum_plan_destroy(plan);
    free(strengths);
}

static void process(const char *kernel, int precision, double tolerance, int n,
                    int threads)
{
    double edge = cbrt(n);
    fflush(stdout);
    pid_t child = fork();
    if (child < 0)
        exit(1);
    if (child > 0) {
        waitpid(child, NULL, 0);
        return;
    }
    points(n, edge, 1);
    plan_line("first", kernel, precision, tolerance, n, edge, threads);
    plan_line("again", kernel, precision, tolerance, n, edge, threads);
    points(n, 1.013 * edge, 2);
    plan_line("cell", kernel, precision, tolerance, n, 1.013 * edge, threads);
    int more = n + n / 25;
    points(more, cbrt(more), 3);
    plan_line("count", kernel, precision, tolerance, more, cbrt(more), threads);
    fflush(stdout);
    _exit(0);
}

int main(int argc, char **argv)
{
    int threads = argc > 1 ? atoi(argv[1]) : 0;
    const char *only = argc > 2 && strcmp(argv[2], "all") != 0 ? argv[2] : NULL;
    if (argc > 3)
        method = strcmp(argv[3], "auto") == 0 ? NULL : argv[3];
    printf("kernel,precision,tolerance,n,plan,ms,cpu_ms,chosen,mesh,"
           "support,terms,cutoff,bandwidth,shape,error,sum\n");
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
        for (int p = 1; p <= 4; p++)
            for (size_t t = 0; t < sizeof tolerances / sizeof *tolerances; t++)
                for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
                    if (!only || strcmp(only, kernels[k]) == 0)
                        process(kernels[k], p, tolerances[t], counts[c],
                                threads);
    return 0;
}
