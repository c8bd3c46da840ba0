/* SPDX-License-Identifier: Apache-2.0 */
/* kernels.c: sums of flows and of charges with dipoles by fmm, against all
 * pairs. */
#include "fmm_kernels/clouds.h"

#include <string.h>

static struct cloud cloud;
static struct cloud_sums found, wanted;

/* The error of the current cloud by fmm, and its estimate: at most `most` times
 * the error.  what: for messages. */
static void check_cloud(const char *what, double most)
{
    const char *kernel = cloud.kernel;
    if (!CHECK_OK(cloud_try(&cloud, "direct", &wanted))
        || !CHECK_OK(cloud_try(&cloud, "fmm", &found)))
        return;
    double error = cloud_error(&cloud, &found, &wanted);
    double estimate = found.info.estimated_error;
    CHECK(strcmp(found.info.method, "fmm") == 0, "method %s",
          found.info.method);
    CHECK(error <= cloud.tolerance, "%s, %s: error %g above %g", kernel, what,
          error, cloud.tolerance);
    CHECK(error < 1e-13 || estimate > error / 3,
          "%s, %s: estimate %g, error %g", kernel, what, estimate, error);
    CHECK(error < 1e-13 || estimate < most * error,
          "%s, %s: estimate %g, error %g, order %d", kernel, what, estimate,
          error, found.info.order);
}

/* Each kernel and kind of cloud, with boxes that have far ones. */
static void test_tolerances(void)
{
    static const double tolerances[] = {1e-2, 1e-6, 1e-11};
    for (int k = 0; k < CLOUD_KERNELS; k++)
        for (int kind = 0; kind < CLOUD_KINDS; kind++)
            for (int t = 0; t < (kind == CLOUD_BLOBS ? 2 : 3); t++) {
                char what[64];
                cloud_set(&cloud, cloud_kernels[k], (enum cloud_kind)kind, 500,
                          0);
                cloud.tolerance = tolerances[t];
                if (kind == CLOUD_BLOBS) {
                    cloud.options.fmm.tree = "sparse";
                    cloud.options.fmm.leaf = 16;
                } else {
                    cloud.options.fmm.levels = 3;
                }
                snprintf(what, sizeof what, "cloud %d, tolerance %g", kind,
                         tolerances[t]);
                /* few points in corners of their boxes may be missing */
                check_cloud(what, kind == CLOUD_BLOBS ? 300 : 8);
            }
}

/* Separate targets, some of them far away, and without a sample. */
static void test_targets(void)
{
    for (int k = 0; k < CLOUD_KERNELS; k++) {
        cloud_set(&cloud, cloud_kernels[k], CLOUD_EVEN, 600, 300);
        cloud.sample = 0;
        cloud.options.fmm.levels = 3;
        for (int i = 0; i < 60; i++)
            cloud.y[i] += 3;
        memcpy(cloud.y, cloud.x, 6 * sizeof *cloud.x); /* on sources */
        check_cloud("targets", 30);
        CHECK(cloud_gap(found.gradient, wanted.gradient, 6 * cloud.m) < 1e-4
                  || cloud.flow,
              "gradient at targets");
    }
}

/* Potentials, gradients, energy and virial of charges with dipoles. */
static void test_outputs(void)
{
    cloud_set(&cloud, "charge_dipole", CLOUD_EVEN, 700, 0);
    cloud.tolerance = 1e-8;
    cloud.error = FARSUM_ERROR_POTENTIAL;
    cloud.options.fmm.levels = 3;
    check_cloud("potential", 8);
    CHECK(cloud_gap(found.gradient, wanted.gradient, 6 * cloud.n) < 1e-7,
          "gradient off by %g",
          cloud_gap(found.gradient, wanted.gradient, 6 * cloud.n));
    CHECK_NEAR(found.energy, wanted.energy, 1e-7 * fabs(wanted.energy));
    CHECK(cloud_gap(found.virial, wanted.virial, 9) < 1e-6, "virial off by %g",
          cloud_gap(found.virial, wanted.virial, 9));
    CHECK_NEAR(found.info.net_strength, wanted.info.net_strength, 1e-9);
}

/* Excluded pairs, and sources at one place. */
static void test_exclusions(void)
{
    static const int64_t pairs[] = {0, 1, 5, 400, 17, 18};
    static const double factors[] = {0, 0.5, 0.25};
    for (int k = 0; k < CLOUD_KERNELS; k++) {
        cloud_set(&cloud, cloud_kernels[k], CLOUD_EVEN, 500, 0);
        cloud.options.fmm.levels = 3;
        cloud.n_exclusions = 3;
        cloud.exclusions = pairs;
        cloud.factors = factors;
        check_cloud("exclusions", 8);
        memcpy(cloud.x + 3, cloud.x, 3 * sizeof *cloud.x);
        cloud.n_exclusions = 0;
        CHECK_FAILS(cloud_try(&cloud, "fmm", &found), FARSUM_ERR_COINCIDENT);
        cloud.exclude_coincident = 1;
        check_cloud("coincident", 8);
    }
}

