/* SPDX-License-Identifier: Apache-2.0 */
/* virial.c: the virial of a periodic cell by a plan of the method fmm, which
 * uses a companion plan of another method. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "device/buf.h"
#include "fmm/fmm.h"
#include "plan/plan.h"

static const struct {
    const char *what, *tree;
    farsum_surface surface;
} cases[] = {
    {"laplace n=400 cell=cubic dist=clustered net=0.1 seed=81", "sparse",
     FARSUM_TINFOIL},
    {"laplace n=400 cell=3x2x4 dist=uniform seed=82", "dense", FARSUM_VACUUM},
    {"laplace n=300 cell=2x2x5 dist=uniform net=1 seed=83", NULL,
     FARSUM_TINFOIL},
};
enum { CASES = sizeof cases / sizeof *cases, RHS = 2 };

/* A tolerance of forces predicts a virial's error up to this factor. */
enum { SLACK = 10 };

/* Sum of |q phi| / 2 over particles: the scale of that error. */
static double size_of(const struct system *s, const struct fmm_sums *a)
{
    double size = 0;
    for (int64_t i = 0; i < s->p.n; i++)
        size += fabs(s->p.q[i] * a->potential[i]) / 2;
    return size;
}

static void near(const char *what, const double a[9], const double b[9],
                 double most)
{
    double gap = 0;
    for (int k = 0; k < 9; k++)
        gap = fmax(gap, fabs(a[k] - b[k]));
    CHECK(gap <= most, "%s: virials differ by %.3g, above %.3g", what, gap,
          most);
}

static farsum_problem problem_of(const struct system *s, int k,
                                 double tolerance)
{
    farsum_problem p = fmm_problem(s, tolerance);
    p.surface = cases[k].surface;
    p.outputs |= FARSUM_VIRIAL;
    return p;
}

static farsum_options options_of(int k)
{
    farsum_options o = fmm_options();
    o.fmm.tree = cases[k].tree;
    return o;
}

/* Number of fmm's own stages, for the plan's levels.  The companion's stages
 * follow: near, spread, fft, scale, interp. */
static int own_stages(const farsum_plan_info *info)
{
    int own = info->levels > 1 ? 7 : 4;
    CHECK(own < info->n_stages && strcmp(info->stages[own].stage, "near") == 0,
          "%d levels, %d stages", info->levels, info->n_stages);
    return own;
}

static void as_ewald(int k, double tolerance, farsum_precision precision)
{
    struct system s;
    struct fmm_sums a, b = {0};
    farsum_options o = options_of(k), e = FARSUM_OPTIONS_INIT;
    fmm_system(&s, "cell", cases[k].what, 0);
    farsum_problem p = problem_of(&s, k, tolerance);
    p.precision = precision;
    e.method = "ewald";
    if (fmm_do(&s, &p, &o, &a)) {
        p.precision = FARSUM_F64;
        p.tolerance = 1e-12;
        double most = SLACK * tolerance * size_of(&s, &a);
        const double *w = a.virial;
        if (fmm_do(&s, &p, &e, &b))
            near(cases[k].what, w, b.virial, most);
        CHECK_NEAR(w[0] + w[4] + w[8], a.energy, 2 * most);
        int own = own_stages(&a.info);
        CHECK(a.info.n_stages == own + 5 && a.info.stages[own].seconds > 0
                  && a.info.stages[own + 4].seconds == 0,
              "%d stages, number %d %g s", a.info.n_stages, own,
              a.info.stages[own].seconds);
    }
    fmm_free(&a);
    fmm_free(&b);
    system_free(&s);
}

static void cells(void)
{
    int some = fmm_device() && !fmm_all();
    for (int k = 0; k < CASES; k++) {
        if (!some || k == 1) /* kernels are compiled for long */
            as_ewald(k, 1e-4, FARSUM_F32);
        if (!some)
            as_ewald(k, 1e-4, FARSUM_F64);
        if (!some)
            as_ewald(k, 1e-8, FARSUM_F64);
    }
}

/* Outputs requested from a plan one after another, and from a plan of method
 * `name`. */
struct asked {
    double virial[9 * RHS], after[9], without[9];
};

