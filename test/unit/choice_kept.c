/* SPDX-License-Identifier: Apache-2.0 */
/* choice_kept.c: a plan's choices, as options, give a plan with the same
 * parameters for another number of threads; argument 1: the device. */
#include <farsum/device.h>
#include <farsum/farsum.h>

#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { MOST = 1200 };

static double x[3 * MOST], q[MOST], field[2][3 * MOST];
static farsum_device *device;

static void points(int n, double edge)
{
    uint64_t seed = 11;
    for (int i = 0; i < 3 * n; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        x[i] = edge * ldexp((double)(seed >> 11), -53);
        q[i / 3] = i / 3 % 2 ? 1 : -1;
    }
}

static int same_name(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static void same_info(const char *what, const farsum_plan_info *a,
                      const farsum_plan_info *b)
{
    CHECK(same_name(a->method, b->method) && same_name(a->split, b->split)
              && same_name(a->window, b->window) && same_name(a->tree, b->tree),
          "%s: %s, not %s", what, b->method, a->method);
    CHECK(a->cutoff == b->cutoff && a->bandwidth == b->bandwidth
              && a->shape == b->shape && a->support == b->support
              && a->near_coefficients == b->near_coefficients
              && memcmp(a->mesh, b->mesh, sizeof a->mesh) == 0,
          "%s: cutoff %.17g %.17g, c %.17g %.17g, shape %.17g %.17g", what,
          a->cutoff, b->cutoff, a->bandwidth, b->bandwidth, a->shape, b->shape);
    CHECK(a->order == b->order && a->separation == b->separation
              && a->levels == b->levels && a->leaves == b->leaves
              && memcmp(a->boxes, b->boxes, sizeof a->boxes) == 0,
          "%s: order %d %d, levels %d %d, leaves %d %d", what, a->order,
          b->order, a->levels, b->levels, (int)a->leaves, (int)b->leaves);
    /* depends on norms, which threads add up, and on the second sum, whose
     * own split depends on the threads: it is right to 1e-12 of the forces */
    CHECK(fabs(a->estimated_error - b->estimated_error)
              <= 1e-8 * a->estimated_error + 1e-12,
          "%s: estimate %.17g, %.17g", what, a->estimated_error,
          b->estimated_error);
    CHECK(a->n_stages == b->n_stages, "%s: %d stages, not %d", what,
          b->n_stages, a->n_stages);
    for (int s = 0; s < a->n_stages && s < b->n_stages; s++)
        CHECK(strcmp(a->stages[s].variant, b->stages[s].variant) == 0,
              "%s: %s by %s, not %s", what, a->stages[s].stage,
              b->stages[s].variant, a->stages[s].variant);
}

static void sum(const farsum_problem *p, const farsum_options *o, int n,
                double *to, farsum_plan_info *info, farsum_options *chosen)
{
    farsum_plan *plan = NULL;
    farsum_result out = FARSUM_RESULT_INIT;
    out.field = to;
    CHECK_OK(farsum_plan_create(p, o, &plan));
    CHECK_OK(farsum_plan_set_points(plan, n, x, 0, NULL));
    CHECK_OK(farsum_plan_execute(plan, 1, q, &out));
    CHECK_OK(farsum_plan_get_info(plan, info));
    CHECK_OK(farsum_plan_get_options(plan, chosen));
    farsum_plan_destroy(plan);
}

/* The names in options are static: the first plan is destroyed before they are
 * passed to the second. */
static void keeps(const char *what, const char *method, const char *tree, int n,
                  int periodic, double tolerance)
{
    farsum_problem p = FARSUM_PROBLEM_INIT;
    farsum_options o = FARSUM_OPTIONS_INIT, chosen[2];
    farsum_plan_info info[2];
    double most = 0, off = 0;
    int repeats = 1;
    points(n, 10);
    for (int d = 0; d < 3 && periodic; d++) {
        p.cell[4 * d] = 10;
        p.periodic[d] = 1;
    }
    p.n_sources = n;
    p.sample_x = x;
    p.sample_q = q;
    p.tolerance = tolerance;
    p.precision = p.arrays = FARSUM_F64;
    p.outputs = FARSUM_FIELD;
    o.method = method;
    o.fmm.tree = tree;
    for (int turn = 0; turn < 2; turn++) {
        chosen[turn] = (farsum_options)FARSUM_OPTIONS_INIT;
        info[turn] = (farsum_plan_info)FARSUM_PLAN_INFO_INIT;
        o.threads = 1 + turn;
        o.device.handle = device;
        sum(&p, &o, n, field[turn], &info[turn], &chosen[turn]);
        o = chosen[turn];
    }
    same_info(what, &info[0], &info[1]);
    for (int s = 0; s < info[0].n_stages; s++)
        repeats &= info[0].stages[s].deterministic;
    for (int i = 0; i < 3 * n; i++) {
        most = fmax(most, fabs(field[0][i]));
        off = fmax(off, fabs(field[0][i] - field[1][i]));
    }
    printf("%s: %s, off by %.1e of the largest, %s\n", what, info[0].method,
           off / most, repeats ? "deterministic" : "not deterministic");
    CHECK(off <= 1e-13 * most, "%s: off by %.3g", what, off / most);
    CHECK(memcmp(&chosen[0], &chosen[1], sizeof *chosen) == 0,
          "%s: the options of the second plan are others", what);
}

static void choices(void)
{
    keeps("spectral", "spectral", NULL, MOST, 1, 1e-6);
    keeps("dense fmm", "fmm", "dense", MOST, 0, 1e-5);
    keeps("sparse fmm", "fmm", "sparse", MOST, 0, 1e-5);
    if (device)
        return;
    keeps("spectral, chosen", NULL, NULL, MOST, 1, 1e-4);
    keeps("periodic fmm", "fmm", NULL, MOST, 1, 1e-5);
    keeps("direct", "direct", NULL, 200, 0, 1e-12);
    keeps("ewald", "ewald", NULL, 100, 1, 1e-10);
}

/* Lengths return in the caller's unit, though a plan sums in its own. */
static void lengths(void)
{
    farsum_problem p = FARSUM_PROBLEM_INIT;
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_plan *plan = NULL;
    for (int d = 0; d < 3; d++) {
        p.cell[4 * d] = 1e-9;
        p.periodic[d] = 1;
    }
    p.n_sources = 500;
    p.tolerance = 1e-4;
    o.method = "spectral";
    o.cutoff = 3e-10;
    o.spectral.skin = 1e-11;
    o.device.handle = device;
    CHECK_OK(farsum_plan_tune(&p, &o, &plan));
    CHECK_OK(farsum_plan_get_options(plan, &o));
    CHECK(o.cutoff == 3e-10 && o.spectral.skin == 1e-11, "cutoff %g, skin %g",
          o.cutoff, o.spectral.skin);
    farsum_plan_destroy(plan);
}

static void refusals(void)
{
    farsum_options o = FARSUM_OPTIONS_INIT;
    CHECK_FAILS(farsum_plan_get_options(NULL, &o), FARSUM_ERR_ARGUMENT);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "device") == 0) {
        const char *name = getenv("FARSUM_TEST_DEVICE");
        if (farsum_device_open(name ? name : "opencl:0", &device)
            != FARSUM_OK) {
            printf("no device: %s\n", farsum_message());
            return CHECK_SKIPPED;
        }
    }
    RUN(choices);
    RUN(lengths);
    RUN(refusals);
    farsum_device_close(device);
    return check_end();
}
