/* SPDX-License-Identifier: Apache-2.0 */
/* The second sum at few targets against that of a reference: kernels, cells,
 * outputs, numbers of particles and exclusions.  On the host and, as
 *
 *     test_unit_verify_sum device
 *
 * on FARSUM_TEST_DEVICE ("opencl:0" if it is not set). */
#include "verify_check.h"

#include "device/device.h"
#include "plan/verify/verify.h"

enum { MANY = 3100, PAIRS = 60 };

static const double box[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
static const double flat[9] = {2.5, 0, 0, 0, 3.5, 0, 0, 0, 0.7};
static const double skew[9] = {1, 0, 0, 0.4, 1.1, 0, -0.3, 0.45, 0.9};

/* A sum, of n sources in `cell`, NULL: open. */
struct sum {
    const char *kernel;
    int strengths, n;
    const double *cell;
    double tolerance, kappa, softening, net;
    farsum_error_kind error;
    farsum_surface surface;
    int f32, energy, excluded;
    const char *method;
};

static double x[3 * MANY], q[6 * MANY];
static float x32[3 * MANY], q32[6 * MANY];
static int64_t pair[2 * PAIRS];
static double factor[PAIRS];

/* Some coordinates lie outside the cell; two sources are close across a face,
 * two at one place, excluded. */
static void fill(const struct sum *s)
{
    uint64_t random = 31;
    double shift = s->cell ? 2 : 0;
    for (int i = 0; i < s->n; i++) {
        double f[3];
        for (int d = 0; d < 3; d++)
            f[d] = uniform(&random) + (i % 5 == d ? shift : 0);
        for (int d = 0; d < 3; d++)
            x[3 * i + d] = s->cell ? f[0] * s->cell[d] + f[1] * s->cell[3 + d]
                                         + f[2] * s->cell[6 + d]
                                   : 3 * f[d];
    }
    for (int d = 0; d < 3; d++) {
        x[3 + d] = x[d] + (s->cell ? s->cell[d] : 0) + (d == 1 ? 1e-4 : 0);
        x[9 + d] = x[6 + d];
    }
    for (int i = 0; i < s->strengths * s->n; i++)
        q[i] = normal(&random) + s->net;
    for (int k = 0; k < PAIRS; k++) {
        pair[2 * k] = 2 + 2 * k;
        pair[2 * k + 1] = k == 0 ? 3 : k + 701;
        factor[k] = k % 3 ? 0 : k > 0 ? 0.5 : 0;
    }
    for (int i = 0; i < 3 * s->n; i++)
        x32[i] = (float)x[i];
    for (int i = 0; i < s->strengths * s->n; i++)
        q32[i] = (float)q[i];
}

static farsum_status plan_of(const struct sum *s, const char *where,
                             farsum_plan **plan)
{
    farsum_problem p = FARSUM_PROBLEM_INIT;
    farsum_options o = FARSUM_OPTIONS_INIT;
    p.kernel = s->kernel;
    p.kappa = s->kappa;
    p.softening = s->softening;
    p.tolerance = s->tolerance;
    p.error = s->error;
    p.surface = s->surface;
    for (int i = 0; i < 9 && s->cell; i++)
        p.cell[i] = s->cell[i];
    p.periodic[0] = p.periodic[1] = p.periodic[2] = s->cell != NULL;
    p.precision = s->f32 ? FARSUM_AUTO : FARSUM_F64;
    p.arrays = s->f32 ? FARSUM_F32 : FARSUM_F64;
    p.n_sources = s->n;
    p.sample_x = s->f32 ? (void *)x32 : x;
    p.sample_q = s->f32 ? (void *)q32 : q;
    p.coulomb = 1.7;
    p.outputs = s->strengths > 1 ? FARSUM_VELOCITY
                                 : FARSUM_POTENTIAL | FARSUM_FIELD
                                       | (s->energy ? FARSUM_ENERGY : 0);
    p.exclusions = pair;
    p.exclusion_factors = factor;
    p.n_exclusions = s->excluded ? PAIRS : 1;
    o.device.name = where;
    o.threads = 2;
    /* each place would choose its own, and other targets with it */
    o.method = s->method ? s->method : s->cell ? "spectral" : NULL;
    o.verify = FARSUM_VERIFY_OFF;
    return plan_make(&p, &o, PLAN_DRY, plan);
}

/* The same by few.h, into sum. */
static farsum_status again(farsum_plan *plan, struct verify_sum *sum)
{
    static double y[3 * MANY];
    const struct verify_targets *t = &sum->targets;
    for (int64_t k = 0; k < 3 * t->count; k++)
        y[k] = verify_x(sum, 3 * t->index[k / 3] + k % 3);
    for (int64_t k = 0; k < t->count * sum->width; k++)
        sum->wanted[k] = NAN;
    for (int64_t k = 0; k < t->count && sum->potential; k++)
        sum->potential[k] = NAN;
    return verify_sum_few(plan, sum, y);
}

static farsum_status second(const struct sum *s, const char *where, int few,
                            struct verify_sum *sum)
{
    farsum_status status = FARSUM_OK;
    farsum_plan *plan = NULL;
    GO(plan_of(s, where, &plan));
    *sum = (struct verify_sum){.n = s->n,
                               .given_x = s->f32 ? (void *)x32 : x,
                               .given_q = s->f32 ? (void *)q32 : q};
    GO(plan_exclude_rows(plan, s->n, 0));
    GO(verify_sum(plan, sum));
    CHECK(verify_on_device(plan, sum) == (plan->task.device != NULL),
          "%s: the sum is not the device's", s->kernel);
    if (few)
        GO(again(plan, sum));
    verify_recall(sum);
done:
    farsum_plan_destroy(plan);
    return status;
}

static int larger(const void *a, const void *b)
{
    double one = *(const double *)a, other = *(const double *)b;
    return (one > other) - (one < other);
}

/* Vectors of `width` at m targets: the difference at each is below a part of
 * its own size and that of most, which near pairs do not raise. */
static void equal(const struct sum *s, const char *what, int64_t m, int width,
                  const double *got, const double *right, double part)
{
    double size[MANY], most = 0;
    for (int64_t k = 0; k < m; k++)
        size[k] = rms(width, right + k * width, NULL);
    qsort(size, (size_t)m, sizeof *size, larger);
    double middle = size[m / 2];
    CHECK(middle > 0, "%s: nothing is compared", s->kernel);
    for (int64_t k = 0; k < m; k++) {
        const double *v = right + k * width;
        double error = rms(width, got + k * width, v);
        most = fmax(most, error / (rms(width, v, NULL) + middle));
    }
    CHECK(most <= part, "%s, %d sources, %s: %.3g apart, beyond %g", s->kernel,
          s->n, what, most, part);
}

static void compare(const struct sum *s, const char *where, int few)
{
    struct verify_sum there = {0}, here = {0};
    fill(s);
    CHECK_OK(second(s, where, few, &there));
    CHECK_OK(second(s, "host", 0, &here));
    int64_t m = here.targets.count;
    double part = fmax(1e-12, here.tolerance / 100);
    CHECK(there.targets.count == m && m > 0, "%lld targets, not %lld",
          (long long)there.targets.count, (long long)m);
    for (int64_t k = 0; k < m; k++)
        CHECK(there.targets.index[k] == here.targets.index[k],
              "another target %lld", (long long)k);
    equal(s, "values", m, here.width, there.wanted, here.wanted, part);
    CHECK(!there.potential == !here.potential, "potentials are not as asked");
    if (here.potential)
        equal(s, "potentials", m, 1, there.potential, here.potential, part);
    verify_clear(&there);
    verify_clear(&here);
}

#define VECTORS .tolerance = 1e-9, .excluded = 1

static const struct sum sums[] = {
    {"laplace", 1, 1499, box, .energy = 1, .net = 0.1, VECTORS},
    {"laplace", 1, 1021, skew, .surface = FARSUM_VACUUM, .net = 0.2, VECTORS},
    {"laplace", 1, 777, flat, .error = FARSUM_ERROR_POTENTIAL, VECTORS},
    {"laplace", 1, 3001, box, .f32 = 1, .tolerance = 1e-3},
    {"laplace", 1, 1300, NULL, .softening = 0.05, .method = "fmm", VECTORS},
    {"laplace", 1, 40, box, .tolerance = 1e-4},
    {"yukawa", 1, 1100, box, .kappa = 4, .net = 1, VECTORS},
    {"yukawa", 1, 901, skew, .kappa = 0.3, .error = FARSUM_ERROR_POTENTIAL,
     VECTORS},
    {"r6", 1, 1203, box, VECTORS},
    {"r6", 1, 800, flat, .net = 0.4, .error = FARSUM_ERROR_POTENTIAL, VECTORS},
    {"stokeslet", 3, 1001, box, VECTORS},
    {"stokeslet", 3, 803, skew, .f32 = 1, .tolerance = 1e-4},
    {"rotlet", 3, 910, flat, VECTORS},
    {"stresslet", 6, 905, box, VECTORS},
    {"stresslet", 6, 811, skew, VECTORS},
};

/* One in 20 of 3000 sources lies outside a dense ball.  Half of the random
 * targets lie there or near its rim, and the targets stand for all sources. */
static void sparse_places(void)
{
    enum { N = 3000, WANTED = 144, OUTSIDE = N / 20 };
    static const struct sum one = {"laplace", 1, N, box, .tolerance = 1e-4};
    static double size[N];
    struct verify_targets t;
    farsum_plan *plan = NULL;
    int outside = 0;
    double all = 0, outer = 0;
    fill(&one);
    for (int i = 0; i < N; i++) {
        size[i] = 1;
        for (int d = 0; d < 3 && i >= OUTSIDE; d++)
            x[3 * i + d] = 0.5 + 0.01 * (x[3 * i + d] - 0.5);
    }
    CHECK_OK(plan_of(&one, "host", &plan));
    struct verify_sum s = {.n = N, .all_n = N, .around = N, .x = x, .q = q};
    CHECK_OK(verify_targets(plan, &s, size, WANTED, &t));
    for (int64_t k = 0; k < t.count; k++) {
        int out = t.index[k] < OUTSIDE;
        outside += out && k >= t.certain;
        all += verify_stands_for(&t, k);
        outer += out ? verify_stands_for(&t, k) : 0;
    }
    CHECK(t.count == WANTED, "%lld targets", (long long)t.count);
    CHECK(fabs(all - N) < 1e-9 * N, "they stand for %g", all);
    CHECK(outside > 3 * (WANTED - t.certain) * OUTSIDE / N,
          "%d random targets outside", outside);
    CHECK(fabs(outer / OUTSIDE - 1) < 0.5, "%g stand outside", outer);
    s.targets = t;
    verify_clear(&s);
    farsum_plan_destroy(plan);
}

int main(int argc, char **argv)
{
    const char *name = getenv("FARSUM_TEST_DEVICE");
    int there = argc > 1 && strcmp(argv[1], "device") == 0;
    if (!there)
        sparse_places();
    for (size_t k = 0; k < sizeof sums / sizeof *sums; k++)
        if (there)
            compare(&sums[k], name ? name : "opencl:0", 0);
        else if (sums[k].cell)
            compare(&sums[k], "host", 1);
    return check_end();
}
