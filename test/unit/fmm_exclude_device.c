/* SPDX-License-Identifier: Apache-2.0 */
/* fmm_exclude_device.c: tests of exclusions of the method fmm on a device,
 * FARSUM_TEST_DEVICE (default: opencl:0), against the host, with dense and
 * sparse trees. */
#include "unit/fmm_device.h"

#include <stdlib.h>

enum { PAIRS = 40 };

/* Points are in random order: pairs at all distances, factors of all kinds. */
static void pairs_of(const struct trial *t, int64_t pair[PAIRS][2],
                     double factor[PAIRS])
{
    for (int k = 0; k < PAIRS; k++) {
        pair[k][0] = t->m ? k % t->m : k;
        pair[k][1] = k % 2 ? k + 1 : k + 3;
        factor[k] = k % 3 ? 0.2 * (k % 5) : 0;
    }
}

/* As on the host: set before the points, after them, others, none again; open
 * systems are softened. */
static void exclusions(void)
{
    static struct sums whole;
    int64_t pair[PAIRS][2];
    double factor[PAIRS];
    for (int k = 0; k + 1 < TRIALS; k++)
        for (int queues = 1 + k % 2; queues <= 2; queues += 1 + (k > 0)) {
            const struct trial *t = &trials[k];
            farsum_problem p = problem_of(t, FARSUM_F64);
            fill(t);
            pairs_of(t, pair, factor);
            /* only near pairs are softened; far boxes of few levels are not
             * affected */
            p.softening = t->edge[0] > 0 || t->levels > 4 ? 0 : 0.004;
            farsum_plan *one = plan_of(t, &p, 1);
            run(t, one, &p, &whole);
            p.n_exclusions = PAIRS / 2;
            p.exclusions = pair[0];
            p.exclusion_factors = factor;
            farsum_plan *two = plan_queues(t, &p, 0, queues);
            CHECK_OK(
                farsum_plan_set_exclusions(one, PAIRS / 2, pair[0], factor));
            for (int turn = 0; turn < 3; turn++) {
                const double *f = turn == 1 ? NULL : factor;
                if (turn == 1)
                    x[3] += 0.01; /* the order may change */
                if (turn == 2) {
                    CHECK_OK(
                        farsum_plan_set_exclusions(one, PAIRS, pair[0], f));
                    CHECK_OK(
                        farsum_plan_set_exclusions(two, PAIRS, pair[0], f));
                }
                run(t, one, &p, &host);
                run(t, two, &p, &there);
                same(t->name, t, &p, 1e-12);
            }
            x[3] -= 0.01;
            CHECK(off(t->n, host.potential, whole.potential) > 1e-3,
                  "%s: exclusions do nothing", t->name);
            CHECK_OK(farsum_plan_set_exclusions(two, 0, NULL, NULL));
            run(t, two, &p, &there);
            host = whole;
            same(t->name, t, &p, 1e-12);
            farsum_plan_destroy(one);
            farsum_plan_destroy(two);
        }
}

/* Pairs at a thousandth of their neighbours' distance, in f32.  The error of
 * the result depends on the pair's last bits, not on its distance. */
static void excluded_close_pairs(void)
{
    enum { CLOSE = 20 };
    const double apart = 1e-3;
    int64_t pair[CLOSE][2];
    for (int k = 0; k < TRIALS - 1; k++) {
        struct trial even = trials[k];
        const struct trial *t = &even;
        even.clustered = 0; /* otherwise other pairs are as close */
        if (t->m > 0)
            continue;
        farsum_problem p = problem_of(t, FARSUM_F64);
        fill(t);
        for (int i = 0; i < CLOSE; i++) {
            pair[i][0] = i;
            pair[i][1] = t->n - 1 - i;
            for (int d = 0; d < 3; d++)
                x[3 * pair[i][1] + d] = x[3 * i + d] + (d == i % 3) * apart;
        }
        farsum_plan *one = plan_of(t, &p, 1);
        CHECK_OK(farsum_plan_set_exclusions(one, CLOSE, pair[0], NULL));
        run(t, one, &p, &host);
        p = problem_of(t, FARSUM_F32);
        farsum_plan *two = plan_of(t, &p, 0);
        CHECK_OK(farsum_plan_set_exclusions(two, CLOSE, pair[0], NULL));
        run(t, two, &p, &there);
        double last = 7 * 6e-8 / (apart * apart), off_most = 0, most = 0;
        for (int i = 0; i < 3 * t->n; i++) {
            off_most = fmax(off_most, fabs(there.field[i] - host.field[i]));
            most = fmax(most, fabs(host.field[i]));
        }
        CHECK(off_most < 30 * last + 1e-5 * most,
              "%s: the field is off by %g, a pair's last bit is %g", t->name,
              off_most, last);
        farsum_plan_destroy(one);
        farsum_plan_destroy(two);
    }
}

int main(void)
{
    const char *name = getenv("FARSUM_TEST_DEVICE");
    CHECK_OK(farsum_device_open(name ? name : "opencl:0", &device));
    RUN(exclusions);
    RUN(excluded_close_pairs);
    farsum_device_close(device);
    return check_end();
}
