/* SPDX-License-Identifier: Apache-2.0 */
/* rounding.c: bounds of strict plans at the level of rounding errors, where
 * truncation errors are negligible, against sums in long double. */
#include <stdlib.h>

#include "check.h"
#include "fmm/fmm.h"

enum { MOST = 600, WAVES = 15 };

static double x[3 * MOST], q[MOST], field[3 * MOST], potential[MOST];
static long double right[4][MOST]; /* potential and field */

static double uniform(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return ldexp((double)(*seed >> 11), -53);
}

/* n points of the unit cube: uniform, or in a ball with density r^-2.  sign 0:
 * charges +-1; 1: of one sign; 2: of both signs. */
static void points(int n, int ball, int sign, uint64_t seed)
{
    for (int i = 0; i < n; i++) {
        double r = 0, at[3];
        for (int d = 0; d < 3; d++) {
            at[d] = x[3 * i + d] = uniform(&seed);
            r += (at[d] - 0.5) * (at[d] - 0.5);
        }
        double to = (1e-3 + 0.4 * uniform(&seed)) / sqrt(r);
        for (int d = 0; d < 3 && ball; d++)
            x[3 * i + d] = 0.5 + (at[d] - 0.5) * to;
        q[i] = sign == 0 ? 1 - i % 2 * 2 : uniform(&seed) - (sign == 2) * 0.5;
    }
}

/* Adds sources from j on at target i, at distance d: erfc(alpha r)/r, or
 * 1/r. */
static void right_pair(int i, int j, const long double d[3], long double alpha)
{
    long double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], r = sqrtl(r2);
    if (r2 == 0 || r * alpha > 7)
        return;
    long double e = erfcl(alpha * r) / r;
    long double g = 2 * alpha / sqrtl(acosl(-1)) * expl(-alpha * alpha * r2);
    right[0][i] += q[j] * e;
    for (int a = 0; a < 3; a++)
        right[1 + a][i] += q[j] * (e + g) / r2 * d[a];
}

static void right_wave(int n, const long double k[3], long double weight)
{
    long double c = 0, s = 0;
    static long double at[2][MOST];
    for (int i = 0; i < n; i++) {
        long double turn =
            k[0] * x[3 * i] + k[1] * x[3 * i + 1] + k[2] * x[3 * i + 2];
        at[0][i] = cosl(turn);
        at[1][i] = sinl(turn);
        c += q[i] * at[0][i];
        s += q[i] * at[1][i];
    }
    for (int i = 0; i < n; i++) {
        right[0][i] += weight * (c * at[0][i] + s * at[1][i]);
        for (int a = 0; a < 3; a++)
            right[1 + a][i] += weight * k[a] * (c * at[1][i] - s * at[0][i]);
    }
}

/* Ewald's sum over the unit cell's images, or the sum in open space. */
static void right_sums(int n, int periodic)
{
    const long double pi = acosl(-1), alpha = periodic ? 7 : 0;
    long double net = 0;
    for (int i = 0; i < n; i++)
        net += q[i];
    for (int i = 0; i < n; i++) {
        for (int a = 0; a < 4; a++)
            right[a][i] = 0;
        if (periodic)
            right[0][i] =
                -2 * alpha / sqrtl(pi) * q[i] - pi / (alpha * alpha) * net;
        for (int j = 0; j < n; j++)
            for (int c = periodic ? 0 : 13; c < (periodic ? 27 : 14); c++) {
                const long double d[3] = {
                    (long double)x[3 * i] - x[3 * j] + c % 3 - 1,
                    (long double)x[3 * i + 1] - x[3 * j + 1] + c / 3 % 3 - 1,
                    (long double)x[3 * i + 2] - x[3 * j + 2] + c / 9 - 1};
                right_pair(i, j, d, alpha);
            }
    }
    for (int a = 0; a <= WAVES && periodic; a++)
        for (int b = -WAVES; b <= WAVES; b++)
            for (int c = -WAVES; c <= WAVES; c++) {
                const long double k[3] = {2 * pi * a, 2 * pi * b, 2 * pi * c};
                long double k2 = k[0] * k[0] + k[1] * k[1] + k[2] * k[2];
                if (k2 > 0 && k2 / (4 * alpha * alpha) < 44)
                    right_wave(n, k,
                               (a > 0 ? 8 : 4) * pi / k2
                                   * expl(-k2 / (4 * alpha * alpha)));
            }
}

