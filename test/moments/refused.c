/* SPDX-License-Identifier: Apache-2.0 */
/* refused.c: fmm refuses charges with dipoles over ranks; on devices only
 * spectral sums them. */
#include "sums.h"

#include <string.h>

#include "plan/ranks.h"
#include "ranks/comm_threads.h"

static farsum_status over_ranks(struct comm *comm, void *data)
{
    const struct sums_case *c = data;
    farsum_problem p = c->problem;
    farsum_options o = FARSUM_OPTIONS_INIT;
    farsum_plan *plan = NULL;
    o.method = "fmm";
    o.threads = 1;
    p.n_sources = c->n;
    p.sample_x = c->x;
    p.sample_q = c->q;
    CHECK_FAILS(plan_over_ranks(comm, &p, &o, &plan), FARSUM_ERR_UNSUPPORTED);
    CHECK_SAYS("one process only");
    CHECK(!plan, "a plan of fmm over ranks");
    farsum_plan_destroy(plan);
    return FARSUM_OK;
}

static void test_ranks(void)
{
    struct sums_case c = {.m = 0};
    sums_tilted(&c);
    sums_random(&c, 20, 0, 0);
    c.problem.kernel = "charge_dipole";
    c.problem.tolerance = 1e-5;
    CHECK(ranks_run(2, NULL, over_ranks, &c) == 0, "a rank failed");
}

static void test_device(void)
{
    static const char *const methods[] = {NULL, "spectral", "fmm", "ewald",
                                          "direct", "spectral"};
    for (int open = 0; open < 2; open++)
        for (int k = 0; k < 6; k++) {
            struct sums_case c = {.problem = FARSUM_PROBLEM_INIT};
            farsum_options o = FARSUM_OPTIONS_INIT;
            farsum_plan *plan = NULL;
            if (!open)
                sums_tilted(&c);
            c.problem.kernel = "charge_dipole";
            c.problem.n_sources = 20;
            c.problem.tolerance = 1e-5;
            o.method = methods[k];
            o.device.name = "opencl:0";
            o.deterministic = k == 5; /* no spread of slopes repeats */
            farsum_status status = farsum_plan_create(&c.problem, &o, &plan);
            if (status == FARSUM_ERR_DEVICE) {
                printf("no device: %s\n", farsum_message());
                return;
            }
            int sums = !open && k < 2;
            CHECK(status == (sums ? FARSUM_OK : FARSUM_ERR_UNSUPPORTED)
                      && sums == (plan != NULL),
                  "method %s on a device: status %d, %s",
                  o.method ? o.method : "auto", (int)status, farsum_message());
            farsum_plan_destroy(plan);
        }
}

int main(void)
{
    RUN(test_ranks);
    RUN(test_device);
    return check_end();
}
