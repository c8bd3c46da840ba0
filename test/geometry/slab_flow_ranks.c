/* SPDX-License-Identifier: Apache-2.0 */
/* slab_flow_ranks.c: flows in slabs over ranks of hosts against one process,
 * with the same parameters. */
#include <string.h>

#include "check.h"
#include "geometry/slab_flow_case.h"
#include "geometry/sums.h"
#include "plan/ranks.h"
#include "ranks/comm_threads.h"

enum { N = FLOW_POINTS, M = FLOW_TARGETS };

struct all {
    struct flow f;
    double velocity[3 * N];
};

/* A rank gives and gets the points begin to end; the last one of four none. */
static int64_t begin(int rank, int size, int64_t n)
{
    int parts = size == 4 ? 3 : size;
    return rank < parts ? n * rank / parts : n;
}

static farsum_status one_rank(struct comm *comm, void *data)
{
    const struct all *all = data;
    const struct flow *f = &all->f;
    double velocity[3 * N];
    int64_t first = begin(comm->rank, comm->size, N);
    int64_t own = begin(comm->rank + 1, comm->size, N) - first;
    int64_t at = f->m ? begin(comm->rank, comm->size, M) : first;
    int64_t count = f->m ? begin(comm->rank + 1, comm->size, M) - at : own;
    farsum_problem p = f->problem;
    farsum_result r = FARSUM_RESULT_INIT;
    farsum_plan *plan = NULL;
    p.n_sources = own;
    p.n_targets = f->m ? count : 0;
    r.velocity = velocity;
    if (!CHECK_OK(plan_over_ranks(comm, &p, &f->options, &plan)))
        return FARSUM_OK;
    CHECK_OK(farsum_plan_set_points(plan, own, f->x + 3 * first, p.n_targets,
                                    p.n_targets ? f->y + 3 * at : NULL));
    CHECK_OK(farsum_plan_execute(plan, 1, f->q + f->width * first, &r));
    if (count > 0) {
        double off =
            geometry_off(velocity, all->velocity + 3 * at, NULL, (int)count, 3);
        CHECK(off <= 1e-11, "%s, rank %d of %d: off by %g", p.kernel,
              comm->rank, comm->size, off);
    }
    farsum_plan_destroy(plan);
    return FARSUM_OK;
}

static void ranks(void)
{
    for (int kernel = 0; kernel < FLOWS; kernel++)
        for (int targets = 0; targets < 2; targets++) {
            static struct all all;
            farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
            struct flow *f = &all.f;
            flow_make(f, kernel, kernel, 4, 1, 1e-10);
            f->m = targets ? M : 0;
            CHECK_OK(flow_sum(f, all.velocity, &info));
            f->options.cutoff = info.cutoff;
            f->options.spectral.bandwidth = info.bandwidth;
            f->options.spectral.support = info.support;
            f->options.spectral.shape = info.shape;
            memcpy(f->options.spectral.mesh, info.mesh, sizeof info.mesh);
            f->problem.tolerance *= 10; /* a share may estimate more */
            CHECK_OK(flow_sum(f, all.velocity, NULL));
            for (int size = 2; size <= 4; size += 2)
                CHECK(ranks_run(size, NULL, one_rank, &all) == 0,
                      "a rank failed");
        }
}

int main(void)
{
    RUN(ranks);
    return check_end();
}