static int ask(const struct system *s, const char *method, struct asked *to)
{
    static const int64_t pairs[][2] = {{0, 1}, {3, 5}, {8, 300}};
    static const double factors[] = {0, 0.5, 0.25};
    farsum_problem p = problem_of(s, 0, 1e-5);
    farsum_options o = options_of(0);
    farsum_plan *plan = NULL;
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    farsum_result r = FARSUM_RESULT_INIT;
    double *q = check_memory(RHS * (size_t)s->p.n, sizeof *q);
    double *phi = check_memory(RHS * (size_t)s->p.n, sizeof *phi), cell[9];
    for (int64_t i = 0; i < RHS * s->p.n; i++)
        q[i] = i < s->p.n ? s->p.q[i] : (double)(i % 3) - 0.75;
    for (int a = 0; a < 9; a++)
        cell[a] = s->p.cell[a] * (a == 4 ? 1.01 : 1.02);
    o.method = method;
    o.fmm.tree = strcmp(method, "fmm") == 0 ? o.fmm.tree : NULL;
    r.potential = phi;
    r.virial = to->virial;
    int good =
        CHECK_OK(farsum_plan_create(&p, &o, &plan))
        && CHECK_OK(farsum_plan_set_points(plan, s->p.n, s->p.x, 0, NULL))
        && CHECK_OK(farsum_plan_execute(plan, RHS, q, &r));
    r.potential = NULL; /* only the virial */
    r.virial = to->without;
    good = good
           && CHECK_OK(farsum_plan_set_exclusions(plan, 3, pairs[0], factors))
           && CHECK_OK(farsum_plan_execute(plan, 1, q, &r))
           && CHECK_OK(farsum_plan_set_exclusions(plan, 0, NULL, NULL));
    r.virial = to->after;
    good = good && CHECK_OK(farsum_plan_set_cell(plan, cell))
           && CHECK_OK(farsum_plan_set_points(plan, s->p.n, s->p.x, 0, NULL))
           && CHECK_OK(farsum_plan_execute(plan, 1, q, &r));
    if (good && strcmp(method, "fmm") == 0) {
        r.virial = NULL;
        r.potential = phi;
        CHECK_OK(farsum_plan_execute(plan, 1, q, &r));
        CHECK_OK(farsum_plan_get_info(plan, &info));
        CHECK(info.stages[7].seconds == 0, "near pairs of no virial: %g s",
              info.stages[7].seconds);
        double before = phi[7];
        for (int a = 0; a < 9; a++) /* the companion has too few points */
            cell[a] *= 4;
        CHECK_FAILS(farsum_plan_set_cell(plan, cell), FARSUM_ERR_TOLERANCE);
        CHECK_OK(farsum_plan_execute(plan, 1, q, &r));
        CHECK(phi[7] == before, "a cell that is refused: %.17g, not %.17g",
              phi[7], before);
        CHECK_OK(farsum_plan_set_points(plan, s->p.n, s->p.x, 0, NULL));
        CHECK_OK(farsum_plan_execute(plan, 1, q, &r));
        CHECK(fabs(phi[7] - before) < 1e-9 * fabs(before),
              "points again after a cell that is refused: %.17g, not %.17g",
              phi[7], before);
        cell[1] = 0.2;
        CHECK_FAILS(farsum_plan_set_cell(plan, cell), FARSUM_ERR_UNSUPPORTED);
        CHECK_OK(farsum_plan_execute(plan, 1, q, &r));
    }
    farsum_plan_destroy(plan);
    free(q);
    free(phi);
    return good;
}

static void one_plan(void)
{
    struct system s;
    struct fmm_sums size;
    struct asked a, b;
    fmm_system(&s, "cell", cases[0].what, 0);
    farsum_problem p = problem_of(&s, 0, 1e-3);
    farsum_options o = options_of(0);
    if (fmm_do(&s, &p, &o, &size) && ask(&s, "fmm", &a)
        && ask(&s, "spectral", &b)) {
        double most = SLACK * 1e-5 * size_of(&s, &size);
        near("right-hand side 0", a.virial, b.virial, most);
        near("right-hand side 1", a.virial + 9, b.virial + 9, most);
        near("another cell", a.after, b.after, most);
        near("exclusions", a.without, b.without, most);
        double gap = 0;
        for (int k = 0; k < 9; k++)
            gap = fmax(gap, fabs(a.without[k] - a.virial[k]));
        CHECK(gap > 2 * most, "excluded pairs have no virial: %.3g", gap);
    }
    fmm_free(&size);
    system_free(&s);
}

