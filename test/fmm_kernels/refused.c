/* SPDX-License-Identifier: Apache-2.0 */
/* refused.c: what fmm refuses of other kernels than 1/r, by name. */
#include "fmm_kernels/clouds.h"

#include <string.h>

#include "plan/ranks.h"
#include "ranks/comm_threads.h"

static struct cloud cloud;

static void refused(const farsum_problem *p, const farsum_options *o,
                    const char *says)
{
    farsum_plan *plan = NULL;
    farsum_options how = *o;
    how.method = "fmm";
    CHECK_FAILS(farsum_plan_create(p, &how, &plan), FARSUM_ERR_UNSUPPORTED);
    CHECK_SAYS(says);
    CHECK(!plan, "a plan of %s", p->kernel);
    farsum_plan_destroy(plan);
}

static void test_refused(void)
{
    for (int k = 0; k < CLOUD_KERNELS; k++) {
        cloud_set(&cloud, cloud_kernels[k], CLOUD_EVEN, 50, 0);
        farsum_problem p = cloud_problem(&cloud);
        farsum_options o = cloud.options;
        o.strict = 1;
        refused(&p, &o, "strict");
        o.strict = 0;
        for (int d = 0; d < 3; d++) {
            p.periodic[d] = 1;
            p.cell[4 * d] = 12;
        }
        if (cloud.flow)
            refused(&p, &o, "in open space only");
    }
    cloud_set(&cloud, "charge_dipole", CLOUD_EVEN, 50, 0);
    farsum_problem p = cloud_problem(&cloud);
    p.softening = 0.1;
    refused(&p, &cloud.options, "softening of kernel charge_dipole");
    p.softening = 0;
    p.kernel = "r6";
    p.outputs = FARSUM_POTENTIAL;
    p.sample_x = p.sample_q = NULL;
    refused(&p, &cloud.options, "kernel r6 is none");
}

static farsum_status over_ranks(struct comm *comm, void *data)
{
    const struct cloud *c = data;
    farsum_problem p = cloud_problem(c);
    farsum_options o = c->options;
    farsum_plan *plan = NULL;
    o.method = "fmm";
    o.threads = 1;
    CHECK_FAILS(plan_over_ranks(comm, &p, &o, &plan), FARSUM_ERR_UNSUPPORTED);
    CHECK_SAYS("one process only");
    farsum_plan_destroy(plan);
    return FARSUM_OK;
}

static void test_ranks(void)
{
    for (int k = 0; k < CLOUD_KERNELS; k++) {
        cloud_set(&cloud, cloud_kernels[k], CLOUD_EVEN, 50, 0);
        CHECK(ranks_run(2, NULL, over_ranks, &cloud) == 0, "a rank failed");
    }
}

/* A device refuses the kernel, or there is none. */
static void test_device(void)
{
    for (int k = 0; k < CLOUD_KERNELS; k++) {
        cloud_set(&cloud, cloud_kernels[k], CLOUD_EVEN, 50, 0);
        farsum_problem p = cloud_problem(&cloud);
        farsum_options o = cloud.options;
        farsum_plan *plan = NULL;
        o.method = "fmm";
        o.device.name = "opencl:0";
        farsum_status status = farsum_plan_create(&p, &o, &plan);
        CHECK(status == FARSUM_ERR_UNSUPPORTED || status == FARSUM_ERR_DEVICE,
              "status %d", (int)status);
        if (status == FARSUM_ERR_UNSUPPORTED)
            CHECK_SAYS("on the host only");
        farsum_plan_destroy(plan);
    }
}

int main(void)
{
    RUN(test_refused);
    RUN(test_ranks);
    RUN(test_device);
    return check_end();
}
