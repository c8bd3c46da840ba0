/* SPDX-License-Identifier: Apache-2.0 */
/* memory.c: tests of a plan's memory.  The plan reports it before and after
 * allocation, and the report equals the process's use.  At a tolerance of 1e-6
 * it is below 1000 bytes per particle.  With fmm, whose expansions grow with
 * the number of boxes, it is below 2000, and the report before points are set
 * is less accurate.  It holds each position twice. */
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "check.h"
#include "heap.h"

/* Limit of bytes per particle, and the part of them that may be unpredicted. */
struct limit {
    const char *method;
    int bytes;
    double part;
};
/* the lengths of lists and halos are guessed; for fmm also the number of
 * boxes */
static const struct limit mesh = {"spectral", 1000, 0.33};
static const struct limit tree = {"fmm", 2000, 0.8};

/* Repeats the system k[0] x k[1] x k[2] times. */
static void repeat(struct system *s, const int k[3])
{
    int64_t n = s->p.n, copies = (int64_t)k[0] * k[1] * k[2];
    double *x = check_memory((size_t)(3 * n * copies), sizeof *x);
    double *q = check_memory((size_t)(n * copies), sizeof *q);
    for (int64_t c = 0; c < copies; c++) {
        int64_t at[3] = {c % k[0], c / k[0] % k[1], c / k[0] / k[1]};
        for (int64_t i = 0; i < n; i++) {
            q[c * n + i] = s->p.q[i];
            for (int d = 0; d < 3; d++) {
                double v = s->p.x[3 * i + d];
                for (int a = 0; a < 3; a++)
                    v += (double)at[a] * s->p.cell[3 * a + d];
                x[3 * (c * n + i) + d] = v;
            }
        }
    }
    free(s->p.x);
    free(s->p.q);
    s->p.x = x;
    s->p.q = q;
    s->p.n = n * copies;
    for (int a = 0; a < 3; a++)
        for (int d = 0; d < 3; d++)
            s->p.cell[3 * a + d] *= k[a];
}

/* Compares to a relative part, or to 100 kilobytes (kept by OpenMP and
 * FFTW). */
static void agrees(const char *name, const char *what, double found,
                   double wanted, double part)
{
    CHECK(fabs(found - wanted) <= fmax(part * wanted, 1e5),
          "%s: %s %.4g bytes, the plan has %.4g", name, what, found, wanted);
}

/* During a second execute only other libraries allocate, and free again: FFTW
 * buffers of some transforms, libgomp a team of one thread. */
static void executes(const struct system *s, farsum_plan *plan,
                     farsum_result *out)
{
    int64_t calls = heap_calls(), others = heap_calls_of_others();
    int64_t live = heap_live();
    CHECK_OK(farsum_plan_execute(plan, 1, s->p.q, out));
    calls = heap_calls() - calls;
    others = heap_calls_of_others() - others;
    printf("  %lld allocations in execute, %lld of them by FFTW and libgomp\n",
           (long long)calls, (long long)others);
    CHECK(calls == others, "%s: execute made %lld allocations that are not "
          "theirs", s->name, (long long)(calls - others));
    CHECK(heap_live() == live, "%s: execute keeps %lld bytes", s->name,
          (long long)(heap_live() - live));
}

static uint64_t told_before(const struct system *s, const struct limit *limit,
                            const farsum_problem *problem,
                            const farsum_options *options)
{
    farsum_plan *plan = NULL;
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    CHECK_OK(farsum_plan_tune(problem, options, &plan));
    CHECK_OK(farsum_plan_get_info(plan, &info));
    CHECK(info.bytes < (uint64_t)limit->bytes * (uint64_t)s->p.n,
          "tune says %llu", (unsigned long long)info.bytes);
    farsum_plan_destroy(plan);
    return info.bytes;
}

static void takes(struct system *s, int threads, const struct limit *limit)
{
    int64_t n = s->p.n;
    farsum_problem problem = system_problem(s);
    farsum_options options = cases_options();
    options.device.name = NULL; /* the heap is the host's */
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    farsum_result out = FARSUM_RESULT_INIT;
    farsum_plan *plan = NULL;
    problem.tolerance = 1e-6;
    options.threads = threads;
    options.method = limit->method;
    if (limit == &tree) /* it has no virial of a cell */
        problem.outputs &= ~(unsigned)FARSUM_VIRIAL;
    double *potential = check_memory((size_t)n, sizeof *potential);
    double *field = check_memory(3 * (size_t)n, sizeof *field);
    out.potential = potential;
    out.field = field;
    uint64_t before = told_before(s, limit, &problem, &options);
    int64_t live = heap_live();
    heap_reset_peak();
    CHECK_OK(farsum_plan_create(&problem, &options, &plan));
    CHECK_OK(farsum_plan_set_points(plan, n, s->p.x, 0, NULL));
    CHECK_OK(farsum_plan_execute(plan, 1, s->p.q, &out));
    CHECK_OK(farsum_plan_get_info(plan, &info));
    int64_t now = heap_live() - live, most = heap_peak() - live;
    double bytes = (double)info.bytes;
    printf("%s by %s, %lld particles, %d threads: %.0f bytes per particle "
           "(predicted %.0f, in use %.0f, at most %.0f)\n",
           s->name, limit->method, (long long)n, threads, bytes / (double)n,
           (double)before / (double)n, (double)now / (double)n,
           (double)most / (double)n);
    CHECK(bytes < limit->bytes * (double)n, "%s: %.0f bytes per particle",
          s->name, bytes / (double)n);
    agrees(s->name, "predicted by tune:", (double)before, bytes, limit->part);
    if (heap_counts()) {
        agrees(s->name, "in use:", (double)now, bytes, 0.1);
        agrees(s->name, "at the peak:", (double)most, bytes, 0.1);
        CHECK(most < limit->bytes * n, "%s: peak of %.0f bytes per particle",
              s->name, (double)most / (double)n);
        CHECK(most >= now, "a peak below what is in use");
        executes(s, plan, &out);
    }
    farsum_plan_destroy(plan);
    if (heap_counts())
        CHECK(heap_live() - live <= 100000, "%s: %lld bytes are left", s->name,
              (long long)(heap_live() - live));
    free(field);
    free(potential);
}

