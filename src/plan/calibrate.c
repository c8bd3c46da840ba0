/* SPDX-License-Identifier: Apache-2.0 */
/* calibrate.c: measurement of a machine's cost factors by running whole
 * plans. */
#include "plan/plan.h"
#include "plan/calibrate.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "method/fmm/fmm.h"
#include "method/spectral/spectral.h"
#include "cost/expected_rates.h"

enum { REPEATS = 4 };
/* Numbers of points that keep a processor, and an H200, busy for long
 * enough. */
static const double probe_least = 2e4, probe_most = 1e6;

/* A uniform system by a low-discrepancy sequence (the R3 sequence: multiples
 * of powers of the root of x^4 = x + 1), its cell's volume n. */
static void machine_points(int64_t n, double *x, double *q)
{
    static const double step[3] = {0.8191725133961645, 0.6710436067037893,
                                   0.5497004779019703};
    double edge = cbrt((double)n);
    for (int64_t i = 0; i < 3 * n; i++)
        x[i] = edge * fmod((double)(i / 3 + 1) * step[i % 3], 1);
    for (int64_t i = 0; i < n; i++)
        q[i] = i % 2 ? 1 : -1;
}

/* Sums in which stages are measured: spectral; fmm with one root box, whose
 * lattice stage does nothing; fmm with root boxes only, whose lattice stage
 * does everything. */
enum probe { SPECTRAL, TREE, GRID, PROBES };

/* 1: this sum measures the factor of the stage. */
static int probe_has(enum probe probe, int stage)
{
    int lattice = stage == MACHINE_FMM + FMM_LATTICE;
    if (probe == SPECTRAL || stage < MACHINE_FMM)
        return probe == SPECTRAL && stage < MACHINE_FMM;
    return lattice == (probe == GRID);
}

/* Expected seconds of a stage in one sum, from its variant's built-in
 * constants.  It excludes the cost of set_points and ignores kept times. */
static double machine_model(const struct farsum_plan *plan, int stage)
{
    union stage_args args[STAGE_COUNT];
    if (stage >= MACHINE_FMM) {
        const int r = stage - MACHINE_FMM;
        const struct fmm *s = plan->state;
        return s->choice[r].cost / plan->task.machine.factor[stage];
    }
    const struct spectral *s = plan->state;
    parameters_args(&s->parameters, &plan->task, args);
    args[STAGE_SPREAD].spread.repeats = args[STAGE_INTERP].interp.repeats = 1e9;
    return s->parameters.choice[stage].row->variant->cost(&args[stage])
           * (stage == STAGE_FFT ? 2 : 1);
}

/* Measured seconds of a stage in the last sum. */
static double machine_seconds(const struct farsum_plan *plan, int stage)
{
    const farsum_plan_info *info = &plan->report.info;
    if (stage < MACHINE_FMM)
        return info->stages[stage].seconds;
    const struct fmm *s = plan->state;
    const char *name = s->choice[stage - MACHINE_FMM].stage->name;
    for (int k = 0; k < info->n_stages; k++)
        if (strcmp(info->stages[k].stage, name) == 0)
            return info->stages[k].seconds;
    return 0;
}

/* The fastest of a few sums; the first one warms up. */
static farsum_status machine_probe(farsum_plan *plan, enum probe probe,
                                   const double *q, double *out, double *factor)
{
    farsum_result result = FARSUM_RESULT_INIT;
    result.potential = out;
    result.field = out + plan->n;
    for (int r = 0; r < MACHINE_STAGES; r++)
        if (probe_has(probe, r))
            factor[r] = INFINITY;
    for (int k = 0; k < REPEATS; k++) {
        TRY(plan_sum(plan, 1, q, &result, NULL));
        for (int r = 0; r < MACHINE_STAGES; r++)
            if (probe_has(probe, r))
                factor[r] = fmin(factor[r], machine_seconds(plan, r)
                                                / machine_model(plan, r));
    }
    return FARSUM_OK;
}

