/* SPDX-License-Identifier: Apache-2.0 */
/* traps.c: tests of host programs with an unusual floating-point environment,
 * in their own thread and in those of OpenMP.  Nothing traps, sums are equal
 * bit by bit, and each call leaves the environment unchanged. */
#include <fenv.h>
#include <omp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#if FARSUM_HAVE_X86
#include <xmmintrin.h>
#endif

#include "check.h"
#include "farsum/device.h"
#include "farsum/mesh.h"

enum { N = 400, THREADS = 3, MODES = 6 };

struct environment {
    int round, traps;
    unsigned flush;
};
/* Mode 0 is the default. */
static const struct environment modes[MODES] = {
    {FE_TONEAREST, 0, 0},
    {FE_TONEAREST, FE_ALL_EXCEPT, 0},
    {FE_UPWARD, FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW, 0},
    {FE_DOWNWARD, FE_ALL_EXCEPT, 0x8040},
    {FE_TOWARDZERO, 0, 0x8040},
    {FE_UPWARD, 0, 0},
};

/* A raised flag stays raised, a cleared one stays cleared. */
static void environment_set(const struct environment *e)
{
    fesetenv(FE_DFL_ENV);
    if (!(e->traps & FE_UNDERFLOW))
        feraiseexcept(FE_UNDERFLOW);
    fesetround(e->round);
    feenableexcept(e->traps);
#if FARSUM_HAVE_X86
    _mm_setcsr(_mm_getcsr() | e->flush);
#endif
}

static int environment_is(const struct environment *e)
{
    int flags = e->traps & FE_UNDERFLOW ? 0 : FE_UNDERFLOW, good = 1;
#if FARSUM_HAVE_X86
    good = (_mm_getcsr() & 0x8040) == e->flush;
#endif
    return good && fegetround() == e->round && fegetexcept() == e->traps
           && fetestexcept(FE_ALL_EXCEPT) == flags;
}

static const struct environment *host = modes;
static int bad, calls;

static void enter(void)
{
#pragma omp parallel num_threads(THREADS)
    environment_set(host);
}

static void leave(void)
{
    int changed = 0;
#pragma omp parallel num_threads(THREADS)
    {
        int mine = !environment_is(host);
        fesetenv(FE_DFL_ENV);
#pragma omp atomic
        changed += mine;
    }
    bad += changed;
    calls++;
}