static void water(void)
{
    static const int copies[][3] = {{1, 1, 1}, {2, 3, 2}};
    for (int k = 0; k < 2; k++) {
        struct system s;
        system_load(&s, "water", "water_spce.xyz");
        repeat(&s, copies[k]);
        takes(&s, 2, &mesh);
        system_free(&s);
    }
}

static void uniform(void)
{
    static const char *const cases[] = {"laplace n=1e4 dist=uniform",
                                        "laplace n=1e5 dist=uniform"};
    for (int k = 0; k < 2; k++) {
        struct system s;
        system_load(&s, "uniform", cases[k]);
        takes(&s, 1, &mesh);
        takes(&s, 2, &mesh);
        system_free(&s);
    }
}

static void boxes(void)
{
    static const char *const cases[] = {"laplace n=2e4 dist=uniform",
                                        "laplace n=2e4 cell=open dist=uniform",
                                        "laplace n=2e4 cell=open dist=plummer"};
    for (int k = 0; k < 3; k++) {
        struct system s;
        system_load(&s, k < 2 ? "uniform" : "plummer", cases[k]);
        takes(&s, 2, &tree);
        system_free(&s);
    }
}

/* Sets points for fixed boxes.  Returns the bytes that the plan holds. */
static double held_by(const struct system *s, int64_t n,
                      farsum_precision precision, farsum_surface surface)
{
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    farsum_problem problem = system_problem(s);
    farsum_options options = cases_options();
    farsum_plan *plan = NULL;
    problem.outputs &= ~(unsigned)FARSUM_VIRIAL;
    problem.precision = precision;
    problem.arrays = FARSUM_F64;
    problem.tolerance = 1e-1;
    if (problem.periodic[0])
        problem.surface = surface;
    options.device.name = NULL;
    options.threads = 1;
    options.method = "fmm";
    options.fmm.tree = "dense";
    options.fmm.order = 4;
    options.fmm.levels = 1;
    for (int d = 0; d < 3; d++)
        options.fmm.boxes[d] = 8;
    options.verify = FARSUM_VERIFY_OFF;
    CHECK_OK(farsum_plan_create(&problem, &options, &plan));
    CHECK_OK(farsum_plan_set_points(plan, n, s->p.x, 0, NULL));
    CHECK_OK(farsum_plan_get_info(plan, &info));
    farsum_plan_destroy(plan);
    return (double)info.bytes;
}

/* A point more costs fmm one copy of its position in the caller's order and one
 * in the tree, with its number there; and strength, potential and field in both
 * orders.  f32 has low bits of the position in addition. */
static void points(void)
{
    static const char *const cases[] = {"laplace n=2e4 dist=uniform",
                                        "laplace n=2e4 cell=open dist=uniform"};
    for (int k = 0; k < 6; k++) {
        int f32 = k & 1, more = 10000;
        int64_t size = f32 ? 4 : 8, order = 8, low = f32 ? 4 : 0;
        farsum_precision precision = f32 ? FARSUM_F32 : FARSUM_F64;
        farsum_surface surface = k < 4 ? FARSUM_TINFOIL : FARSUM_VACUUM;
        struct system s;
        system_load(&s, "uniform", cases[k / 2 % 2]);
        double bytes = (held_by(&s, s.p.n, precision, surface)
                        - held_by(&s, s.p.n - more, precision, surface))
                       / more;
        printf("fmm, case %d: %.2f bytes for one point more\n", k, bytes);
        CHECK(fabs(bytes - (double)(8 * 8 + 8 * size + order + low)) < 0.1,
              "fmm, case %d: %.2f bytes for one point more", k, bytes);
        system_free(&s);
    }
}

/* OpenMP's threads and FFTW's tables are made with the first plan and stay. */
static void warm(void)
{
    struct system s;
    system_load(&s, "uniform", "laplace n=1e3 dist=uniform");
    farsum_problem problem = system_problem(&s);
    farsum_options options = cases_options();
    options.device.name = NULL; /* the heap is the host's */
    farsum_result out = FARSUM_RESULT_INIT;
    double energy;
    out.energy = &energy;
    options.threads = 2;
    CHECK_OK(sum_once(&problem, &options, s.p.n, s.p.x, 0, NULL, s.p.q, &out,
                      NULL));
    system_free(&s);
}

int main(void)
{
    RUN(warm);
    RUN(water);
    RUN(uniform);
    RUN(boxes);
    RUN(points);
    return check_end();
}