static int64_t machine_size(const struct machine_place *place)
{
    if (!place->device)
        return (int64_t)probe_least;
    double share = gpu_rates(place->device, place->precision).share;
    return (int64_t)fmin(fmax(probe_most * share, probe_least), probe_most);
}

/* Measures the stages of one sum.  Boxes of fmm hold about sixty points, those
 * of a tree thirty to a hundred. */
static farsum_status machine_method(const struct machine_place *place,
                                    uint64_t memory_limit, enum probe probe,
                                    int64_t n, double *x, double *factor)
{
    farsum_status status = FARSUM_OK;
    farsum_problem problem = FARSUM_PROBLEM_INIT;
    farsum_options options = FARSUM_OPTIONS_INIT;
    farsum_device device = {place->device};
    farsum_plan *plan = NULL;
    double boxes = (double)n / 60;
    for (int d = 0; d < 3; d++) {
        problem.cell[4 * d] = cbrt((double)n);
        problem.periodic[d] = 1;
        options.fmm.boxes[d] =
            probe == GRID ? (int64_t)nearbyint(cbrt(boxes)) : probe == TREE;
    }
    problem.precision = place->precision;
    problem.arrays = FARSUM_F64;
    problem.n_sources = n;
    problem.outputs = FARSUM_POTENTIAL | FARSUM_FIELD;
    problem.tolerance = 1e-5;
    options.memory_limit = memory_limit;
    options.method = probe == SPECTRAL ? "spectral" : "fmm";
    if (probe != SPECTRAL)
        options.fmm.levels =
            probe == GRID ? 1 : 1 + (int)nearbyint(log2(boxes) / 3);
    if (place->device) {
        options.device.handle = &device;
        options.device.queues = 1; /* time each stage separately */
    } else {
        options.isa = isa_name(place->isa);
        options.threads = place->threads;
    }
    GO(plan_make(&problem, &options, PLAN_INNER, &plan));
    GO(plan_points(plan, n, x, 0, NULL));
    GO(machine_probe(plan, probe, x + 3 * n, x + 4 * n, factor));
done:
    farsum_plan_destroy(plan);
    return status;
}

/* 1: all factors are plausible. */
static int machine_factors(const struct machine_place *place,
                           uint64_t memory_limit, int64_t n, double *x,
                           double *factor)
{
    for (enum probe probe = SPECTRAL; probe < PROBES; probe++) {
        if (machine_method(place, memory_limit, probe, n, x, factor)
            != FARSUM_OK)
            return 0;
        for (int r = 0; r < MACHINE_STAGES; r++)
            if (probe_has(probe, r) && machine_is_bad(factor[r]))
                return 0;
    }
    return 1;
}

void machine_measure(struct machine *machine, const struct machine_place *place,
                     uint64_t memory_limit)
{
    const int64_t n = machine_size(place);
    struct machine found = {.measured = 1};
    double *x = NULL;
    machine_none(machine);
    if (MEM_RAW(x, 8 * n) != FARSUM_OK) /* positions, strengths, results */
        return;
    machine_points(n, x, x + 3 * n);
    if (machine_factors(place, memory_limit, n, x, found.factor)) {
        machine_keep(&found, place);
        *machine = found;
    }
    mem_free(x);
}

void machines_get(const struct farsum_plan *plan, int f64, int f32,
                  struct machine by[2])
{
    const int wanted[2] = {f64, f32};
    struct machine_place place = {plan->task.device, plan->task.isa, FARSUM_F64,
                                  plan->task.threads};
    for (int k = 0; k < 2; k++) {
        place.precision = k ? FARSUM_F32 : FARSUM_F64;
        machine_none(&by[k]);
        if (wanted[k])
            machine_load(&by[k], &place);
        if (wanted[k] && plan->task.options.measure && !by[k].measured)
            machine_measure(&by[k], &place, plan->task.options.memory_limit);
    }
    for (int k = 0; k < 2; k++)
        if (wanted[!k] && !by[!k].measured)
            machine_none(&by[k]);
}
