/* SPDX-License-Identifier: Apache-2.0 */
/* fork.c: tests of forked children.  A child of a process that ran threads sums
 * with one thread, the parent's plans remain usable, and no call waits for
 * threads that no longer exist.  Plans on a device are refused with a
 * message. */
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "farsum/device.h"
#include "farsum/mesh.h"

enum { N = 600, WAIT = 60, STOPPED = 100 };

static double x[3 * N], q[N], potential[N], again[N];

static void particles(void)
{
    srand(5);
    for (int i = 0; i < 3 * N; i++)
        x[i] = 8.0 * rand() / RAND_MAX;
    for (int i = 0; i < N; i++)
        q[i] = i % 2 ? 1 : -1;
}

/* The status that `work` returns in a child; STOPPED: a signal ended it. */
static int in_child(int (*work)(void *), void *data)
{
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        alarm(WAIT);
        _exit(work(data));
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child)
        check_stop("no child");
    return WIFEXITED(status) ? WEXITSTATUS(status) : STOPPED;
}

static farsum_status make(const char *method, const char *fft,
                          const char *device, farsum_plan **plan)
{
    farsum_problem p = FARSUM_PROBLEM_INIT;
    farsum_options o = FARSUM_OPTIONS_INIT;
    p.cell[0] = p.cell[4] = p.cell[8] = 8;
    if (strcmp(method, "direct") != 0)
        p.periodic[0] = p.periodic[1] = p.periodic[2] = 1;
    p.n_sources = N;
    p.tolerance = 1e-4;
    o.method = method;
    o.spectral.fft = fft;
    o.device.name = device;
    o.threads = device ? 0 : 2;
    return farsum_plan_create(&p, &o, plan);
}

static farsum_status run(farsum_plan *plan, double *out)
{
    farsum_result r = FARSUM_RESULT_INIT;
    r.potential = out;
    return farsum_plan_execute(plan, 1, q, &r);
}

static int threads_of(const farsum_plan *plan)
{
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    if (farsum_plan_get_info(plan, &info) != FARSUM_OK)
        return -1;
    return info.threads;
}

static int same(void)
{
    double most = 0, size = 0;
    for (int i = 0; i < N; i++) {
        most = fmax(most, fabs(again[i] - potential[i]));
        size = fmax(size, fabs(potential[i]));
    }
    return most <= 1e-3 * size;
}

struct plans {
    const char *method, *fft;
    farsum_plan *plan; /* owned by the parent */
};

/* The parent's plan, then a plan made by the child. */
static int child_sums(void *data)
{
    struct plans *p = data;
    farsum_plan *own = NULL;
    if (p->plan) {
        if (run(p->plan, again) != FARSUM_OK || !same())
            return 1;
        if (farsum_plan_set_points(p->plan, N, x, 0, NULL) != FARSUM_OK
            || run(p->plan, again) != FARSUM_OK || !same())
            return 2;
        farsum_plan_destroy(p->plan);
    }
    if (make(p->method, p->fft, NULL, &own) != FARSUM_OK)
        return 3;
    if (threads_of(own) != 1)
        return 4;
    if (farsum_plan_set_points(own, N, x, 0, NULL) != FARSUM_OK
        || run(own, again) != FARSUM_OK || (p->plan && !same()))
        return 5;
    farsum_plan_destroy(own);
    return 0;
}

static void plan_forks(const char *method, const char *fft)
{
    struct plans p = {method, fft, NULL};
    CHECK_OK(make(method, fft, NULL, &p.plan));
    CHECK(threads_of(p.plan) == 2, "%d threads", threads_of(p.plan));
    CHECK_OK(farsum_plan_set_points(p.plan, N, x, 0, NULL));
    CHECK_OK(run(p.plan, potential));
    int status = in_child(child_sums, &p);
    CHECK(status == 0, "%s %s: the child ended with %d", method,
          fft ? fft : "", status);
    CHECK_OK(run(p.plan, again)); /* the parent goes on as before */
    CHECK(same() && threads_of(p.plan) == 2, "the parent's sums changed");
    farsum_plan_destroy(p.plan);
}

static void methods(void)
{
    plan_forks("direct", NULL);
    plan_forks("ewald", NULL);
    plan_forks("spectral", NULL);
    plan_forks("spectral", "kiss");
    plan_forks("fmm", NULL);
}

/* If a process with one thread forks, its child may use any number. */
static int child_threads(void *data)
{
    farsum_plan *plan = NULL;
    (void)data;
    if (make("spectral", NULL, NULL, &plan) != FARSUM_OK)
        return 1;
    if (threads_of(plan) != 2)
        return 2;
    if (farsum_plan_set_points(plan, N, x, 0, NULL) != FARSUM_OK
        || run(plan, again) != FARSUM_OK)
        return 3;
    return 0;
}

static void one_thread(void)
{
    int status = in_child(child_threads, NULL);
    CHECK(status == 0, "the child ended with %d", status);
}

