/* SPDX-License-Identifier: Apache-2.0 */
/* norms.c: tests of the norms of energy, of pressure and of each force, and of
 * the estimates of energy and virial with every result.  The expected values
 * come from the reference methods, over all particles.  On the host and, as
 *
 *     test_unit_norms device
 *
 * on FARSUM_TEST_DEVICE (default: opencl:0). */
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "check.h"

enum { MOST = 1500 };

static const char *device; /* NULL: the host */
static int above; /* sums above the tolerance when tuned for forces */

struct system {
    const char *name, *kernel, *method;
    int n, open, flow;
    double kappa;
    double x[3 * MOST], q[3 * MOST];
};
static struct system s;

/* All results of a sum. */
struct results {
    double phi[MOST], vector[3 * MOST], energy, virial[9];
};

static double uniform(uint64_t *state)
{
    return ldexp((double)(random_next(state) >> 11), -53);
}

static double normal(uint64_t *state)
{
    double u = 1 - uniform(state), v = uniform(state);
    return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

static void begin(const char *name, int n)
{
    memset(&s, 0, sizeof s);
    s.name = name;
    s.kernel = "laplace";
    s.n = n;
}

/* Neutral molecules of three charges, like water, at random. */
static void molecules(int n)
{
    uint64_t random = 3;
    begin("molecules", n);
    for (int i = 0; i < n; i++)
        for (int d = 0; d < 3; d++)
            s.x[3 * i + d] =
                i % 3 == 0 ? uniform(&random)
                           : s.x[3 * (i - i % 3) + d] + 0.02 * normal(&random);
    for (int i = 0; i < n; i++)
        s.q[i] = i % 3 == 0 ? -2 : 1;
}

static void tame(int n)
{
    uint64_t random = 5;
    begin("tame", n);
    for (int i = 0; i < 3 * n; i++)
        s.x[i] = uniform(&random);
    for (int i = 0; i < n; i++)
        s.q[i] = normal(&random);
}

/* Charges of one sign, clustered among their counter-ions. */
static void colloid(int n)
{
    uint64_t random = 7;
    begin("colloid", n);
    for (int i = 0; i < n; i++)
        for (int d = 0; d < 3; d++)
            s.x[3 * i + d] = i < n / 2 ? 0.4 + 0.03 * normal(&random)
                                       : uniform(&random);
    for (int i = 0; i < n; i++)
        s.q[i] = i < n / 2 ? 1 : -1;
}

/* A close pair, whose force dominates the norm. */
static void pair(int n)
{
    tame(n);
    s.name = "pair";
    for (int d = 0; d < 3; d++)
        s.x[3 + d] = s.x[d] + (d == 0 ? 1e-3 : 0);
}

/* Masses with density r^-3: the inner ones have far larger forces than the
 * outer ones. */
static void cusp(int n)
{
    uint64_t random = 11;
    begin("cusp", n);
    for (int i = 0; i < n; i++) {
        double r = 0.4 * pow(1e-4, uniform(&random)), to[3], length = 0;
        for (int d = 0; d < 3; d++) {
            to[d] = normal(&random);
            length += to[d] * to[d];
        }
        for (int d = 0; d < 3; d++)
            s.x[3 * i + d] = 0.5 + r * to[d] / sqrt(length);
        s.q[i] = 1;
    }
}

static void vectors(int n)
{
    tame(n);
    s.name = "vectors";
    s.kernel = "stokeslet";
    s.flow = 1;
    uint64_t random = 13;
    for (int i = 0; i < 3 * n; i++)
        s.q[i] = normal(&random);
}

static farsum_problem problem_of(farsum_error_kind error, double tolerance)
{
    farsum_problem p = FARSUM_PROBLEM_INIT;
    p.kernel = s.kernel;
    p.kappa = s.kappa;
    for (int d = 0; d < 3; d++) {
        p.cell[4 * d] = 1;
        p.periodic[d] = !s.open;
    }
    p.error = error;
    p.tolerance = tolerance;
    p.n_sources = s.n;
    p.sample_x = s.x;
    p.sample_q = s.q;
    p.outputs = s.flow ? FARSUM_VELOCITY
                       : FARSUM_POTENTIAL | FARSUM_FIELD | FARSUM_ENERGY
                             | FARSUM_VIRIAL;
    return p;
}

/* Sums with a new plan; info may be NULL. */
static void sum(const farsum_problem *p, const char *method, const char *where,
                struct results *r, farsum_plan_info *info)
{
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_result out = FARSUM_RESULT_INIT;
    farsum_plan *plan = NULL;
    o.method = method;
    o.device.name = where;
    out.potential = s.flow ? NULL : r->phi;
    out.field = s.flow ? NULL : r->vector;
    out.velocity = s.flow ? r->vector : NULL;
    out.energy = s.flow ? NULL : &r->energy;
    out.virial = s.flow ? NULL : r->virial;
    CHECK_OK(farsum_plan_create(p, &o, &plan));
    if (!plan)
        return;
    CHECK_OK(farsum_plan_set_points(plan, s.n, s.x, 0, NULL));
    CHECK_OK(farsum_plan_execute(plan, 1, s.q, &out));
    if (info)
        CHECK_OK(farsum_plan_get_info(plan, info));
    farsum_plan_destroy(plan);
    for (int i = 0; i < 3 * s.n && !s.flow; i++)
        r->vector[i] *= s.q[i / 3];
}

static struct results got, right;

static void reference(void)
{
    farsum_problem p = problem_of(0, 1e-12);
    sum(&p, s.open ? "direct" : "ewald", NULL, &right, NULL);
}

/* Half the sum of |q phi|. */
static double magnitudes(void)
{
    double all = 0;
    for (int i = 0; i < s.n; i++)
        all += 0.5 * fabs(s.q[i] * right.phi[i]);
    return all;
}

static double of_energy(void)
{
    return fabs(got.energy - right.energy) / magnitudes();
}

static double of_virial(void)
{
    double power = strcmp(s.kernel, "r6") == 0 ? 6 : 1, off = 0;
    for (int a = 0; a < 9; a += 4)
        off += got.virial[a] - right.virial[a];
    return fabs(off) / (power * magnitudes());
}

static int rising(const void *a, const void *b)
{
    double one = *(const double *)a, other = *(const double *)b;
    return (one > other) - (one < other);
}

static double length_of(const double *v)
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* The 99th percentile of single errors. */
static double of_each(void)
{
    static double error[MOST];
    double square = 0;
    for (int i = 0; i < s.n; i++)
        square += pow(length_of(right.vector + 3 * i), 2);
    double norm = sqrt(square / s.n);
    for (int i = 0; i < s.n; i++) {
        double off[3];
        for (int d = 0; d < 3; d++)
            off[d] = got.vector[3 * i + d] - right.vector[3 * i + d];
        error[i] = length_of(off)
                   / fmax(length_of(right.vector + 3 * i), 0.1 * norm);
    }
    qsort(error, (size_t)s.n, sizeof *error, rising);
    return error[s.n - 1 - s.n / 100];
}

static double measured(farsum_error_kind error)
{
    return error == FARSUM_ERROR_ENERGY     ? of_energy()
           : error == FARSUM_ERROR_PRESSURE ? of_virial()
                                            : of_each();
}

/* An estimate is within a factor of the measured error, above rounding. */
static void agrees(const char *what, double estimated, double found,
                   double factor)
{
    CHECK(found < 1e-14
              || (estimated < factor * found && estimated > found / factor),
          "%s, %s: estimated %.3g, measured %.3g", s.name, what, estimated,
          found);
}

/* With a tolerance of forces, energy and virial also have estimates. */
static void beside(double tolerance, double factor)
{
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    farsum_problem p = problem_of(0, tolerance);
    reference();
    sum(&p, s.method, device, &got, &info);
    agrees("energy", info.estimated_energy_error, of_energy(), factor);
    agrees("virial", info.estimated_virial_error, of_virial(), factor);
}

/* The norm's tolerance is kept, and its estimate is right. */
static void keeps(farsum_error_kind error, double tolerance)
{
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    farsum_problem p = problem_of(0, tolerance);
    reference();
    if (!device) {
        sum(&p, s.method, NULL, &got, NULL);
        above += measured(error) > tolerance;
    }
    p.error = error;
    sum(&p, s.method, device, &got, &info);
    double found = measured(error);
    CHECK(found <= tolerance, "%s, norm %d: %.3g, tolerance %g", s.name,
          (int)error, found, tolerance);
    CHECK(info.checked_error >= 0, "%s, norm %d: not checked", s.name,
          (int)error);
    agrees("norm", info.estimated_error, found, 2);
}

static void estimates(void)
{
    molecules(300);
    beside(1e-4, 1.1);
    colloid(400);
    beside(1e-4, 1.1);
    if (device)
        return;
    tame(500);
    s.kernel = "yukawa";
    s.kappa = 5;
    beside(1e-5, 1.1);
    tame(200);
    s.kernel = "r6";
    beside(1e-5, 1.1);
    pair(300);
    beside(1e-4, 1.1);
    colloid(900);
    s.method = "fmm";
    beside(1e-3, 1.1);
    s.open = 1;
    beside(1e-4, 1.1);
}

/* For many particles, the targets' potentials give the energy's estimate.  The
 * virial's error contains all modes and is known as well as before. */
static void many(void)
{
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    farsum_problem p;
    molecules(1500);
    p = problem_of(0, 1e-4);
    reference();
    sum(&p, NULL, device, &got, &info);
    agrees("virial", info.estimated_virial_error, of_virial(), 1.5);
    CHECK(info.estimated_energy_error >= of_energy()
              && info.estimated_energy_error < 1e-4,
          "energy: estimated %.3g, measured %.3g", info.estimated_energy_error,
          of_energy());
    CHECK(info.checked_targets < s.n, "all are summed again");
}

static void energies(void)
{
    molecules(600);
    keeps(FARSUM_ERROR_ENERGY, 1e-5);
    if (device)
        return;
    above = 0;
    colloid(600);
    keeps(FARSUM_ERROR_ENERGY, 1e-5);
    pair(300);
    keeps(FARSUM_ERROR_ENERGY, 1e-6);
    colloid(600);
    s.method = "fmm";
    keeps(FARSUM_ERROR_ENERGY, 1e-6);
    colloid(1500);
    keeps(FARSUM_ERROR_ENERGY, 1e-4);
    CHECK(above > 0, "a tolerance of forces keeps every energy");
}

static void pressures(void)
{
    molecules(600);
    keeps(FARSUM_ERROR_PRESSURE, 1e-5);
    if (device)
        return;
    above = 0;
    colloid(600);
    keeps(FARSUM_ERROR_PRESSURE, 1e-5);
    tame(300);
    s.kernel = "yukawa";
    s.kappa = 8;
    keeps(FARSUM_ERROR_PRESSURE, 1e-6);
    tame(1500); /* not all of these are summed again */
    keeps(FARSUM_ERROR_PRESSURE, 1e-5);
    tame(1200);
    s.kernel = "yukawa";
    s.kappa = 8;
    keeps(FARSUM_ERROR_PRESSURE, 1e-4);
    CHECK(above > 0, "a tolerance of forces keeps every virial");
}

static void forces(void)
{
    cusp(700);
    if (device) {
        keeps(FARSUM_ERROR_EACH, 1e-3);
        return;
    }
    above = 0;
    keeps(FARSUM_ERROR_EACH, 1e-3);
    cusp(1500);
    keeps(FARSUM_ERROR_EACH, 1e-3);
    s.open = 1;
    s.method = "fmm";
    keeps(FARSUM_ERROR_EACH, 1e-3);
    CHECK(above > 0, "a tolerance of forces keeps each force");
    molecules(600);
    keeps(FARSUM_ERROR_EACH, 1e-4);
    vectors(500);
    keeps(FARSUM_ERROR_EACH, 1e-4);
}

static farsum_status made(const farsum_problem *p, int strict, int verify)
{
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_plan *plan = NULL;
    o.strict = strict;
    o.verify = verify;
    farsum_status status = farsum_plan_create(p, &o, &plan);
    farsum_plan_destroy(plan);
    return status;
}

static void refused(void)
{
    vectors(100);
    farsum_problem p = problem_of(FARSUM_ERROR_ENERGY, 1e-3);
    CHECK_FAILS(made(&p, 0, 0), FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("energies, but kernel stokeslet has none");
    tame(100);
    p = problem_of(FARSUM_ERROR_ENERGY, 1e-3);
    p.n_targets = 10;
    CHECK_FAILS(made(&p, 0, 0), FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("separate targets");
    p = problem_of(FARSUM_ERROR_PRESSURE, 1e-3);
    p.outputs = FARSUM_FIELD | FARSUM_ENERGY;
    CHECK_FAILS(made(&p, 0, 0), FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("virial, which is not among the outputs");
    p = problem_of(FARSUM_ERROR_EACH, 1e-3);
    s.open = 1;
    CHECK_FAILS(made(&p, 1, 0), FARSUM_ERR_UNSUPPORTED);
    CHECK_SAYS("strict");
    p.error = FARSUM_ERROR_EACH + 1;
    CHECK_FAILS(made(&p, 0, 0), FARSUM_ERR_ARGUMENT);
}

/* The virial is added to the outputs without a request.  Without a check
 * energies have no estimate, and a plan for pressure is much more accurate. */
static void unchecked(void)
{
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_plan *plan = NULL;
    molecules(300);
    farsum_problem p = problem_of(FARSUM_ERROR_PRESSURE, 1e-4);
    p.outputs = 0;
    o.verify = FARSUM_VERIFY_OFF;
    reference();
    CHECK_OK(farsum_plan_create(&p, &o, &plan));
    farsum_result out = FARSUM_RESULT_INIT;
    out.energy = &got.energy;
    out.virial = got.virial;
    CHECK_OK(farsum_plan_set_points(plan, s.n, s.x, 0, NULL));
    CHECK_OK(farsum_plan_execute(plan, 1, s.q, &out));
    CHECK_OK(farsum_plan_get_info(plan, &info));
    CHECK(info.checked_error < 0 && info.estimated_energy_error < 0,
          "not checked, yet energy %g", info.estimated_energy_error);
    CHECK(info.estimated_virial_error == info.estimated_error
              && info.estimated_error <= 1e-4,
          "virial %g, estimate %g", info.estimated_virial_error,
          info.estimated_error);
    CHECK(of_virial() <= info.estimated_error, "measured %g, estimated %g",
          of_virial(), info.estimated_error);
    farsum_plan_destroy(plan);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "device") == 0) {
        device = getenv("FARSUM_TEST_DEVICE");
        device = device ? device : "opencl:0";
    }
    RUN(estimates);
    RUN(energies);
    RUN(pressures);
    RUN(forces);
    if (device)
        return check_end();
    RUN(many);
    RUN(refused);
    RUN(unchecked);
    return check_end();
}
