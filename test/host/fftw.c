/* SPDX-License-Identifier: Apache-2.0 */
/* fftw.c: tests of a host program that uses FFTW too: its number of threads
 * stays, and it plans while our plans are created. */
#include <fftw3.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "farsum/mesh.h"

enum { N = 500 };

static int64_t mesh[3];    /* of the last plan, while one thread makes them */
static atomic_int several;

static farsum_status make(farsum_precision precision, int threads, int measure)
{
    farsum_problem p = FARSUM_PROBLEM_INIT;
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_plan *plan = NULL;
    p.cell[0] = p.cell[4] = p.cell[8] = 8;
    p.periodic[0] = p.periodic[1] = p.periodic[2] = 1;
    p.n_sources = N;
    p.tolerance = 1e-3;
    p.precision = precision;
    o.method = "spectral";
    o.spectral.fft = "fftw";
    o.threads = threads;
    o.measure = measure;
    farsum_status status = farsum_plan_create(&p, &o, &plan);
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    if (status == FARSUM_OK && !atomic_load(&several))
        status = farsum_plan_get_info(plan, &info);
    if (info.mesh[0] > 0)
        memcpy(mesh, info.mesh, sizeof mesh);
    farsum_plan_destroy(plan);
    return status;
}

static void counts_are(int f64, int f32, const char *when)
{
    CHECK(fftw_planner_nthreads() == f64 && fftwf_planner_nthreads() == f32,
          "%s: %d and %d threads", when, fftw_planner_nthreads(),
          fftwf_planner_nthreads());
}

/* The host has not set a number of threads. */
static void untouched(void)
{
    counts_are(1, 1, "at the start");
    CHECK_OK(make(FARSUM_F64, 2, 0));
    CHECK_OK(make(FARSUM_F32, 2, 0));
    counts_are(1, 1, "behind plans");
}

/* Measured FFTW plans of the last mesh, for the host, for any length of a row
 * in memory. */
static int measured(int threads)
{
    int n[3] = {(int)mesh[0], (int)mesh[1], (int)mesh[2]}, found = 0;
    fftw_plan_with_nthreads(threads);
    for (int row = n[2] / 2 + 1; row < n[2] / 2 + 20; row++) {
        int real[3] = {n[0], n[1], 2 * row}, half[3] = {n[0], n[1], row};
        double *z = fftw_alloc_real((size_t)(n[0] * n[1]) * 2 * (size_t)row);
        fftw_plan plan = fftw_plan_many_dft_r2c(
            3, n, 1, z, real, 1, 0, (fftw_complex *)z, half, 1, 0,
            FFTW_MEASURE | FFTW_WISDOM_ONLY);
        found += plan != NULL;
        if (plan)
            fftw_destroy_plan(plan);
        fftw_free(z);
    }
    return found;
}

static void numbers(void)
{
    fftw_init_threads();
    fftwf_init_threads();
    for (int hosts = 1; hosts < 6; hosts += 2)
        for (int ours = 1; ours < 4; ours++) {
            fftw_plan_with_nthreads(hosts);
            fftwf_plan_with_nthreads(hosts + 1);
            CHECK_OK(make(FARSUM_F64, ours, 0));
            CHECK_OK(make(FARSUM_F32, ours, 0));
            CHECK_OK(make(FARSUM_MIXED, ours, 0));
            counts_are(hosts, hosts + 1, "behind plans");
        }
    CHECK_OK(make(FARSUM_F64, 2, 1));
    counts_are(5, 6, "behind a measured plan");
    CHECK(measured(2) == 0, "FFTW gives the host what our plan measured");
    fftw_plan_with_nthreads(5);
    farsum_nufft_problem p = FARSUM_NUFFT_PROBLEM_INIT;
    farsum_mesh_options o = FARSUM_MESH_OPTIONS_INIT;
    farsum_nufft *nufft = NULL;
    p.type = p.sign = 1;
    p.modes[0] = p.modes[1] = p.modes[2] = 8;
    o.threads = 2;
    CHECK_OK(farsum_nufft_create(&p, &o, &nufft));
    farsum_nufft_destroy(nufft);
    counts_are(5, 6, "behind a NUFFT");
}

static atomic_int stop;

static void *plans(void *data)
{
    (void)data;
    while (!atomic_load(&stop))
        if (make(FARSUM_F64, 3, 0) != FARSUM_OK
            || make(FARSUM_F32, 3, 0) != FARSUM_OK)
            return (void *)1;
    return NULL;
}

/* No plan of the host, which has one thread, is made with our number of
 * threads. */
static void together(void)
{
    enum { THREADS = 2, PLANS = 300 };
    pthread_t thread[THREADS];
    int threaded = 0;
    atomic_store(&several, 1);
    fftw_plan_with_nthreads(1);
    for (int t = 0; t < THREADS; t++)
        if (pthread_create(&thread[t], NULL, plans, NULL) != 0)
            check_stop("no thread");
    for (int k = 0; k < PLANS; k++) {
        int n = 24 + 2 * (k % 13);
        fftw_complex *z = fftw_alloc_complex((size_t)(n * n * n));
        fftw_plan plan = fftw_plan_dft_3d(n, n, n, z, z, FFTW_FORWARD,
                                          FFTW_ESTIMATE);
        char *text = plan ? fftw_sprint_plan(plan) : NULL;
        threaded += !text || strstr(text, "thr") != NULL;
        free(text);
        fftw_destroy_plan(plan);
        fftw_free(z);
    }
    atomic_store(&stop, 1);
    for (int t = 0; t < THREADS; t++) {
        void *failed = NULL;
        pthread_join(thread[t], &failed);
        CHECK(!failed, "a plan of ours failed");
    }
    CHECK(threaded == 0, "%d of the host's plans have our threads", threaded);
    counts_are(1, 6, "at the end");
}

int main(void)
{
    RUN(untouched);
    RUN(numbers);
    RUN(together);
    return check_end();
}
