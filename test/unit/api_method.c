/* SPDX-License-Identifier: Apache-2.0 */
/* api_method.c: tests of the method's choice where none is named, and of its
 * report. */
#include "api.h"

#include <stdlib.h>

/* n points in a cube of edge 10, in open space or periodic.  clustered: nine of
 * ten are in a ball of radius 0.3. */
struct cloud {
    int64_t n;
    double *x, *q; /* owned */
    farsum_problem problem;
    farsum_options options;
};

static void cloud_set(struct cloud *c, int64_t n, int periodic, int clustered)
{
    uint64_t state = 4;
    *c = (struct cloud){.n = n,
                        .x = check_memory((size_t)(3 * n), sizeof *c->x),
                        .q = check_memory((size_t)n, sizeof *c->q),
                        .problem = FARSUM_PROBLEM_INIT,
                        .options = FARSUM_OPTIONS_INIT};
    for (int64_t i = 0; i < 3 * n; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        double f = (double)(state >> 40) * 0x1p-24;
        c->x[i] = clustered && i / 3 % 10 ? 5 + 0.6 * (f - 0.5) : 10 * f;
        c->q[i / 3] = i / 3 % 2 ? -1 : 1;
    }
    for (int d = 0; d < 3; d++) {
        c->problem.cell[4 * d] = 10;
        c->problem.periodic[d] = periodic;
    }
    c->problem.n_sources = n;
    c->problem.sample_x = c->x;
    c->problem.sample_q = c->q;
    c->problem.tolerance = 1e-4;
    c->options.threads = 1;
}

static void cloud_clear(struct cloud *c)
{
    free(c->x);
    free(c->q);
}

/* CHECKs the method of the cloud's plan, and that its reason names every
 * method. */
static void cloud_takes(const struct cloud *c, const char *method,
                        const char *says)
{
    farsum_plan *plan = NULL;
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    farsum_variant_info row = FARSUM_VARIANT_INFO_INIT;
    CHECK_OK(farsum_plan_tune(&c->problem, &c->options, &plan));
    if (!plan)
        return;
    CHECK_OK(farsum_plan_get_info(plan, &info));
    CHECK(strcmp(info.method, method) == 0, "%s is taken: %s", info.method,
          info.method_reason);
    CHECK(strncmp(info.method_reason, method, strlen(method)) == 0
              && strstr(info.method_reason, "s estimated")
              && strstr(info.method_reason, says),
          "no \"%s\" in \"%s\"", says, info.method_reason);
    for (int k = 0; farsum_list_variants("method", k, &row) == FARSUM_OK; k++)
        CHECK(strstr(info.method_reason, row.name), "no %s in \"%s\"", row.name,
              info.method_reason);
    farsum_plan_destroy(plan);
}