/* Arrays on the device. */
static void arrays_there(void)
{
    enum { X, Q, PHI, W, ARRAYS };
    struct system s;
    struct fmm_sums a;
    struct buf on[ARRAYS] = {0};
    farsum_plan *plan = NULL;
    farsum_result r = FARSUM_RESULT_INIT;
    double w[9];
    fmm_system(&s, "cell", cases[1].what, 0);
    farsum_problem p = problem_of(&s, 1, 1e-4);
    farsum_options o = options_of(1);
    if (fmm_do(&s, &p, &o, &a)) {
        struct device *device = fmm_device()->device;
        const int64_t bytes[ARRAYS] = {24 * s.p.n, 8 * s.p.n, 8 * s.p.n, 72};
        for (int k = 0; k < ARRAYS; k++)
            CHECK_OK(buf_alloc(&on[k], device, bytes[k]));
        CHECK_OK(buf_upload(&on[X], 0, s.p.x, bytes[X]));
        CHECK_OK(buf_upload(&on[Q], 0, s.p.q, bytes[Q]));
        p.memory = FARSUM_DEVICE;
        r.potential = on[PHI].handle;
        r.virial = on[W].handle;
        CHECK_OK(farsum_plan_create(&p, &o, &plan));
        CHECK_OK(farsum_plan_set_points(plan, s.p.n, on[X].handle, 0, NULL));
        for (int k = 0; k < 3; k++)
            CHECK_OK(farsum_plan_execute(plan, 1, on[Q].handle, &r));
        CHECK_OK(farsum_plan_finish(plan));
        CHECK_OK(buf_download(&on[W], 0, w, sizeof w));
        near("arrays there", w, a.virial, 1e-9 * size_of(&s, &a));
    }
    farsum_plan_destroy(plan);
    for (int k = 0; k < ARRAYS; k++)
        buf_clear(&on[k]);
    fmm_free(&a);
    system_free(&s);
}

/* Which method auto selects; cases without a virial. */
static void refusals(void)
{
    struct system s;
    farsum_plan *plan = NULL;
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    farsum_result r = FARSUM_RESULT_INIT;
    double w[9];
    fmm_system(&s, "cell", cases[1].what, 0);
    farsum_problem p = problem_of(&s, 1, 1e-4);
    farsum_options o = options_of(1);
    o.method = o.fmm.tree = NULL;
    CHECK_OK(farsum_plan_tune(&p, &o, &plan));
    CHECK_OK(farsum_plan_get_info(plan, &info));
    CHECK(strcmp(info.method, "spectral") == 0
              && strstr(info.method_reason, "fmm: has no virial"),
          "method %s: %s", info.method, info.method_reason);
    farsum_plan_destroy(plan);
    plan = NULL;
    o.strict = 1; /* only fmm is strict */
    CHECK_OK(farsum_plan_tune(&p, &o, &plan));
    CHECK_OK(farsum_plan_get_info(plan, &info));
    CHECK(strcmp(info.method, "fmm") == 0
              && info.n_stages == own_stages(&info) + 5
              && strstr(info.method_reason, "virial: also spectral"),
          "method %s, %d stages: %s", info.method, info.n_stages,
          info.method_reason);
    farsum_plan_destroy(plan);
    plan = NULL;
    o = options_of(1);
    p.n_targets = 10;
    CHECK_OK(farsum_plan_create(&p, &o, &plan));
    CHECK_OK(farsum_plan_set_points(plan, s.p.n, s.p.x, 10, s.p.x));
    r.virial = w;
    CHECK_FAILS(farsum_plan_execute(plan, 1, s.p.q, &r),
                FARSUM_ERR_UNSUPPORTED);
    CHECK_SAYS("virial");
    farsum_plan_destroy(plan);
    system_free(&s);
}

void fmm_virial(void)
{
    RUN(cells);
    RUN(one_plan);
    if (fmm_device())
        RUN(arrays_there);
    else
        RUN(refusals);
}
