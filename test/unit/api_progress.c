/* SPDX-License-Identifier: Apache-2.0 */
/* api_progress.c: tests of progress reports in long calls, and of the state
 * after the caller stops one. */
#include "api.h"

#include <stdlib.h>
#include <time.h>

struct heard {
    int calls, stop;          /* stop: the answer */
    const char *at;           /* stops when `what` begins so; NULL: always */
    int64_t after;            /* and if so many are done */
    int turns;                /* and after `done` has decreased so often */
    int64_t last;             /* done */
    double first, then;       /* seconds at the first and last call */
    char what[120], all[2000];
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int hear(int64_t done, int64_t all, const char *what, void *data)
{
    struct heard *h = data;
    size_t used = strlen(h->all);
    CHECK(done >= 0 && (all == 0 || done <= all), "%lld of %lld",
          (long long)done, (long long)all);
    h->then = now();
    h->first = h->calls++ ? h->first : h->then;
    h->turns -= done < h->last;
    h->last = done;
    if (strcmp(what, h->what) != 0)
        snprintf(h->all + used, sizeof h->all - used, "%s\n", what);
    snprintf(h->what, sizeof h->what, "%s", what);
    return h->stop && (!h->at || strncmp(what, h->at, strlen(h->at)) == 0)
           && done >= h->after && h->turns <= 0;
}

static struct heard heard(const char *at, int64_t after, int turns)
{
    return (struct heard){.stop = 1, .at = at, .after = after, .turns = turns};
}

/* Points and charges of n particles in a unit cell. */
static double *scattered(int64_t n)
{
    double *x = check_memory(8 * (size_t)n, sizeof *x);
    uint64_t state = 99;
    for (int64_t i = 0; i < 4 * n; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        x[i] = (double)(state >> 11) * 0x1p-53;
    }
    for (int64_t i = 0; i < n; i++)
        x[3 * n + i] = i % 2 ? 1 : -1;
    return x;
}

static farsum_problem problem_of(int64_t n, int periodic)
{
    farsum_problem p = FARSUM_PROBLEM_INIT;
    for (int d = 0; d < 3; d++) {
        p.cell[4 * d] = 1;
        p.periodic[d] = periodic;
    }
    p.n_sources = n;
    p.tolerance = periodic ? 1e-6 : 1e-4;
    p.outputs = FARSUM_POTENTIAL;
    return p;
}

/* Every report has its position; at most ten per second. */
static void says_where(void)
{
    static const char *const methods[] = {"direct", "ewald", "spectral", "fmm"};
    for (int k = 0; k < 4; k++) {
        struct heard h = {0};
        struct salt s;
        salt_set(&s);
        s.options.method = methods[k];
        s.options.progress = hear;
        s.options.progress_data = &h;
        if (k == 0)
            memset(s.problem.periodic, 0, sizeof s.problem.periodic);
        if (k == 0 || k == 3)
            s.problem.outputs = FARSUM_POTENTIAL;
        farsum_plan *plan = salt_ready(&s);
        CHECK(strncmp(h.all, "tuning", 6) == 0, "%s: \"%s\"", methods[k],
              h.all);
        CHECK(h.calls <= 2 + (int)(10 * (h.then - h.first)), "%d calls in %g s",
              h.calls, h.then - h.first);
        farsum_plan_destroy(plan);
    }
}

/* Each of the three calls is stopped at its first report; then it works
 * again. */
static void stops_at_once(void)
{
    static const char *const methods[] = {"direct", "ewald", "spectral", "fmm"};
    for (int k = 0; k < 4; k++) {
        const struct timespec nap = {0, 150000000}; /* until the next report */
        struct heard h = heard(NULL, 0, 0);
        double phi[SALT_N], wanted[SALT_N];
        farsum_result out = FARSUM_RESULT_INIT;
        struct salt s;
        salt_set(&s);
        s.options.method = methods[k];
        s.problem.outputs = FARSUM_POTENTIAL;
        if (k == 0)
            memset(s.problem.periodic, 0, sizeof s.problem.periodic);
        farsum_plan *plan = salt_ready(&s);
        out.potential = wanted;
        CHECK_OK(farsum_plan_execute(plan, 1, s.q, &out));
        farsum_plan_destroy(plan);
        s.options.progress = hear;
        s.options.progress_data = &h;
        CHECK_FAILS(salt_create(&s), FARSUM_ERR_STATE);
        CHECK(strcmp(farsum_message(), "stopped") == 0, "%s: \"%s\"",
              methods[k], farsum_message());
        h = (struct heard){0};
        plan = salt_plan(&s);
        h = heard(NULL, 0, 0);
        nanosleep(&nap, NULL);
        CHECK_FAILS(farsum_plan_set_points(plan, SALT_N, s.x, 0, NULL),
                    FARSUM_ERR_STATE);
        CHECK(strcmp(farsum_message(), "stopped") == 0, "%s: \"%s\"",
              methods[k], farsum_message());
        out.potential = phi;
        h.stop = 0;
        CHECK_FAILS(farsum_plan_execute(plan, 1, s.q, &out), FARSUM_ERR_STATE);
        CHECK_SAYS("no points are set");
        CHECK_OK(farsum_plan_set_points(plan, SALT_N, s.x, 0, NULL));
        h.stop = 1;
        nanosleep(&nap, NULL);
        for (int i = 0; i < SALT_N; i++)
            phi[i] = -7;
        CHECK_FAILS(farsum_plan_execute(plan, 1, s.q, &out), FARSUM_ERR_STATE);
        CHECK(strcmp(farsum_message(), "stopped") == 0, "%s: \"%s\"",
              methods[k], farsum_message());
        for (int i = 0; i < SALT_N; i++)
            CHECK(phi[i] == -7, "%s: result %d is %g", methods[k], i, phi[i]);
        h.stop = 0;
        CHECK_OK(farsum_plan_execute(plan, 1, s.q, &out));
        for (int i = 0; i < SALT_N; i++)
            CHECK_NEAR(phi[i], wanted[i], 1e-12);
        farsum_plan_destroy(plan);
    }
}

/* Processor time of all threads, which other work does not lengthen. */
static double busy(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

/* A sum of half a minute stops within about a second; with sanitizers within
 * four. */
static void long_sums_stop(void)
{
    static const struct {
        const char *method;
        int64_t n;
        const char *kernel;
    } cases[] = {{"direct", 150000, "laplace"},
                 {"direct", 60000, "yukawa"},
                 {"ewald", 60000, "laplace"},
                 {"ewald", 30000, "yukawa"}};
    for (int k = 0; k < 4; k++) {
        int64_t n = cases[k].n;
        struct heard h = heard("summing", 1, 0);
        double *x = scattered(n), *phi = x + 4 * n;
        farsum_problem p = problem_of(n, k >= 2);
        farsum_options o = FARSUM_OPTIONS_INIT;
        farsum_result out = FARSUM_RESULT_INIT;
        farsum_plan *plan = NULL;
        p.kernel = cases[k].kernel;
        p.kappa = k % 2 ? 1 : 0;
        p.tolerance = k >= 2 ? 1e-12 : 1e-4;
        o.method = cases[k].method;
        o.threads = 2;
        o.progress = hear;
        o.progress_data = &h;
        out.potential = phi;
        phi[0] = phi[n - 1] = -7;
        CHECK_OK(farsum_plan_create(&p, &o, &plan));
        CHECK_OK(farsum_plan_set_points(plan, n, x, 0, NULL));
        double start = busy();
        CHECK_FAILS(farsum_plan_execute(plan, 1, x + 3 * n, &out),
                    FARSUM_ERR_STATE);
        CHECK(busy() - start < 8, "%s %s: stopped after %g s of two processors",
              cases[k].method, cases[k].kernel, busy() - start);
        CHECK(phi[0] == -7 && phi[n - 1] == -7, "%s: results were written",
              cases[k].method);
        farsum_plan_destroy(plan);
        free(x);
    }
}

/* If stopped in the second of two right-hand sides, results of the first are
 * not written. */
static void two_right_hand_sides(void)
{
    const int64_t n = 15000;
    struct heard h = heard("summing all", 0, 1);
    double *x = scattered(n), *phi = x + 4 * n, *wanted = phi + n;
    double *q = check_memory(4 * (size_t)n, sizeof *q), *both = q + 2 * n;
    farsum_problem p = problem_of(n, 0);
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_result out = FARSUM_RESULT_INIT;
    farsum_plan *plan = NULL;
    for (int64_t i = 0; i < n; i++) {
        q[i] = x[3 * n + i];
        q[n + i] = 2 * q[i];
        both[i] = both[n + i] = -7;
    }
    o.method = "direct";
    o.threads = 1;
    o.progress = hear;
    o.progress_data = &h;
    CHECK_OK(farsum_plan_create(&p, &o, &plan));
    CHECK_OK(farsum_plan_set_points(plan, n, x, 0, NULL));
    out.potential = both;
    h.last = 0;
    CHECK_FAILS(farsum_plan_execute(plan, 2, q, &out), FARSUM_ERR_STATE);
    CHECK(h.turns <= 0 && strncmp(h.what, "summing", 7) == 0,
          "not stopped in the second: \"%s\"", h.all);
    for (int64_t i = 0; i < 2 * n; i++)
        if (!CHECK(both[i] == -7, "result %lld is %g", (long long)i, both[i]))
            break;
    h.stop = 0;
    CHECK_OK(farsum_plan_execute(plan, 2, q, &out));
    out.potential = wanted;
    CHECK_OK(farsum_plan_execute(plan, 1, q, &out));
    for (int64_t i = 0; i < n; i++)
        if (!CHECK(both[i] == wanted[i] && both[n + i] == 2 * wanted[i],
                   "result %lld: %g, %g, not %g", (long long)i, both[i],
                   both[n + i], wanted[i]))
            break;
    farsum_plan_destroy(plan);
    free(q);
    free(x);
}

void api_progress(void)
{
    RUN(says_where);
    RUN(stops_at_once);
    RUN(long_sums_stop);
    RUN(two_right_hand_sides);
}
