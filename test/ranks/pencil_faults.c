/* SPDX-License-Identifier: Apache-2.0 */
/* pencil_faults.c: plans over 2 x 2 ranks when an allocation or the network
 * fails on one rank, as plan_faults.c has it for slabs; and what pencils
 * refuse. */
#include <unistd.h>

#include "check.h"
#include "ranks/life_faults.h"

enum {
    PATIENCE = 900, /* seconds, after which a rank waits for ever */
    RANKS = 4,
    STRIDE = 3 /* tries every third allocation and call, of each rank others */
};

static const char *const kinds[] = {"charges", "flows"};

static struct life life_of(int flow)
{
    return (struct life){.size = RANKS,
                         .flow = flow,
                         .pencils = 1,
                         .sampled = !flow,
                         .excluded = !flow,
                         .verify = FARSUM_VERIFY_OFF};
}

static void no_memory_in(int flow)
{
    struct life life = life_of(flow);
    int64_t failed[RANKS];
    life_no_memory(&life, kinds[flow], STRIDE, failed);
    for (int r = 0; r < RANKS; r++)
        CHECK(failed[r] > 100 / STRIDE, "%lld allocations fail",
              (long long)failed[r]);
    life_free(&life);
}

static void no_memory(void)
{
    no_memory_in(0);
    no_memory_in(1);
}

static void broken_network_in(int flow)
{
    struct life life = life_of(flow);
    life_no_network(&life, kinds[flow], STRIDE);
    life_free(&life);
}

static void broken_network(void)
{
    broken_network_in(0);
    broken_network_in(1);
}

/* Shapes that are refused, on all ranks. */
static farsum_status work_refused(struct comm *comm, void *data)
{
    static const struct {
        struct ranks_shape shape;
        const char *method, *device;
        farsum_status status;
        const char *words;
    } rows[] = {
        {{"curve", {0, 0}},
         NULL,
         NULL,
         FARSUM_ERR_UNKNOWN,
         "domain \"curve\" is not known"},
        {{"pencil", {3, 2}},
         NULL,
         NULL,
         FARSUM_ERR_ARGUMENT,
         "ranks of pencils are 3 x 2; the product must be 4"},
        {{"pencil", {4, 0}}, NULL, NULL, FARSUM_ERR_ARGUMENT, "are 4 x 0"},
        {{"slab", {2, 2}},
         NULL,
         NULL,
         FARSUM_ERR_ARGUMENT,
         "ranks[2] requires domain \"pencil\""},
        {{"pencil", {2, 2}},
         "fmm",
         NULL,
         FARSUM_ERR_UNSUPPORTED,
         "domain \"pencil\": method fmm has only slabs"},
        {{"pencil", {0, 0}},
         NULL,
         "opencl",
         FARSUM_ERR_UNSUPPORTED,
         "domain \"pencil\": devices have only slabs yet"},
    };
    farsum_problem p = FARSUM_PROBLEM_INIT;
    (void)data;
    p.n_sources = 10;
    p.tolerance = 1e-4;
    for (int d = 0; d < 3; d++) {
        p.periodic[d] = 1;
        p.cell[4 * d] = 1;
    }
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        farsum_options o = FARSUM_OPTIONS_INIT;
        farsum_plan *plan = NULL;
        o.method = rows[k].method;
        o.device.name = rows[k].device;
        CHECK_FAILS(
            plan_over_ranks_as(comm, &p, &o, NULL, &rows[k].shape, &plan),
            rows[k].status);
        CHECK_SAYS(rows[k].words);
    }
    /* one rank requests another shape */
    const struct ranks_shape other = {"pencil", {2, 2}}, any = {NULL, {0, 0}};
    farsum_plan *plan = NULL;
    CHECK_FAILS(plan_over_ranks_as(comm, &p, NULL, NULL,
                                   comm->rank == 2 ? &other : &any, &plan),
                FARSUM_ERR_ARGUMENT);
    CHECK_SAYS("domain");
    return FARSUM_OK;
}

static void refused(void)
{
    CHECK(ranks_run(RANKS, NULL, work_refused, NULL) == 0, "a rank failed");
}

int main(void)
{
    alarm(PATIENCE);
    RUN(refused);
    RUN(no_memory);
    RUN(broken_network);
    return check_end();
}
