/* SPDX-License-Identifier: Apache-2.0 */
/* balance.c: clustered points in plans over ranks with a device each: the mesh
 * is cut by the work in its planes, as on the host. */
#include <stdlib.h>
#include <string.h>

#include <farsum/device.h>

#include "check.h"
#include "device/device.h"
#include "ranks/balance_case.h"
#include "ranks_device/rank_device.h"

enum { RANKS = 3 };

static farsum_device *devices[RANKS];

static void device_case(struct shared *s, const enum places *steps)
{
    shared_make(s, steps);
    s->devices = devices;
    s->options.cutoff = 0.2; /* clusters have many pairs; PoCL sums slowly */
    /* near pairs are as exact as the tolerance needs: a plan over one rank,
     * which cannot cut, differs by 5e-11 from one process */
    s->most = 1e-10;
}

static void compare(const enum places *steps, int apart, double edge)
{
    static struct shared s, right;
    device_case(&right, steps);
    right.apart = apart;
    right.excluded = !apart;
    right.edge = edge;
    alone(&right);
    /* parameters of one process, which all then take */
    farsum_options o = right.options;
    const farsum_plan_info *info = &right.about[0];
    o.cutoff = info->cutoff;
    o.spectral.split = info->split;
    o.spectral.window = info->window;
    o.spectral.bandwidth = info->bandwidth;
    o.spectral.support = info->support;
    o.spectral.shape = info->shape;
    memcpy(o.spectral.mesh, info->mesh, sizeof info->mesh);
    for (int size = 1; size <= RANKS; size++) {
        device_case(&s, steps);
        s.options = o;
        s.apart = apart;
        s.excluded = !apart;
        s.edge = edge;
        share(&s, size, size == 3);
        if (!CHECK(ranks_run(size, NULL, work, &s) == 0, "a rank failed"))
            continue;
        for (int step = 0; s.steps[step] != SETS; step++) {
            const struct ranks_info *i = &s.info[step][0];
            printf("  %d ranks, step %d: imbalance %.2f, work %.2f, cut "
                   "%lld\n",
                   size, step, i->imbalance, i->work_imbalance,
                   (long long)i->recuts);
            same(&s, &right, step, size);
        }
        right_cuts(&s, size);
    }
}

static void clusters(void)
{
    static const enum places steps[] = {EVEN, CLUSTER, NEAR_IT, SETS};
    compare(steps, 0, 0);
    compare(steps, 1, 0);
}

static void cells(void)
{
    static const enum places steps[] = {EVEN, CLUSTER, SETS};
    compare(steps, 0, 1.7);
}

static void cuts(void)
{
    static const enum places steps[] = {CLUSTER, TWO, SETS};
    static struct shared s;
    device_case(&s, steps);
    share(&s, RANKS, 0);
    CHECK(ranks_run(RANKS, NULL, work, &s) == 0, "a rank failed");
    right_cuts(&s, RANKS);
}

/* Only the first set counts even points: later sets do not wait for it. */
static void even(void)
{
    static const enum places steps[] = {EVEN, EVEN, EVEN, SETS};
    static struct shared s;
    device_case(&s, steps);
    share(&s, RANKS, 0);
    CHECK(ranks_run(RANKS, NULL, work, &s) == 0, "a rank failed");
    right_cuts(&s, RANKS);
    CHECK(s.costs[0].calls >= s.costs[1].calls + 3
              && s.costs[1].calls == s.costs[2].calls,
          "sets make %lld, %lld, %lld calls", (long long)s.costs[0].calls,
          (long long)s.costs[1].calls, (long long)s.costs[2].calls);
}

/* Allocations fail on one rank.  Where they are those of new states, the old
 * cuts stay. */
static void no_memory(void)
{
    static const enum places steps[] = {EVEN, CLUSTER, CLUSTER, SETS};
    static struct shared s, right;
    int kept = 0, ends = 0;
    device_case(&right, steps);
    alone(&right);
    for (int64_t n = 1; !ends; n += 41) {
        device_case(&s, steps);
        share(&s, 2, 0);
        s.fail_rank = (int)(n % 2);
        s.fail_at = n;
        CHECK(ranks_run(2, NULL, work, &s) == 0, "a rank failed");
        CHECK(s.status[1][0] == s.status[1][1] && s.status[2][0] == FARSUM_OK,
              "allocation %lld: status %d, %d, then %d", (long long)n,
              s.status[1][0], s.status[1][1], s.status[2][0]);
        same(&s, &right, 2, 2);
        kept += s.status[1][0] == FARSUM_OK && s.info[1][0].recuts == 0;
        ends = !s.allocated;
    }
    printf("  %d failures keep the old cuts\n", kept);
    CHECK(kept > 0, "%d failures keep the old cuts", kept);
}

int main(void)
{
    draw();
    for (int r = 0; r < RANKS; r++)
        CHECK_OK(rank_device_public(r, &devices[r]));
    RUN(clusters);
    RUN(cells);
    RUN(cuts);
    RUN(even);
    RUN(no_memory);
    for (int r = 0; r < RANKS; r++)
        farsum_device_close(devices[r]);
    return check_end();
}