static void by_seconds(void)
{
    static const struct {
        int64_t n;
        int periodic, clustered;
        const char *method, *says;
    } cases[] = {
        {100, 0, 0, "direct", "fmm"},
        {20000, 0, 0, "fmm", "direct at least"},
        {20000, 0, 1, "fmm", "direct at least"},
        {3000, 1, 0, "spectral", "direct: sums open boundaries"},
        {20000, 1, 0, "spectral", "ewald: a reference"},
        {20000, 1, 1, "fmm", "ewald: a reference"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct cloud c;
        cloud_set(&c, cases[k].n, cases[k].periodic, cases[k].clustered);
        cloud_takes(&c, cases[k].method, cases[k].says);
        c.options.method = "auto";
        cloud_takes(&c, cases[k].method, cases[k].says);
        cloud_clear(&c);
    }
}

/* Choice where others do not fit: by virial, precision, kernel. */
static void by_what_fits(void)
{
    struct cloud c;
    cloud_set(&c, 500, 1, 0);
    c.problem.outputs = FARSUM_POTENTIAL | FARSUM_VIRIAL;
    cloud_takes(&c, "spectral", "fmm: has no virial");
    c.problem.outputs = FARSUM_POTENTIAL;
    c.problem.precision = FARSUM_F32;
    c.problem.arrays = FARSUM_F64;
    c.problem.tolerance = 1e-8;
    farsum_plan *plan = NULL; /* no reference if f64 reaches the tolerance */
    CHECK_FAILS(farsum_plan_tune(&c.problem, &c.options, &plan),
                FARSUM_ERR_TOLERANCE);
    CHECK_SAYS("spectral: tolerance 1e-08 is below");
    CHECK_SAYS("f64 reaches 1e-08: use precision f64");
    cloud_clear(&c);
    cloud_set(&c, 500, 0, 0);
    c.problem.kernel = "r6";
    cloud_takes(&c, "direct", "fmm: expands 1/r");
    cloud_clear(&c);
}

/* An option that is set is kept: methods without it do not fit. */
static void by_options(void)
{
    struct cloud c;
    farsum_plan *plan = NULL;
    cloud_set(&c, 500, 1, 0);
    c.options.fmm.order = 10;
    cloud_takes(&c, "fmm", "spectral: does not accept option order");
    c.options.cutoff = 3;
    CHECK_FAILS(farsum_plan_tune(&c.problem, &c.options, &plan),
                FARSUM_ERR_UNSUPPORTED);
    CHECK_SAYS("no method supports this problem");
    CHECK_SAYS("spectral: does not accept option order");
    CHECK_SAYS("fmm: does not accept option cutoff");
    c.options.fmm.order = 0;
    cloud_takes(&c, "spectral", "fmm: does not accept option cutoff");
    c.options.cutoff = 0;
    c.options.fmm.m2l = "plain";
    cloud_takes(&c, "fmm", "spectral: does not accept option m2l");
    c.options.fmm.m2l = NULL;
    for (int d = 0; d < 3; d++)
        c.options.spectral.mesh[d] = 32;
    cloud_takes(&c, "spectral", "fmm: does not accept option mesh");
    cloud_clear(&c);
    cloud_set(&c, 100, 0, 0);
    c.options.fmm.tree = "sparse";
    cloud_takes(&c, "fmm", "direct: does not accept option tree");
    cloud_clear(&c);
}

/* A named method is used, and only its own seconds are reported. */
static void by_name(void)
{
    struct cloud c;
    farsum_plan *plan = NULL;
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    static const char *const names[] = {"direct", "fmm"};
    cloud_set(&c, 500, 0, 0);
    for (int k = 0; k < 2; k++) {
        c.options.method = names[k];
        CHECK_OK(farsum_plan_create(&c.problem, &c.options, &plan));
        CHECK_OK(farsum_plan_get_info(plan, &info));
        CHECK(strcmp(info.method, names[k]) == 0
                  && strstr(info.method_reason, "(named)")
                  && !strstr(info.method_reason, names[1 - k]),
              "%s: %s", info.method, info.method_reason);
        farsum_plan_destroy(plan);
    }
    cloud_clear(&c);
}

/* Memory has priority over speed; if no method fits in memory, the plan reports
 * it. */
static void by_memory(void)
{
    struct cloud c;
    farsum_plan *plan = NULL;
    cloud_set(&c, 500, 1, 0);
    c.options.memory_limit = 1000;
    CHECK_FAILS(farsum_plan_tune(&c.problem, &c.options, &plan),
                FARSUM_ERR_MEMORY);
    CHECK_SAYS("limit is 1000");
    c.options.method = "fmm";
    CHECK_FAILS(farsum_plan_tune(&c.problem, &c.options, &plan),
                FARSUM_ERR_MEMORY);
    CHECK_SAYS("bytes");
    cloud_clear(&c);
}

void api_methods(void)
{
    RUN(by_seconds);
    RUN(by_what_fits);
    RUN(by_options);
    RUN(by_name);
    RUN(by_memory);
}
