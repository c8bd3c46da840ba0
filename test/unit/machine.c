/* SPDX-License-Identifier: Apache-2.0 */
/* machine.c: tests of plan/calibrate.c: cost factors of the host and of a
 * device: measured, cached, refused if implausible, and their effects. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "device/compile/cache.h"
#include "farsum/device.h"
#include "plan/calibrate.h"
#include "cost/kept_times.h"
#include "stage/stage.h"

static char folder[] = "/tmp/farsum-machine-XXXXXX";
static struct device *device; /* NULL: none is available */
static const char *name = "opencl:0";

static struct machine_place place_of(struct device *who, farsum_precision what)
{
    return (struct machine_place){who, isa_best(), what, 1};
}

static int differ(const struct machine *a, const struct machine *b)
{
    int n = a->measured != b->measured;
    for (int r = 0; r < MACHINE_STAGES; r++) /* five digits are kept */
        n += !(fabs(a->factor[r] - b->factor[r]) <= 1e-4 * a->factor[r]);
    return n;
}

static struct machine ones(void)
{
    struct machine machine;
    machine_none(&machine);
    return machine;
}

/* Measured once for each precision; the second time the kept ones are used. */
static void measured_on(struct device *who)
{
    const struct machine none = ones();
    struct machine_place place = place_of(who, FARSUM_F64);
    struct machine machine, kept;
    kept_times_clear();
    machine_load(&machine, &place);
    CHECK(!differ(&machine, &none), "factors before any");
    machine_measure(&machine, &place, 0);
    CHECK(machine.measured, "not measured");
    for (int r = 0; r < MACHINE_STAGES; r++)
        CHECK(machine.factor[r] > 1e-3 && machine.factor[r] < 1e3,
              "stage %d: factor %g", r, machine.factor[r]);
    machine_load(&kept, &place);
    CHECK(!differ(&machine, &kept), "others are kept");
    place.precision = FARSUM_F32;
    machine_load(&kept, &place);
    CHECK(!differ(&kept, &none), "those of f64 for f32");
    /* not measurable: nothing is known, nothing is kept */
    machine_measure(&kept, &place, 1 << 12);
    CHECK(!differ(&kept, &none), "measured in 4096 bytes");
    machine_load(&kept, &place);
    CHECK(!differ(&kept, &none), "kept without a measurement");
    place = place_of(who, FARSUM_F64);
    place.isa = ISA_BASE;
    place.threads = 7;
    machine_load(&kept, &place); /* for a device this does not matter */
    CHECK(kept.measured == (who != NULL), "of another host's threads");
    kept_times_clear();
}

static void measured(void)
{
    measured_on(NULL);
    if (device)
        measured_on(device);
}

/* Keeps one factor of f64 that is not 1. */
static void keep_one(struct device *who, int stage, double factor)
{
    const struct machine_place place = place_of(who, FARSUM_F64);
    struct machine kept = ones();
    kept.factor[stage] = factor;
    machine_keep(&kept, &place);
}

/* The choices for 27 000 points. */
static farsum_plan_info
parameters_in(const char *where, farsum_precision precision, const char *method)
{
    farsum_problem problem = FARSUM_PROBLEM_INIT;
    farsum_options how = FARSUM_OPTIONS_INIT;
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    farsum_plan *plan = NULL;
    for (int d = 0; d < 3; d++) {
        problem.cell[4 * d] = 30;
        problem.periodic[d] = 1;
    }
    problem.n_sources = 27000;
    problem.precision = precision;
    how.method = method;
    how.threads = 1;
    how.device.name = where;
    CHECK_OK(farsum_plan_tune(&problem, &how, &plan));
    CHECK_OK(farsum_plan_get_info(plan, &info));
    farsum_plan_destroy(plan);
    return info;
}

/* Expensive near pairs make the tuner's cutoff short and the boxes small; cheap
 * ones have the opposite effect. */
static farsum_plan_info parameters(const char *where, struct device *who,
                                   const char *method, int stage, double factor)
{
    keep_one(who, stage, factor);
    return parameters_in(where, FARSUM_F64, method);
}

static void costs_decide_on(const char *where, struct device *who)
{
    double dear = parameters(where, who, "spectral", MACHINE_NEAR, 20).cutoff;
    double cheap =
        parameters(where, who, "spectral", MACHINE_NEAR, 0.05).cutoff;
    CHECK(dear < 0.8 * cheap, "%s: cutoff %g for costly near pairs, %g",
          where, dear, cheap);
    int64_t many = parameters(where, who, "fmm", MACHINE_FMM, 20).leaves;
    int64_t few = parameters(where, who, "fmm", MACHINE_FMM, 0.05).leaves;
    CHECK(many > 2 * few, "%s: %lld boxes for costly near pairs, else %lld",
          where, (long long)many, (long long)few);
    kept_times_clear();
}

/* Near pairs of a mixed plan use the factor of f32.  If there are no factors
 * for f64, neither is used. */
static void both_or_none(void)
{
    const struct machine_place f32 = place_of(NULL, FARSUM_F32);
    struct machine near = ones();
    double built_in = parameters_in("host", FARSUM_MIXED, "spectral").cutoff;
    near.factor[MACHINE_NEAR] = 20;
    machine_keep(&near, &f32);
    double alone = parameters_in("host", FARSUM_MIXED, "spectral").cutoff;
    CHECK(alone == built_in, "cutoff %g by f32's factors only, else %g", alone,
          built_in);
    keep_one(NULL, MACHINE_NEAR, 1); /* of f64 */
    double both = parameters_in("host", FARSUM_MIXED, "spectral").cutoff;
    CHECK(both < 0.8 * built_in,
          "cutoff %g for costly pairs in f32, else %g", both, built_in);
    kept_times_clear();
}

static void costs_decide(void)
{
    costs_decide_on("host", NULL);
    if (device)
        costs_decide_on(name, device);
}

/* Factors that are no number, not above 0, or beyond plausible differences of
 * machines. */
static void nonsense(void)
{
    static const double bad[] = {NAN, 0, -1, 1e9, 1e-9};
    const struct machine_place place = place_of(NULL, FARSUM_F32);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        struct machine machine = ones();
        machine.factor[k] = bad[k];
        machine_keep(&machine, &place);
        machine_load(&machine, &place);
        CHECK(!machine.measured && machine.factor[k] == 1, "%g is a factor",
              bad[k]);
    }
    kept_times_clear();
}

int main(void)
{
    const char *wanted = getenv("FARSUM_TEST_DEVICE");
    int64_t files;
    if (wanted)
        name = wanted;
    if (!mkdtemp(folder))
        check_stop("no folder for the test");
    if (device_open(name, &device) != FARSUM_OK)
        device = NULL;
    setenv("FARSUM_CACHE_DIR", folder, 1);
    RUN(nonsense);
    RUN(costs_decide);
    RUN(both_or_none);
    RUN(measured);
    device_close(device);
    CHECK_OK(cache_clear(&files));
    rmdir(folder);
    return check_end();
}