/* The plain variants of the stages. */
static void test_variants(void)
{
    for (int k = 0; k < CLOUD_KERNELS; k++) {
        cloud_set(&cloud, cloud_kernels[k], CLOUD_EVEN, 400, 150);
        cloud.options.fmm.levels = 3;
        cloud.options.fmm.order = 5;
        CHECK_OK(cloud_try(&cloud, "fmm", &wanted));
        cloud.options.fmm.p2p = cloud.options.fmm.p2m = "plain";
        cloud.options.fmm.l2p = "plain";
        CHECK_OK(cloud_try(&cloud, "fmm", &found));
        CHECK(cloud_gap(found.vector, wanted.vector, 3 * cloud.m) < 1e-13
                  && cloud_gap(found.vector, wanted.vector, 3 * cloud.m) > 0,
              "%s: plain variants differ by %g", cloud.kernel,
              cloud_gap(found.vector, wanted.vector, 3 * cloud.m));
        if (cloud.flow)
            continue;
        CHECK(cloud_gap(found.gradient, wanted.gradient, 6 * cloud.m) < 1e-13,
              "%s: plain gradients differ", cloud.kernel);
        CHECK(cloud_gap(found.potential, wanted.potential, cloud.m) < 1e-13,
              "%s: plain potentials differ", cloud.kernel);
    }
}

/* Lengths and strengths in other units, powers of two, give the same digits;
 * so does a cloud far from the origin, up to its coordinates' rounding. */
static void test_units(void)
{
    static const int length = 40, strength = -70;
    for (int k = 0; k < CLOUD_KERNELS; k++) {
        cloud_set(&cloud, cloud_kernels[k], CLOUD_EVEN, 400, 0);
        cloud.options.fmm.levels = 3;
        CHECK_OK(cloud_try(&cloud, "fmm", &wanted));
        for (int i = 0; i < 3 * cloud.n; i++)
            cloud.x[i] = ldexp(cloud.x[i], length);
        for (int i = 0; i < cloud.width * cloud.n; i++)
            cloud.q[i] = ldexp(cloud.q[i],
                               strength + (!cloud.flow && i % 4 ? length : 0));
        CHECK_OK(cloud_try(&cloud, "fmm", &found));
        int power = strcmp(cloud.kernel, "stokeslet") == 0 ? 1 : 2;
        int strengths = cloud.width == 6 ? 2 : 1;
        for (int i = 0; i < 3 * cloud.n; i++)
            found.vector[i] =
                ldexp(found.vector[i], power * length - strengths * strength);
        CHECK(memcmp(found.vector, wanted.vector,
                     3 * (size_t)cloud.n * sizeof(double))
                  == 0,
              "%s: other digits in other units, %g", cloud.kernel,
              cloud_gap(found.vector, wanted.vector, 3 * cloud.n));
    }
}

/* Several right-hand sides in one call. */
static void test_rhs(void)
{
    enum { N = 300, R = 2 };
    static double q[R * CLOUD_WIDTH * N], v[R * 3 * N];
    for (int k = 0; k < CLOUD_KERNELS; k++) {
        farsum_options o;
        farsum_plan *plan = NULL;
        farsum_result r = FARSUM_RESULT_INIT;
        cloud_set(&cloud, cloud_kernels[k], CLOUD_EVEN, N, 0);
        cloud.options.fmm.levels = 3;
        CHECK_OK(cloud_try(&cloud, "fmm", &wanted));
        const int all = cloud.width * N;
        for (int i = 0; i < all; i++) {
            q[all + i] = cloud.q[i];
            q[i] = cloud.q[(i + cloud.width) % all];
        }
        farsum_problem p = cloud_problem(&cloud);
        o = cloud.options;
        o.method = "fmm";
        *(cloud.flow ? &r.velocity : &r.field) = v;
        CHECK_OK(farsum_plan_create(&p, &o, &plan));
        CHECK_OK(farsum_plan_set_points(plan, N, cloud.x, 0, NULL));
        CHECK_OK(farsum_plan_execute(plan, R, q, &r));
        farsum_plan_destroy(plan);
        CHECK(cloud_gap(v + 3 * N, wanted.vector, 3 * N) < 1e-13,
              "%s: second right-hand side", cloud.kernel);
        CHECK(cloud_gap(v, wanted.vector, 3 * N) > 0.1, "first one alike");
    }
}

