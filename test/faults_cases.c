/* SPDX-License-Identifier: Apache-2.0 */
/* faults_cases.c: small systems for each method, with fixed parameters so that
 * plans are created quickly, and one with tuned parameters. */
#include "faults.h"

#include "base/mem.h"

static const struct {
    const char *name, *method, *kernel, *fft, *near, *spread, *scale, *interp;
    farsum_precision precision; /* 0: f64 */
    farsum_surface surface;
    int64_t m;
    int parameters;
    double skin;
    const char *tree; /* fmm only; sparse: open boundaries */
} kinds[FAULT_CASES] = {
    {.name = "spectral", .method = "spectral"},
    {.name = "spectral, targets, vacuum",
     .method = "spectral",
     .surface = FARSUM_VACUUM,
     .m = FAULTS_M},
    {.name = "spectral, skin", .method = "spectral", .skin = 1},
    {.name = "spectral, f32, kiss",
     .method = "spectral",
     .fft = "kiss",
     .precision = FARSUM_F32},
    {.name = "spectral, plain",
     .method = "spectral",
     .fft = "plain",
     .near = "plain",
     .spread = "plain",
     .scale = "plain",
     .interp = "plain"},
    {.name = "spectral, tuned", .method = "spectral", .parameters = 1},
    {.name = "spectral, stresslet",
     .method = "spectral",
     .kernel = "stresslet"},
    {.name = "ewald", .method = "ewald"},
    {.name = "ewald, targets",
     .method = "ewald",
     .surface = FARSUM_VACUUM,
     .m = FAULTS_M},
    {.name = "ewald, stresslet, targets",
     .method = "ewald",
     .kernel = "stresslet",
     .m = FAULTS_M},
    {.name = "direct", .method = "direct"},
    {.name = "direct, stokeslet", .method = "direct", .kernel = "stokeslet"},
    {.name = "fmm, dense", .method = "fmm", .tree = "dense"},
    {.name = "fmm, dense, targets, f32",
     .method = "fmm",
     .tree = "dense",
     .surface = FARSUM_VACUUM,
     .m = FAULTS_M,
     .precision = FARSUM_F32},
    {.name = "fmm, sparse", .method = "fmm", .tree = "sparse"},
    {.name = "fmm, sparse, targets",
     .method = "fmm",
     .tree = "sparse",
     .m = FAULTS_M},
    {.name = "fmm, tuned", .method = "fmm", .parameters = 1},
};

static void fault_positions(struct fault_case *c)
{
    uint64_t state = 99;
    for (int i = 0; i < FAULTS_N + FAULTS_M; i++) {
        double *to = i < FAULTS_N ? c->x[i] : c->y[i - FAULTS_N];
        for (int d = 0; d < 3; d++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            to[d] = 10 * (double)(state >> 40) * 0x1p-24;
        }
    }
    for (int i = 0; i < FAULTS_N * 6; i++)
        c->q[i] = i % 2 ? -1 : 1;
}

/* Enough boxes that some are far apart and use expansions. */
static void fault_boxes(struct fault_case *c, int k)
{
    c->options.fmm.order = 3;
    c->options.fmm.tree = kinds[k].tree;
    if (strcmp(kinds[k].tree, "sparse") == 0) {
        c->options.fmm.leaf = 2;
        return;
    }
    c->options.fmm.levels = 3;
    for (int d = 0; d < 3; d++)
        c->options.fmm.boxes[d] = 1;
}

static int fault_open(int k)
{
    return strcmp(kinds[k].method, "direct") == 0
           || (kinds[k].tree && strcmp(kinds[k].tree, "sparse") == 0);
}

void fault_case(struct fault_case *c, int k)
{
    memset(c, 0, sizeof *c);
    fault_positions(c);
    c->name = kinds[k].name;
    c->m = kinds[k].m;
    c->parameters = kinds[k].parameters;
    c->problem = (farsum_problem)FARSUM_PROBLEM_INIT;
    c->options = (farsum_options)FARSUM_OPTIONS_INIT;
    c->options.verify = FARSUM_VERIFY_OFF; /* unit/verify_late.c tests this */
    for (int d = 0; d < 3; d++) {
        c->problem.cell[4 * d] = 10;
        c->cell[4 * d] = 9.99 + 0.005 * d;
        c->problem.periodic[d] = !fault_open(k);
        c->options.spectral.mesh[d] = kinds[k].parameters ? 0 : 24;
    }
    c->problem.n_sources = FAULTS_N;
    c->problem.n_targets = c->m;
    c->problem.sample_x = c->x;
    c->problem.sample_q = c->q;
    c->problem.tolerance = 2e-2;
    c->problem.precision = kinds[k].precision;
    c->problem.arrays = FARSUM_F64;
    c->problem.surface = kinds[k].surface;
    c->problem.kernel = kinds[k].kernel;
    c->problem.outputs = kinds[k].kernel ? FARSUM_VELOCITY
                                         : FARSUM_POTENTIAL | FARSUM_FIELD;
    c->options.method = kinds[k].method;
    c->options.threads = 2;
    c->options.deterministic = 1;
    c->options.spectral.skin = kinds[k].skin;
    c->options.spectral.fft = kinds[k].fft;
    c->options.spectral.near = kinds[k].near;
    c->options.spectral.spread = kinds[k].spread;
    c->options.spectral.scale = kinds[k].scale;
    c->options.spectral.interp = kinds[k].interp;
    if (kinds[k].tree)
        fault_boxes(c, k);
    if (!kinds[k].parameters && strcmp(kinds[k].method, "spectral") == 0) {
        c->options.cutoff = 3;
        c->options.spectral.support = 6;
    } else {
        memset(c->options.spectral.mesh, 0, sizeof c->options.spectral.mesh);
    }
}

farsum_status fault_points(farsum_plan *plan, const struct fault_case *c)
{
    return farsum_plan_set_points(plan, FAULTS_N, c->x, c->m,
                                  c->m > 0 ? c->y : NULL);
}

farsum_status fault_execute(farsum_plan *plan, const struct fault_case *c,
                            struct fault_sums *sums)
{
    farsum_result out = FARSUM_RESULT_INIT;
    if (!c->problem.kernel) {
        out.potential = sums->potential;
        out.field = sums->field;
        return farsum_plan_execute(plan, 1, c->q, &out);
    }
    out.velocity = sums->field;
    farsum_status status = farsum_plan_execute(plan, 1, c->q, &out);
    sums->potential[0] = sums->field[0][0];
    return status;
}

int fault_waits(int64_t n)
{
    int waits = 0;
    for (int64_t i = 0; i < n && !waits; i++) {
        char *p = NULL;
        waits = MEM_RAW(p, 1) != FARSUM_OK;
        mem_free(p);
    }
    mem_fail_at(0);
    return waits;
}