/* The largest error at a target, in the tolerance's norm. */
static double largest(int n, int of_potential)
{
    long double most = 0, norm = 0;
    for (int i = 0; i < n; i++) {
        long double off = 0, all = 0, weight = of_potential ? 1 : q[i];
        for (int a = of_potential ? 0 : 1; a < (of_potential ? 1 : 4); a++) {
            double v = of_potential ? potential[i] : field[3 * i + a - 1];
            off += (v - right[a][i]) * (v - right[a][i]);
            all += right[a][i] * right[a][i];
        }
        most = fmaxl(most, sqrtl(off) * fabsl(weight));
        norm += all * weight * weight / n;
    }
    return (double)(most / sqrtl(norm));
}

static void one(int n, int periodic, int ball, int sign, int of_potential,
                int direct)
{
    farsum_problem p = FARSUM_PROBLEM_INIT;
    farsum_options o = fmm_options();
    farsum_plan_info info = FARSUM_PLAN_INFO_INIT;
    farsum_result out = FARSUM_RESULT_INIT;
    farsum_plan *plan = NULL;
    for (int d = 0; d < 3 && periodic; d++) {
        p.cell[4 * d] = 1;
        p.periodic[d] = 1;
    }
    p.n_sources = n;
    p.sample_x = x;
    p.sample_q = q;
    p.tolerance = 1e-10;
    p.error = of_potential ? FARSUM_ERROR_POTENTIAL : FARSUM_ERROR_FORCE;
    p.precision = FARSUM_F64;
    o.strict = 1;
    o.verify = FARSUM_VERIFY_OFF;
    if (direct) {
        o.method = "direct";
    } else {
        o.fmm.tree = "dense";
        o.fmm.levels = periodic ? 1 : 3;
        o.fmm.separation = 3;
        o.fmm.order = periodic ? 24 : 20;
        o.fmm.boxes[0] = o.fmm.boxes[1] = o.fmm.boxes[2] = 1;
    }
    out.field = field;
    out.potential = potential;
    CHECK_OK(farsum_plan_create(&p, &o, &plan));
    CHECK_OK(farsum_plan_set_points(plan, n, x, 0, NULL));
    CHECK_OK(farsum_plan_execute(plan, 1, q, &out));
    CHECK_OK(farsum_plan_get_info(plan, &info));
    farsum_plan_destroy(plan);
    double most = largest(n, of_potential);
    printf("%s: %s %s, charges %d, %s: largest %.2e, bound %.2e\n", info.method,
           periodic ? "periodic" : "open", ball ? "ball" : "cube", sign,
           of_potential ? "potential" : "force", most, info.bound);
    CHECK(most < info.bound && info.bound < 2000 * most,
          "%s: %s %s, charges %d, %s: largest %.3g, bound %.3g", info.method,
          periodic ? "periodic" : "open", ball ? "ball" : "cube", sign,
          of_potential ? "potential" : "force", most, info.bound);
}

static void rounding_is_in_the_bound(void)
{
    for (int kind = 0; kind < 12; kind++) {
        int periodic = kind < 6, ball = kind / 3 % 2, sign = kind % 3;
        int n = periodic ? 40 : MOST;
        if (fmm_device() && kind % 5 != 1) /* it is slow there */
            continue;
        points(n, ball, sign, 77 + (uint64_t)kind);
        right_sums(n, periodic);
        for (int kind_of = 0; kind_of < 2; kind_of++) {
            one(n, periodic, ball, sign, kind_of, 0);
            if (!periodic && !fmm_device())
                one(n, periodic, ball, sign, kind_of, 1);
        }
    }
}

void fmm_strict_rounding(void)
{
    RUN(rounding_is_in_the_bound);
}