/* The check by a second sum, which measures what the tolerance limits. */
static void test_check(void)
{
    for (int k = 0; k < CLOUD_KERNELS; k++) {
        cloud_set(&cloud, cloud_kernels[k], CLOUD_EVEN, 800, 0);
        cloud.tolerance = 1e-5;
        cloud.options.fmm.levels = 3;
        cloud.options.verify = 1;
        check_cloud("checked", 8);
        CHECK(found.info.checked_targets > 0, "%s: not checked", cloud.kernel);
    }
}

/* f32 is summed in f64, as by direct. */
static void test_precision(void)
{
    for (int k = 0; k < CLOUD_KERNELS; k++) {
        cloud_set(&cloud, cloud_kernels[k], CLOUD_EVEN, 400, 0);
        cloud.options.fmm.levels = 3;
        CHECK_OK(cloud_try(&cloud, "fmm", &wanted));
        cloud.precision = k % 2 ? FARSUM_F32 : FARSUM_MIXED;
        CHECK_OK(cloud_try(&cloud, "fmm", &found));
        CHECK(found.info.precision == FARSUM_F64, "%s: precision %d",
              cloud.kernel, (int)found.info.precision);
        CHECK(cloud_gap(found.vector, wanted.vector, 3 * cloud.n) == 0,
              "%s: in f64 too", cloud.kernel);
    }
}

/* A plan that was made for a sample sums points of another size, where its unit
 * of length changes, and the first ones again. */
static void test_moved(void)
{
    for (int k = 0; k < CLOUD_KERNELS; k++) {
        farsum_options o;
        farsum_plan *plan = NULL;
        farsum_result r = FARSUM_RESULT_INIT;
        farsum_plan_info info[3];
        cloud_set(&cloud, cloud_kernels[k], CLOUD_EVEN, 300, 100);
        o = cloud.options;
        o.method = "fmm";
        farsum_problem p = cloud_problem(&cloud);
        *(cloud.flow ? &r.velocity : &r.field) = found.vector;
        CHECK_OK(farsum_plan_create(&p, &o, &plan));
        for (int turn = 0; turn < 3; turn++) {
            double by = turn == 1   ? ldexp(1, 20)
                        : turn == 2 ? ldexp(1, -20)
                                    : 1;
            for (int i = 0; i < 3 * cloud.n; i++)
                cloud.x[i] *= by;
            for (int i = 0; i < 3 * cloud.m; i++)
                cloud.y[i] *= by;
            for (int i = 0; i < 4 * cloud.n && !cloud.flow; i++)
                cloud.q[i] *= i % 4 ? by : 1;
            CHECK_OK(farsum_plan_set_points(plan, cloud.n, cloud.x, cloud.m,
                                            cloud.y));
            CHECK_OK(farsum_plan_execute(plan, 1, cloud.q, &r));
            info[turn] = (farsum_plan_info){.size = sizeof *info};
            CHECK_OK(farsum_plan_get_info(plan, &info[turn]));
        }
        farsum_plan_destroy(plan);
        CHECK(info[1].order == info[0].order && info[2].order == info[0].order
                  && info[2].levels == info[0].levels,
              "%s: orders %d, %d, %d", cloud.kernel, info[0].order,
              info[1].order, info[2].order);
        CHECK(info[1].leaves == info[0].leaves, "%s: %lld leaves, then %lld",
              cloud.kernel, (long long)info[0].leaves,
              (long long)info[1].leaves);
        CHECK_NEAR(info[1].estimated_error, info[0].estimated_error,
                   1e-6 * info[0].estimated_error);
    }
}

static void check_choice(const char *kernel, int64_t n, const char *method)
{
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_problem p = FARSUM_PROBLEM_INIT;
    farsum_plan *plan = NULL;
    farsum_plan_info info = {.size = sizeof info};
    o.threads = 2;
    p.kernel = kernel;
    p.n_sources = n;
    p.tolerance = 1e-5;
    if (strcmp(kernel, "charge_dipole") != 0)
        p.outputs = FARSUM_VELOCITY;
    CHECK_OK(farsum_plan_tune(&p, &o, &plan));
    CHECK_OK(farsum_plan_get_info(plan, &info));
    CHECK(strcmp(info.method, method) == 0, "%s, %lld sources: %s", kernel,
          (long long)n, info.method_reason);
    farsum_plan_destroy(plan);
}

/* auto takes all pairs for few sources, boxes for many. */
static void test_choice(void)
{
    for (int k = 0; k < CLOUD_KERNELS; k++) {
        check_choice(cloud_kernels[k], 100, "direct");
        check_choice(cloud_kernels[k], 100000, "fmm");
    }
}

int main(void)
{
    RUN(test_tolerances);
    RUN(test_targets);
    RUN(test_outputs);
    RUN(test_exclusions);
    RUN(test_variants);
    RUN(test_units);
    RUN(test_rhs);
    RUN(test_check);
    RUN(test_precision);
    RUN(test_moved);
    RUN(test_choice);
    return check_end();
}