/* A call in the host's environment. */
#define HOST(call)                                                             \
    do {                                                                       \
        enter();                                                               \
        call;                                                                  \
        leave();                                                               \
        CHECK(bad == 0, "environment changed in %d threads by " #call, bad);   \
        bad = 0;                                                               \
    } while (0)
#define HOST_OK(call)                                                          \
    do {                                                                       \
        farsum_status host_status;                                             \
        HOST(host_status = (call));                                            \
        CHECK(host_status == FARSUM_OK, #call ": %s", farsum_message());       \
    } while (0)

static double x[3 * N], q[6 * N];
static float x32[3 * N], q32[6 * N];

static void particles(void)
{
    srand(7);
    for (int i = 0; i < 3 * N; i++)
        x32[i] = (float)(8.0 * rand() / RAND_MAX), x[i] = x32[i];
    for (int i = 0; i < 6 * N; i++)
        q32[i] = (float)(1.0 * rand() / RAND_MAX - 0.5), q[i] = q32[i];
}

struct out {
    double potential[N], vector[3 * N], energy, virial[9];
    char variants[200]; /* the plan's */
};

/* Where two sums differ: a difference that is rare should tell all it can. */
static int out_same(const struct out *a, const struct out *b, char *text,
                    size_t size)
{
    size_t words = offsetof(struct out, variants) / 8, first = 0, count = 0;
    uint64_t was = 0, is = 0;
    for (size_t k = 0; k < words; k++) {
        const char *at = (const char *)a + 8 * k, *to = (const char *)b + 8 * k;
        if (memcmp(at, to, 8) == 0 || count++ > 0)
            continue;
        first = k;
        memcpy(&was, at, 8);
        memcpy(&is, to, 8);
    }
    snprintf(text, size,
             "%zu words of %zu, the first is %zu: %016llx for %016llx; by%s, "
             "before by%s",
             count, words, first, (unsigned long long)is,
             (unsigned long long)was, b->variants, a->variants);
    return count == 0 && strcmp(a->variants, b->variants) == 0;
}

static void logged(const char *line, void *data)
{
    (void)line;
    *(int *)data += !environment_is(host);
}

/* Runs everything that a plan can do; 0: it is refused in the default
 * environment. */
static int plan_run(const farsum_problem *problem, farsum_options options,
                    struct out *out)
{
    farsum_plan *plan = NULL;
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    farsum_result result = FARSUM_RESULT_INIT;
    const int64_t pairs[2] = {3, 5};
    farsum_problem with = *problem;
    int f32 = problem->arrays == FARSUM_F32, callbacks = 0;
    farsum_status status;
    memset(out, 0, sizeof *out);
    options.log = logged;
    options.log_data = &callbacks;
    with.n_exclusions = 1;
    with.exclusions = pairs;
    HOST(status = farsum_plan_create(&with, &options, &plan));
    if (status != FARSUM_OK)
        return 0;
    CHECK(callbacks == 0, "%d callbacks were not in the host's environment",
          callbacks);
    HOST_OK(farsum_plan_set_points(plan, N, f32 ? (void *)x32 : x, 0, NULL));
    HOST_OK(farsum_plan_set_exclusions(plan, 1, pairs, NULL));
    if (problem->outputs & FARSUM_VELOCITY)
        result.velocity = out->vector;
    else
        result.potential = out->potential, result.field = out->vector,
        result.energy = &out->energy;
    if (problem->outputs & FARSUM_VIRIAL)
        result.virial = out->virial;
    HOST_OK(farsum_plan_execute(plan, 1, f32 ? (void *)q32 : q, &result));
    HOST_OK(farsum_plan_finish(plan));
    HOST_OK(farsum_plan_get_info(plan, &info));
    for (int k = 0; k < info.n_stages; k++) {
        size_t used = strlen(out->variants);
        snprintf(out->variants + used, sizeof out->variants - used, " %s",
                 info.stages[k].variant);
    }
    FILE *null = fopen("/dev/null", "w");
    HOST(farsum_plan_print(plan, null));
    fclose(null);
    if (problem->periodic[0])
        HOST(status = farsum_plan_set_cell(plan, problem->cell));
    HOST(farsum_plan_destroy(plan));
    return 1;
}

static void plan_modes(const farsum_problem *problem,
                       const farsum_options *options, int *done)
{
    static struct out first, out;
    char where[600];
    host = &modes[0];
    if (!plan_run(problem, *options, &first))
        return;
    ++*done;
    for (int m = 1; m < MODES; m++) {
        host = &modes[m];
        CHECK(plan_run(problem, *options, &out), "mode %d: %s", m,
              farsum_message());
        CHECK(out_same(&first, &out, where, sizeof where),
              "%s %s periodic %d isa %s precision %d: other bits in mode %d: "
              "%s",
              options->method, problem->kernel, problem->periodic[0],
              options->isa, (int)problem->precision, m, where);
    }
    host = &modes[0];
}

static farsum_problem problem_of(const char *kernel, int periodic,
                                 farsum_precision precision)
{
    farsum_problem p = FARSUM_PROBLEM_INIT;
    p.kernel = kernel;
    p.kappa = strncmp(kernel, "yukawa", 6) == 0;
    p.cell[0] = p.cell[4] = p.cell[8] = 8;
    for (int d = 0; d < 3; d++)
        p.periodic[d] = d < periodic;
    p.n_sources = N;
    p.tolerance = 1e-3;
    p.precision = precision;
    p.arrays = precision == FARSUM_F32 ? FARSUM_F32 : FARSUM_F64;
    int flow = strstr(kernel, "let") != NULL;
    p.outputs = flow ? FARSUM_VELOCITY
                     : FARSUM_POTENTIAL | FARSUM_FIELD | FARSUM_ENERGY
                           | FARSUM_VIRIAL;
    return p;
}

/* Each kernel with each instruction set and each precision, alternating; with
 * FARSUM_TEST_ALL every combination. */
static void plans_by(const char *method)
{
    static const char *const isas[] = {"base", "avx2", "avx512"};
    int all = getenv("FARSUM_TEST_ALL") != NULL;
    farsum_kernel_info kernel = FARSUM_KERNEL_INFO_INIT;
    int done = 0;
    for (int k = 0; farsum_list_kernels(k, &kernel) == FARSUM_OK; k++)
        for (int periodic = 0; periodic <= 3; periodic++)
            for (int isa = 0; isa < 3; isa++)
                for (int p = FARSUM_F64; p <= FARSUM_MIXED; p++) {
                    int slab = periodic % 3 > 0; /* or a wire, slow by ewald */
                    if (!all
                        && ((p + isa + k + periodic) % 3
                            || (slab && p != FARSUM_F64 + k % 3)
                            || (periodic == 1 && strcmp(method, "ewald") == 0)))
                        continue;
                    farsum_problem problem =
                        problem_of(kernel.name, periodic, (farsum_precision)p);
                    farsum_options options = FARSUM_OPTIONS_INIT;
                    options.method = method;
                    options.isa = isas[isa];
                    options.threads = 1 + (k + isa + p) % 2;
                    options.deterministic = 1;
                    plan_modes(&problem, &options, &done);
                }
    CHECK(done >= 3, "method %s: only %d plans", method, done);
}

static void plans_direct(void)
{
    plans_by("direct");
}
static void plans_ewald(void)
{
    plans_by("ewald");
}
static void plans_spectral(void)
{
    plans_by("spectral");
}
static void plans_fmm(void)
{
    plans_by("fmm");
}

/* Other paths through the code: a bound, a near pair, a choice by estimates. */
static void plans_other(void)
{
    int done = 0;
    farsum_problem p = problem_of("laplace", 0, FARSUM_F64);
    farsum_options o = FARSUM_OPTIONS_INIT;
    p.outputs = 0;
    o.deterministic = 1;
    o.threads = 2;
    plan_modes(&p, &o, &done);
    p.periodic[0] = p.periodic[1] = p.periodic[2] = 1;
    p.precision = FARSUM_AUTO;
    plan_modes(&p, &o, &done);
    p.precision = FARSUM_F64;
    p.sample_x = x, p.sample_q = q;
    o.method = "fmm", o.fmm.tree = "sparse";
    plan_modes(&p, &o, &done);
    o.fmm.tree = "dense", o.strict = 1;
    plan_modes(&p, &o, &done);
    o = (farsum_options)FARSUM_OPTIONS_INIT;
    o.method = "spectral", o.threads = THREADS, o.deterministic = 1;
    for (int fft = 0; fft < 2; fft++) {
        o.spectral.fft = fft ? "kiss" : "fftw";
        plan_modes(&p, &o, &done);
    }
    CHECK(done >= 5, "only %d plans", done);
}

static void meshes(void)
{
    enum { M = 8 };
    static double first[M * M * M], grid[M * M * M], value[N], gradient[3 * N];
    double hat = 0;
    for (int m = 0; m < MODES; m++) {
        farsum_mesh_problem p = FARSUM_MESH_PROBLEM_INIT;
        farsum_mesh_options o = FARSUM_MESH_OPTIONS_INIT;
        farsum_mesh_info info = FARSUM_MESH_INFO_INIT;
        farsum_mesh *mesh = NULL;
        host = &modes[m];
        for (int d = 0; d < 3; d++)
            p.periodic[d] = 1, p.mesh[d] = M, p.cell[4 * d] = 8;
        o.threads = 2, o.deterministic = 1;
        HOST_OK(farsum_mesh_create(&p, &o, &mesh));
        HOST_OK(farsum_mesh_set_points(mesh, N, x));
        HOST_OK(farsum_mesh_spread(mesh, q, grid));
        HOST_OK(farsum_mesh_interp(mesh, grid, value, gradient));
        HOST_OK(farsum_mesh_finish(mesh));
        HOST_OK(farsum_mesh_get_info(mesh, &info));
        double at;
        HOST(at = farsum_mesh_hat(mesh, 0.7));
        HOST(farsum_mesh_destroy(mesh));
        if (m == 0)
            memcpy(first, grid, sizeof grid), hat = at;
        CHECK(memcmp(first, grid, sizeof grid) == 0 && hat == at,
              "other bits in mode %d", m);
    }
}

static void nuffts(void)
{
    enum { M = 6 };
    static double first[2 * M * M * M], f[2 * M * M * M];
    for (int m = 0; m < MODES; m++) {
        farsum_nufft_problem p = FARSUM_NUFFT_PROBLEM_INIT;
        farsum_mesh_options o = FARSUM_MESH_OPTIONS_INIT;
        farsum_mesh_info info = FARSUM_MESH_INFO_INIT;
        farsum_nufft *nufft = NULL;
        host = &modes[m];
        p.type = 1, p.sign = 1;
        p.modes[0] = p.modes[1] = p.modes[2] = M;
        o.threads = 2, o.deterministic = 1;
        HOST_OK(farsum_nufft_create(&p, &o, &nufft));
        HOST_OK(farsum_nufft_set_points(nufft, N, x));
        HOST_OK(farsum_nufft_execute(nufft, q, f));
        HOST_OK(farsum_nufft_finish(nufft));
        HOST_OK(farsum_nufft_get_info(nufft, &info));
        HOST(farsum_nufft_destroy(nufft));
        if (m == 0)
            memcpy(first, f, sizeof f);
        CHECK(memcmp(first, f, sizeof f) == 0, "other bits in mode %d", m);
    }
}

/* Threads that the library starts first inherit the host's environment, as
 * they would without it. */
static void first_threads(void)
{
    farsum_problem p = problem_of("laplace", 1, FARSUM_F64);
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_plan *plan = NULL;
    o.method = "spectral", o.threads = THREADS;
    host = &modes[3];
    environment_set(host);
    farsum_status status = farsum_plan_create(&p, &o, &plan);
    farsum_status points = farsum_plan_set_points(plan, N, x, 0, NULL);
    leave();
    CHECK(bad == 0, "the environment of %d threads is not the host's", bad);
    bad = 0;
    host = &modes[0];
    CHECK_OK(status);
    CHECK_OK(points);
    farsum_plan_destroy(plan);
}

int main(int count, char **words)
{
    particles();
    const char *only = count > 1 ? words[1] : "";
    if (!*only)
        RUN(first_threads);
    if (!*only)
        RUN(plans_other);
    if (!*only)
        RUN(meshes);
    if (!*only)
        RUN(nuffts);
    if (!*only || strcmp(only, "direct") == 0)
        RUN(plans_direct);
    if (strcmp(only, "ewald") == 0)
        RUN(plans_ewald);
    if (strcmp(only, "spectral") == 0)
        RUN(plans_spectral);
    if (strcmp(only, "fmm") == 0)
        RUN(plans_fmm);
    return check_end();
}