/* The host program's threads, not ours. */
static void hosts_threads(void)
{
    struct plans p = {"spectral", NULL, NULL};
    int threads = 0;
#pragma omp parallel num_threads(2) reduction(+ : threads)
    threads++;
    int status = in_child(child_sums, &p);
    CHECK(status == 0, "the child ended with %d, %d threads", status, threads);
}

static int child_mesh(void *data)
{
    static double grid[8 * 8 * 8];
    farsum_mesh **mesh = data;
    if (farsum_mesh_set_points(*mesh, N, x) != FARSUM_OK
        || farsum_mesh_spread(*mesh, q, grid) != FARSUM_OK
        || farsum_mesh_interp(*mesh, grid, again, NULL) != FARSUM_OK)
        return 1;
    farsum_mesh_destroy(*mesh);
    return 0;
}

static void meshes(void)
{
    farsum_mesh_problem p = FARSUM_MESH_PROBLEM_INIT;
    farsum_mesh_options o = FARSUM_MESH_OPTIONS_INIT;
    farsum_mesh *mesh = NULL;
    for (int d = 0; d < 3; d++)
        p.periodic[d] = 1, p.mesh[d] = 8, p.cell[4 * d] = 8;
    o.threads = 2;
    CHECK_OK(farsum_mesh_create(&p, &o, &mesh));
    CHECK_OK(farsum_mesh_set_points(mesh, N, x));
    int status = in_child(child_mesh, &mesh);
    CHECK(status == 0, "the child ended with %d", status);
    farsum_mesh_destroy(mesh);
}

/* Threads make plans while another one forks: a lock that one of them holds is
 * free in the child. */
static atomic_int stop;

static void *planner(void *data)
{
    (void)data;
    while (!atomic_load(&stop)) {
        farsum_plan *plan = NULL;
        if (make("spectral", "fftw", NULL, &plan) == FARSUM_OK)
            farsum_plan_destroy(plan);
    }
    return NULL;
}

static void busy(void)
{
    enum { THREADS = 2, FORKS = 12 };
    struct plans p = {"spectral", NULL, NULL};
    pthread_t thread[THREADS];
    for (int t = 0; t < THREADS; t++)
        if (pthread_create(&thread[t], NULL, planner, NULL) != 0)
            check_stop("no thread");
    for (int k = 0; k < FORKS; k++) {
        int status = in_child(child_sums, &p);
        CHECK(status == 0, "child %d ended with %d", k, status);
    }
    atomic_store(&stop, 1);
    for (int t = 0; t < THREADS; t++)
        pthread_join(thread[t], NULL);
}

struct on_device {
    const char *name;
    farsum_plan *plan;
    farsum_device *device;
};

static int refused(farsum_status found, farsum_status wanted)
{
    return found == wanted && strstr(farsum_message(), "fork") != NULL;
}

static int child_device(void *data)
{
    struct on_device *d = data;
    farsum_device *device = NULL;
    farsum_device_info info = FARSUM_DEVICE_INFO_INIT;
    farsum_plan *plan = NULL;
    if (!refused(run(d->plan, again), FARSUM_ERR_STATE))
        return 1;
    if (!refused(farsum_plan_set_points(d->plan, N, x, 0, NULL),
                 FARSUM_ERR_STATE)
        || !refused(farsum_plan_finish(d->plan), FARSUM_ERR_STATE))
        return 2;
    if (!refused(make("spectral", NULL, d->name, &plan), FARSUM_ERR_DEVICE)
        || !refused(farsum_device_open(d->name, &device), FARSUM_ERR_DEVICE))
        return 3;
    for (int i = 1; farsum_list_devices(i, &info) == FARSUM_OK; i++)
        if (info.available)
            return 4;
    farsum_plan_destroy(d->plan);
    farsum_device_close(d->device);
    struct plans host = {"spectral", NULL, NULL};
    return child_sums(&host);
}

static void devices(void)
{
    const char *name = getenv("FARSUM_TEST_DEVICE");
    struct on_device d = {name ? name : "opencl:0", NULL, NULL};
    if (farsum_device_open(d.name, &d.device) != FARSUM_OK) {
        printf("skipped: %s\n", farsum_message());
        exit(CHECK_SKIPPED);
    }
    CHECK_OK(make("spectral", NULL, d.name, &d.plan));
    CHECK_OK(farsum_plan_set_points(d.plan, N, x, 0, NULL));
    CHECK_OK(run(d.plan, potential));
    int status = in_child(child_device, &d);
    CHECK(status == 0, "the child ended with %d", status);
    CHECK_OK(run(d.plan, again));
    CHECK(same(), "the parent's sums changed");
    farsum_plan_destroy(d.plan);
    farsum_device_close(d.device);
}

int main(int count, char **words)
{
    particles();
    if (count > 1 && strcmp(words[1], "device") == 0) {
        RUN(devices);
        return check_end();
    }
    RUN(one_thread); /* first: the process has one thread yet */
    RUN(hosts_threads);
    RUN(methods);
    RUN(meshes);
    RUN(busy);
    return check_end();
}
